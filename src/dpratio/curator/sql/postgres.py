"""PostgreSQL: no TRY, products that vanish are errors, and planners that guess.

What a cast could stop at is asked of a cell first, inside a CASE. Text is compared in
the collation "C", where texts are equal if their bytes are.
"""

import contextlib
import sys
import weakref
from dataclasses import dataclass
from decimal import Context
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.reading.keys import WHOLE_ID
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.dialect import Column, Comparison, Dialect
from dpratio.curator.sql.table import (
    OTHER,
    TABLE,
    VIEW,
    Answer,
    Origin,
    Table,
    columns_of,
    require_stored,
)
from dpratio.curator.stopping import stoppable
from dpratio.errors import SchemaRefused
from dpratio.terms.groups import Keys
from dpratio.terms.source import DatabaseTable

Connection = Any  # psycopg is optional.

_EPOCH = "DATE '1970-01-01'"
# The ends of Python's calendar, as the type of a column has them.
_ENDS = {
    "date": ("DATE '0001-01-01'", "DATE '9999-12-31'"),
    "timestamp": (
        "TIMESTAMP '0001-01-01 00:00:00'",
        "TIMESTAMP '9999-12-31 23:59:59.999999'",
    ),
    "timestamptz": (
        "TIMESTAMP WITH TIME ZONE '0001-01-01 00:00:00+00'",
        "TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00'",
    ),
}
# From here on a decimal is no double, and up to there it is zero.
_TOO_LARGE = str(2**1024 - 2**970)
_TOO_SMALL = format(Context(prec=1000).power(2, -1075), "f")
_LARGEST = f"'{sys.float_info.max!r}'::float8"

_KINDS = {
    **dict.fromkeys(["int2", "int4", "int8"], "integer"),
    **dict.fromkeys(["numeric", "float4", "float8"], "number"),
    **dict.fromkeys(["text", "varchar", "bpchar", "name", "citext", "uuid"], "text"),
    **dict.fromkeys(["date", "timestamp", "timestamptz"], "date"),
    "bool": "boolean",
}
_COMPARISONS = {
    **dict.fromkeys(["int2", "int4", "int8"], Comparison("integer")),
    **dict.fromkeys(["float4", "float8"], Comparison("float")),
    **dict.fromkeys(["text", "varchar", "bpchar"], Comparison("text")),
    "numeric": Comparison("decimal"),
    "bool": Comparison("boolean"),
    "date": Comparison("date"),
    "timestamp": Comparison("time"),
    "timestamptz": Comparison("time", has_zone=True),
}


# --- The dialect ----------------------------------------------------------------------


def identifier(name: str) -> str:
    """Return a name in quotes, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text in quotes, whatever it holds and however backslashes are read."""
    quoted = text.replace("'", "''")
    if "\\" in text:
        return " E'" + quoted.replace("\\", "\\\\") + "'"
    return f"'{quoted}'"


def _double(value: float) -> str:
    return f"'{value!r}'::float8"


def _number(column: Column) -> str:
    name = column.name
    if column.native == "bool":
        one, zero = _double(1.0), _double(0.0)
        return f"CASE WHEN {name} THEN {one} WHEN NOT {name} THEN {zero} END"
    if column.native != "numeric":
        return f"{name}::float8"
    return (
        f"CASE WHEN abs({name}) <= '{_TOO_SMALL}'::numeric THEN {_double(0.0)} "
        f"WHEN abs({name}) < '{_TOO_LARGE}'::numeric THEN {name}::float8 END"
    )


def _cell(scaled: str, is_wide: bool) -> str:  # noqa: FBT001
    return f"floor({scaled})::{'int8' if is_wide else 'int4'}"


def _cell_text(column: Column) -> str:
    return f'({column.name}::text COLLATE "C")'


def _key(column: Column, keys: Keys) -> str:
    name = column.name
    if keys.kind is str:
        return _cell_text(column)
    if keys.kind is bool:
        return f"CASE WHEN {name} THEN 1::int8 WHEN NOT {name} THEN 0::int8 END"
    return f"{name}::int8"


def _unit(column: Column) -> str:
    return _cell_text(column) if column.is_text else f"{column.name}::int8"


