"""A name in our statements means what the database itself means by it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from curator.people_for_tests import people
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, InvalidInput
from dpratio.terms.source import DatabaseTable
from hostile_server import hostile_server
from tiers import quick_first

Connection = Any

LOANS = (
    "CREATE TABLE loans (score DOUBLE PRECISION, label INTEGER, region VARCHAR)",
    "INSERT INTO loans VALUES (0.5, 1, 'a'), (0.25, 0, 'b')",
)
SAME = {"score": [0.5, 0.25], "label": [1, 0], "region": ["a", "b"]}

# People who are in two groups each, and may count in one.
VISITS = (
    "CREATE TABLE visits (id bigint, region text, score float, label float)",
    "INSERT INTO visits SELECT n/2, chr(97+n%2), 0.5, 1 FROM generate_series(0, 47) n",
)
SAME_VISITS = {
    "id": [n // 2 for n in range(48)],
    "region": ["ab"[n % 2] for n in range(48)],
    "score": [0.5] * 48,
    "label": [1.0] * 48,
}

# Each made sums other ones, or put every row into two groups.
MACROS = [
    "floor(x) AS x * 1000",
    "encode(x) AS 'a'::BLOB",
    "isfinite(x) AS true",
    '"+"(x, y) AS x',
    '"%"(x, y) AS 0',
    "sum(x) AS max(x)",
    "count_star() AS 1",
    "list_value(x, y) AS ['a'::BLOB]",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database of DuckDB in a file."""
    with duckdb.connect(tmp_path / "loans.db") as connection:
        for each in LOANS:
            connection.execute(each)
    return tmp_path / "loans.db"


@pytest.fixture
def opened(file: Path) -> Iterator[Connection]:
    with duckdb.connect(file) as connection:
        yield connection


@pytest.mark.parametrize("macro", quick_first(MACROS, 3))
def test_41_a_macro_of_a_duckdb_file_does_not_stand_in(
    macro: str, file: Path, opened: Connection
) -> None:
    """A connection with it is refused; by its address the file is read without it.

    Source: found by an independent attack on this code, 2026: a DuckDB file with
    `CREATE MACRO floor(x) AS x*1000` changed the sums; `encode` put every row into two
    groups.
    More: tests/curator/duckdb/test_functions.py, with every function that we call, in
    every place where macros lie.
    """
    plan = plan_of(keys=["a", "b"])
    expected = exact(SAME, plan, "python")
    relation = opened.table("loans")
    assert exact(relation, plan, "duckdb") == expected
    opened.execute(f"CREATE MACRO {macro}")
    for source in (relation, opened.sql("FROM loans")):
        with pytest.raises(InvalidInput, match="could stand in for DuckDB's own"):
            release_sums(source, plan, ledger=None)
    opened.close()
    by_address = DatabaseTable(f"duckdb:///{file}", table="loans")
    assert exact(by_address, plan, "auto") == expected


def test_41_a_function_of_python_does_not_join_one_of_duckdb(
    opened: Connection,
) -> None:
    """Of the same name, for the types that we call it with.

    Source: found by asking what else DuckDB calls by a name, 2026: a function of
    Python may be added to one of DuckDB's, and is then listed as its own.
    """
    relation = opened.table("loans")
    opened.create_function("%", lambda one, _: one, ["BIGINT", "INTEGER"], "BIGINT")
    with pytest.raises(InvalidInput, match="could stand in for DuckDB's own"):
        release_sums(relation, plan_of(), ledger=None)


def test_41_an_operator_does_not_stand_in_for_one_of_postgres(
    postgres_url: str,
) -> None:
    """PostgreSQL takes one of any schema whose types fit better than its own do.

    Source: found by looking for the macros of DuckDB in every database, 2026: with a
    `%` of bigint and integer in `public`, all groups of a person had the same rank.
    More: tests/curator/sql/test_impostors.py.
    """
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for each in VISITS:
            connection.execute(each.encode())
        plan = people(weighted=False, keys=["a", "b"])
        expected = exact(SAME_VISITS, plan, "python")
        connection.execute(
            "CREATE FUNCTION zero(bigint, integer) RETURNS bigint LANGUAGE sql "
            "AS 'SELECT 0::bigint'"
        )
        connection.execute(
            "CREATE OPERATOR % (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = zero)"
        )
        by_address = DatabaseTable(postgres_url, table="visits")
        assert exact(by_address, plan, "auto") == expected


def test_41_a_study_leads_no_password_to_a_host_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor does it lead anywhere, where the data holder lists other hosts.

    Source: found by an independent attack on this code, 2026: a study's address names
    the server that is told PGPASSWORD.
    More: tests/curator/sql/test_hosts.py.
    """
    monkeypatch.setenv("PGPASSWORD", "of the environment")
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "60")
    monkeypatch.delenv("DPRATIO_HOSTS", raising=False)
    with hostile_server() as server:
        url = f"postgres://ann@0.0.0.0:{server.port}/loans"
        table = DatabaseTable(url, table="loans")
        with pytest.raises(FileRefused, match="no database answers"):
            release_sums(table, plan_of(), ledger=None)
        assert server.visits > 0
        assert b"of the environment" not in b"".join(server.heard)
        monkeypatch.setenv("DPRATIO_HOSTS", "db.example.org")
        visits = server.visits
        with pytest.raises(FileRefused, match="hosts that DPRATIO_HOSTS lists"):
            release_sums(table, plan_of(), ledger=None)
        assert server.visits == visits
