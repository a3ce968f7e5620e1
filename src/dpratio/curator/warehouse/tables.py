"""A table behind Ibis with its public schema, and the one way to ask it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.dialect import Backend, Dialect, Value

# By the name of the backend in Ibis: the module of its dialect, and its class. Rows of
# DuckDB are added up by `curator/duckdb`.
_DIALECTS = {
    "duckdb": ("dialect", "Dialect"),
    "postgres": ("database.on_postgres", "Postgres"),
    "pyspark": ("spark.on_spark", "Spark"),
}


@dataclass(frozen=True, slots=True)
class WarehouseTable:
    """An Ibis table, and the connection it lives on; rows never leave that."""

    types: Mapping[str, ColumnType]
    rows: Value
    backend: Backend
    dialect: Dialect

    def fetch(self, asked: Value) -> dict[str, list[Any]]:
        """Run one query, and give its columns; a missing sum is that of no rows."""
        with silence():
            found = self.dialect.ask(self.backend, asked)
        return {
            name: [0 if cell is None else cell for cell in cells]
            for name, cells in found.items()
        }


def dialect_of(backend: Backend) -> Dialect:
    """Find what a database does differently."""
    file, name = _DIALECTS[backend.name]
    made: Callable[[], Dialect] = getattr(
        import_module(f"dpratio.curator.warehouse.{file}"), name
    )
    return made()
