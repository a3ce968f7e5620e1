"""Polars behind Ibis: its tables are lazy frames, which the DuckDB engine reads."""

import ibis

from dpratio.curator.reading.tables import kind_of
from dpratio.curator.warehouse.dialect import Value

__all__ = ["lazy_frame"]


def lazy_frame(source: Value) -> Value | None:
    """Give the lazy frame of an Ibis table on Polars, or None for any other table.

    Nothing is read: its rows are collected when the engine asks for them.
    """
    if kind_of(source) != "ibis":
        return None
    backend = ibis.get_backend(source)
    return backend.compile(source) if backend.name == "polars" else None
