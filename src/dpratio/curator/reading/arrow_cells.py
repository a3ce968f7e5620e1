"""Cells of Arrow columns, read so that none of them stops the reading.

PyArrow and DuckDB stop at times beyond their calendars, at decimals beyond their
precision and at text that is not UTF-8. Here times become days in whole numbers, and a
cell that is not of its column's type is missing.
"""

from decimal import Decimal
from typing import Any

import numpy as np

from dpratio.checks import import_extra
from dpratio.curator.reading.days import arrow_dates, arrow_days

_UUID_BYTES = 16
_HYPHENS = (8, 13, 18, 23)
_UUID_LETTERS = 36


def arrow_values(column: Any) -> list[Any]:  # noqa: ANN401 (PyArrow is optional)
    """Read the cells of a column as Python values, dates and times as days."""
    types = import_extra("pyarrow", "arrow").types
    if _is_time(column.type):
        return list(arrow_days(column))
    if is_uuid(column.type):
        column = uuid_texts(column)
    if types.is_decimal(column.type):
        column = _within_precision(column)
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [_value(each) for each in column]


def arrow_plain(column: Any) -> Any:  # noqa: ANN401 (PyArrow is optional)
    """Give a column as DuckDB reads it: times as dates, decimals and UUIDs as text."""
    arrow = import_extra("pyarrow", "arrow")
    if _is_time(column.type):
        return arrow_dates(column)
    if is_uuid(column.type):
        return uuid_texts(column)
    if arrow.types.is_decimal(column.type):
        return _within_precision(column).cast(arrow.string())
    if arrow.types.is_float16(column.type):
        return column.cast(arrow.float32())
    return column


def is_uuid(given: Any) -> bool:  # noqa: ANN401
    """Tell whether a type of Arrow is that of UUIDs."""
    return str(given) == "extension<arrow.uuid>"


def uuid_texts(column: Any) -> Any:  # noqa: ANN401
    """Write UUIDs as all databases do: in small letters, with hyphens."""
    arrow = import_extra("pyarrow", "arrow")
    stored = getattr(column, "storage", column)  # Its plain bytes.
    begin = stored.offset * _UUID_BYTES
    size = len(stored) * _UUID_BYTES
    held = np.frombuffer(stored.buffers()[1] or b"", np.uint8)[begin : begin + size]
    halves = np.stack([held >> 4, held & 15], axis=1)
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)[halves]
    texts = np.full((len(stored), _UUID_LETTERS), ord("-"), np.uint8)
    letters = [at for at in range(_UUID_LETTERS) if at not in _HYPHENS]
    texts[:, letters] = digits.reshape(len(stored), len(letters))
    missing = ~stored.is_valid().to_numpy(zero_copy_only=False).astype(np.bool_)
    words = texts.reshape(-1).view(f"S{_UUID_LETTERS}")
    return arrow.array(words, arrow.binary(), mask=missing).view(arrow.string())


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
