"""Opening Ibis tables, Spark frames and tables of databases by their public schema.

Floor: curator. Imports: errors, tables, and the rest of this room.
"""

import ibis

from dpratio.curator.tables import kind_of
from dpratio.curator.warehouse.dialect import Value
from dpratio.curator.warehouse.spark_frames import (
    Frame,
    frame_of,
    read_in_own_session,
)
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
    if backend.name == "pyspark":
        return _open_spark(frame_of(rows, backend))
    dialect = dialect_of(backend)
    dialect.check(backend)
    return WarehouseTable(types_of(rows), rows, backend, dialect)


def _open_spark(frame: Frame) -> WarehouseTable:
    types, rows, backend = read_in_own_session(frame)
    return WarehouseTable(types, rows, backend, dialect_of(backend))
