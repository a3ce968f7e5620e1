"""Cells of Arrow columns, read so that none of them stops the reading.

PyArrow and DuckDB stop at times beyond their calendars, at decimals beyond their
precision and at text that is not UTF-8. Here times become days in whole numbers, and a
cell that is none of its type is missing.
"""

from decimal import Decimal
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.reading.days import arrow_dates, arrow_days

__all__ = ["arrow_plain", "arrow_values"]


def arrow_values(column: Any) -> list[Any]:  # noqa: ANN401 (PyArrow is optional)
    """Read the cells of a column as Python values, dates and times as days."""
    types = import_extra("pyarrow", "arrow").types
    if _is_time(column.type):
        return list(arrow_days(column))
    if types.is_decimal(column.type):
        column = _within_precision(column)
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_value(each) for each in column]


def arrow_plain(column: Any) -> Any:  # noqa: ANN401 (PyArrow is optional)
    """Give a column as DuckDB reads it: times as dates, decimals as text."""
    arrow = import_extra("pyarrow", "arrow")
    if _is_time(column.type):
        return arrow_dates(column)
    if arrow.types.is_decimal(column.type):
        return _within_precision(column).cast(arrow.string())
    if arrow.types.is_float16(column.type):
        return column.cast(arrow.float32())
    return column


def _is_time(given: Any) -> bool:  # noqa: ANN401
    types = import_extra("pyarrow", "arrow").types
    return bool(types.is_date(given) or types.is_timestamp(given))


def _within_precision(column: Any) -> Any:  # noqa: ANN401
    """Keep decimals that have no more digits than their type."""
    arrow = import_extra("pyarrow", "arrow")
    compute = import_extra("pyarrow.compute", "arrow")
    given = column.type
    digits = (9,) * given.precision
    least, most = (
        arrow.scalar(Decimal((sign, digits, -given.scale)), given) for sign in (1, 0)
    )
    fits = compute.and_(
        compute.greater_equal(column, least), compute.less_equal(column, most)
    )
    return compute.if_else(fits, column, arrow.scalar(None, given))


def _value(cell: Any) -> Any:  # noqa: ANN401
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return None
