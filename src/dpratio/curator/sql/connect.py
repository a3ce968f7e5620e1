"""Tables of databases by their address: connected, found, and known to be tables."""

import contextlib
import os
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

from dpratio.checks import import_extra
from dpratio.curator.reading.table import (
    as_named,
    connect,
    identifier,
    literal,
    run_on,
    schema_of,
)
from dpratio.curator.silence import silence
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.duckdb import duckdb_table
from dpratio.curator.sql.postgres import connect_postgres, open_postgres
from dpratio.curator.sql.table import TABLE, VIEW, Origin, Table, require_stored
from dpratio.errors import FileRefused
from dpratio.terms.source import WITHOUT_HOST, DatabaseTable

HOSTS = "DPRATIO_HOSTS"

# Where neither libpq nor anybody else finds a password.
_NOWHERE = os.path.join(os.devnull, "none")  # noqa: PTH118 (no file of ours)


def require_listed(source: DatabaseTable) -> None:
    """Refuse an address whose host the data holder did not list.

    Raises:
        FileRefused: When there is a list, and a host of the address is not on it.
    """
    listed = _listed()
    if listed is None or set(_hosts_of(source)) <= listed:
        return
    raise FileRefused(
        f"a study may connect to the hosts that {HOSTS} lists, got '{source.shown}'. "
        f"Ask the data holder to add the host, or take {HOSTS} out of the environment."
    )


def withheld(source: DatabaseTable) -> dict[str, str]:
    """Give options of PostgreSQL that keep passwords of the environment from a host.

    None is needed for a host that is listed, or that is this machine. A password in the
    address itself is the study's own.
    """
    if is_trusted(source):
        return {}
    given = _parts_of(source.url)
    # An empty password is one: libpq looks for no other, in no service either.
    return {"password": given.get("password", ""), "passfile": _NOWHERE}


def is_trusted(source: DatabaseTable) -> bool:
    """Tell whether passwords of the environment may go to the hosts of an address."""
    trusted = _listed() or frozenset()
    return all(host in trusted or _is_here(host) for host in _hosts_of(source))


def _listed() -> frozenset[str] | None:
    written = os.environ.get(HOSTS)
    if written is None:
        return None
    return frozenset(_folded(each) for each in written.split(",") if each.strip())


def _hosts_of(source: DatabaseTable) -> list[str]:
    """List the hosts that an address names; none where the environment chooses."""
    if source.scheme == "spark":
        # Without a host, settings of the data holder's own say where.
        own = WITHOUT_HOST.fullmatch(source.url) is not None
        places = [] if own else source.cluster.split(",")
        return [_folded(each.rpartition(":")[0] or each) for each in places]
    if source.scheme == "duckdb":
        return []
    parts = _parts_of(source.url)
    named = [parts.get(each, "") for each in ("host", "hostaddr")]
    # A file that the study names may say anything, another host too.
    named += ["servicefile"] if "servicefile" in unquote(source.url) else []
    return [_folded(each) for some in named for each in some.split(",") if each]


def _parts_of(url: str) -> dict[str, str]:
    """Read an address as libpq does; one that it cannot read leads nowhere."""
    psycopg = import_extra("psycopg", "postgres")
    try:
        return dict(import_extra("psycopg.conninfo", "postgres").conninfo_to_dict(url))
    except psycopg.ProgrammingError:
        return {}


def _is_here(host: str) -> bool:
    """Tell whether a host is this machine: by name, by address, or as a socket."""
    if host == "localhost" or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _folded(host: str) -> str:
    return host.strip().strip("[]").rstrip(".").lower()


# What Spark needs beside an address, which a study cannot say.
_WHY_ELSEWHERE = (
    ". Check the address; a process has one application of Spark, and spark://active "
    "is the one that is there. Kubernetes needs an image in spark-defaults.conf "
    "(SPARK_CONF_DIR)."
)
_WHY_ON_SPARK = {
    None: (
        ": this program has no session of Spark. Run it where there is one, or write "
        "spark://local[*]."
    ),
    "yarn": (
        ". YARN is found by HADOOP_CONF_DIR or YARN_CONF_DIR: let one of them name the "
        "folder of its settings, or open a session yourself and write spark://active."
    ),
}
_YARN = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")


def open_database(source: DatabaseTable) -> Table:
    """Open a table where it lies, by its public schema.

    Raises:
        FileRefused: When a database or its table cannot be reached, or its host is not
            listed.
        SchemaRefused: When it is a view, or no table that the database stores itself.
        MissingExtra: When the package that reaches it is missing or does not load.
    """
    openers: dict[str, Callable[[DatabaseTable], Table]] = {
        "duckdb": _open_duckdb,
        "postgres": _open_postgres,
        "postgresql": _open_postgres,
        "spark": _open_spark,
    }
    _require_driver(source.scheme)
    require_listed(source)
    with silence():
        return openers[source.scheme](source)


