"""No cell of a database stops a release, and nothing foreign is read as a table."""

from collections.abc import Iterator

import psycopg
import pytest

from curator.tables_for_tests import ROW, exact, plan_of
from curator.warehouse.roles import fates, stopped
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.errors import SchemaRefused
from dpratio.terms.database import DatabaseTable
from postgres_server import fresh_database

# Types that Ibis takes for others, or whose cells no double or day can hold.
HARD = {
    "money": ["92233720368547758.07", "0"],
    "oid": ["4294967295", "1"],
    "mood": ["sad"],
    "uuid": ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "numeric(3, 9)": ["0.000000999"],
    "regclass": ["pg_class"],
    "numeric": ["NaN", "-Infinity", "1e400", "1e-400"],
    "timestamp": ["infinity", "294276-12-31 23:59:59"],
    "date": ["-infinity", "5874897-12-31", "4713-01-01 BC"],
}


@pytest.fixture(scope="module")
def server(postgres_server: str) -> Iterator[str]:
    """A database with a table of each type, and tables with foreign parts."""
    with (
        fresh_database(postgres_server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        connection.execute("CREATE TYPE mood AS ENUM ('sad')")
        for at, (kind, cells) in enumerate(HARD.items()):
            connection.execute(
                f"CREATE TABLE t{at} (cell {kind}, score float8, label int, "
                "region text, id text)".encode()
            )
            for cell in cells:
                made = f"INSERT INTO t{at} VALUES (%s::text::{kind}, 0.5, 1, 'a', 'p')"  # noqa: S608
                connection.execute(made.encode(), (cell,))
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


def test_39_no_cell_of_postgresql_stops_a_release(server: str) -> None:
    """In every role a column is refused by its type, or read to its end.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/warehouse/test_cells_on_postgres.py, every type at its ends.
    """
    found = {}
    for at, kind in enumerate(HARD):
        opened = open_warehouse(DatabaseTable(server, table=f"public.t{at}"))
        found[kind] = stopped(fates(opened))
    wrong = {kind: fate for kind, fate in found.items() if fate}
    assert wrong == {}, wrong


@pytest.mark.parametrize("name", ["parted", "parent"])
def test_41_a_table_with_a_foreign_part_is_refused(name: str, server: str) -> None:
    """A partition or child of another place may give any row, or stop.

    Source: found by an independent attack on this code, 2026.
    """
    with pytest.raises(SchemaRefused, match="is no table of the database's own"):
        exact(DatabaseTable(server, table=f"public.{name}"), plan_of(), "auto")
    whole = DatabaseTable(server, table="public.whole")
    assert exact(whole, plan_of(), "auto")[0][0] == ROW
