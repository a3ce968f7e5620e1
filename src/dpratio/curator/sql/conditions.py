"""The rows that a source keeps (``where``), each by its own cells.

A column is compared with constants of its own type alone, so that databases keep the
same rows and no cell stops a query. Proof: docs/proofs/warehouse.md.
"""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from dpratio.checks import show_given
from dpratio.curator.sql.dialect import Column, Comparison, Dialect
from dpratio.errors import SchemaRefused
from dpratio.terms.source import NULLS, Condition

_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?: ([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)(\+00)?)?"
)
_SIGNS = {"!=": "<>"}
# A decimal of 38 digits may be a 128-bit integer, which such a decimal does not hold.
_WIDEST = 38


def write_conditions(
    dialect: Dialect, columns: Mapping[str, Column], where: Sequence[Condition]
) -> list[str]:
    """Return conditions as tests of a row's cells; a missing cell meets no comparison.

    Args:
        dialect: Of the database.
        columns: Those that may be named.
        where: Of a source.

    Raises:
        SchemaRefused: When a column is missing, or of another type than a constant.

    Guarantee:
        A row is kept or dropped by its own cells. Proof: docs/proofs/warehouse.md.
    """
    tests = [_test(dialect, columns, condition) for condition in where]
    return [dialect.condition(" AND ".join(tests))] if tests else []


def _test(dialect: Dialect, columns: Mapping[str, Column], condition: Condition) -> str:
    name, sign, *values = condition
    if name not in columns:
        raise SchemaRefused(
            f"where names the column '{name}', which is not in the table.", field=name
        )
    column = columns[name]
    kind = column.comparison
    if sign in NULLS and kind is not None:
        return f"{column.name} {'IS NULL' if sign == 'is null' else 'IS NOT NULL'}"
    listed = values[0] if sign == "in" else values
    constants = [_constant(dialect, kind, value) for value in listed]
    if kind is None or not constants or None in constants:
        raise SchemaRefused(
            f"where compares a column with constants of its type: '{name}' is of type "
            f"{column.given.name}, and the condition is {show_given(condition)}.",
            field=name,
        )
    cell = column.name
    if kind.name == "text":
        cell = dialect.cell_text(column)
    elif kind.name == "float":
        # Databases differ in whether they compare single precision with doubles.
        cell = dialect.as_double(cell)
    if sign == "in":
        return f"{cell} IN ({', '.join(map(str, constants))})"
    return f"{cell} {_SIGNS.get(sign, sign)} {constants[0]}"


def _constant(
    dialect: Dialect, kind: Comparison | None, value: str | float
) -> str | None:
    """Return a constant of a column's type that is exactly the value, if there is."""
    constant = None
    match kind, value:
        case Comparison("text"), str():
            constant = dialect.as_text(value)
        case Comparison("date" | "time"), str():
            constant = _moment(kind, value)
        case Comparison("boolean"), bool():
            constant = str(value).upper()
        case _, str() | bool():
            pass
        case Comparison("integer"), int():
            constant = f"CAST({value} AS BIGINT)"
        case Comparison("float"), _ if float(value) == value:
            constant = dialect.double(float(value))
        case Comparison("decimal"), _:
            constant = _decimal(kind, repr(value))
    return constant


def _decimal(kind: Comparison, digits: str) -> str | None:
    written = format(Decimal(digits), "f")
    if kind.precision is None:  # Of any number of digits, each compared as it is.
        return f"CAST('{written}' AS NUMERIC)"
    cells = Fraction(digits) * 10**kind.scale
    is_exact = cells.denominator == 1 and abs(cells) < 10**kind.precision
    if not is_exact or kind.precision >= _WIDEST:
        return None
    return f"CAST('{written}' AS DECIMAL({kind.precision}, {kind.scale}))"


def _moment(kind: Comparison, text: str) -> str | None:
    """Return a day or a time, which has an offset if its column has a zone."""
    parts = _MOMENT.fullmatch(text)
    if parts is None:
        return None
    day, clock, offset = parts.groups()
    moment = f"{day} {clock or '00:00:00'}"
    try:
        dt.datetime.fromisoformat(moment)
    except ValueError:
        return None
    if kind.name == "date":
        return f"DATE '{day}'" if clock is None else None
    if kind.has_zone != (offset is not None):
        return None
    zone = "WITH TIME ZONE " if kind.has_zone else ""
    return f"TIMESTAMP {zone}'{moment}{offset or ''}'"
