"""Nothing foreign is read as a table of a database."""

from collections.abc import Iterator

import psycopg
import pytest

from curator.tables_for_tests import ROW, exact, plan_of
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable
from postgres_server import fresh_database


@pytest.fixture(scope="module")
def server(postgres_server: str) -> Iterator[str]:
    """A database with tables that have foreign parts, and one that has none."""
    with (
        fresh_database(postgres_server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        for statement in (
            "CREATE EXTENSION file_fdw",
            "CREATE SERVER elsewhere FOREIGN DATA WRAPPER file_fdw",
            "CREATE TABLE parted (score float8, label int) PARTITION BY RANGE (label)",
            "CREATE TABLE near PARTITION OF parted FOR VALUES FROM (0) TO (1)",
            (
                "CREATE TABLE middle PARTITION OF parted FOR VALUES FROM (1) TO (9) "
                "PARTITION BY RANGE (label)"
            ),
            (
                "CREATE FOREIGN TABLE f PARTITION OF middle FOR VALUES FROM (1) TO (5)"
                " SERVER elsewhere OPTIONS (program 'echo 0.5,1', format 'csv')"
            ),
            "CREATE TABLE parent (score float8, label int)",
            (
                "CREATE FOREIGN TABLE child () INHERITS (parent) SERVER elsewhere "
                "OPTIONS (program 'echo 0.5,1', format 'csv')"
            ),
            "CREATE TABLE whole (score float8, label int) PARTITION BY RANGE (label)",
            "CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9)",
            "INSERT INTO whole VALUES (0.5, 1)",
        ):
            connection.execute(statement.encode())
        yield url


@pytest.mark.parametrize("name", ["parted", "parent"])
def test_41_a_table_with_a_foreign_part_is_refused(name: str, server: str) -> None:
    """A partition or child of another place may give any row, or stop.

    Source: found by an independent attack on this code, 2026.
    """
    with pytest.raises(SchemaRefused, match="is no table of the database's own"):
        exact(DatabaseTable(server, table=f"public.{name}"), plan_of(), "auto")
    whole = DatabaseTable(server, table="public.whole")
    assert exact(whole, plan_of(), "auto")[0][0] == ROW
