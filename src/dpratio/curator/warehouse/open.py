"""Opening Spark frames and tables of databases by their public schema."""

import weakref
from typing import Any

from dpratio.curator.reading.tables import kind_of, refuse_kind
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.database.connect import connect_to, find_table
from dpratio.curator.warehouse.spark.frames import Frame, read_in_own_session
from dpratio.curator.warehouse.tables import WarehouseTable, dialect_of
from dpratio.terms.source import DatabaseTable


def open_warehouse(source: object) -> WarehouseTable:
    """Open a table where it lies, by its public schema.

    Raises:
        FileRefused: When a database or its table cannot be reached.
        SchemaRefused: When it is a view, or no table that the database stores itself.
        InvalidInput: When the source belongs to another engine.
    """
    kind = kind_of(source)
    openers: dict[str, Any] = {
        "database": _open_database,
        "opened": lambda opened: opened,
        "spark": _open_spark,
    }
    if kind not in openers:
        refuse_kind("ibis", kind)
    with silence():
        opened: WarehouseTable = openers[kind](source)
    return opened


def _open_database(source: DatabaseTable) -> WarehouseTable:
    connected = connect_to(source)
    backend = connected.backend
    try:
        rows = find_table(backend, source)
        if backend.name == "pyspark":
            opened = _open_spark(backend.raw_sql(backend.compile(rows)))
        else:
            dialect = dialect_of(backend)
            dialect.prepare(backend)
            opened = WarehouseTable(dialect.types(rows), rows, backend, dialect)
    except Exception:
        connected.close()
        raise
    weakref.finalize(opened.backend, connected.close)
    return opened


def _open_spark(frame: Frame) -> WarehouseTable:
    types, rows, backend = read_in_own_session(frame)
    return WarehouseTable(types, rows, backend, dialect_of(backend))
