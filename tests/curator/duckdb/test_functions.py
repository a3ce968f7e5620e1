"""On a connection of others, nothing of theirs stands in for functions of DuckDB."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import duckdb
import pytest

from curator.statements_for_tests import (
    EVERY,
    functions_in,
    key_counts,
    readings,
)
from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading import sources as functions
from dpratio.curator.reading.sources import open_duck, require_own_functions
from dpratio.curator.reading.table import DuckTable, identifier
from dpratio.curator.sql.duckdb import duckdb_table
from dpratio.curator.sql.query import keys_query, sums_query
from dpratio.errors import InvalidInput

Connection = Any

OWN = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal"
ROW = "SELECT 0.75 AS score, 1 AS label, 'a' AS region, 'someone' AS id"

# Where macros may lie, and be found by name alone or by a path that is set later.
PLACES = {
    "the database": "CREATE MACRO {}",
    "temporary": "CREATE TEMP MACRO {}",
    "another schema": "CREATE SCHEMA other; CREATE MACRO other.{}",
    "the path": "CREATE SCHEMA p; CREATE MACRO p.{}; SET search_path = 'p,main'",
    "another database": "ATTACH ':memory:' AS other; CREATE MACRO other.main.{}",
}


@pytest.fixture
def connection() -> Iterator[Connection]:
    with duckdb.connect() as made:
        yield made


@cache
def written_by_duckdb() -> tuple[str, ...]:
    """The statements over a relation."""
    written: list[str] = []
    with duckdb.connect() as connection:
        first = readings()
        opened = open_duck(connection.sql(EVERY), next(first))
        for each in first:
            table = duckdb_table(_over(opened, each.columns))
            written.append(sums_query(table, each))
        for count in key_counts():
            table = duckdb_table(_over(opened, count.columns))
            written.append(keys_query(table, count))
    return tuple(written)


def _over(opened: DuckTable, columns: list[str]) -> DuckTable:
    """The same relation, opened for other columns."""
    kinds = {
        name: opened.types[name].name
        if name != "at_utc"
        else "TIMESTAMP WITH TIME ZONE"
        for name in columns
    }
    return replace(opened, columns={name: (name, kinds[name]) for name in columns})


def test_statements_call_functions_that_duckdb_has_by_itself(
    connection: Connection,
) -> None:
    """So that refusing macros of those names refuses all that could stand in."""
    own = {name for (name,) in connection.execute(OWN).fetchall()}
    found = functions_in(written_by_duckdb())
    assert found <= own
    # The search finds functions, operators and windows.
    assert {"floor", "+", "%", "string_split", "count_star", "encode", "md5"} <= found
    assert {"row_number", "sum", "isfinite", "epoch_ns", "epoch_us", "unhex"} <= found


def test_a_macro_with_the_name_of_a_function_that_we_call_is_refused(
    connection: Connection,
) -> None:
    for name in sorted(functions_in(written_by_duckdb())):
        macro = identifier(name)
        connection.execute(f"CREATE MACRO {macro}(x) AS x")
        with pytest.raises(InvalidInput) as refused:
            require_own_functions(connection.execute)
        assert str(refused.value) == (
            "a function means what DuckDB says, got a connection with another one "
            f"named '{name}', which could stand in for DuckDB's own. Drop it, give it "
            "another name, or open the table on another connection."
        )
        connection.execute(f"DROP MACRO {macro}")
    require_own_functions(connection.execute)


@pytest.mark.parametrize(
    ("place", "macro"),
    [
        *((place, "floor(x) AS x * 1000") for place in PLACES),
        ("the database", "FLOOR(x) AS x"),
        ("the database", '"+"(a, b) AS a'),
        ("the database", "range(x) AS TABLE SELECT x"),
    ],
)
def test_a_macro_is_refused_wherever_it_lies(
    place: str, macro: str, connection: Connection
) -> None:
    relation = connection.sql(ROW)
    open_table(relation, asked(plan_of()), "duckdb")
    connection.execute(PLACES[place].format(macro))
    with pytest.raises(InvalidInput, match="with another one"):
        open_table(relation, asked(plan_of()), "duckdb")


def test_the_list_of_functions_itself_has_no_substitute(
    connection: Connection,
) -> None:
    connection.execute(
        "CREATE MACRO duckdb_functions() AS TABLE "
        "SELECT 'floor' AS function_name, true AS internal"
    )
    with pytest.raises(InvalidInput, match="another one named 'duckdb_functions'"):
        require_own_functions(connection.execute)
    for name in ("system", "SYSTEM"):
        with pytest.raises(duckdb.Error, match="reserved"):
            connection.execute(f"ATTACH ':memory:' AS {name}")
    with pytest.raises(duckdb.Error, match="system catalog"):
        connection.execute("CREATE MACRO system.main.duckdb_functions() AS 1")


def test_a_macro_of_another_name_is_no_harm(connection: Connection) -> None:
    expected = exact(connection.sql(ROW), plan_of(), "duckdb")
    connection.execute("CREATE MACRO mine(x) AS x + 1")
    # Words that are no functions to DuckDB: a macro of that name is never asked.
    words = ["coalesce", "try", "try_cast", "cast", "case", "between", "in", "not"]
    for word in words:
        connection.execute(f"CREATE MACRO {identifier(word)}(x) AS 77")
        connection.execute(f"CREATE OR REPLACE MACRO {identifier(word)}(x, y) AS 77")
    assert exact(connection.sql(ROW), plan_of(), "duckdb") == expected


def test_types_have_no_substitute(connection: Connection) -> None:
    expected = exact(connection.sql(ROW), plan_of(), "duckdb")
    with pytest.raises(duckdb.Error, match="already exists"):
        connection.execute("CREATE TYPE double AS INTEGER")
    connection.execute("CREATE SCHEMA other")
    for name in ("double", "bigint", "hugeint", "varchar", "blob", "date"):
        connection.execute(f"CREATE TYPE other.{name} AS ENUM ('a')")
    connection.execute("SET search_path = 'other,main'")
    assert exact(connection.sql(ROW), plan_of(), "duckdb") == expected


def test_a_function_of_python_that_joins_one_of_duckdb_is_refused(
    connection: Connection,
) -> None:
    connection.create_function("mine", lambda _: 77.0, ["DOUBLE"], "DOUBLE")
    require_own_functions(connection.execute)
    for name in ("%", "encode", "md5", "unnest"):
        connection.create_function(name, lambda _: 77.0, ["DOUBLE"], "DOUBLE")
        with pytest.raises(InvalidInput, match=f"another one named '{name}'"):
            require_own_functions(connection.execute)
        connection.remove_function(name)


def test_functions_of_extensions_are_no_harm(connection: Connection) -> None:
    """Those that come with DuckDB, loaded or not, are the same on every connection."""
    connection.execute("LOAD icu")
    connection.execute("LOAD json")
    require_own_functions(connection.execute)


def test_what_duckdb_has_is_the_same_on_each_new_connection() -> None:
    functions._own.cache_clear()
    first = functions._own()
    functions._own.cache_clear()
    assert first == functions._own()
    assert {"+", "abs", "md5"} <= {name for name, *_ in first}
