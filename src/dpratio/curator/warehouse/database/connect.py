"""Tables of databases by their address: connected, found, and known to be tables."""

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote

import ibis

from dpratio.checks import import_extra
from dpratio.curator.reading.table import connect, identifier, literal
from dpratio.curator.warehouse.conditions import write_condition
from dpratio.curator.warehouse.dialect import Backend, Value
from dpratio.curator.warehouse.spark.folders import read_folders
from dpratio.curator.warehouse.tables import dialect_of
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.source import WITHOUT_HOST, DatabaseTable

TABLE, VIEW, OTHER = "table", "view", "other"

# Spark keeps tables of these itself; others may be queries somewhere else.
_STORED = {"parquet", "orc", "delta", "iceberg"}


@dataclass(frozen=True, slots=True)
class Found:
    """Its kind, and its name in full."""

    kind: str
    names: tuple[str, ...]


def what_is(backend: Backend, names: Sequence[str]) -> Found | None:
    """Look a name up; None where nothing has it."""
    finders: dict[str, Callable[[Backend, Sequence[str]], Found | None]] = {
        "duckdb": _in_duckdb,
        "postgres": _in_postgres,
        "pyspark": _in_spark,
    }
    return finders[backend.name](backend, names)


def _in_postgres(backend: Backend, names: Sequence[str]) -> Found | None:
    quoted = ".".join(identifier(name) for name in names)
    with backend.begin() as cursor:
        row = cursor.execute(
            "SELECT n.nspname, c.relname, c.relkind, "
            "pg_catalog.row_security_active(c.oid), EXISTS (WITH RECURSIVE parts AS ("
            "SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = c.oid UNION "
            "SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN parts p "
            "ON i.inhparent = p.inhrelid) SELECT FROM parts p JOIN pg_catalog.pg_class "
            "o ON o.oid = p.inhrelid WHERE o.relkind NOT IN ('r', 'p')) "
            "FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.oid = pg_catalog.to_regclass(%s) "
            "AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')",
            (quoted,),
        ).fetchone()
    if row is None:
        return None
    schema, name, kind, is_filtered, has_foreign = row
    full = (schema, name)
    if kind == "v":
        return Found(VIEW, full)
    is_own = schema in {"pg_catalog", "information_schema"}
    # Partitions and children are read with their parent, wherever they lie.
    is_stored = kind in {"r", "p"} and not has_foreign
    return Found(TABLE if is_stored and not (is_own or is_filtered) else OTHER, full)


def _in_duckdb(backend: Backend, names: Sequence[str]) -> Found | None:
    *outer, name = names
    schema = outer[-1] if outer else "main"
    full = (outer[0] if len(outer) > 1 else "given", schema, name)
    for catalogue, column, kind in (
        ("duckdb_tables", "table_name", TABLE),
        ("duckdb_views", "view_name", VIEW),
    ):
        rows = backend.con.execute(
            f"SELECT 1 FROM {catalogue}() WHERE database_name = ? "
            f"AND schema_name = ? AND {column} = ? AND NOT internal",
            list(full),
        ).fetchall()
        if rows:
            return Found(kind, full)
    return None


def _in_spark(backend: Backend, names: Sequence[str]) -> Found | None:
    session = backend._session  # noqa: SLF001
    quoted = ".".join("`" + name.replace("`", "``") + "`" for name in names)
    if not session.catalog.tableExists(quoted):
        return None
    described = session.sql(f"DESCRIBE TABLE EXTENDED {quoted}").collect()
    said = {row[0]: row[1] for row in described}
    if said.get("Type") == "VIEW":
        return Found(VIEW, tuple(names))
    is_stored = said.get("Provider", "").lower() in _STORED
    return Found(TABLE if is_stored else OTHER, tuple(names))


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
    psycopg = import_extra("psycopg", "engines")
    try:
        return dict(import_extra("psycopg.conninfo", "engines").conninfo_to_dict(url))
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


