"""Which engine reads a table.

Floor: curator. Imports: checks, engine, tables; each engine when it is chosen.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from dpratio.checks import import_extra, require_one_of
from dpratio.curator.engine import KeyCount, Statement
from dpratio.curator.exact import ExactSums
from dpratio.curator.tables import as_source, kind_of
from dpratio.terms.dimensions import Key

__all__ = ["ENGINES", "open_keys", "open_table"]

ENGINES = ("auto", "duckdb", "ibis", "python")

_IN_WAREHOUSES = {"database", "ibis", "spark"}


def open_table(
    table: object, statement: Statement, engine: str
) -> Callable[[], ExactSums]:
    """Open a table, check its public schema, and give the one question to ask it.

    Nothing but the schema is read here; rows are read when the result is called.
    """
    opened, asking = _open(table, statement, engine)
    return lambda: asking.aggregate(opened, statement)


def open_keys(
    table: object, asked: KeyCount, engine: str
) -> Callable[[], dict[Key, int]]:
    """Open a table and give the question how many units each key has: a secret."""
    opened, asking = _open(table, asked, engine)
    return lambda: asking.count_keys(opened, asked)


def _open(
    table: object, asked: Statement | KeyCount, engine: str
) -> tuple[Any, ModuleType]:
    require_one_of(engine, ENGINES, "engine")
    source = as_source(table)
    kind = kind_of(source)
    opened: Any
    if engine == "python" or (engine == "auto" and kind == "mapping"):
        from dpratio.curator import engine_python
        from dpratio.curator.rows import open_rows

        opened = open_rows(source)
        asked.check_schema(opened.types)
        return opened, engine_python
    if engine == "ibis" or (engine == "auto" and kind in _IN_WAREHOUSES):
        import_extra("ibis", "engines")
        from dpratio.curator import engine_ibis
        from dpratio.curator.warehouse.on_polars import lazy_frame
        from dpratio.curator.warehouse.open import open_warehouse

        frame = lazy_frame(source)
        if frame is None:
            opened = open_warehouse(source)
            asked.check_schema(opened.types)
            return opened, engine_ibis
        source = frame
    from dpratio.curator import engine_duckdb
    from dpratio.curator.duck_sources import open_duck

    opened = open_duck(source, asked)
    asked.check_schema(opened.types)
    return opened, engine_duckdb
