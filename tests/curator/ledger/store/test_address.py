"""Addresses are recognised or refused, and shown to nobody."""

import copy
import pickle
from pathlib import Path, PurePosixPath

import pytest

from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import (
    Address,
    place_of_anchor,
    place_of_ledger,
)
from dpratio.errors import InvalidInput

PLAIN = "postgresql://ann:SECRET@host/db"


@pytest.mark.parametrize(
    ("written", "address"),
    [
        (PLAIN, PLAIN),
        ("postgres://ann:SECRET@host/db", PLAIN),
        ("  postgresql://ann:SECRET@host/db\n", PLAIN),
        ("PostgreSQL://ann:SECRET@host/db", PLAIN),
        ("postgresql+psycopg://ann:SECRET@host/db", PLAIN),
        ("postgresql+psycopg2://ann:SECRET@host/db", PLAIN),
        ("postgresql:///db?host=/run", "postgresql:///db?host=/run"),
        ("host=h user=ann password=SECRET", "host=h user=ann password=SECRET"),
        ("password = 'a b\\'c' host=h", "password = 'a b\\'c' host=h"),
        ("service=budget", "service=budget"),
    ],
)
def test_the_usual_ways_to_write_an_address_are_recognised(
    written: str, address: str
) -> None:
    place = place_of_ledger(written)
    assert place == Address(address)
    assert hash(place) == hash(Address(address))
    assert place != Address("other")
    assert place != address
    assert isinstance(place_of_anchor(written), InvalidInput)


@pytest.mark.parametrize(
    "path",
    ["budget.db", "/srv/a b/budget.db", "2026:11/x@y.db", "ä.db", "user.db", "50%.db"],
)
def test_a_plain_path_is_a_file(path: str) -> None:
    for given in (path, Path(path), PurePosixPath(path)):
        assert place_of_ledger(given) == Path(path) == place_of_anchor(given)


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "a\0b",
        "postgresql:ann:SECRET@host",
        "postgresql:/ann:SECRET@host/db",
        "mysql://ann:SECRET@host/db",
        "jdbc:postgresql://host/db?password=SECRET",
        "ann:SECRET@host/db",
        "postgresql%3A%2F%2Fann%3ASECRET%40host",
        "ｐostgresql://ann:SECRET@host/db",
        "postgre\u200bsql://ann:SECRET@host/db",
        "DPRATIO_LEDGER=postgresql://ann:SECRET@host/db",
        "host=h password=SECRET, or so",
        "postgresql://",
        Path(PLAIN),
        b"budget.db",
        7,
        None,
        {"password": "SECRET"},
    ],
)
def test_what_is_neither_is_refused_and_not_shown(odd: object) -> None:
    for read in (place_of_ledger(odd), place_of_anchor(odd)):
        assert isinstance(read, InvalidInput)
        assert "SECRET" not in repr(read)
    with pytest.raises(InvalidInput, match="it may hold a password"):
        Ledger(odd)  # type: ignore[arg-type]
    if odd is not None:
        with pytest.raises(InvalidInput, match="an anchor is a file; what was given"):
            Ledger("budget.db", anchor=odd)  # type: ignore[arg-type]


def test_an_address_is_neither_shown_nor_pickled() -> None:
    ledger = Ledger(PLAIN)
    address = Address(PLAIN)
    for shown in (repr(ledger), str(address), repr(ledger.watch), f"{address}"):
        assert "SECRET" not in shown
    assert copy.copy(address) is copy.deepcopy(address) is address
    for made in (ledger, address, ledger.watch.store):
        with pytest.raises(TypeError, match="may hold a password and is not pickled"):
            pickle.dumps(made)
