"""Spark: collations are passed by, failing tasks are not quoted on our screen.

Floor: curator. Imports: dialect, functions.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import ibis

from dpratio.curator.keys import LARGEST_ID
from dpratio.curator.warehouse.dialect import (
    FIRST_DAY,
    LAST_DAY,
    Backend,
    Dialect,
    Value,
)
from dpratio.curator.warehouse.functions import builtin

__all__ = ["Spark"]

_floor = builtin("floor", "float64", "int64")
_is_utf8 = builtin("is_valid_utf8", "string", "boolean")
_hex = builtin("hex", "binary", "string")
_md5 = builtin("md5", "binary", "string")
_converted = builtin("conv", "string int32 int32", "string")
_joined = builtin("concat", "binary binary binary binary", "binary")
_days = builtin("unix_date", "date", "int32")
_seconds = builtin("unix_seconds", "timestamp('UTC')", "int64")
_date = builtin("date_from_unix_date", "int32", "date")

_SECONDS = 86_400.0

# Declared keys are handed over whole, so that rows are not sorted to be joined.
_SETTINGS = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "100MB",
}


class Spark(Dialect):
    """Spark in ANSI mode or not: no expression here depends on it."""

    @contextmanager
    def quietly(self, backend: Backend) -> Iterator[None]:
        # The driver writes why a task failed, and its words may quote a cell.
        session = backend._session  # noqa: SLF001
        log4j = session.sparkContext._jvm.org.apache.logging.log4j  # noqa: SLF001
        config = log4j.LogManager.getContext(False).getConfiguration()  # noqa: FBT003
        silence = log4j.core.filter.DenyAllFilter.newBuilder().build()
        before = {name: session.conf.get(name, None) for name in _SETTINGS}
        config.addFilter(silence)
        try:
            for name, value in _SETTINGS.items():
                session.conf.set(name, value)
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    session.conf.unset(name)
                else:
                    session.conf.set(name, value)
            config.removeFilter(silence)

    def number(self, column: Value) -> Value:
        # Past coalesce nothing is pushed down to files, whose statistics may be wrong.
        return ibis.coalesce(super().number(column), self.double(float("nan")))

    def floor(self, value: Value) -> Value:
        return _floor(value).cast("float64")

    def encoded(self, column: Value) -> Value:
        return column.cast("binary")

    def text(self, column: Value) -> Value:
        return ibis.cases((_is_utf8(column), self.encoded(column)))

    def hexed(self, text: Value) -> Value:
        return _hex(text)

    def day(self, column: Value) -> Value:
        kind = column.type()
        if kind.is_timestamp() and kind.timezone is not None:
            seconds = _seconds(column).cast("float64")
            day = _floor(seconds / self.double(_SECONDS))
        else:
            day = _days(column.cast("date")).cast("int64")
        return ibis.cases((day.between(FIRST_DAY, LAST_DAY), day))

    def text_number(self, text: Value) -> Value:
        word = text.cast("string")
        number = word.try_cast("int64")
        same = number.cast("string") == word
        whole = same & number.between(-LARGEST_ID, LARGEST_ID)
        hashed = _converted(_md5(text).substr(0, 15), 16, 10).cast("int64")
        return ibis.cases((whole, number), else_=hashed)

    def digest(self, key: str, place: Value, unit: Value) -> Value:
        start, colon = (ibis.literal(each).cast("binary") for each in (f"{key}:", ":"))
        return _md5(_joined(start, place, colon, unit))

    def iso_day(self, day: Value) -> Value:
        return _date(day.cast("int32")).cast("string").cast("binary")
