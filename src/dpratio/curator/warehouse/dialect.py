"""What databases do differently: reading cells so that none can stop a release.

Every expression here is total by itself: whatever a cell holds, it gives a value or
NULL. Nothing relies on the order in which a database tests its conditions.
"""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import ibis

from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.warehouse.functions import builtin

# Expressions of Ibis, which is not typed.
Value = Any
Backend = Any

_EPOCH = dt.date(1970, 1, 1).toordinal()

_encode = builtin("encode", "string", "binary")
_hex = builtin("hex", "binary", "string")
_md5 = builtin("md5", "binary", "string")
_joined = builtin("concat", "binary binary binary binary", "binary")


def day_number(day: dt.date) -> int:
    """Count the days from 1970-01-01.

    Example:
        >>> day_number(dt.date(1970, 1, 31))
        30
    """
    return day.toordinal() - _EPOCH


def date_of(number: int) -> dt.date:
    """Give the date of a day's number."""
    return dt.date.fromordinal(number + _EPOCH)


def by_name(
    names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> dict[str, list[Any]]:
    """Give rows as columns; sums of whole numbers, decimals to some databases, as such.

    Example:
        >>> by_name(["a", "b"], [(1, Decimal(2)), (3, "x")])
        {'a': [1, 3], 'b': [2, 'x']}
    """
    return {
        name: [
            int(row[at]) if isinstance(row[at], Decimal) else row[at] for row in rows
        ]
        for at, name in enumerate(names)
    }


def double(value: float) -> Value:
    """Write a double so that it is read back as it is."""
    return ibis.literal(repr(value)).cast("float64")


FIRST_DAY, LAST_DAY = day_number(dt.date.min), day_number(dt.date.max)


class Dialect:
    """How one database reads numbers, keys, ids and days; here the common ground."""

    # Whether text is equal where its bytes are, so that only what is added up is read
    # as those.
    text_is_bytes = False

    # Whether months are counted by a formula, and not found in a table of days.
    counts_months = False

    # Whether a product of numbers that are not zero, and is, stops a query.
    vanishing_stops = False

    # Whether a condition may compare times of day.
    compares_times = True

    # The database's own types whose columns a condition may compare.
    compared_in_conditions: frozenset[str] = frozenset()

    def prepare(self, backend: Backend) -> None:
        """Let a connection know only the database's own names; refuse an unfit one."""

    def find(self, backend: Backend, names: Sequence[str]) -> Value:
        """Find a table by its name, without a look at a row."""
        *outer, name = names
        return backend.table(name, database=tuple(outer) or None)

    def types(self, rows: Value) -> dict[str, ColumnType]:
        """Read the public schema of a table."""
        return {
            name: ColumnType(
                _kind(dtype), str(dtype).removeprefix("!").split("(", maxsplit=1)[0]
            )
            for name, dtype in rows.schema().items()
        }

    def native_types(self, rows: Value) -> dict[str, str]:  # noqa: ARG002
        """Name the database's own types, where those of Ibis stand for several."""
        return {}

    def ask(self, backend: Backend, asked: Value) -> dict[str, list[Any]]:
        """Run a query so that nothing of it is logged, and a signal cancels it."""
        raise NotImplementedError

    def is_missing(self, column: Value) -> Value:
        """Tell where a column is NULL, and only there."""
        return column.isnull()

    def number(self, column: Value) -> Value:
        """Read a number column as doubles; what cannot be read is missing."""
        if column.type().is_boolean():
            one, zero = double(1.0), double(0.0)
            return ibis.cases((column, one), (~column, zero))
        return column.cast("float64")

    def condition(self, test: Value) -> Value:
        """Write a condition on rows, which a planner may guess hardly any row meets."""
        return test

    def floor(self, value: Value) -> Value:
        """Round a double down to a whole double."""
        raise NotImplementedError

    def encoded(self, column: Value) -> Value:
        """Read text as bytes, so that no collation is asked."""
        return _encode(column)

    def text(self, column: Value) -> Value:
        """Read text as bytes, missing where they are no UTF-8."""
        return self.encoded(column)

    def hexed(self, text: Value) -> Value:
        """Write the bytes of a text as hexadecimal digits."""
        return _hex(text)

    def whole(self, column: Value) -> Value:
        """Read an integer key; one too large to be declared is another key."""
        return column.cast("int64")

    def day(self, column: Value) -> Value:
        """Read a date or time as its day's number, in UTC; missing off the calendar."""
        raise NotImplementedError

    def any_day(self, column: Value) -> Value:
        """Read the number of a day, off the calendar too, where that is cheaper."""
        return self.day(column)

    def month(self, day: Value) -> Value:
        """Count the months from year 0 to that of a day's number on the calendar."""
        raise NotImplementedError

    def unit(self, column: Value) -> Value:
        """Read an id: whole numbers as they are, text by its bytes."""
        return column if column.type().is_integer() else self.text(column)

    def gathered(self, unit: Value) -> Value:
        """Read an id, where rows of one id are best brought together; here not."""
        return unit

    def hashed(self, text: Value) -> Value:
        """Hash a text id, where that is used more than once; here nothing is done."""
        return text

    def text_number(self, text: Value, hashed: Value) -> Value:
        """Give the number of a text id, as `keys.number_of_id` does."""
        raise NotImplementedError

    def digest(self, key: str, place: Value, unit: Value) -> Value:
        """Hash a key of the plan, a group and an id, to order the groups of an id."""
        start, colon = (self.encoded(ibis.literal(each)) for each in (f"{key}:", ":"))
        return _md5(_joined(start, place, colon, unit))

    def iso_day(self, day: Value) -> Value:
        """Write the number of a day as the bytes of its date."""
        raise NotImplementedError


def _kind(dtype: Any) -> str:  # noqa: ANN401 (Ibis is not typed)
    tests = {
        "integer": dtype.is_integer(),
        "number": dtype.is_floating() or dtype.is_decimal(),
        "boolean": dtype.is_boolean(),
        "text": dtype.is_string() or dtype.is_uuid(),
        "date": dtype.is_date() or dtype.is_timestamp(),
    }
    return next((kind for kind, fits in tests.items() if fits), "other")
