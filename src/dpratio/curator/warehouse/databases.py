"""Tables of databases by their address: connected, found, and known to be tables.

Floor: curator. Imports: checks, errors, terms, duck, entropy, views.
"""

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import ibis

from dpratio.checks import import_extra
from dpratio.curator.duck import connect, literal
from dpratio.curator.warehouse.catalogues import Found, what_is
from dpratio.curator.warehouse.dialect import Backend, Value
from dpratio.curator.warehouse.tables import dialect_of
from dpratio.curator.warehouse.views import read_view
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.database import DatabaseTable

__all__ = ["Connected", "connect_to", "find_table"]


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection, and how it is closed."""

    backend: Backend
    close: Callable[[], object]


def connect_to(source: DatabaseTable) -> Connected:
    """Connect to the database of a table.

    Raises:
        FileRefused: When it cannot be reached.
    """
    connectors = {
        "duckdb": _duckdb,
        "postgres": _postgres,
        "postgresql": _postgres,
        "spark": _spark,
        "sqlite": _sqlite,
    }
    connected = None
    with contextlib.suppress(Exception):
        connected = connectors[source.scheme](source)
    if connected is None:
        # Outside the handler: what a server says is neither shown nor chained.
        raise FileRefused(
            f"no database answers at '{source.shown}'. Check the address, and that you "
            "may read there."
        )
    return connected


def find_table(backend: Backend, source: DatabaseTable) -> Value:
    """Find a table, or a view that keeps rows apart.

    Raises:
        FileRefused: When it is not there.
        SchemaRefused: When it is a view that is not known to keep rows apart.
    """
    if source.path is not None:
        return _read_files(backend, source)
    found = what_is(backend, source.names)
    if found is None:
        raise FileRefused(
            f"there is no table '{source.name}' at '{source.shown}' that you may read. "
            "Check its name and schema."
        )
    if found.is_view:
        _require_plain(backend, source, found)
    return dialect_of(backend).find(backend, source.names)


def _require_plain(backend: Backend, source: DatabaseTable, found: Found) -> None:
    """Refuse a view that was not said to be one, or may not keep rows apart."""
    if not source.is_view:
        raise SchemaRefused(
            f"'{source.name}' is a view, whose rows may hold many people. Name a "
            f'table; or write view = "{source.name}" if it only takes columns of one '
            "table and chooses rows by them."
        )
    view = read_view(found.written, backend.dialect)
    if view is not None:
        base = view.base if len(view.base) > 1 else (*source.names[:-1], *view.base)
        behind = what_is(backend, base)
        if behind is not None and not behind.is_view:
            dialect = dialect_of(backend)
            if view.keeps_rows_apart(dialect.types(dialect.find(backend, base))):
                return
    raise SchemaRefused(
        f"the view '{source.name}' does more than take columns of one table and keep "
        "rows by comparing columns with constants of their type. Store what it gives "
        "in a table, one row of which is about one person."
    )


def _duckdb(source: DatabaseTable) -> Connected:
    path = str(Path(source.file).absolute())
    connection = connect()
    connection.execute(f"ATTACH {literal(path)} AS given (READ_ONLY)")
    connection.execute("USE given")
    return Connected(ibis.duckdb.from_connection(connection), connection.close)


def _sqlite(source: DatabaseTable) -> Connected:
    path = quote(str(Path(source.file).absolute()))
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.execute("SELECT count(*) FROM sqlite_schema")
    return Connected(ibis.sqlite.from_connection(connection), connection.close)


def _postgres(source: DatabaseTable) -> Connected:
    psycopg = import_extra("psycopg", "engines")
    connection = psycopg.connect(source.url, autocommit=True)
    return Connected(ibis.postgres.from_connection(connection), connection.close)


def _spark(source: DatabaseTable) -> Connected:
    sessions = import_extra("pyspark.sql", "engines").SparkSession
    is_ours = sessions.getActiveSession() is None
    settings = {
        "spark.app.name": "dpratio",
        "spark.ui.showConsoleProgress": "false",  # It would tell how many parts.
    }
    session = sessions.builder.master(source.url).config(map=settings).getOrCreate()
    backend = ibis.pyspark.connect(session.newSession())
    # An application holds its share of the cluster until it is stopped.
    return Connected(backend, session.stop if is_ours else lambda: None)


def _read_files(backend: Backend, source: DatabaseTable) -> Value:
    rows = None
    with contextlib.suppress(Exception):
        rows = backend.read_parquet(source.path)
    if rows is None:
        raise FileRefused(
            f"no Parquet files at '{source.path}' that the cluster can read. Give a "
            "path that every worker sees."
        )
    return rows
