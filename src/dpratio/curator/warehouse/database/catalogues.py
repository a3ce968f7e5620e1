"""What a name stands for in a database: a table, or a view and how it is written.

A table is one that the database itself stores. What only looks like a table (foreign
and virtual ones, those under row-level security, catalogues) may be made of anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.curator.duckdb.table import identifier
from dpratio.curator.warehouse.dialect import Backend

__all__ = ["OTHER", "TABLE", "VIEW", "Found", "what_is"]

TABLE, VIEW, OTHER = "table", "view", "other"

# Spark keeps tables of these itself; others may be queries somewhere else.
_STORED = {"parquet", "orc", "delta", "iceberg"}
_AS_WRITTEN = (
    "search_path = ''",
    "datestyle = 'ISO, YMD'",
    "timezone = 'UTC'",
    "extra_float_digits = 1",
)


@dataclass(frozen=True, slots=True)
class Found:
    """Its kind, its name in full, and the statement of a view.

    The columns of a view are named where the statement does not say how they are
    called.
    """

    kind: str
    names: tuple[str, ...]
    written: str = ""
    columns: tuple[str, ...] = ()


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
            "SELECT c.oid, n.nspname, c.relname, c.relkind, "
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
        oid, schema, name, kind, is_filtered, has_foreign = row
        written = ""
        if kind == "v":
            # With no path, every name in a view is written in full; and constants are
            # written in one way, whatever the user's settings are. They come back:
            # the transaction may be the user's own.
            cursor.execute("SAVEPOINT dpratio_as_written")
            for setting in _AS_WRITTEN:
                cursor.execute(f"SET LOCAL {setting}")
            found = cursor.execute("SELECT pg_catalog.pg_get_viewdef(%s::oid)", (oid,))
            written = found.fetchone()[0]
            cursor.execute("ROLLBACK TO SAVEPOINT dpratio_as_written")
    full = (schema, name)
    if kind == "v":
        return Found(VIEW, full, written)
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
            f"SELECT sql FROM {catalogue}() WHERE database_name = ? "
            f"AND schema_name = ? AND {column} = ? AND NOT internal",
            list(full),
        ).fetchall()
        if rows:
            return Found(kind, full, rows[0][0] if kind == VIEW else "")
    return None


def _in_spark(backend: Backend, names: Sequence[str]) -> Found | None:
    session = backend._session  # noqa: SLF001
    quoted = ".".join("`" + name.replace("`", "``") + "`" for name in names)
    if not session.catalog.tableExists(quoted):
        return None
    described = session.sql(f"DESCRIBE TABLE EXTENDED {quoted}").collect()
    said = {row[0]: row[1] for row in described}
    if said.get("Type") == "VIEW":
        columns = tuple(session.table(quoted).columns)
        return Found(VIEW, tuple(names), said.get("View Text", ""), columns)
    is_stored = said.get("Provider", "").lower() in _STORED
    return Found(TABLE if is_stored else OTHER, tuple(names))
