"""Frames: their public schema, told without a look at a cell, and cells as keys."""

import datetime as dt
import uuid
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra
from dpratio.curator.reading.arrow_cells import arrow_values, is_uuid
from dpratio.curator.reading.days import day_in_text, pandas_days
from dpratio.curator.reading.statement import ColumnType
from dpratio.terms.ratio import is_unicode

_LONGEST_KEY = 14_000  # bits; 4,214 digits
_MONTHS = {"Y": 12, "M": 1}
_TICKS_OF_A_DAY = {"D": 1, "h": 24, "m": 1_440} | {
    unit: 86_400 * 1_000**power
    for power, unit in enumerate(["s", "ms", "us", "ns", "ps", "fs", "as"])
}


def pandas_types(frame: Any) -> dict[str, ColumnType]:  # noqa: ANN401 (pandas is optional)
    """Read the schema of a pandas frame; a name that occurs twice is of no use."""
    types: dict[str, ColumnType] = {}
    for name, dtype in frame.dtypes.items():
        kind = "repeated" if str(name) in types else _pandas_kind(dtype)
        types[str(name)] = ColumnType.here(kind, str(dtype))
    return types


def _pandas_kind(dtype: Any) -> str:  # noqa: ANN401
    categories = getattr(dtype, "categories", None)
    # pandas 3 calls no categories at all floats: one cell would decide what is read.
    is_empty = categories is not None and len(categories) == 0
    held = str(dtype if categories is None else categories.dtype)
    if is_empty or held.startswith(("object", "str", "large_string")):
        return "text"
    letter = "?" if categories is not None else getattr(dtype, "kind", "?")
    kinds = {
        "i": "integer",
        "u": "integer",
        "f": "number",
        "b": "boolean",
        "M": "date",
    }
    if held.startswith("extension<arrow.uuid>"):
        return "text"
    if held.startswith("date32"):
        return "date"
    return kinds.get(letter, "other")


def pandas_column(frame: Any, name: str) -> Any:  # noqa: ANN401
    """Find a column by its name as text."""
    return frame.iloc[:, [str(each) for each in frame.columns].index(name)]


def pandas_numbers(frame: Any, name: str) -> NDArray[np.float64]:  # noqa: ANN401
    """Give a number column as doubles, missing cells as NaN."""
    column = pandas_column(frame, name)
    if isinstance(column.dtype, np.dtype) or "Sparse" in str(column.dtype):
        with np.errstate(all="ignore"):  # A warning would tell of a cell.
            return np.asarray(column, dtype=np.float64)
    doubles: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
    return doubles


def pandas_cells(frame: Any, name: str) -> list[Any]:  # noqa: ANN401
    """Give the cells of a column, dates and times as days."""
    column = pandas_column(frame, name)
    storage = str(getattr(column.dtype, "storage", ""))
    if "pyarrow" in str(column.dtype) or "pyarrow" in storage:
        given = import_extra("pyarrow", "arrow").array(column.array)
        chunks = getattr(given, "chunks", [given])
        return [cell for chunk in chunks for cell in arrow_values(chunk)]
    if getattr(column.dtype, "kind", "") == "M" and "[" in str(column.dtype):
        return list(pandas_days(column))
    return list(column.tolist())


def pandas_keys(frame: Any, name: str, *, as_days: bool) -> NDArray[np.object_]:  # noqa: ANN401
    """Give a key column as texts, None where a cell is no key at all."""
    cells = pandas_cells(frame, name)
    texts = day_texts(cells) if as_days else object_texts(cells, is_id=False)
    return np.array(texts, dtype=object)


def pandas_ids(frame: Any, name: str) -> NDArray[np.object_]:  # noqa: ANN401
    """Give a column of ids as texts; a truth is no id."""
    return np.array(object_texts(pandas_cells(frame, name), is_id=True), dtype=object)


def object_texts(cells: Iterable[object], *, is_id: bool) -> list[str | None]:
    """Write values of Python as keys, or as ids; a truth is no id."""
    truths = (bool, np.bool_) if is_id else ()
    return [None if isinstance(each, truths) else key_text(each) for each in cells]


def day_texts(cells: Iterable[object]) -> list[str | None]:
    """Write values of Python as days of ISO 8601."""
    days = map(day_of, cells)
    return [None if day is None else day.isoformat() for day in days]


