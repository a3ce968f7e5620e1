"""Opening Ibis tables, Spark frames and tables of databases by their public schema."""

import weakref
from dataclasses import replace
from typing import Any

import ibis

from dpratio.curator.reading.tables import kind_of, refuse_kind
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.database.connect import connect_to, find_table
from dpratio.curator.warehouse.dialect import Value
from dpratio.curator.warehouse.spark.frames import (
    Frame,
    frame_of,
    read_in_own_session,
)
from dpratio.curator.warehouse.tables import WarehouseTable, dialect_of
from dpratio.terms.database import DatabaseTable

__all__ = ["lazy_frame", "open_warehouse"]


def open_warehouse(source: object) -> WarehouseTable:
    """Open a table where it lies, by its public schema.

    Raises:
        FileRefused: When a database or its table cannot be reached.
        SchemaRefused: When it is a view that is not known to keep rows apart.
        InvalidInput: When the source belongs to another engine, or the database is one
            that dpratio was not tested on.
    """
    kind = kind_of(source)
    openers: dict[str, Any] = {
        "database": _open_database,
        "ibis": _open_given,
        "opened": lambda opened: opened,
        "spark": _open_spark,
    }
    if kind not in openers:
        refuse_kind("ibis", kind)
    with silence():
        opened: WarehouseTable = openers[kind](source)
    return opened


def lazy_frame(source: Value) -> Value | None:
    """Give the lazy frame of an Ibis table on Polars, which the DuckDB engine reads.

    None for any other table. Rows are collected when the engine asks for them.
    """
    if kind_of(source) != "ibis":
        return None
    backend = ibis.get_backend(source)
    return backend.compile(source) if backend.name == "polars" else None


def _open_database(source: DatabaseTable) -> WarehouseTable:
    connected = connect_to(source)
    try:
        rows = find_table(connected.backend, source)
        dialect_of(connected.backend).pin(connected.backend)
        opened = _open_ibis(rows)
    except Exception:
        connected.close()
        raise
    weakref.finalize(opened.backend, connected.close)
    return replace(opened, is_own=True)


def _open_given(rows: Value) -> WarehouseTable:
    """Open an expression that others made, on a connection of theirs."""
    opened = _open_ibis(rows)
    opened.dialect.check_given(opened.backend, rows)
    return opened


def _open_ibis(rows: Value) -> WarehouseTable:
    backend = ibis.get_backend(rows)
    if backend.name == "pyspark":
        return _open_spark(frame_of(rows, backend))
    dialect = dialect_of(backend)
    dialect.check(backend)
    return WarehouseTable(dialect.types(rows), rows, backend, dialect)


def _open_spark(frame: Frame) -> WarehouseTable:
    types, rows, backend = read_in_own_session(frame)
    return WarehouseTable(types, rows, backend, dialect_of(backend))