def _require_driver(scheme: str) -> None:
    """Import what connects before the words of servers are kept quiet."""
    if scheme.startswith("postgres"):
        import_extra("psycopg", "postgres")
    if scheme == "spark":
        import_extra("pyspark.sql", "spark")


def _connected(source: DatabaseTable, make: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Return a connection; what a server says is neither shown nor chained."""
    connection = None
    with contextlib.suppress(Exception):
        connection = make()
    if connection is None:
        raise FileRefused(f"no database answers at '{source.shown}'{_why(source)}")
    return connection


def _open_postgres(source: DatabaseTable) -> Table:
    make = partial(connect_postgres, source.url, withheld(source))
    connection = _connected(source, make)
    try:
        return open_postgres(connection, source)
    except BaseException:
        connection.close()
        raise


def _open_spark(source: DatabaseTable) -> Table:
    from dpratio.curator.sql.spark_frames import open_spark_source

    session, is_ours = _connected(source, lambda: _session(source))
    try:
        table = open_spark_source(session, source)
    except BaseException:
        if is_ours:
            session.stop()
        raise
    if is_ours:
        # An application holds its share of the cluster until it is stopped.
        weakref.finalize(table.ask, session.stop)
    return table


def _session(source: DatabaseTable) -> tuple[Any, bool] | None:
    """Return a session on the cluster, and whether the application is ours."""
    sessions = import_extra("pyspark.sql", "spark").SparkSession
    master = _master(source)
    running = import_extra("pyspark", "spark").SparkContext._active_spark_context  # noqa: SLF001
    if running is not None:
        session = sessions.builder.getOrCreate()
        is_there = master in {None, running.master}
        # There is one application in a process; it is not ours to change or stop.
        return (session, False) if is_there else None
    has_settings = any(os.environ.get(name) for name in _YARN)
    if master is None or (master == "yarn" and not has_settings):
        return None  # Spark would end the process that it starts, and say so.
    settings = {
        "spark.app.name": "dpratio",
        "spark.ui.showConsoleProgress": "false",  # It would tell how many parts.
    }
    return sessions.builder.master(master).config(map=settings).getOrCreate(), True


def _open_duckdb(source: DatabaseTable) -> Table:
    connection = _connected(source, lambda: _attached(source))
    *outer, name = source.table
    schema = outer[-1] if outer else "main"
    full = (outer[0] if len(outer) > 1 else "given", schema, name)
    kind, definition = None, None
    for catalogue, column, found in (
        ("duckdb_tables", "table_name", TABLE),
        ("duckdb_views", "view_name", VIEW),
    ):
        rows = connection.execute(
            f"SELECT sql FROM {catalogue}() WHERE database_name = ? "
            f"AND schema_name = ? AND {column} = ? AND NOT internal",
            list(full),
        ).fetchall()
        if rows:
            kind, definition = found, rows[0][0]
    require_stored(kind, source, definition)
    written = ".".join(map(identifier, full))
    schema_there = schema_of(connection.sql(f"SELECT * FROM {written}"))
    every: Any = SimpleNamespace(columns=list(schema_there))
    table = duckdb_table(as_named(schema_there, every, written, run_on(connection)))
    where = write_conditions(table.dialect, table.columns, source.where)
    return replace(table, where=where, origin=Origin(("", "", ""), full[1:]))


def _attached(source: DatabaseTable) -> Any:  # noqa: ANN401 (typed by DuckDB)
    path = str(Path(source.file).absolute())
    connection = connect(is_alone=True)
    # Not made the current one: macros of a file would stand in for functions of ours.
    connection.execute(f"ATTACH {literal(path)} AS given (READ_ONLY)")
    return connection


def _why(source: DatabaseTable) -> str:
    if source.scheme == "duckdb" and not os.path.exists(source.file):  # noqa: PTH110 (never raises)
        return (
            ": there is no such file. Three slashes begin a path from the folder you "
            "are in, four a path from the root."
        )
    if source.scheme == "spark":
        return _WHY_ON_SPARK.get(_master(source), _WHY_ELSEWHERE)
    is_kept = source.scheme.startswith("postgres") and not is_trusted(source)
    kept = f" Passwords of the environment go to hosts that {HOSTS} lists."
    return f". Check the address, and that you may read there.{kept if is_kept else ''}"


def _master(source: DatabaseTable) -> str | None:
    """Name the cluster as Spark does; None for the session that is there."""
    word = WITHOUT_HOST.fullmatch(source.url)
    if word is None:
        return source.url
    return None if word[1] == "active" else word[1]
