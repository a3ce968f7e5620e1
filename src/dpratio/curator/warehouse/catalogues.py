"""What a name stands for in a database: a table, or a view and how it is written.

Floor: curator. Imports: duck.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.curator.duck import identifier
from dpratio.curator.warehouse.dialect import Backend

__all__ = ["Found", "what_is"]


@dataclass(frozen=True, slots=True)
class Found:
    """A table, or a view with the statement that makes it."""

    is_view: bool
    written: str = ""


def what_is(backend: Backend, names: Sequence[str]) -> Found | None:
    """Look a name up; None where nothing has it."""
    finders: dict[str, Callable[[Backend, Sequence[str]], Found | None]] = {
        "duckdb": _in_duckdb,
        "postgres": _in_postgres,
        "pyspark": _in_spark,
        "sqlite": _in_sqlite,
    }
    return finders[backend.name](backend, names)


def _in_postgres(backend: Backend, names: Sequence[str]) -> Found | None:
    quoted = ".".join(identifier(name) for name in names)
    with backend.begin() as cursor:
        row = cursor.execute(
            "SELECT relkind, CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) "
            "END FROM pg_class WHERE oid = to_regclass(%s)",
            (quoted,),
        ).fetchone()
    if row is None or row[0] not in {"r", "p", "f", "v", "m"}:
        return None
    return Found(row[0] in {"v", "m"}, row[1] or "")


def _in_sqlite(backend: Backend, names: Sequence[str]) -> Found | None:
    *outer, name = names
    schema = identifier(outer[0] if outer else "main")
    row = backend.con.execute(
        f"SELECT type, sql FROM {schema}.sqlite_schema "
        "WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE",
        (name,),
    ).fetchone()
    return None if row is None else Found(row[0] == "view", row[1])


def _in_duckdb(backend: Backend, names: Sequence[str]) -> Found | None:
    *outer, name = names
    schema = outer[-1] if outer else "main"
    database = outer[0] if len(outer) > 1 else "given"
    place = [database, schema, name]
    for catalogue, column, is_view in (
        ("duckdb_tables", "table_name", False),
        ("duckdb_views", "view_name", True),
    ):
        rows = backend.con.execute(
            f"SELECT sql FROM {catalogue}() WHERE database_name = ? "
            f"AND schema_name = ? AND {column} = ?",
            place,
        ).fetchall()
        if rows:
            return Found(is_view, rows[0][0] if is_view else "")
    return None


def _in_spark(backend: Backend, names: Sequence[str]) -> Found | None:
    session = backend._session  # noqa: SLF001
    quoted = ".".join("`" + name.replace("`", "``") + "`" for name in names)
    if not session.catalog.tableExists(quoted):
        return None
    if session.catalog.getTable(quoted).tableType in {"MANAGED", "EXTERNAL"}:
        return Found(is_view=False)
    [row] = session.sql(f"SHOW CREATE TABLE {quoted}").collect()
    return Found(is_view=True, written=row[0])
