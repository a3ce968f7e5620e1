"""Tables that only grow: what is cut out, replaced, hidden or made up is found."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.asking import COST, released
from curator.ledger.attacks.books import is_plain, name_of, open_book, plan_of
from curator.ledger.attacks.tampering import forge, link_again
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.tables import TABLES
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed
from dpratio.terms.budget import Budget

COLUMNS = {
    "ledger": "version",
    "scope": "document",
    "entry": "loss",
    "artifact": "content",
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    ["UPDATE {table} SET {column} = {column}", "DELETE FROM {table}"],
)
def test_a_table_in_a_file_refuses_to_lose_anything(
    tmp_path: Path, table: str, statement: str
) -> None:
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    released(ledger, 1)
    before = ledger.account()
    with closing(sqlite3.connect(path)) as connection:
        said = statement.format(table=table, column=COLUMNS[table])
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(said)
    assert Ledger(path).account() == before


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {table} SET {column} = {column}",
        "DELETE FROM {table}",
        "TRUNCATE {table} CASCADE",
    ],
)
def test_a_table_on_a_server_refuses_to_lose_anything(
    postgres_url: str, table: str, statement: str
) -> None:
    ledger = open_book(postgres_url)
    released(ledger, 1)
    before = ledger.account()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path TO dpratio")
        said = statement.format(table=table, column=COLUMNS[table])
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            connection.execute(said.encode())
    assert Ledger(postgres_url).account() == before


def test_a_line_that_replaces_another_is_detected(tmp_path: Path) -> None:
    """SQLite calls no trigger for the row that OR REPLACE removes."""
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    with closing(sqlite3.connect(path)) as connection:
        columns = "scope, seq, time, subject, kind, '0/1', delta, event, previous, hash"
        connection.execute(
            f"INSERT OR REPLACE INTO entry SELECT {columns} FROM entry WHERE seq = 1"  # noqa: S608
        )
        connection.commit()
    with pytest.raises(LedgerFailed, match="edited, damaged or rolled back"):
        Ledger(path).account()
    assert verify_ledger(Ledger(path)).wrong


@pytest.mark.parametrize(
    "edits",
    [
        ["DELETE FROM entry WHERE seq = 2"],
        [
            "DELETE FROM entry WHERE seq = 2",
            "UPDATE entry SET seq = seq - 1 WHERE seq > 2",
        ],
        [
            "UPDATE entry SET seq = 99 WHERE seq = 2",
            "UPDATE entry SET seq = 2 WHERE seq = 3",
            "UPDATE entry SET seq = 3 WHERE seq = 99",
        ],
        ["UPDATE entry SET seq = seq + 1000"],
        ["UPDATE entry SET scope = 'other' WHERE seq = 2"],
    ],
)
def test_a_charge_that_is_cut_out_or_moved_breaks_the_chain(
    tmp_path: Path, edits: list[str]
) -> None:
    """Without an anchor: the links alone show it."""
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    ledger.open_scope(Scope("other", Budget(1000, "1e-3")))
    for number in (1, 2, 3):
        ledger.charge(name_of(number), plan_of("0.1"), scope="loans")
    assert forge(path, *((edit, ()) for edit in edits))
    with pytest.raises(LedgerFailed):
        Ledger(path).account("loans")
    assert verify_ledger(Ledger(path)).wrong


def test_an_index_that_hides_the_last_charge_is_found(tmp_path: Path) -> None:
    """The row is in the table, and the index by which it is read does not know it."""
    path, edited = tmp_path / "budget.db", tmp_path / "edited.db"
    ledger = open_book(str(path))
    for number in (1, 2, 3):
        ledger.charge(name_of(number), plan_of("0.1"))
    shutil.copy(path, edited)
    assert forge(edited, ("DELETE FROM entry WHERE seq = 3", ()))
    with closing(sqlite3.connect(path)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
        query = "SELECT rootpage FROM sqlite_master WHERE name LIKE '%autoindex_entry%'"
        pages = [each for (each,) in connection.execute(query)]
    assert len(pages) == 2
    content, other = bytearray(path.read_bytes()), edited.read_bytes()
    for page in pages:
        place = slice((page - 1) * size, page * size)
        content[place] = other[place]
    path.write_bytes(content)
    assert Ledger(path).account().spent.loss == 2 * COST  # An account does not see it …
    assert verify_ledger(Ledger(path)).wrong  # … so it is looked for.
    with pytest.raises(LedgerFailed):  # Who saw it is not deceived.
        ledger.account()


def test_an_entry_that_breaks_a_rule_is_not_followed_even_with_right_hashes(
    tmp_path: Path,
) -> None:
    """Whoever writes lines with the right hashes is still bound by the rules."""
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    edits = (
        "UPDATE entry SET loss = '-1/1' WHERE kind = 'charge'",
        "UPDATE entry SET loss = '1001/1' WHERE kind = 'charge'",
        "UPDATE entry SET delta = '-1/1' WHERE kind = 'charge'",
        "UPDATE entry SET loss = 'nan' WHERE kind = 'charge'",
        "UPDATE entry SET loss = '1/0' WHERE kind = 'charge'",
        "UPDATE entry SET event = '{}' WHERE kind = 'charge'",
        "UPDATE entry SET kind = 'void' WHERE kind = 'published'",
        "UPDATE entry SET kind = 'opened' WHERE kind = 'charge'",
        "UPDATE entry SET kind = 'refund' WHERE kind = 'published'",
        "DELETE FROM entry WHERE kind = 'opened'",
        "DELETE FROM entry WHERE kind = 'charge'",
    )
    sound = path.read_bytes()
    for edit in edits:
        path.write_bytes(sound)
        if forge(path, (edit, ())):
            link_again(path, "loans")
            assert verify_ledger(Ledger(path)).wrong, edit


@pytest.mark.parametrize("event", ["[", "{}", "[]", '{"sha256": 1, "format": "json"}'])
def test_a_seal_that_says_nothing_is_detected_even_with_right_hashes(
    tmp_path: Path, event: str
) -> None:
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    edit = "UPDATE entry SET event = ? WHERE kind = 'sealed'"
    assert forge(path, (edit, (event,)))
    link_again(path, "loans")
    with pytest.raises(LedgerFailed) as refused:
        Ledger(path).sealed(name_of(1), plan_of("0.1"))
    assert is_plain(refused.value)
    assert verify_ledger(Ledger(path)).wrong
