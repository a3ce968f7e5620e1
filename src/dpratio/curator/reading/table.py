"""Tables that DuckDB can read: their public schema, and the query that reads them.

DuckDB's error texts quote cells: here and at the door none is shown or chained.
"""

import glob
import os
import re
import threading
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
Columns = dict[str, Any]

_KINDS = {
    "integer": "U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER",
    "number": r"FLOAT|DOUBLE|DECIMAL\([0-9, ]*\)",
    "boolean": "BOOLEAN",
    "text": r"VARCHAR|UUID|ENUM\((?s:.*)\)",
    "date": r"DATE|TIMESTAMP.*",
}


@dataclass(frozen=True, slots=True)
class DuckTable:
    """A table with its public schema; rows are read by `ask` alone.

    ``types`` are shown to the user; ``columns`` are the name and DuckDB type of each
    column in ``source``. ``is_foreign`` marks a query that runs on a connection that is
    not ours and may trust a file's statistics.
    """

    types: Mapping[str, ColumnType]
    columns: Mapping[str, tuple[str, str]]
    source: str
    ask: Callable[[str], Columns]
    is_foreign: bool = False


def run_on(
    connection: duckdb.DuckDBPyConnection,
) -> Callable[[str], Columns]:
    """Return a function that runs a query on a connection of ours."""

    def run(query: str) -> Columns:
        def work() -> Columns:
            return dict(connection.execute(query).fetchnumpy())

        return stoppable(work, connection.interrupt)

    return run


def as_named(
    schema: Mapping[str, str],
    asked: Asked,
    source: str,
    ask: Callable[[str], Columns],
) -> DuckTable:
    """Return a table whose columns keep their names and DuckDB types."""
    columns = {name: (name, schema[name]) for name in asked.columns if name in schema}
    return DuckTable(types_of(schema), columns, source, ask)


def types_of(schema: Mapping[str, str]) -> dict[str, ColumnType]:
    """Return the public types of columns, by their DuckDB types."""
    return {
        name: ColumnType.here(_kind_of(stored), _without_values(stored))
        for name, stored in schema.items()
    }


def schema_of(relation: Any) -> dict[str, str]:  # noqa: ANN401 (typed by DuckDB)
    """Return the names and DuckDB types of a relation's columns."""
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _kind_of(stored: str) -> str:
    matching = (
        kind for kind, pattern in _KINDS.items() if re.fullmatch(pattern, stored)
    )
    return next(matching, "other")


def _without_values(stored: str) -> str:
    """Return the name of a type without what it lists: labels of an ENUM are cells."""
    return re.split(r"[(\[]", stored, maxsplit=1)[0]


class _Kept:
    """The DuckDB of this process, in memory: to start one costs more than to ask it.

    Nothing of a release stays in it: what a connection registers and its views are its
    own. It does not cross a fork, after which its threads would be missing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database: duckdb.DuckDBPyConnection | None = None
        # A system without forks needs no care for them.
        getattr(os, "register_at_fork", dict)(
            before=self._leave,
            after_in_parent=self._lock.release,
            after_in_child=self._lock.release,
        )

    def connection(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of its own to the database."""
        with self._lock:
            if self._database is None:
                self._database = _start()
            return self._database.cursor()

    def _leave(self) -> None:
        self._lock.acquire()
        self._database = None


def _start() -> duckdb.DuckDBPyConnection:
    """Start a DuckDB that loads nothing from elsewhere and keeps nothing of a file."""
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_external_file_cache": "false",
            "temp_directory": "",  # Rows are never spilt to disk.
        }
    )


_KEPT = _Kept()


def connect(*, is_alone: bool = False) -> duckdb.DuckDBPyConnection:
    """Return a connection that prints nothing, with its settings made anew.

    Args:
        is_alone: Whether databases will be attached to it, which others would see.
    """
    connection = _start() if is_alone else _KEPT.connection()
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
