"""What a name stands for in a database: a table, a view, or something else.

A table is one that the database itself stores. What only looks like a table (a foreign
one, one under row-level security, a catalogue) may be made of anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.curator.duckdb.table import identifier
from dpratio.curator.warehouse.dialect import Backend

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
