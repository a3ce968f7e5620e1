"""What stands in for a table, a function or a setting, and moves what nobody paid for.

Each was tried against dpratio and worked once.
"""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest

from curator.tables_for_tests import exact, plan_of
from dpratio.curator import measure
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, SchemaRefused
from dpratio.terms.source import DatabaseTable

Server = psycopg.Connection[tuple[object, ...]]

ONE_ROW = "CREATE TABLE loans (score DOUBLE PRECISION, label INTEGER, region VARCHAR)"
INSERT = "INSERT INTO loans VALUES (0.5, 1, 'north')"
ONE = [[1 << 24, 1 << 24, 1 << 23, 1 << 22, 1 << 23]]


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    """A connection to a database with one row."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(ONE_ROW.encode())
        connection.execute(INSERT.encode())
        yield connection


def run(connection: Server, *statements: str) -> None:
    for each in statements:
        connection.execute(each.encode())


@pytest.mark.parametrize(
    "function",
    [
        """public.convert_to(varchar, text) RETURNS bytea LANGUAGE sql
            AS $$ SELECT 'south'::bytea $$""",
        "public.floor(float8) RETURNS float8 LANGUAGE sql AS 'SELECT $1 * 1e6'",
    ],
)
def test_functions_of_others_do_not_stand_in_for_those_of_postgresql(
    server: Server, postgres_url: str, function: str
) -> None:
    run(server, f"CREATE FUNCTION {function}")
    plan = plan_of(keys=["north", "south"])
    wanted = [ONE[0], [0] * 5]
    url = f"{postgres_url}&options=-csearch_path%3Dpublic,pg_catalog"
    for each in (postgres_url, url):
        table = DatabaseTable(each, table="public.loans")
        assert exact(table, plan, "auto") == wanted


@pytest.mark.parametrize(
    "statements",
    [
        [
            """CREATE FUNCTION public.more(float8, float8) RETURNS float8 IMMUTABLE
                RETURN coalesce($1, 0) + 1000 * $2""",
            "CREATE AGGREGATE public.sum(float8) (sfunc = public.more, stype = float8)",
        ],
        ["CREATE FUNCTION public.abs(float8) RETURNS float8 RETURN 0"],
        ["CREATE FUNCTION public.floor(float8) RETURNS float8 RETURN $1 * 1e6"],
    ],
)
def test_a_path_on_which_others_come_before_postgresql_is_not_taken(
    server: Server, postgres_url: str, statements: list[str]
) -> None:
    """Sums and sizes are written by Ibis, which names no schema."""
    run(server, *statements)
    url = f"{postgres_url}&options=-csearch_path%3Dpublic,pg_catalog"
    table = DatabaseTable(url, table="public.loans")
    assert exact(table, plan_of(), "auto") == ONE


def test_what_is_no_table_of_postgresqls_own_is_refused(
    server: Server, postgres_url: str
) -> None:
    run(
        server,
        "CREATE MATERIALIZED VIEW m AS SELECT score, label FROM loans",
        "CREATE TABLE guarded (score FLOAT, label INTEGER)",
        "ALTER TABLE guarded ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE guarded FORCE ROW LEVEL SECURITY",
        "CREATE POLICY odd ON guarded USING (true)",
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON guarded, loans TO reader",
        'GRANT TEMPORARY ON DATABASE "' + server.info.dbname + '" TO reader',
    )
    reader = postgres_url.replace("postgres:@", "reader:@")
    try:
        for url, name in (
            (postgres_url, "m"),
            (postgres_url, "pg_catalog.pg_class"),
            (reader, "guarded"),
        ):
            with pytest.raises(SchemaRefused, match="is no table of the database"):
                exact(DatabaseTable(url, table=name), plan_of(), "auto")
        table = DatabaseTable(reader, table="loans")
        assert exact(table, plan_of(), "auto") == ONE
    finally:
        run(server, "DROP OWNED BY reader", "DROP ROLE reader")


def test_a_right_to_read_suffices(server: Server, postgres_url: str) -> None:
    """Nothing is written: not even a temporary table for the declared keys."""
    run(
        server,
        "CREATE ROLE stranger LOGIN",
        "GRANT SELECT ON loans TO stranger",
        f'REVOKE TEMPORARY ON DATABASE "{server.info.dbname}" FROM PUBLIC',
    )
    url = postgres_url.replace("postgres:@", "stranger:@")
    table = DatabaseTable(
        f"{url}&options=-cdefault_transaction_read_only%3Don", table="loans"
    )
    plan = plan_of(keys=["north", "south"])
    try:
        assert exact(table, plan, "auto") == [ONE[0], [0] * 5]
    finally:
        run(server, "DROP OWNED BY stranger", "DROP ROLE stranger")


def test_macros_in_a_file_do_not_stand_in_for_functions_of_duckdb(
    tmp_path: Path,
) -> None:
    path = tmp_path / "people.db"
    own = duckdb.connect(path)
    for statement in (
        ONE_ROW,
        INSERT,
        "CREATE MACRO floor(x) AS x * 1e6",
        "CREATE MACRO least(x, y) AS 1e6",
        "CREATE MACRO sum(x) AS 77",
    ):
        own.execute(statement)
    own.close()
    table = DatabaseTable(f"duckdb:///{path}", table="loans")
    assert exact(table, plan_of(), "auto") == ONE


def test_a_panic_is_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicError(BaseException):
        """As those of Polars: no Exception."""

    def panic() -> None:
        raise PanicError("cell 271828")

    monkeypatch.setattr(measure, "open_reading", lambda *_given: panic)
    with pytest.raises(EngineFailed) as failed:
        release_sums({"score": [], "label": []}, plan_of(), ledger=None)
    assert failed.value.__context__ is None

    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "open_reading", lambda *_given: stop)
    with pytest.raises(KeyboardInterrupt):
        release_sums({"score": [], "label": []}, plan_of(), ledger=None)