# The server looks every second whether we are still there. Without it, the query of a
# process that was killed runs on to its end.
_STOP_WITH_US = "SET client_connection_check_interval = 1000"


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


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection, and how it is closed."""

    backend: Backend
    close: Callable[[], object]


def connect_to(source: DatabaseTable) -> Connected:
    """Connect to the database of a table.

    Raises:
        FileRefused: When it cannot be reached, or its host is not listed.
        MissingExtra: When the package that reaches it is missing or does not load.
    """
    _require_driver(source.scheme)
    require_listed(source)
    connectors = {
        "duckdb": _duckdb,
        "postgres": _postgres,
        "postgresql": _postgres,
        "spark": _spark,
    }
    connected = None
    with contextlib.suppress(Exception):
        connected = connectors[source.scheme](source)
    if connected is None:
        # Outside the handler: what a server says is neither shown nor chained.
        raise FileRefused(f"no database answers at '{source.shown}'{_why(source)}")
    return connected


def find_table(backend: Backend, source: DatabaseTable) -> Value:
    """Find a table, and keep the rows that a study asks for.

    Raises:
        FileRefused: When it is not there.
        SchemaRefused: When it is a view, or no table that the database stores itself.
    """
    if source.path is not None:
        return _chosen(backend, source, _read_files(backend, source))
    found = what_is(backend, source.table)
    if found is None:
        raise FileRefused(
            f"there is no table '{source.name}' at '{source.shown}' that you may read. "
            "Check its name and schema."
        )
    if found.kind == TABLE:
        rows = dialect_of(backend).find(backend, found.names)
        return _chosen(backend, source, rows)
    if found.kind == VIEW:
        raise SchemaRefused(
            f"'{source.name}' is a view, and views are not read: one person may be in "
            "many rows of it. Name the table behind it, or store what the view gives "
            "in a table, one row of which is about one person."
        )
    raise SchemaRefused(
        f"'{source.name}' is no table of the database's own, and may be made of "
        "anything. Store what it gives in a table, one row of which is about one "
        "person."
    )


def _require_driver(scheme: str) -> None:
    """Import what connects before the words of servers are kept quiet."""
    if scheme.startswith("postgres"):
        import_extra("psycopg", "engines")
    if scheme == "spark":
        import_extra("pyspark.sql", "engines")


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


def _chosen(backend: Backend, source: DatabaseTable, rows: Value) -> Value:
    """Keep the rows that a study asks for."""
    if not source.where:
        return rows
    dialect = dialect_of(backend)
    columns = {name: rows[name] for name in rows.columns}
    native = dialect.native_types(rows)
    tests = [
        write_condition(dialect, columns, native, condition)
        for condition in source.where
    ]
    return rows.filter(*tests)


def _duckdb(source: DatabaseTable) -> Connected:
    path = str(Path(source.file).absolute())
    connection = connect()
    # Not made the current one: macros of a file would stand in for functions of ours.
    connection.execute(f"ATTACH {literal(path)} AS given (READ_ONLY)")
    return Connected(ibis.duckdb.from_connection(connection), connection.close)


def _postgres(source: DatabaseTable) -> Connected:
    psycopg = import_extra("psycopg", "engines")
    connection = psycopg.connect(source.url, autocommit=True, **withheld(source))
    with contextlib.suppress(psycopg.Error):
        # A server of another system may not know how to look.
        connection.execute(_STOP_WITH_US)
    return Connected(ibis.postgres.from_connection(connection), connection.close)


def _spark(source: DatabaseTable) -> Connected | None:
    sessions = import_extra("pyspark.sql", "engines").SparkSession
    master = _master(source)
    running = import_extra("pyspark", "engines").SparkContext._active_spark_context  # noqa: SLF001
    if running is not None:
        session = sessions.builder.getOrCreate()
        is_there = master in {None, running.master}
        # There is one application in a process; it is not ours to change or stop.
        return Connected(_own_spark(session), lambda: None) if is_there else None
    has_settings = any(os.environ.get(each) for each in _YARN)
    if master is None or (master == "yarn" and not has_settings):
        return None  # Spark would end the process that it starts, and say so.
    settings = {
        "spark.app.name": "dpratio",
        "spark.ui.showConsoleProgress": "false",  # It would tell how many parts.
    }
    session = sessions.builder.master(master).config(map=settings).getOrCreate()
    # An application holds its share of the cluster until it is stopped.
    return Connected(_own_spark(session), session.stop)


def _master(source: DatabaseTable) -> str | None:
    """Name the cluster as Spark does; None for the session that is there."""
    word = WITHOUT_HOST.fullmatch(source.url)
    if word is None:
        return source.url
    return None if word[1] == "active" else word[1]


def _own_spark(session: Value) -> Backend:
    """Connect to a session of our own, in which conditions are asked of rows alone."""
    own = session.newSession()
    # What a file says of its rows as a whole may be wrong, and would drop others.
    own.conf.set("spark.sql.parquet.filterPushdown", "false")
    own.conf.set("spark.sql.orc.filterPushdown", "false")
    # Texts are read as Ibis writes them.
    own.conf.set("spark.sql.variable.substitute", "false")
    own.conf.set("spark.sql.parser.escapedStringLiterals", "false")
    return ibis.pyspark.connect(own)


def _read_files(backend: Backend, source: DatabaseTable) -> Value:
    rows = None
    with contextlib.suppress(Exception):
        rows = read_folders(backend, str(source.path), source.partitions)
    if rows is None:
        raise FileRefused(
            f"no Parquet files at '{source.path}' that the cluster can read. Give a "
            "path that every worker sees."
        )
    return rows
