"""A ledger of version 1 on a server is brought up to date; no line changes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import plan_of
from curator.ledger.attacks.tampering import COLUMNS, fill, truth_of
from curator.ledger.loans import SCOPE, bring
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


def write_version_1(address: str, file: Path) -> None:
    """Put the lines of a file into the tables of version 1, which had the same."""
    script = Path(__file__).with_name("version_1.sql").read_text()
    with (
        psycopg.connect(address) as connection,
        closing(sqlite3.connect(file)) as lines,
        connection.cursor() as cursor,
    ):
        cursor.execute(script.encode())
        for table, columns in TABLES.items():
            rows = lines.execute(f"SELECT {columns} FROM {table}").fetchall()  # noqa: S608
            marks = ", ".join("%s" for _ in columns.split(", "))
            said = f"INSERT INTO dpratio.{table} ({columns}) VALUES ({marks})"  # noqa: S608
            cursor.executemany(said.encode(), rows)


def test_lines_heads_and_bytes_stay_the_same(postgres_url: str, tmp_path: Path) -> None:
    file, anchor = tmp_path / "budget.db", tmp_path / "heads"
    published = fill(str(file), anchor)
    truth = truth_of(Ledger(file, anchor=anchor))
    write_version_1(postgres_url, file)
    with pytest.raises(LedgerFailed, match=r"of version 1.*`dpratio ledger migrate`"):
        Ledger(postgres_url, anchor=anchor).account("loans")
    assert migrate(PostgresStore(Address(postgres_url)))
    assert not migrate(PostgresStore(Address(postgres_url)))
    moved = Ledger(postgres_url, anchor=anchor)
    assert truth_of(moved) == truth
    assert verify_ledger(moved, published).wrong == ()
    moved.charge("f" * 32, plan_of("0.1"), scope="loans")
    with psycopg.connect(postgres_url) as connection:
        query = "SELECT count(*) FROM dpratio_version_1.entry"
        assert connection.execute(query).fetchone() == (
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
    write_version_1(postgres_url, file)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(edit.encode())
    with pytest.raises(LedgerFailed):
        migrate(PostgresStore(Address(postgres_url)))
    with psycopg.connect(postgres_url) as connection:
        query = "SELECT to_regclass('dpratio_version_1.entry') IS NULL"
        assert connection.execute(query).fetchone() == (True,)
