"""PostgreSQL: no TRY, and products that vanish are errors."""

import datetime as dt
from collections.abc import Sequence
from decimal import Context
from typing import Any

import ibis
import ibis.expr.datatypes as dtypes
import ibis.expr.operations as ops
import sqlglot.expressions as sql

from dpratio.checks import import_extra
from dpratio.curator.reading.keys import WHOLE_ID
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.table import identifier
from dpratio.curator.stopping import stoppable
from dpratio.curator.warehouse.dialect import Backend, Dialect, Value, by_name, double
from dpratio.curator.warehouse.functions import builtin
from dpratio.errors import SchemaRefused

_BYTEWISE = "dpratio_bytewise"
_bytewise = builtin(_BYTEWISE, "string", "string")
_COLLATION = sql.Dot.build(
    [sql.to_identifier("pg_catalog"), sql.to_identifier("C", quoted=True)]
)

_ARRAYS = {"int64": "BIGINT[]", "string": "TEXT[]"}


def bytewise(text: Value) -> Value:
    """Compare text by its bytes.

    Ibis knows no collations: `write` puts this one in, which costs far less than
    reading text as bytes.
    """
    return _bytewise(text)


def run(backend: Backend, asked: Value) -> dict[str, list[Any]]:
    """Run a query, and give its columns."""
    psycopg = import_extra("psycopg", "engines")
    written, arrays = write(backend, asked)
    with backend.con.transaction(), psycopg.RawCursor(backend.con) as cursor:
        cursor.execute(written.encode(), arrays, prepare=False)
        return by_name([each.name for each in cursor.description], cursor.fetchall())


def write(backend: Backend, asked: Value) -> tuple[str, list[Sequence[Any]]]:
    """Write a query, with the arrays that are its parameters."""
    query = backend.compiler.to_sqlglot(asked.unbind()).transform(_collated)
    for select in query.find_all(sql.Select):
        if isinstance(select.parent, (sql.Subquery, sql.CTE)):
            select.set("offset", sql.Offset(expression=sql.Literal.number(0)))
    arrays: list[Sequence[Any]] = []
    declared = {each.name: each for each in asked.op().find(ops.InMemoryTable)}
    for table in list(query.find_all(sql.Table)):
        if table.name in declared:
            table.replace(_unnested(table, declared[table.name], arrays))
    return query.sql(backend.dialect), arrays


def _collated(node: sql.Expression) -> sql.Expression:
    """Write what is compared by its bytes."""
    if not isinstance(node, sql.Anonymous) or node.name != _BYTEWISE:
        return node
    [text] = node.expressions
    return sql.paren(sql.Collate(this=text, expression=_COLLATION.copy()))


def _unnested(
    table: sql.Table, given: ops.InMemoryTable, arrays: list[Sequence[Any]]
) -> sql.Expression:
    """Write a table as arrays that are taken apart side by side."""
    columns = given.data.to_pyarrow(given.schema).to_pydict()
    taken = []
    for name, cells in columns.items():
        arrays.append(cells)
        array = sql.cast(
            sql.Var(this=f"${len(arrays)}"), _ARRAYS[str(given.schema[name])]
        )
        call = sql.Anonymous(this="unnest", expressions=[array])
        taken.append(
            sql.alias_(sql.Dot(this=sql.Var(this="pg_catalog"), expression=call), name)
        )
    alias = sql.TableAlias(this=sql.to_identifier(table.alias_or_name, quoted=True))
    return sql.Subquery(this=sql.select(*taken), alias=alias)


_floor = builtin("floor", "float64", "float64", "pg_catalog")
_bytes = builtin("convert_to", "string string", "binary", "pg_catalog")
_written = builtin("encode", "binary string", "string", "pg_catalog")
_unwritten = builtin("decode", "string string", "binary", "pg_catalog")
_md5 = builtin("md5", "string", "string", "pg_catalog")
_byte = builtin("get_byte", "binary int32", "int32", "pg_catalog")
_joined = builtin("textcat", "string string", "string", "pg_catalog")
_in_zone = builtin("timezone", "string timestamp('UTC')", "timestamp", "pg_catalog")
_days_between = builtin("date_mi", "date date", "int32", "pg_catalog")
_days_after = builtin("date_pli", "date int32", "date", "pg_catalog")
_formed = builtin("to_char", "timestamp string", "string", "pg_catalog")