def _day(column: Column) -> str:
    first, last = _ENDS[column.native]
    day = column.name
    if column.native == "timestamptz":
        day = f"timezone('UTC', {day})"
    # Compared as it is: that costs less than its day, and infinity has none.
    inside = f"{column.name} BETWEEN {first} AND {last}"
    return f"CASE WHEN {inside} THEN {day}::date - {_EPOCH} END"


def _date(day: str) -> str:
    return f"({_EPOCH} + ({day})::int4)"


def _months(day: str) -> str:
    year, month = (f"date_part('{part}', {_date(day)})" for part in ("year", "month"))
    return f"({year} * 12 + {month})::int4"


def _split(text: str) -> str:
    return (
        "(SELECT part, number - 1 AS place FROM unnest(string_to_array("
        f"{text}, ',')) WITH ORDINALITY AS parts (part, number)) AS split"
    )


DIALECT = Dialect(
    name="postgres",
    identifier=identifier,
    literal=literal,
    double=_double,
    number=_number,
    is_finite=lambda number: f"abs({number}) <= {_LARGEST}",
    one_if=lambda test: f"CASE WHEN {test} THEN {_double(1.0)} ELSE {_double(0.0)} END",
    cell=_cell,
    total=lambda cell, _is_wide: f"sum({cell})",
    result=lambda total, _is_wide: total,
    count_if=lambda test: f"count(*) FILTER (WHERE {test})",
    as_double=lambda number: f"({number})::float8",
    key=_key,
    unit=_unit,
    cell_text=_cell_text,
    as_text=lambda text: f'{literal(text)}::text COLLATE "C"',
    text=lambda value, is_text: value if is_text else f"{value}::text",
    day=_day,
    months=_months,
    iso_day=lambda day: f"to_char({_date(day)}::timestamp, 'YYYY-MM-DD')",
    is_whole=lambda text: f"{text} ~ '^({WHOLE_ID})$'",
    hash=lambda text: f"('x' || substr(md5({text}), 1, 15))::bit(60)::int8",
    digest=lambda texts: f"md5({' || '.join(texts)})",
    hexed=lambda text: f"encode(convert_to({text}, 'UTF8'), 'hex')",
    split=_split,
    unhex=lambda part: f"convert_from(decode({part}, 'hex'), 'UTF8') COLLATE \"C\"",
    # Of a range it guesses that one row in 200 lies there, and then looks keys up one
    # by one; of a CASE, that half of them do.
    condition=lambda test: f"CASE WHEN {test} THEN TRUE END",
    fence="OFFSET 0",
)


# --- Tables ---------------------------------------------------------------------------

# The server looks every second whether we are still there. Without it, the query of a
# process that was killed runs on to its end.
_STOP_WITH_US = "SET client_connection_check_interval = 1000"

# One snapshot for everything that is read. Names mean what PostgreSQL says, and a
# backslash in a text is a backslash; no number of rows decides whether it ends.
_BEGIN = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; "
    "SET LOCAL search_path = pg_catalog, pg_temp; "
    "SET LOCAL standard_conforming_strings = on; "
    "SET LOCAL statement_timeout = 0; "
    "SET LOCAL idle_in_transaction_session_timeout = 0"
)

# Partitions and children are read with their parent, wherever they lie.
_RELATION = """
SELECT n.nspname, c.relname, c.relkind::text, row_security_active(c.oid),
  EXISTS (
    WITH RECURSIVE parts AS (
      SELECT inhrelid FROM pg_inherits WHERE inhparent = c.oid
      UNION
      SELECT i.inhrelid FROM pg_inherits i JOIN parts p ON i.inhparent = p.inhrelid
    )
    SELECT FROM parts p JOIN pg_class o ON o.oid = p.inhrelid
    WHERE o.relkind NOT IN ('r', 'p')
  ),
  current_setting('server_encoding'),
  CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = %s AND has_any_column_privilege(c.oid, 'SELECT')
"""
_COLUMNS = """
SELECT a.attname, t.typname, t.typtype::text, n.nspname = 'pg_catalog', a.atttypmod
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum
"""
_MICROSECONDS = {-1, 6}  # The default number of digits of a second.


@dataclass(frozen=True, slots=True)
class _Found:
    """A relation as the catalogue has it: equal where nothing was changed."""

    schema: str
    name: str
    kind: str
    is_filtered: bool
    has_foreign: bool
    encoding: str
    definition: str | None  # Of a view, with every name in full.
    columns: tuple[tuple[Any, ...], ...]


