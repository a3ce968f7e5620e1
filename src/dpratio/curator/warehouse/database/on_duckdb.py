"""DuckDB behind Ibis."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import ibis

from dpratio.curator.duckdb.functions import require_own_functions
from dpratio.curator.duckdb.reads import reads_of
from dpratio.curator.reading.keys import WHOLE_ID
from dpratio.curator.reading.read_once import require_once
from dpratio.curator.stopping import stoppable
from dpratio.curator.warehouse.dialect import UNDECLARED, Backend, Dialect, Value
from dpratio.curator.warehouse.functions import builtin

__all__ = ["DuckDb"]

_floor = builtin("floor", "float64", "float64")
_is_finite = builtin("isfinite", "float64", "boolean")
_try_double = builtin("try", "float64", "float64")
_try_time = builtin("try", "timestamp", "timestamp")
_in_zone = builtin("timezone", "string timestamp('UTC')", "timestamp")
_ticks = builtin("epoch_ns", "timestamp(9)", "int64")
_bytes = builtin("encode", "string", "binary")
_decoded = builtin("decode", "binary", "string")
_hex = builtin("hex", "binary", "string")
_md5 = builtin("md5", "string", "string")
_days_between = builtin("date_diff", "string date date", "int64")
_date = builtin("make_date", "int32", "date")

_DAY = 86_400 * 10**9
_EPOCH = dt.date(1970, 1, 1)


class DuckDb(Dialect):
    """DuckDB: TRY stops errors, and hides statistics of files that may be wrong."""

    casts_in_views = frozenset(
        {
            *("SMALLINT", "INT", "BIGINT", "DOUBLE", "BOOLEAN"),
            *("TEXT", "VARCHAR", "DATE", "TIMESTAMPNTZ", "TIMESTAMPTZ"),
        }
    )

    def check_given(self, backend: Backend, rows: Value) -> None:
        require_own_functions(backend.con.execute)
        require_once(reads_of(backend.compile(rows), backend.con.execute))

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        return stoppable(lambda: self.fetch(backend, asked), backend.con.interrupt)

    def number(self, column: Value) -> Value:
        kind = column.type()
        if kind.is_decimal():
            # Through text: correctly rounded, which its own casts are not.
            column = column.cast("string").try_cast("float64")
        return _try_double(super().number(column))

    def finite(self, numbers: Sequence[Value]) -> list[Value]:
        # x − x is 0 for a finite x and NaN for any other, so one test does for all.
        zeros = [number - number for number in numbers]
        return [_is_finite(sum(zeros[1:], start=zeros[0]))]

    def floor(self, value: Value) -> Value:
        return _floor(value)

    def encoded(self, column: Value) -> Value:
        # A UUID and a label are cast: they are no texts to DuckDB.
        return _bytes(column.cast("string"))

    def hexed(self, text: Value) -> Value:
        return _hex(text)

    def whole(self, column: Value) -> Value:
        if column.type().is_unsigned_integer():
            small = ibis.coalesce(column.try_cast("int64"), UNDECLARED)
            return ibis.cases((column.notnull(), small))
        return column.cast("int64")

    def day(self, column: Value) -> Value:
        kind = column.type()
        if kind.is_timestamp() and kind.scale == 9:  # noqa: PLR2004 (nanoseconds)
            # Cut towards 1970, which no number of ticks overflows; then one less
            # where that was up.
            ticks = _ticks(column)
            past = ticks % _DAY
            cut = ((ticks - past) / _DAY).round().cast("int64")
            return cut - ibis.cases((past < 0, 1), else_=0)
        if kind.is_timestamp() and kind.timezone is not None:
            column = _try_time(_in_zone("UTC", column))
        day = column.try_cast("date")
        on_calendar = day.between(ibis.date(dt.date.min), ibis.date(dt.date.max))
        return ibis.cases((on_calendar, _days_between("day", ibis.date(_EPOCH), day)))

    def text_number(self, text: Value, hashed: Value) -> Value:  # noqa: ARG002
        word = _decoded(text)
        digest = ("0x" + _md5(word).substr(0, 15)).cast("int64")
        whole = word.re_search(f"^({WHOLE_ID})$") & ~word.contains("\n")
        return ibis.cases((whole, word.try_cast("int64")), else_=digest)

    def digest(self, key: str, place: Value, unit: Value) -> Value:
        return _md5(f"{key}:" + _decoded(place) + ":" + _decoded(unit))

    def iso_day(self, day: Value) -> Value:
        return self.text(_date(day.cast("int32")).cast("string"))
