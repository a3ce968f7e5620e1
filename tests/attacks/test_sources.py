"""One dataset has one scope and one declaration, whatever it is called.

Each way to spend another cap on the same people is refused before anything is charged.
"""

import hashlib
from pathlib import Path

import duckdb
import psycopg
import pytest

from attacks.bound_data import COLUMNS, PLAN, Call, book_of, refusal
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import (
    meant_source,
    salted_hash,
    written_source,
)
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.terms.budget import Budget
from dpratio.terms.source import CsvFile, DatabaseTable

# --- Another scope --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("data/a.csv", "data/a.csv"),
        ("data/a.csv", "link/a.csv"),
        ("data/a.csv", "data/*.csv"),
        ("data/a.csv", "link/*.csv"),
        ("data/*.csv", "data/a.csv"),
        ("data/a*.csv", "d*/a.csv"),
        ("d*/*.csv", "data/b.csv"),
    ],
)
def test_38_the_same_files_under_a_second_scope_are_refused(
    first: str, second: str, folder: Path
) -> None:
    """Another scope's name, a link, a folder or a pattern brings no fresh cap.

    Source: found by an independent attack on this code, 2026.
    """
    book = book_of(folder / "budget.db")

    def csv(path: str) -> CsvFile:
        return CsvFile(path, columns=COLUMNS, delimiter=";")

    release_sums(csv(first), PLAN, ledger=book, scope="loans")
    said = refusal(book, csv(second), "cards")
    assert said.startswith("the data were charged to another scope, 'loans'")
    assert "let the officer allow them for 'cards' with `dpratio ledger allow-" in said
    assert str(folder) not in said
    book.allow_source(csv(second), scope="cards", by="officer")
    release_sums(csv(second), PLAN, ledger=book, scope="cards")


@pytest.fixture(params=["duckdb", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database with two tables."""
    statements = (
        "CREATE TABLE loans (s DOUBLE PRECISION, y INTEGER, orders INTEGER)",
        "INSERT INTO loans VALUES (0.5, 1, 7)",
        "CREATE TABLE cards (s DOUBLE PRECISION, y INTEGER)",
    )
    if request.param == "duckdb":
        with duckdb.connect(tmp_path / "book.db") as own:
            for statement in statements:
                own.execute(statement)
        return f"duckdb:///{tmp_path}/book.db"
    url = str(request.getfixturevalue("postgres_url"))
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    return url


def test_38_a_window_of_a_table_is_spent_from_the_scope_of_the_table(
    address: str, folder: Path
) -> None:
    """Two windows may be about the same people, so they share one cap.

    Source: issue 23, point 5.
    """
    book = book_of(folder / "budget.db")

    def window(sign: str) -> DatabaseTable:
        return DatabaseTable(address, table="loans", where=[["orders", sign, 5]])

    release_sums(window("<"), PLAN, ledger=book, scope="loans")
    for each in (window(">="), DatabaseTable(address, table="loans")):
        assert "another scope, 'loans'" in refusal(book, each, "cards")
    once = book.account("loans").spent.loss
    release_sums(window(">="), PLAN, ledger=book, scope="loans")
    assert book.account("loans").spent.loss == 2 * once


def test_38_a_host_is_the_same_however_it_is_written(folder: Path) -> None:
    """Capitals, the usual port, a user or a schema make no other table.

    Source: found by an independent attack on this code, 2026.
    """
    book = book_of(folder / "budget.db", approval=True)
    first = DatabaseTable("postgres://db.example/credit", table="loans")
    book.approve(PLAN, source=first, scope="loans")
    book.charge("0" * 32, PLAN, source=meant_source(first), scope="loans")
    for url, name in (
        ("postgresql://ann:pw@DB.example:5432/credit", "loans"),
        ("postgres://db.example/credit?sslmode=require", "public.loans"),
    ):
        source = meant_source(DatabaseTable(url, table=name))
        with pytest.raises(LedgerRefused, match="another scope, 'loans'"):
            book.charge("1" * 32, PLAN, source=source, scope="cards")
    others = (
        ("postgres://db2.example/credit", "loans"),
        ("postgres://db.example/debit", "loans"),
        ("postgres://db.example/credit", "loans_2025"),
    )
    for at, (url, name) in enumerate(others, start=2):
        source = meant_source(DatabaseTable(url, table=name))
        with pytest.raises(LedgerRefused, match="approved for another source"):
            book.charge("1" * 32, PLAN, source=source, scope="loans")
        book.charge(f"{at:032x}", PLAN, source=source, scope="cards")


# --- The unit renamed -----------------------------------------------------------------


# --- What is kept, and what leaves ----------------------------------------------------


def test_38_the_source_stands_in_the_ledger_and_its_hash_in_the_release(
    call: Call, folder: Path
) -> None:
    """The curator can show which data a release is of; nobody can tell them from it.

    Source: found by an independent attack on this code, 2026.
    """
    table = CsvFile("data/a.csv", columns=COLUMNS, delimiter=";")
    book = Ledger("dpratio.db")
    book.open_scope(Scope("loans", Budget(9)))
    releases = [
        release_sums(table, PLAN, ledger=book, out=f"{at}.json", new_draw=True)
        for at in range(2)
    ]
    written = written_source(table)
    for at, release in enumerate(releases):
        said = book.account().releases[release.id].said("charge")
        assert said["source"] == written.text
        assert release.source_hash == salted_hash(written, said["salt"])
        content = (folder / f"{at}.json").read_bytes()
        for secret in ("a.csv", "data", "customer", str(folder), said["salt"]):
            assert secret.encode() not in content
    first, second = (release.source_hash for release in releases)
    assert first != second
    for text in (written.text, str(written), "data/a.csv"):
        assert hashlib.sha256(text.encode()).hexdigest() not in {first, second}
    _, shown = call("ledger", "show", "--format", "json")
    assert "files 'data/a.csv', delimiter ';'" in shown
    assert str(first)[:12] in shown


def test_38_no_password_is_in_the_ledger(folder: Path) -> None:
    """Descriptions hold the host and the table, and neither user nor option.

    Source: found by an independent attack on this code, 2026.
    """
    book = book_of(folder / "budget.db")
    url = "postgres://CANARY1:CANARY2@db/credit?options=CANARY3&password=CANARY4"
    table = DatabaseTable(url, table="loans")
    book.approve(PLAN, source=table, scope="loans")
    book.allow_source(table, scope="cards")
    book.charge("0" * 32, PLAN, source=meant_source(table), scope="loans")
    assert b"credit" in (content := (folder / "budget.db").read_bytes())
    assert b"CANARY" not in content