def connect_postgres(url: str, options: dict[str, str]) -> Connection:
    """Connect to a server.

    Args:
        url: Its address.
        options: Which passwords are withheld from it.
    """
    psycopg = import_extra("psycopg", "postgres")
    connection = psycopg.connect(
        url, autocommit=True, prepare_threshold=None, **options
    )
    with contextlib.suppress(psycopg.Error):
        # A server of another system may not know how to look.
        connection.execute(_STOP_WITH_US)
    return connection


def open_postgres(connection: Connection, source: DatabaseTable) -> Table:
    """Return a table of a server, by its public schema.

    Raises:
        FileRefused: When nothing that may be read has its name.
        SchemaRefused: When it is no table that the server stores itself.
    """
    quoted = ".".join(identifier(name) for name in source.table)
    # Without an operator: this is where the path of the user counts.
    asked = "SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid"
    (oid,) = connection.execute(asked, (quoted,)).fetchone()
    connection.execute(_BEGIN)
    found = _look(connection, oid)
    connection.execute("ROLLBACK")
    kind, definition = (None, None) if found is None else _kind(found)
    require_stored(kind, source, definition)
    assert found is not None  # noqa: S101 (refused above)
    if found.encoding != "UTF8":
        raise SchemaRefused(
            f"the database is encoded in {found.encoding}; ids and keys are read as "
            "UTF8. Copy the table into a database with that encoding."
        )
    full = f"{identifier(found.schema)}.{identifier(found.name)}"
    types, columns = {}, {}
    for name, *described in found.columns:
        column = _column(name, *described)
        types[name], columns[name] = column.given, column
    is_begun: list[bool] = []

    def work(query: str) -> Answer:
        if not is_begun:
            connection.execute(_BEGIN)
            # Locks the table against every change of its definition, until the end.
            connection.execute(f"SELECT FROM {full} LIMIT 0")
            if _look(connection, oid) != found:
                raise SchemaRefused(
                    f"'{source.name}' was changed while it was opened. Ask again."
                )
            is_begun.append(True)
        cursor = connection.execute(query)
        return columns_of([part.name for part in cursor.description], cursor.fetchall())

    def ask(query: str) -> Answer:
        return stoppable(lambda: work(query), connection.cancel)

    # The transaction, and the lock on the table, end with the last who can ask.
    weakref.finalize(ask, connection.close)
    info = connection.info
    return Table(
        types,
        columns,
        full,
        DIALECT,
        ask,
        write_conditions(DIALECT, columns, source.where),
        Origin((info.host, str(info.port), info.dbname), (found.schema, found.name)),
    )


def _look(connection: Connection, oid: int | None) -> _Found | None:
    row = connection.execute(_RELATION, (oid,)).fetchone()
    if row is None:
        return None
    columns = connection.execute(_COLUMNS, (oid,)).fetchall()
    return _Found(*row, columns=tuple(columns))  # type: ignore[misc]  # of seven


def _kind(found: _Found) -> tuple[str, str | None]:
    if found.kind == "v":
        return VIEW, found.definition
    is_own = found.schema in {"pg_catalog", "information_schema"}
    is_stored = found.kind in {"r", "p"} and not found.has_foreign
    is_table = is_stored and not (is_own or found.is_filtered)
    return TABLE if is_table else OTHER, None


def column_of(name: str, native: str) -> Column:
    """Return a column of a type of PostgreSQL's own."""
    return _column(name, native, "b", is_builtin=True, modifier=-1)


def _column(
    name: str,
    native: str,
    category: str,
    is_builtin: bool,  # noqa: FBT001 (as the catalogue has it)
    modifier: int,
) -> Column:
    """Return a column of a type that is read, or refused by its name."""
    is_read = (is_builtin and category == "b") or native == "citext"
    kind = _KINDS.get(native, "other") if is_read else "other"
    if category == "e":
        kind = "text"
    own = _COMPARISONS.get(native) if is_builtin and category == "b" else None
    if own is None or (own.name == "time" and modifier not in _MICROSECONDS):
        own = Comparison("none")
    # A row of a composite type may be neither null nor not null.
    comparison = own if category in {"b", "e", "r", "m"} else None
    given = ColumnType(kind, native)
    return Column(identifier(name), given, native, kind == "text", comparison)
