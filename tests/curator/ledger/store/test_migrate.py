"""A ledger of an older version on a server is brought up to date; no line changes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import plan_of
from curator.ledger.attacks.tampering import COLUMNS, fill, truth_of
from curator.ledger.junk import write_past
from curator.ledger.loans import SCOPE, bring, wrong_in
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.migrate import migrate
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed

TABLES = {
    "scope": "name, document, hash",
    "entry": COLUMNS,
    "artifact": "release_id, content, sha256",
}


# What later versions keep beside these; lines are added up anew when they move.
TOTALS = {"scope": ("loss", "delta"), "entry": ("spent_loss", "spent_delta")}
MORE = {1: {}, 2: TOTALS, 3: TOTALS}


def write_version(version: int, address: str, file: Path) -> None:
    """Put the lines of a file into the tables of a version, which had the same."""
    script = Path(__file__).with_name(f"version_{version}.sql").read_text()
    with (
        psycopg.connect(address) as connection,
        closing(sqlite3.connect(file)) as lines,
        connection.cursor() as cursor,
    ):
        cursor.execute(script.encode())
        for table, columns in TABLES.items():
            rows = lines.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608
            more = MORE[version].get(table, ())
            marks = ", ".join("%s" for _ in (*columns.split(", "), *more))
            named = ", ".join((columns, *more))
            said = f"INSERT INTO dpratio.{table} ({named}) VALUES ({marks})"  # noqa: S608
            cursor.executemany(
                said.encode(), [(*row, *("0/1" for _ in more)) for row in rows]
            )


@pytest.mark.parametrize("version", MORE)
def test_lines_heads_and_bytes_stay_the_same(
    version: int, postgres_url: str, tmp_path: Path
) -> None:
    file, anchor = tmp_path / "budget.db", tmp_path / "heads"
    published = fill(str(file), anchor)
    truth = truth_of(Ledger(file, anchor=anchor))
    write_version(version, postgres_url, file)
    rule = rf"of version {version}.*`dpratio ledger migrate`"
    with pytest.raises(LedgerFailed, match=rule):
        Ledger(postgres_url, anchor=anchor).account("loans")
    assert migrate(PostgresStore(Address(postgres_url)))
    assert not migrate(PostgresStore(Address(postgres_url)))
    moved = Ledger(postgres_url, anchor=anchor)
    assert truth_of(moved) == truth
    assert verify_ledger(moved, published).wrong == ()
    moved.charge("f" * 32, plan_of("0.1"), scope="loans")
    with psycopg.connect(postgres_url) as connection:
        query = f"SELECT count(*) FROM dpratio_version_{version}.entry"  # noqa: S608
        assert connection.execute(query.encode()).fetchone() == (
            sum(account.seq for account in truth.accounts.values()),
        )


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE dpratio.entry SET loss = '0/1' WHERE seq = 1",
        "DELETE FROM dpratio.entry WHERE seq = 2",
        "DELETE FROM dpratio.scope",
        "UPDATE dpratio.scope SET document = '{}'",
        "INSERT INTO dpratio.artifact VALUES ('more', 'more', 'more')",
        "UPDATE dpratio.ledger SET version = 9",
        "DROP SCHEMA dpratio CASCADE",
    ],
)
def test_a_ledger_that_is_not_sound_is_left_as_it_is(
    edit: str, postgres_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "budget.db"
    ledger = Ledger(file)
    ledger.open_scope(SCOPE)
    bring(ledger, "published")
    write_version(1, postgres_url, file)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(edit.encode())
    with pytest.raises(LedgerFailed):
        migrate(PostgresStore(Address(postgres_url)))
    with psycopg.connect(postgres_url) as connection:
        query = "SELECT to_regclass('dpratio_version_1.entry') IS NULL"
        assert connection.execute(query).fetchone() == (True,)


def test_a_line_that_nobody_can_read_moves_along_and_is_set_aside(
    postgres_url: str, tmp_path: Path
) -> None:
    """Or a ledger with such a line could never be mended."""
    file = tmp_path / "budget.db"
    ledger = Ledger(file)
    ledger.open_scope(SCOPE)
    bring(ledger, "published")
    write_past(ledger, subject="1" * 32)
    write_version(2, postgres_url, file)
    assert migrate(PostgresStore(Address(postgres_url)))
    moved = Ledger(postgres_url)
    with pytest.raises(LedgerFailed, match="entry 5"):
        moved.account()
    moved.quarantine([5], why="junk")
    assert moved.account().spent.loss * 5 == 1
    assert wrong_in(moved) == ()


def test_a_line_that_cannot_be_added_up_stays_where_it_is(
    postgres_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "budget.db"
    ledger = Ledger(file)
    ledger.open_scope(SCOPE)
    write_past(ledger, loss="much")
    write_version(2, postgres_url, file)
    with pytest.raises(LedgerFailed, match="cannot be added up"):
        migrate(PostgresStore(Address(postgres_url)))
