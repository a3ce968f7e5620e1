"""Which engine reads a table.

Floor: curator. Imports: checks, engine, tables; each engine when it is chosen.
"""

from collections.abc import Callable

from dpratio.checks import require_one_of
from dpratio.curator.engine import Statement
from dpratio.curator.exact import ExactSums
from dpratio.curator.tables import as_source, kind_of

__all__ = ["ENGINES", "open_table"]

ENGINES = ("auto", "duckdb", "python")


def open_table(
    table: object, statement: Statement, engine: str
) -> Callable[[], ExactSums]:
    """Open a table, check its public schema, and give the one question to ask it.

    Nothing but the schema is read here; rows are read when the result is called.
    """
    require_one_of(engine, ENGINES, "engine")
    source = as_source(table)
    kind = kind_of(source)
    if engine == "python" or (engine == "auto" and kind == "mapping"):
        from dpratio.curator import engine_python
        from dpratio.curator.rows import open_rows

        rows = open_rows(source)
        statement.check_schema(rows.types)
        return lambda: engine_python.aggregate(rows, statement)
    from dpratio.curator import engine_duckdb
    from dpratio.curator.duck_sources import open_duck

    opened = open_duck(source, statement)
    statement.check_schema(opened.types)
    return lambda: engine_duckdb.aggregate(opened, statement)
