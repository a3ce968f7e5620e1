"""A table DuckDB can read, and the one question it is asked.

DuckDB's error texts quote cells: here and at the door none is shown or chained.
Floor: curator. Imports: engine.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.engine import ColumnType

__all__ = ["DuckTable", "connect", "identifier", "literal", "run_on", "write_parquet"]

# Public tables that a query joins, as columns of arrays.
Tables = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class DuckTable:
    """A table with its public schema; rows are read only when it is asked.

    ``types`` are told to the user; ``columns`` give the name and DuckDB type under
    which the engine finds a column in ``source``. ``is_foreign`` tells that the
    question runs on a connection that is not ours and may trust a file's statistics.
    ``footers`` counts the rows that files claim to have, where they claim any.
    """

    types: Mapping[str, ColumnType]
    columns: Mapping[str, tuple[str, str]]
    source: str
    ask: Callable[[str, Tables], Any]
    is_foreign: bool = False
    footers: str = ""

    def claimed_rows(self) -> float:
        """Give the rows that footers claim: a hint of how to add up, never a bound."""
        return float(self.fetch(self.footers, {})["claimed"][0]) if self.footers else 0

    def fetch(self, query: str, tables: Tables) -> dict[str, Any]:
        """Run one query, with public tables beside it, and give columns as arrays."""
        return dict(self.ask(query, tables).fetchnumpy())


def run_on(
    connection: duckdb.DuckDBPyConnection,
) -> Callable[[str, Tables], duckdb.DuckDBPyConnection]:
    """Give the function that runs a query on a connection of ours."""

    def run(query: str, tables: Tables) -> duckdb.DuckDBPyConnection:
        for name, columns in tables.items():
            connection.register(name, dict(columns))
        return connection.execute(query)

    return run


def connect() -> duckdb.DuckDBPyConnection:
    """Open a DuckDB that loads nothing from elsewhere and prints nothing."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",  # Rows are never spilt to disk.
        }
    )
    # A notebook that lacks what draws DuckDB's bar has none, and may not be told so.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    # A file's statistics may be wrong, and never tell of NaN; a clip that they call
    # needless must stay.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    return connection


def identifier(name: str) -> str:
    """Quote a column name, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text, whatever it holds."""
    return "'" + text.replace("'", "''") + "'"


def write_parquet(path: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays as a Parquet file; for invented data only."""
    connection = connect()
    connection.register("invented", dict(columns))
    connection.execute(
        f"COPY (SELECT * FROM invented) TO {literal(path)} (FORMAT parquet)"
    )
