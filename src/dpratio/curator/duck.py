"""A table DuckDB can read, and the one question it is asked.

DuckDB's error texts quote cells: here and at the door none is shown or chained.
Floor: curator. Imports: engine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.engine import ColumnType

__all__ = ["DuckTable", "connect", "identifier", "literal", "write_parquet"]


@dataclass(frozen=True, slots=True)
class DuckTable:
    """A table with its public schema; rows are read only when it is asked.

    ``types`` are told to the user; ``columns`` give the name and DuckDB type under
    which the engine finds a column in ``source``. ``is_foreign`` tells that the
    question runs on a connection that is not ours and may trust a file's statistics.
    """

    types: Mapping[str, ColumnType]
    columns: Mapping[str, tuple[str, str]]
    source: str
    ask: Callable[[str], Any]
    is_foreign: bool = False

    def fetch(self, query: str) -> dict[str, Any]:
        """Run one query and give its columns as arrays."""
        return dict(self.ask(query).fetchnumpy())


def connect() -> duckdb.DuckDBPyConnection:
    """Open a DuckDB that loads nothing from elsewhere and prints nothing."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",  # Rows are never spilt to disk.
        }
    )
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
