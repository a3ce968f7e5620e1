"""The rows that a source keeps (``where``), each by its own cells.

A column is compared with constants of its own type alone, so that engines keep the same
rows and no cell stops a query. Proof: docs/proofs/warehouse.md.
"""

import datetime as dt
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

import ibis

from dpratio.checks import show_given
from dpratio.curator.warehouse.dialect import Dialect, Value, double
from dpratio.errors import SchemaRefused
from dpratio.terms.source import NULLS, Condition

_COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?: ([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)(\+00)?)?"
)
_MIDNIGHT = "00:00:00"
_MICROSECONDS = 6  # The default number of digits of a second.
# A decimal of 38 digits may be a 128-bit integer, which such a decimal does not hold.
_WIDEST = 38


def write_condition(
    dialect: Dialect,
    columns: Mapping[str, Value],
    native: Mapping[str, str],
    condition: Condition,
) -> Value:
    """Write a condition as a test of a row's cells; a missing cell meets no comparison.

    Args:
        dialect: Of the database.
        columns: Those that may be named.
        native: The database's own names of their types, where Ibis's will not do.
        condition: Of a source.

    Raises:
        SchemaRefused: When the column is missing, or of another type than a constant.
    """
    name, sign, *values = condition
    if name not in columns:
        raise SchemaRefused(
            f"where names the column '{name}', which is not in the table.", field=name
        )
    column, own = columns[name], native.get(name, "")
    # A row of a composite type may be neither null nor not null.
    if sign in NULLS and own != "composite":
        missing = dialect.is_missing(column)
        return missing if sign == "is null" else ~missing
    given = values[0] if sign == "in" else values
    constants = [_constant(dialect, column.type(), value, own) for value in given]
    is_compared = not own or own in dialect.compared_in_conditions
    if not constants or any(each is None for each in constants) or not is_compared:
        kind = own or str(column.type()).removeprefix("!")
        raise SchemaRefused(
            f"where compares a column with constants of its type: '{name}' is of type "
            f"{kind}, and the condition is {show_given(condition)}.",
            field=name,
        )
    if column.type().is_string():
        column = dialect.encoded(column)
    elif column.type().is_floating():
        # Databases differ in whether they compare single precision with doubles.
        column = column.cast("float64")
    if sign == "in":
        return column.isin(constants)
    return _COMPARISONS[sign](column, constants[0])


def _constant(dialect: Dialect, kind: Value, value: Value, own: str) -> Value | None:
    """Return a constant of a column's type that is exactly the value, if there is."""
    if isinstance(value, str):
        if kind.is_string():
            return dialect.encoded(ibis.literal(value))
        return _moment(dialect, kind, value)
    if isinstance(value, bool) or kind.is_boolean():
        is_same = isinstance(value, bool) and kind.is_boolean()
        return ibis.literal(value) if is_same else None
    if kind.is_integer() and isinstance(value, int):
        return ibis.literal(value, "int64")
    if kind.is_floating() and float(value) == value:
        return double(float(value))
    return _decimal(kind, repr(value), own) if kind.is_decimal() else None


def _decimal(kind: Value, digits: str, own: str) -> Value | None:
    if own:  # Decimals of any number of digits, each compared as it is.
        return ibis.literal(format(Decimal(digits), "f")).cast("decimal")
    cells = Fraction(digits) * 10 ** (kind.scale or 0)
    precision = kind.precision or _WIDEST
    if cells.denominator != 1 or abs(cells) >= 10**precision or precision >= _WIDEST:
        return None
    return ibis.literal(Decimal(digits), kind)


def _moment(dialect: Dialect, kind: Value, text: str) -> Value | None:
    """Return a day or a time, which has an offset if its column has a zone."""
    parts = _MOMENT.fullmatch(text)
    if parts is None:
        return None
    day, clock, offset = parts.groups()
    try:
        dt.datetime.fromisoformat(f"{day} {clock or _MIDNIGHT}")
    except ValueError:
        return None
    if kind.is_date() and clock is None:
        return ibis.date(dt.date.fromisoformat(day))
    is_time = kind.is_timestamp() and dialect.compares_times
    if not is_time or kind.scale not in {None, _MICROSECONDS}:
        return None
    if (kind.timezone is None) != (offset is None):
        return None
    return ibis.literal(f"{day} {clock or _MIDNIGHT}{offset or ''}").cast(kind)
