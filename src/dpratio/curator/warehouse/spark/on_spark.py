"""Spark: collations are bypassed, and messages of failing tasks are not shown."""

from typing import Any

import ibis
import sqlglot.expressions as sql

from dpratio.checks import import_extra
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.keys import LARGEST_ID
from dpratio.curator.stopping import stoppable
from dpratio.curator.warehouse.dialect import (
    FIRST_DAY,
    LAST_DAY,
    Backend,
    Dialect,
    Value,
    by_name,
    double,
)
from dpratio.curator.warehouse.functions import builtin
from dpratio.curator.warehouse.spark.watch import watched

_floor = builtin("floor", "float64", "int64")
_is_utf8 = builtin("is_valid_utf8", "string", "boolean")
_md5 = builtin("md5", "binary", "string")
_converted = builtin("conv", "string int32 int32", "string")
_date = builtin("date_from_unix_date", "int32", "date")
_is_null = builtin("isnull", "float64", "boolean")
_without_nan = builtin("nanvl", "float64 float64", "float64")

_GATHERED = "dpratio_gathered"
_BY_ARROW = "spark.sql.execution.arrow.pyspark.enabled"


class Spark(Dialect):
    """Spark in ANSI mode or not: no expression here depends on it."""

    text_is_bytes = True
    counts_months = True
    compares_times = False  # The zone of a session decides what they are.

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        session, tag = backend._session, f"dpratio-{fresh_id()}"  # noqa: SLF001

        def work() -> dict[str, list[Any]]:
            with watched(session, tag):
                return _fetch(backend, asked)

        def cancel() -> None:
            session.sparkContext.cancelJobsWithTag(tag)

        # A thread that has the pool and the properties of the one that asks.
        thread = import_extra("pyspark", "engines").InheritableThread
        return stoppable(work, cancel, thread=thread)

    def is_missing(self, column: Value) -> Value:
        # Ibis takes NaN for missing on Spark.
        return _is_null(column) if column.type().is_floating() else column.isnull()

    def number(self, column: Value) -> Value:
        # Past nanvl nothing is pushed down to files, whose statistics may be wrong.
        return _without_nan(super().number(column), double(float("nan")))

    def whole(self, column: Value) -> Value:
        number = super().whole(column)
        return ibis.greatest(number, number)  # Nor past greatest.

    def unit(self, column: Value) -> Value:
        unit = super().unit(column)
        return unit if column.type().is_string() else ibis.greatest(unit, unit)

    def gathered(self, unit: Value) -> Value:
        # Ibis cannot say so: `write` puts it in.
        kind = str(unit.type())
        return builtin(_GATHERED, kind, kind)(unit)

    def floor(self, value: Value) -> Value:
        return _floor(value).cast("float64")

    def encoded(self, column: Value) -> Value:
        return column.cast("binary")

    def text(self, column: Value) -> Value:
        return ibis.cases((_is_utf8(column), self.encoded(column)))

    def day(self, column: Value) -> Value:
        # Dates and times came as numbers of days: see `spark/frames`.
        return ibis.cases((column.between(FIRST_DAY, LAST_DAY), column))

    def any_day(self, column: Value) -> Value:
        return column

    def month(self, day: Value) -> Value:
        date = _date(day.cast("int32"))
        return date.year().cast("int64") * 12 + date.month()

    def text_number(self, text: Value, hashed: Value) -> Value:  # noqa: ARG002
        word = text.cast("string")
        number = word.try_cast("int64")
        same = number.cast("string") == word
        whole = same & number.between(-LARGEST_ID, LARGEST_ID)
        digest = _converted(_md5(text).substr(0, 15), 16, 10).cast("int64")
        return ibis.cases((whole, number), else_=digest)

    def iso_day(self, day: Value) -> Value:
        return _date(day.cast("int32")).cast("string").cast("binary")


def write(backend: Backend, asked: Value) -> str:
    """Write a query in which rows of one id are brought together once.

    Totals of ids and groups need rows sent to where those of the same id and group
    are, and the choice of an id's groups needs them sent again, by ids. Rows that are
    sent by ids at once need not be sent a second time. They are sent before they are
    added up, which costs more where ids have many rows in a group: `units` marks ids
    that are said to have few.
    """
    query = backend.compiler.to_sqlglot(asked.unbind())
    for mark in list(query.find_all(sql.Anonymous)):
        if mark.name.lower() == _GATHERED:
            by = sql.column(mark.parent.alias, quoted=True)
            select = mark.find_ancestor(sql.Select)
            select.set("distribute", sql.Distribute(expressions=[by]))
            mark.replace(mark.expressions[0])
    written: str = query.sql(backend.dialect)
    return written


def _fetch(backend: Backend, asked: Value) -> dict[str, list[Any]]:
    """Run a query, and give its columns."""
    # Declared keys are handed over by Arrow, whole: Spark then knows how few they are,
    # and need not sort rows to join them.
    settings = backend._session.conf  # noqa: SLF001
    settings.set(_BY_ARROW, "true")
    backend._run_pre_execute_hooks(asked)  # noqa: SLF001
    settings.set(_BY_ARROW, "false")
    # Fetched as they are: Ibis would make them a frame of pandas first.
    found = backend.raw_sql(write(backend, asked)).collect()
    return by_name(asked.columns, found)