def day_of(value: object) -> dt.date | None:
    """Read a date, a time or an ISO date in text as a day, in UTC; else None.

    Example:
        >>> day_of(dt.datetime(2026, 1, 31, 23)), day_of("31.1.2026")
        (datetime.date(2026, 1, 31), None)
    """
    try:
        return _day_of(value)
    except Exception:  # noqa: BLE001 (beyond the calendar, or a zone that stops)
        return None


def _day_of(value: object) -> dt.date | None:
    if isinstance(value, str):
        return day_in_text(value)
    if isinstance(value, np.datetime64):
        return _numpy_day(value)
    if isinstance(value, dt.datetime):
        if value != value:  # noqa: PLR0124 (a missing time is not itself)
            return None
        aware = value.tzinfo is not None
        return (value.astimezone(dt.UTC) if aware else value).date()
    return value if isinstance(value, dt.date) else None


def _numpy_day(value: np.datetime64) -> dt.date | None:
    """Read a time of numpy as a day, in whole numbers: numpy's own may overflow."""
    if np.isnat(value):
        return None
    unit, count = np.datetime_data(value.dtype)
    ticks = int(value.astype(np.int64)) * count
    if unit in _MONTHS:
        years, month = divmod(ticks * _MONTHS[unit], 12)
        return dt.date(1970 + years, month + 1, 1)
    days = ticks * 7 if unit == "W" else ticks // _TICKS_OF_A_DAY[unit]
    return dt.date(1970, 1, 1) + dt.timedelta(days)


def key_text(value: object) -> str | None:
    """Write a key as text: text itself, whole numbers, true and false, UUIDs.

    A UUID is written as all databases write it: in small letters, with hyphens.

    Example:
        >>> key_text("north"), key_text(7), key_text(True), key_text(0.5)
        ('north', '7', 'true', None)
    """
    try:
        return _key_text(value)
    except Exception:  # noqa: BLE001 (a class of the data holder's that stops)
        return None


def _key_text(value: object) -> str | None:
    if isinstance(value, np.bool_ | np.integer) and value.dtype.kind != "m":
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Python writes no longer ones; a row must not stop a release.
        return str(int(value)) if value.bit_length() <= _LONGEST_KEY else None
    if isinstance(value, uuid.UUID):
        return str(uuid.UUID(int=value.int))
    if isinstance(value, str) and is_unicode(value):
        return str(value)
    return None


def polars_types(frame: Any) -> dict[str, ColumnType]:  # noqa: ANN401 (optional)
    """Read the schema of a Polars frame, eager or lazy."""
    texts = {
        "Boolean": "boolean",
        "String": "text",
        "Categorical": "text",
        "Enum": "text",
        "Object": "text",  # As in pandas: values of Python, UUIDs for instance.
    }
    types: dict[str, ColumnType] = {}
    for name, dtype in frame.lazy().collect_schema().items():
        number = "number" if dtype.is_numeric() else "other"
        kind = "integer" if dtype.is_integer() else number
        base = str(dtype.base_type())
        if base in {"Date", "Datetime"}:
            kind = "date"
        types[name] = ColumnType.here(texts.get(base, kind), base)
    return types


def arrow_types(schema: Any) -> dict[str, ColumnType]:  # noqa: ANN401 (optional)
    """Read the schema of an Arrow table; a name that occurs twice is of no use."""
    types: dict[str, ColumnType] = {}
    for field in schema:
        kind = "repeated" if field.name in types else _arrow_kind(field.type)
        shown = str(field.type).split("<", maxsplit=1)[0]
        types[field.name] = ColumnType.here(kind, shown)
    return types


def _is_checked_decimal(given: Any) -> bool:  # noqa: ANN401
    """Tell whether PyArrow can compare decimals of a type with the most it may hold."""
    tests = import_extra("pyarrow", "arrow").types
    is_wide = tests.is_decimal128(given) or tests.is_decimal256(given)
    return bool(is_wide and given.scale >= 0)


def _arrow_kind(given: Any) -> str:  # noqa: ANN401
    tests = import_extra("pyarrow", "arrow").types
    held = given.value_type if tests.is_dictionary(given) else given
    if tests.is_integer(given):
        return "integer"
    if tests.is_floating(given) or _is_checked_decimal(given):
        return "number"
    if tests.is_boolean(given):
        return "boolean"
    if tests.is_date(given) or tests.is_timestamp(given):
        return "date"
    if is_uuid(given):
        return "text"
    texts = (
        tests.is_string,
        tests.is_large_string,
        getattr(tests, "is_string_view", None),
    )
    is_text = any(test is not None and test(held) for test in texts)
    return "text" if is_text else "other"
