"""Opening Ibis tables, Spark frames and tables of databases by their public schema.

Floor: curator. Imports: errors, entropy, tables.
"""

import weakref
from typing import Any

import ibis

from dpratio.curator.entropy import fresh_id
from dpratio.curator.tables import kind_of
from dpratio.curator.warehouse.databases import open_database
from dpratio.curator.warehouse.dialect import Value
from dpratio.curator.warehouse.tables import WarehouseTable, dialect_of
from dpratio.errors import InvalidInput

__all__ = ["open_warehouse", "rows_of"]


def rows_of(source: object) -> Value:
    """Give a table where it lies as an Ibis table, connecting where that is needed.

    Raises:
        FileRefused: When a database or its table cannot be reached.
        SchemaRefused: When it is a view that is not known to keep rows apart.
        InvalidInput: When the source belongs to another engine.
    """
    kind = kind_of(source)
    openers: dict[str, Any] = {
        "database": open_database,
        "ibis": lambda rows: rows,
        "spark": _from_spark,
    }
    if kind not in openers:
        raise InvalidInput(
            "engine 'ibis' reads Ibis tables, Spark frames and tables of databases, "
            f"got a {kind} table. Use engine 'duckdb'."
        )
    return openers[kind](source)


def open_warehouse(source: object) -> WarehouseTable:
    """Open a table where it lies, by its public schema.

    Raises:
        InvalidInput: When the database is one that dpratio was not tested on.
    """
    rows = rows_of(source)
    backend = ibis.get_backend(rows)
    dialect = dialect_of(backend)
    dialect.check(backend)
    return WarehouseTable(dialect.types(rows), rows, backend, dialect)


def _from_spark(frame: Any) -> Value:  # noqa: ANN401 (PySpark is optional)
    # A session of our own: Ibis sets the time zone of the one it is given.
    session = frame.sparkSession.newSession()
    backend = ibis.pyspark.connect(session)
    name = f"dpratio_{fresh_id()}"
    frame.createGlobalTempView(name)
    weakref.finalize(backend, frame.sparkSession.catalog.dropGlobalTempView, name)
    session.table(f"global_temp.{name}").createTempView(name)
    return backend.table(name)
