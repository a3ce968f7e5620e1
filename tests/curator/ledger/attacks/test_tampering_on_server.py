"""A ledger on a server that was edited says so, even where triggers are off."""

import random
from pathlib import Path
from typing import Any

import psycopg
import pytest

from curator.ledger.attacks.asking import refusal, verbs
from curator.ledger.attacks.books import name_of, open_book, plan_of
from curator.ledger.attacks.tampering import fill, judge, truth_of
from curator.ledger.owner_edits import OWNER_EDITS
from dpratio.curator.ledger.ledger import Ledger
from soak import IS_SOAK


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entry SET loss = '0/1' WHERE seq = 1",
        "UPDATE entry SET kind = 'void' WHERE seq = 2",
        "DELETE FROM entry WHERE seq = 3",
        "DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)",
        "UPDATE scope SET document = replace(document, '\"1000\"', '\"2000\"')",
        "UPDATE artifact SET content = 'other'",
        "DELETE FROM artifact",
        "INSERT INTO artifact VALUES ('more', 'more', 'more')",
        "UPDATE ledger SET version = 1",
        "UPDATE scope SET loss = '9/1'",
        "UPDATE entry SET spent_loss = '0/1' WHERE seq = 6",
    ],
)
def test_an_edit_on_a_server_is_detected(
    postgres_url: str, tmp_path: Path, edit: str
) -> None:
    anchor = tmp_path / "heads"
    ledger = open_book(postgres_url, anchor=anchor)
    for number in (1, 2):
        ledger.charge(name_of(number), plan_of("0.1"))
        ledger.open(name_of(number))
        ledger.seal(name_of(number), b"bytes")
    truth = truth_of(Ledger(postgres_url, anchor=anchor))
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET session_replication_role = replica")  # Triggers off.
        connection.execute("SET search_path TO dpratio")
        assert connection.execute(edit.encode()).rowcount > 0
    assert judge(postgres_url, truth, anchor) == "detected"


@pytest.mark.parametrize(
    "name",
    [
        "function emptied",
        "trigger never",
        "opened swallowed",
        "unlogged entries",
        "insert elsewhere",
        "a view hides the tail",
        "rows hidden",
        "insert granted",
    ],
)
def test_an_edit_of_the_rules_stops_every_verb_before_it_bends_one(
    postgres_url: str, name: str
) -> None:
    """All edits are found, see test_catalogue.py; here each verb must look for them."""
    ledger = open_book(postgres_url)
    ledger.charge(name_of(1), plan_of("0.1"))
    with psycopg.connect(postgres_url) as connection:
        connection.execute(OWNER_EDITS[name].encode())
    for verb in verbs(postgres_url):
        assert "the tables of the ledger were changed" in refusal(verb)
    with psycopg.connect(postgres_url) as connection:
        found = connection.execute("SELECT count(*) FROM dpratio.entry").fetchone()
    assert found == (1,)


def test_an_edit_at_random_is_detected(postgres_url: str, tmp_path: Path) -> None:
    """One value of one line is changed, with triggers off."""
    anchor = tmp_path / "heads"
    fill(postgres_url, anchor)
    truth = truth_of(Ledger(postgres_url, anchor=anchor))
    chance = random.Random(11)  # noqa: S311 (not for secrets)
    counts = dict.fromkeys(("detected", "harmless", "UNSEEN"), 0)
    for _ in range(1_000 if IS_SOAK else 25):
        table = chance.choice(["entry"] * 7 + ["scope", "artifact", "ledger"])
        with psycopg.connect(postgres_url) as connection:
            undo = _edit(connection, table, chance)
        counts[judge(postgres_url, truth, anchor)] += 1
        with psycopg.connect(postgres_url) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(undo[0], undo[1])
    assert judge(postgres_url, truth, anchor) == "harmless"
    print(f"edits at random on a server: {counts}")  # noqa: T201
    assert counts["UNSEEN"] == counts["harmless"] == 0


def _edit(
    connection: Any,  # noqa: ANN401
    table: str,
    chance: random.Random,
) -> tuple[bytes, tuple[object, ...]]:
    """Change one value of one line; give what puts it back."""
    connection.execute("SET session_replication_role = replica")
    lines = connection.execute(f"SELECT ctid, * FROM dpratio.{table}")  # noqa: S608
    columns = [each.name for each in lines.description][1:]
    place, *values = chance.choice(sorted(lines.fetchall()))
    at = chance.randrange(len(columns))
    old, column = values[at], columns[at]
    if isinstance(old, int):
        new: object = old + chance.choice([-1000, 100, 1000])
    else:
        spot = chance.randrange(max(len(old), 1))
        letter = "x" if old[spot : spot + 1] not in {"x", b"x"} else "y"
        word = letter if isinstance(old, str) else letter.encode()
        new = old[:spot] + word + old[spot + 1 :]
    change = f"UPDATE dpratio.{table} SET {column} = %s WHERE ctid = %s RETURNING ctid"  # noqa: S608
    ((moved,),) = connection.execute(change.encode(), (new, place)).fetchall()
    return change.encode(), (old, moved)
