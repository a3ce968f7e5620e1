"""Which engine reads a table."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from dpratio.checks import require_one_of
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import ColumnType, KeyCount, Reading, Statement
from dpratio.curator.reading.tables import as_source, kind_of, refuse_kind
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.curator.sql.table import Table
from dpratio.terms.groups import Key
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles

ENGINES = ("auto", "duckdb", "ibis")

_IN_WAREHOUSES = {"database", "spark"}


def open_table(
    table: object, statement: Statement, engine: str = "auto"
) -> Callable[[], ExactSums]:
    """Open a table for one statement, as `open_reading` does for several."""
    ask = open_reading(table, Reading((statement,)), engine)
    return lambda: ask()[0]


def open_reading(
    table: object, reading: Reading, engine: str = "auto"
) -> Callable[[], list[ExactSums]]:
    """Open a table, check its public schema, and give the one question to ask it.

    Nothing but the schema is read here; rows are read when the result is called.
    """
    opened, asking = _open(table, reading, engine)
    return lambda: as_written(table, lambda: asking.aggregate(opened, reading))


def open_keys(
    table: object, asked: KeyCount, engine: str = "auto"
) -> Callable[[], dict[Key, int]]:
    """Open a table and give the question how many units each key has: a secret."""
    opened, asking = _open(table, asked, engine)
    return lambda: as_written(table, lambda: asking.count_keys(opened, asked))


def schema_for(
    table: object, asked: Reading | KeyCount, engine: str = "auto"
) -> tuple[str, Mapping[str, ColumnType]]:
    """Open a table as for its question, and give its engine and its public schema."""
    opened, asking = _open(table, asked, engine)
    if isinstance(opened, Table):
        return opened.dialect.name, opened.types
    return asking.__name__.split(".")[-2], opened.types


def connected(table: object, engine: str = "auto") -> object:
    """Connect to a table that lies elsewhere, once for all questions of a plan."""
    source = as_source(table)
    kind = kind_of(source)
    if kind == "stream" and engine != "ibis":
        from dpratio.curator.reading.arrow import ArrowStream

        return source if isinstance(source, ArrowStream) else ArrowStream(source)
    elsewhere = engine == "auto" and kind in _IN_WAREHOUSES
    if engine != "ibis" and not elsewhere:
        return source
    if isinstance(source, Table):
        return source
    if isinstance(source, DatabaseTable):
        from dpratio.curator.sql.connect import open_database

        return as_written(source, lambda: open_database(resolved(source)))  # type: ignore[arg-type]
    if kind != "spark":
        refuse_kind(engine, kind)
    from dpratio.curator.sql.spark_frames import open_spark

    return open_spark(source)


def _open(
    table: object, asked: Reading | KeyCount, engine: str
) -> tuple[Any, ModuleType]:
    """Open a table with its engine, and check its schema."""
    require_one_of(engine, ENGINES, "engine")
    source: Any = connected(table, engine)
    return as_written(source, lambda: _opened(resolved(source), asked))


def _opened(
    opened: Any,  # noqa: ANN401 (any kind of table)
    asked: Reading | KeyCount,
) -> tuple[Any, ModuleType]:
    asking: ModuleType
    if isinstance(opened, Table):
        from dpratio.curator.sql import ask as asking
    elif isinstance(opened, CsvFile | ParquetFiles) and opened.where:
        from dpratio.curator.sql import ask as asking
        from dpratio.curator.sql.duckdb import open_kept

        opened = open_kept(opened, asked)
    else:
        from dpratio.curator.reading.sources import open_duck
        from dpratio.curator.sql import ask as asking
        from dpratio.curator.sql.duckdb import duckdb_table

        opened = duckdb_table(open_duck(opened, asked))
    asked.check_schema(opened.types)
    return opened, asking
