"""How statements are written for PostgreSQL: steps apart, keys beside them."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from dpratio.curator.warehouse.database.on_postgres import write
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.curator.warehouse.sums import group_sums
from dpratio.curator.warehouse.tables import WarehouseTable

from curator.groups_for_tests import by
from curator.people_for_tests import people
from curator.tables_for_tests import exact, plan_of, reading_of
from dpratio.plan.plan import Plan
from dpratio.terms.groups import Periods
from dpratio.terms.source import DatabaseTable

TABLE = (
    "CREATE TABLE loans AS SELECT (i % 100 / 100.0)::numeric AS score, 1 AS label, "
    "1.0::float8 AS weight, 'region ' || i % 3 AS region, i % 500 AS id, "
    "timestamp '2024-01-01' + i * interval '1 minute' AS seen "
    "FROM generate_series(1, 20000) i"
)
CHEAP = "parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"


@pytest.fixture
def loans(postgres_url: str) -> Iterator[WarehouseTable]:
    """A table on a server that shares work wherever it can."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(TABLE.encode())
        connection.execute("ANALYZE loans")
        opened = open_warehouse(DatabaseTable(postgres_url, table="loans"))
        for each in CHEAP:
            opened.backend.con.execute(f"SET {each} = 0")
        yield opened


def explained(loans: WarehouseTable, plan: Plan) -> str:
    question = group_sums(loans.dialect, loans.rows, reading_of(plan), in_doubles=True)
    written, arrays = write(loans.backend, question)
    with psycopg.RawCursor(loans.backend.con) as cursor:
        cursor.execute(f"EXPLAIN (VERBOSE, FORMAT JSON) {written}".encode(), arrays)
        [[plan_of_query]] = cursor.fetchall()
    return json.dumps(plan_of_query)


def plans() -> dict[str, Any]:
    keys = [f"region {at}" for at in range(3)]
    return {
        "groups": plan_of(keys=keys),
        "periods": by(Periods("seen", "month", "2024-01-01", "2024-03-01")),
        "people": people(keys=keys),
    }


def test_keys_and_ids_are_compared_by_their_bytes(postgres_url: str) -> None:
    """By the name of the server's own collation: others may have one called "C"."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE words (score float8, label int, weight float8, "
            "region text, id text)"
        )
        opened = open_warehouse(DatabaseTable(postgres_url, table="words"))
        plan = people(keys=["north", "south"])
        question = group_sums(
            opened.dialect, opened.rows, reading_of(plan), in_doubles=True
        )
        written, _ = write(opened.backend, question)
    for column in ("region", "id"):
        read = f'(CAST("t0"."{column}" AS VARCHAR) COLLATE pg_catalog."C") AS '
        assert read in written
    assert "bytewise" not in written.lower()


@pytest.mark.parametrize("name", plans())
def test_work_is_shared_and_each_cell_is_read_once(
    name: str, loans: WarehouseTable
) -> None:
    found = explained(loans, plans()[name])
    assert "Gather" in found
    assert "Nested Loop" not in found
    # Too small, zero; small enough, a double: of one CASE, however often it is used.
    assert found.count("loans.score") <= 4 * found.count("Seq Scan")


def test_keys_of_any_text_are_handed_over(loans: WarehouseTable) -> None:
    keys = ['"', "\\", "'", "{a,b}", "NULL", "%", "$1", "%s", "region 1"]
    sums = exact(loans, plan_of(keys=keys), "auto")
    assert [row[0] > 0 for row in sums] == [False] * 8 + [True]
