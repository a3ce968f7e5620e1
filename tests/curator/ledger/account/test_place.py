"""Where sources lie: the same, perhaps the same, and told apart."""

import pytest

from dpratio.curator.ledger.account.place import (
    IN_FILES,
    IN_MEMORY,
    Place,
    is_same,
    may_meet,
    place_from_text,
)
from dpratio.errors import DocumentRefused

SERVER = "postgresql://db:5432/credit"


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("/d/a.csv", "/d/a.csv", True),
        ("/d/a.csv", "/d/b.csv", False),
        ("/d", "/d/a.csv", True),  # Spark reads folders.
        ("/d", "/dd/a.csv", False),
        ("/d/*.csv", "/d/a.csv", True),
        ("/d/*.csv", "/d/a.parquet", False),
        ("/d/a-*.csv", "/d/b-*.csv", False),
        ("/d/a-*.csv", "/d/a-1.csv", True),
        ("/d/a-*.csv", "/d/b-1.csv", False),
        ("/d/**/*.csv", "/d/2026/a.csv", True),
        ("/d/**/*.csv", "/d/2026/*.csv", True),
        ("/d/**/*.csv", "/e/2026/*.csv", False),
        ("/d/{period}.csv", "/d/2026.csv", True),
        ("/d/{period}.csv", "/d/20??.csv", True),
        ("/d/[ab].csv", "/d/c/d.csv.gz", False),
        ("/d/*", "/d/2026/a.csv", True),
        ("/d/*/2026", "/d/x/2026/a.csv", True),
        ("hdfs://h/d/*.parquet", "hdfs://h/d/a.parquet", True),
    ],
)
def test_files_meet_unless_they_are_told_apart(
    one: str, other: str, *, meet: bool
) -> None:
    places = [Place(IN_FILES, (each,)) for each in (one, other)]
    assert may_meet(*places) is meet
    assert may_meet(*reversed(places)) is meet


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (("loans",), ("loans",), True),
        (("loans",), ("public", "loans"), True),
        (("LOANS",), ("public", "loans"), True),
        (("own", "loans"), ("public", "loans"), False),
        (("loans",), ("cards",), False),
    ],
)
def test_tables_meet_by_their_names_from_the_last(
    one: tuple[str, ...], other: tuple[str, ...], *, meet: bool
) -> None:
    assert may_meet(Place(SERVER, one), Place(SERVER, other)) is meet
    assert may_meet(Place(SERVER, one), Place("postgresql://e:5432/c", other)) is False


def test_a_table_meets_itself_by_the_name_that_its_database_has_for_it() -> None:
    asked = Place(SERVER, ("LOANS",), ("public", "loans"))
    assert may_meet(asked, Place(SERVER, ("loans",)))
    assert may_meet(Place(SERVER, ("loans",), ("public", "loans")), asked)
    assert not may_meet(asked, Place(SERVER, ("cards",), ("public", "cards")))


def test_tables_in_memory_meet_by_their_name() -> None:
    one = Place(IN_MEMORY, ("orders",))
    assert may_meet(one, Place(IN_MEMORY, ("orders",)))
    assert not may_meet(one, Place(IN_MEMORY, ("order",)))
    assert not may_meet(one, Place(IN_FILES, ("orders",)))


def test_the_same_source_lies_and_is_declared_as_before() -> None:
    bound = Place(IN_FILES, ("/d/*.csv",), declared='["a"]')
    assert is_same(bound, bound)
    assert not is_same(bound, Place(IN_FILES, ("/d/*.csv",), declared='["b"]'))
    assert not is_same(bound, Place(IN_FILES, ("/d/a.csv",), declared='["a"]'))
    assert not is_same(bound, Place(IN_MEMORY, ("/d/*.csv",), declared='["a"]'))


def test_what_was_bound_without_its_database_holds_for_what_it_says() -> None:
    bound = Place(SERVER, ("renamed",))
    asked = Place(SERVER, ("renamed",), ("public", "loans"), '{"id": "order"}')
    assert is_same(bound, asked)
    assert is_same(asked, asked)
    assert not is_same(Place(SERVER, ("other",)), asked)
    moved = Place(SERVER, ("renamed",), ("public", "cards"), '{"id": "order"}')
    assert not is_same(asked, moved)


def test_a_place_is_written_and_read_back() -> None:
    place = Place(SERVER, ("v",), ("public", "loans"), '{"id": "order"}')
    assert place_from_text(place.text) == place


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"where": "files"}',
        '{"where": "files", "names": [], "base": [], "declared": ""}',
        '{"where": "files", "names": [1], "base": [], "declared": ""}',
    ],
)
def test_a_text_that_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(DocumentRefused):
        place_from_text(text)
