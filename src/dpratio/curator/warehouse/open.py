"""Opening Ibis tables, Spark frames and tables of databases by their public schema.

Floor: curator. Imports: errors, entropy, tables.
"""

import weakref
from typing import Any

import ibis

from dpratio.curator.entropy import fresh_id
from dpratio.curator.tables import kind_of
from dpratio.curator.warehouse.dialect import Value
from dpratio.curator.warehouse.tables import WarehouseTable, dialect_of, types_of
from dpratio.errors import InvalidInput

__all__ = ["open_warehouse"]


def open_warehouse(source: object) -> WarehouseTable:
    """Open a table where it is.

    Raises:
        InvalidInput: When the source belongs to another engine, or the database is one
            that dpratio was not tested on.
    """
    kind = kind_of(source)
    openers = {"ibis": _open_ibis, "spark": _open_spark}
    if kind not in openers:
        raise InvalidInput(
            f"engine 'ibis' reads Ibis tables, Spark frames and tables of databases, "
            f"got a {kind} table. Use engine 'duckdb'."
        )
    return openers[kind](source)


def _open_ibis(rows: Value) -> WarehouseTable:
    backend = ibis.get_backend(rows)
    dialect = dialect_of(backend)
    dialect.check(backend)
    return WarehouseTable(types_of(rows), rows, backend, dialect)


def _open_spark(frame: Any) -> WarehouseTable:  # noqa: ANN401 (PySpark is optional)
    # A session of our own: Ibis sets the time zone of the one it is given.
    session = frame.sparkSession.newSession()
    backend = ibis.pyspark.connect(session)
    name = f"dpratio_{fresh_id()}"
    frame.createGlobalTempView(name)
    weakref.finalize(backend, frame.sparkSession.catalog.dropGlobalTempView, name)
    session.table(f"global_temp.{name}").createTempView(name)
    return _open_ibis(backend.table(name))