# Of all types, those that are read; ids and labels are read as text, and the rest is
# refused by name.
_READ = {
    *("int2", "int4", "int8", "numeric", "float4", "float8", "bool", "text"),
    *("varchar", "bpchar", "name", "citext", "date", "timestamp", "timestamptz"),
}

_EPOCH = dt.date(1970, 1, 1)
# The first and last moment of the calendar.
_TIMES = "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"
# From here on a decimal is no double, and up to there it is zero.
_TOO_LARGE = str(2**1024 - 2**970)
_TOO_SMALL = format(Context(prec=1000).power(2, -1075), "f")
_HASH_BYTES = 7


class Postgres(Dialect):
    """PostgreSQL: a cast stands in a CASE that lets no unfit value through."""

    vanishing_stops = True
    compared_in_conditions = frozenset(
        {
            *("int2", "int4", "int8", "numeric", "float4", "float8", "bool"),
            *("text", "varchar", "bpchar", "date", "timestamp", "timestamptz"),
        }
    )

    def prepare(self, backend: Backend) -> None:
        with backend.begin() as cursor:
            cursor.execute("SET search_path = pg_catalog, pg_temp")
            # A backslash in a text is a backslash.
            cursor.execute("SET standard_conforming_strings = on")
            [encoding] = cursor.execute("SHOW server_encoding").fetchone()
        if encoding != "UTF8":
            raise SchemaRefused(
                f"the database is encoded in {encoding}; ids and keys are read as "
                "UTF8. Copy the table into a database with that encoding."
            )

    def find(self, backend: Backend, names: Sequence[str]) -> Value:
        # Ibis stops at the names of some types, and at columns that may not be read.
        *outer, name = names
        quoted = ".".join(identifier(each) for each in names)
        with backend.begin() as cursor:
            found = cursor.execute(
                "SELECT attname, pg_catalog.format_type(atttypid, atttypmod) "
                "FROM pg_catalog.pg_attribute "
                "WHERE attrelid = pg_catalog.to_regclass(%s) AND attnum > 0 "
                "AND NOT attisdropped AND pg_catalog.has_column_privilege("
                "attrelid, attnum, 'SELECT') ORDER BY attnum",
                (quoted,),
            ).fetchall()
        known = {column: _known(backend, given) for column, given in found}
        namespace = ops.Namespace(catalog=None, database=outer[-1] if outer else None)
        return ops.DatabaseTable(name, ibis.schema(known), backend, namespace).to_expr()

    def types(self, rows: Value) -> dict[str, ColumnType]:
        """Read the schema as the server gives it: Ibis takes some types for others."""
        backend = ibis.get_backend(rows)
        # Ibis would call functions on shapes, which are not read anyway.
        kept = [name for name in rows.columns if not rows[name].type().is_geospatial()]
        # By names of ours: Ibis would write * for all that it knows of a table.
        named = {f"c{at}": rows[name] for at, name in enumerate(kept)}
        query, _ = write(backend, rows.select(**named))
        asked = f"SELECT * FROM ({query}) AS asked LIMIT 0"  # noqa: S608
        with backend.begin() as cursor:
            described = cursor.execute(asked).description
            found = cursor.execute(
                "SELECT oid, typname, typtype = 'b', typtype = 'e' OR "
                "oid = 'pg_catalog.uuid'::regtype FROM pg_catalog.pg_type "
                "WHERE oid = ANY (%s)",
                ([each.type_code for each in described],),
            ).fetchall()
        names = {oid: tuple(said) for oid, *said in found}
        types = super().types(rows)
        for column, each in zip(kept, described, strict=True):
            name, is_base, is_word = names[each.type_code]
            if is_word:
                types[column] = ColumnType("text", name)
            elif name not in _READ or not is_base:
                types[column] = ColumnType("other", name)
        return types

    def native_types(self, rows: Value) -> dict[str, str]:
        """Name the types of a table: its own by name, others by what they are."""
        table = rows.op()
        names = (table.namespace.database, table.name)
        quoted = ".".join(identifier(name) for name in names if name)
        with table.source.begin() as cursor:
            found = cursor.execute(
                "SELECT a.attname, CASE WHEN t.typtype IN ('b', 'e', 'r', 'm') THEN "
                "CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN t.typname "
                "ELSE 'foreign' END ELSE 'composite' END "
                "FROM pg_catalog.pg_attribute a "
                "JOIN pg_catalog.pg_type t ON t.oid = a.atttypid "
                "WHERE a.attrelid = pg_catalog.to_regclass(%s) AND a.attnum > 0 "
                "AND NOT a.attisdropped",
                (quoted,),
            ).fetchall()
        return dict(found)

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        return stoppable(lambda: run(backend, asked), backend.con.cancel)

    def number(self, column: Value) -> Value:
        if not column.type().is_decimal():
            return super().number(column)
        size = column.abs()
        fits = size < ibis.literal(_TOO_LARGE).cast("decimal")
        tiny = size <= ibis.literal(_TOO_SMALL).cast("decimal")
        return ibis.cases((tiny, double(0.0)), (fits, column.cast("float64")))

    def condition(self, test: Value) -> Value:
        # Of a range it guesses that one row in 200 lies there, and then looks keys up
        # one by one; of a CASE, that half of them do.
        return ibis.cases((test, True))

    def floor(self, value: Value) -> Value:
        return _floor(value)

    def encoded(self, column: Value) -> Value:
        # Cast also where Ibis takes a label for a text, which no function here does.
        return bytewise(ops.Cast(column, dtypes.string).to_expr())

    def hexed(self, text: Value) -> Value:
        return _written(_bytes(text, "UTF8"), "hex")

    def day(self, column: Value) -> Value:
        kind = column.type()
        ends: Sequence[Value] = ibis.date(dt.date.min), ibis.date(dt.date.max)
        day = column
        if kind.is_timestamp():
            # Compared as they are: that costs less than their days.
            zone = "" if kind.timezone is None else "+00"
            ends = [ibis.literal(each + zone).cast(kind) for each in _TIMES]
            day = (column if kind.timezone is None else _in_zone("UTC", column)).cast(
                "date"
            )
        number = _days_between(day, ibis.date(_EPOCH)).cast("int64")
        return ibis.cases((column.between(*ends), number))

    def hashed(self, text: Value) -> Value:
        return _unwritten(_md5(text), "hex")

    def text_number(self, text: Value, hashed: Value) -> Value:
        digest, hashed = hashed, ibis.literal(0, "int64")
        for at in range(_HASH_BYTES):
            hashed = hashed * 256 + _byte(digest, at).cast("int64")
        # The fifteenth digit is the upper half of the eighth byte.
        hashed = hashed * 16 + (_byte(digest, _HASH_BYTES) / 16).floor().cast("int64")
        whole = text.re_search(f"^({WHOLE_ID})$")
        return ibis.cases((whole, text.cast("int64")), else_=hashed)

    def digest(self, key: str, place: Value, unit: Value) -> Value:
        colon = self.text(ibis.literal(":"))
        start = self.text(ibis.literal(f"{key}:"))
        whole = _joined(_joined(_joined(start, place), colon), unit)
        return _unwritten(_md5(whole), "hex")

    def iso_day(self, day: Value) -> Value:
        date = _days_after(ibis.date(_EPOCH), day.cast("int32"))
        return self.text(_formed(date.cast("timestamp"), "YYYY-MM-DD"))


def _known(backend: Backend, given: str) -> Any:  # noqa: ANN401 (Ibis is not typed)
    """Translate a type; what Ibis cannot is refused by its name in `types`."""
    try:
        return backend.compiler.type_mapper.from_string(given)
    except Exception:  # noqa: BLE001 (of Ibis or of its parser)
        return dtypes.unknown
