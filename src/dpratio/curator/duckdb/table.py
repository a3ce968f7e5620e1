"""A table DuckDB can read, and the one question it is asked.

DuckDB's error texts quote cells: here and at the door none is shown or chained.
"""

import glob
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from dpratio.curator.reading.statement import ColumnType, KeyCount, Reading
from dpratio.curator.stopping import stoppable

Asked = Reading | KeyCount
# Public tables that a query joins, as columns of arrays.
Tables = Mapping[str, Mapping[str, Any]]
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DuckTable:
    """A table with its public schema; rows are read only when it is asked.

    ``types`` are shown to the user; ``columns`` give the name and DuckDB type under
    which the engine finds a column in ``source``. ``is_foreign`` tells that the
    question runs on a connection that is not ours and may trust a file's statistics.
    """

    types: Mapping[str, ColumnType]
    columns: Mapping[str, tuple[str, str]]
    source: str
    ask: Callable[[str, Tables], Columns]
    is_foreign: bool = False

    def fetch(self, query: str, tables: Tables) -> Columns:
        """Run one query, with public tables beside it, and give columns as arrays."""
        return self.ask(query, tables)


def run_on(
    connection: duckdb.DuckDBPyConnection,
) -> Callable[[str, Tables], Columns]:
    """Give the function that runs a query on a connection of ours."""

    def run(query: str, tables: Tables) -> Columns:
        def work() -> Columns:
            for name, columns in tables.items():
                connection.register(name, dict(columns))
            return dict(connection.execute(query).fetchnumpy())

        return stoppable(work, connection.interrupt)

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
    # needless must stay, and so must rows that they call undeclared.
    connection.execute(
        "SET disabled_optimizers = "
        "'statistics_propagation, filter_pushdown, join_filter_pushdown'"
    )
    return connection


def identifier(name: str) -> str:
    """Quote a column name, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text, whatever it holds."""
    return "'" + text.replace("'", "''") + "'"


def file_list(files: Iterable[str]) -> str:
    """Write the names of files so that DuckDB reads these and no others."""
    # Absolute, because DuckDB gives "~" a meaning; escaped, because it globs.
    full = (glob.escape(str(Path(file).absolute())) for file in files)
    return "[" + ", ".join(literal(name) for name in full) + "]"


def write_parquet(path: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays as a Parquet file; for invented data only."""
    connection = connect()
    connection.register("invented", dict(columns))
    connection.execute(
        f"COPY (SELECT * FROM invented) TO {literal(path)} (FORMAT parquet)"
    )
