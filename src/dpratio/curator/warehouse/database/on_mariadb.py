"""MariaDB: collations are bypassed, and impossible days are missing.

Its texts may hold halves of characters, which are not UTF-8; its dates may be the 31st
of February. Numbers are never NaN or infinite. Views are not read.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import ibis
import ibis.expr.operations as ops
import sqlglot.expressions as sql

from dpratio.curator.reading.keys import LARGEST_ID
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.stopping import stoppable
from dpratio.curator.warehouse.database.mariadb_server import Server, columns_of
from dpratio.curator.warehouse.dialect import (
    FIRST_DAY,
    LAST_DAY,
    Backend,
    Dialect,
    Value,
    by_name,
)
from dpratio.curator.warehouse.functions import builtin
from dpratio.errors import InvalidInput

__all__ = ["MariaDb", "write"]

# No key can be declared as this number.
_UNDECLARED = -(2**63)

_floor = builtin("floor", "float64", "float64")
_md5 = builtin("md5", "binary", "string")
_converted = builtin("conv", "string int32 int32", "string")
_days_of = {
    "date": builtin("to_days", "date", "int64"),
    "time": builtin("to_days", "timestamp", "int64"),
}
_day_in_month = {
    "date": builtin("dayofmonth", "date", "int64"),
    "time": builtin("dayofmonth", "timestamp", "int64"),
}
_date = builtin("from_days", "int64", "date")
_formed = builtin("date_format", "date string", "string")
_time = builtin("timestamp", "string", "timestamp")

# Written as casts, which are no functions: text as UTF-8, once as it is and once by way
# of UTF-16, which has no place for half a character.
_bytes = builtin("dpratio_bytes", "string", "binary")
_whole_bytes = builtin("dpratio_whole_bytes", "string", "binary")
_SETS = {"dpratio_bytes": ("utf8mb4",), "dpratio_whole_bytes": ("utf16", "utf8mb4")}

_EPOCH = 719_528  # 1970-01-01, counted from the year 0.
_LOWEST = (10, 6)


class MariaDb(Dialect):
    """MariaDB 10.6 or later."""

    compared_in_views = frozenset(
        {
            *("tinyint", "smallint", "mediumint", "int", "bigint"),
            *("float", "double", "date", "datetime"),
        }
    )

    def check(self, backend: Backend) -> None:
        [[version]] = backend.rows("SELECT VERSION()")
        numbers = version.split("-")[0].split(".")[:2]
        known = "mariadb" in version.lower()
        if not known or tuple(int(each) for each in numbers) < _LOWEST:
            raise InvalidInput(
                "mariadb:// reads MariaDB 10.6 or later, got another server. Hand over "
                "Parquet files."
            )

    def find(self, backend: Backend, names: Sequence[str]) -> Value:
        schema, name = names
        known = columns_of(backend, schema, name)
        namespace = ops.Namespace(catalog=None, database=schema)
        return ops.DatabaseTable(name, ibis.schema(known), backend, namespace).to_expr()

    def types(self, rows: Value) -> dict[str, ColumnType]:
        columns = ibis.get_backend(rows).columns
        return {name: columns[name] for name in rows.columns}

    def native_types(self, rows: Value) -> dict[str, str]:
        return dict(ibis.get_backend(rows).native)

    def snapshot(self, backend: Backend) -> AbstractContextManager[None] | None:
        return _snapshot(backend) if backend.has_snapshots else None

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        return stoppable(lambda: self.fetch(backend, asked), backend.cancel)

    def fetch(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        with backend.con.cursor() as cursor:
            cursor.execute(write(backend, asked))
            return by_name([each[0] for each in cursor.description], cursor.fetchall())

    def moment(self, written: str, kind: Any) -> Value:  # noqa: ANN401
        # A cast would cut seconds.
        return super().moment(written, kind) if kind.is_date() else _time(written)

    def floor(self, value: Value) -> Value:
        return _floor(value)

    def encoded(self, column: Value) -> Value:
        return _bytes(column)

    def text(self, column: Value) -> Value:
        return ibis.cases((_bytes(column) == _whole_bytes(column), _bytes(column)))

    def whole(self, column: Value) -> Value:
        if not column.type().is_unsigned_integer():
            return column.cast("int64")
        small = column <= 2**63 - 1
        return ibis.cases(
            (small, column.cast("int64")), (~small, ibis.literal(_UNDECLARED, "int64"))
        )

    def truth(self, column: Value) -> Value:
        return ibis.cases((column == 1, 1), (column == 0, 0)).cast("int64")

    def day(self, column: Value) -> Value:
        kind = "date" if column.type().is_date() else "time"
        number = _days_of[kind](column)
        # It counts the 31st of February as a day of March.
        is_day = _day_in_month["date"](_date(number)) == _day_in_month[kind](column)
        there = number.between(FIRST_DAY + _EPOCH, LAST_DAY + _EPOCH)
        return ibis.cases((is_day & there, number - _EPOCH))

    def text_number(self, text: Value, hashed: Value) -> Value:  # noqa: ARG002
        number = ops.Cast(text, ibis.dtype("int64")).to_expr()
        same = _bytes(number.cast("string")) == text
        whole = same & number.between(-LARGEST_ID, LARGEST_ID)
        digest = _converted(_md5(text).substr(0, 15), 16, 10).cast("int64")
        return ibis.cases((whole, number), else_=digest)

    def iso_day(self, day: Value) -> Value:
        return _bytes(_formed(_date(day + _EPOCH), "%Y-%m-%d"))


@contextmanager
def _snapshot(server: Server) -> Iterator[None]:
    server.rows("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
    try:
        yield
    finally:
        # A connection that is lost has none any more.
        with suppress(Exception):
            server.con.rollback()


def write(backend: Server, asked: Value) -> str:
    """Write a query, and declared keys before it: a reader may make no tables."""
    # Copied: one node may stand in several places.
    query = backend.compiler.to_sqlglot(asked.unbind()).copy()
    for call in list(query.find_all(sql.Anonymous)):
        text = call.expressions[0] if call.name in _SETS else None
        for letters in _SETS.get(call.name, ()):
            kind = sql.DataType(
                this=sql.DataType.Type.CHARACTER_SET, kind=sql.Var(this=letters)
            )
            text = sql.Cast(this=text, to=kind)
        if text is not None:
            binary = sql.DataType(this=sql.DataType.Type.BINARY)
            call.replace(sql.Cast(this=text, to=binary))
    given = ", ".join(_declared(each) for each in asked.op().find(ops.InMemoryTable))
    written = str(query.sql(backend.dialect))
    rest = written.removeprefix("WITH ")
    between = ", " if rest != written else " "
    return f"WITH {given}{between}{rest}" if given else written


def _declared(given: ops.InMemoryTable) -> str:
    columns = given.data.to_pyarrow(given.schema).to_pydict()
    rows = list(zip(*columns.values(), strict=True))
    is_empty = not rows
    first, *others = rows or [(0,) * len(columns)]
    named = ", ".join(
        f"{_literal(cell)} AS `{name}`"
        for name, cell in zip(columns, first, strict=True)
    )
    none = " FROM DUAL WHERE 1 = 0" if is_empty else ""
    more = ", ".join(f"({', '.join(map(_literal, row))})" for row in others)
    union = f" UNION ALL VALUES {more}" if more else ""
    return f"`{given.name}` AS (SELECT {named}{none}{union})"


def _literal(cell: Any) -> str:  # noqa: ANN401
    return str(cell) if isinstance(cell, int) else f"x'{cell.encode().hex()}'"
