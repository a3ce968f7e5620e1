"""Days of dates, of times in whole ticks, and of text; none beyond the calendar.

Frames and their own conversions stop at times that Python cannot hold, and differ on
nanoseconds before 1970; a floor of integers does neither.
"""

import datetime as dt
import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra
from dpratio.terms.source import ISO_DATES

Days = list[dt.date | None]

_SECONDS = 86_400
_PER_DAY = {
    "D": 1,
    "s": _SECONDS,
    "ms": _SECONDS * 10**3,
    "us": _SECONDS * 10**6,
    "ns": _SECONDS * 10**9,
}
_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST, _LAST = 1 - _EPOCH, dt.date.max.toordinal() - _EPOCH
# The ends of 64 bits are no times: databases keep infinities there, pandas what is
# missing.
_ENDLESS = 2**63 - 1

_DIGITS = {"YYYY": "{4}", "MM": "{2}", "DD": "{2}", "M": "{1,2}", "D": "{1,2}"}


def day_in_text(text: str, form: str = ISO_DATES) -> dt.date | None:
    """Read the day that a text begins with, in its declared form; None for no day.

    Example:
        >>> day_in_text("31.01.2026", "DD.MM.YYYY"), day_in_text("2026-02-30")
        (datetime.date(2026, 1, 31), None)
    """
    found = re.fullmatch(day_pattern(form), text)
    if found is None:
        return None
    year, month, day = (int(found[at]) for at in day_groups(form))
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


@cache
def day_pattern(form: str) -> str:
    """Give the pattern of a day in text, in the syntax that re and RE2 share.

    A time may stand behind it, which is not looked at.
    """
    plain = form.replace(".", r"\.")
    written = re.sub("Y+|M+|D+", lambda part: f"([0-9]{_DIGITS[part[0]]})", plain)
    return f"(?s:{written}(?:[ T].*)?)"


@cache
def day_groups(form: str) -> tuple[int, ...]:
    """Say in which group of the pattern year, month and day stand."""
    order = sorted("YMD", key=form.index)
    return tuple(order.index(each) + 1 for each in "YMD")


def arrow_days(column: Any) -> Days:  # noqa: ANN401 (PyArrow is optional)
    """Give the days of an Arrow column of dates or times."""
    return _days(*_arrow_numbers(column))


def arrow_dates(column: Any) -> Any:  # noqa: ANN401 (PyArrow is optional)
    """Give the days of an Arrow column of dates or times as a column of dates."""
    arrow = import_extra("pyarrow", "arrow")
    numbers, valid = _arrow_numbers(column)
    days = arrow.array(np.where(valid, numbers, 0).astype(np.int32), mask=~valid)
    return days.cast(arrow.date32())


def polars_days(column: Any) -> Days:  # noqa: ANN401 (Polars is optional)
    """Give the days of a Polars column of dates or times."""
    unit = getattr(column.dtype, "time_unit", "D")
    ticks = column.to_physical().fill_null(0).to_numpy().astype(np.int64)
    return _days(*_numbers(ticks, column.is_not_null().to_numpy(), unit))


def pandas_days(column: Any) -> Days:  # noqa: ANN401 (pandas is optional)
    """Give the days of a pandas column of times."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = np.asarray(column.to_numpy())
    unit = np.datetime_data(times.dtype)[0]
    return _days(*_numbers(times.view(np.int64), ~np.isnat(times), unit))


def _arrow_numbers(column: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:  # noqa: ANN401
    arrow = import_extra("pyarrow", "arrow")
    given = column.type
    is_days = arrow.types.is_date32(given)
    whole = arrow.int32() if is_days else arrow.int64()
    unit = "D" if is_days else "ms" if arrow.types.is_date64(given) else given.unit
    ticks = column.cast(whole).cast(arrow.int64()).fill_null(0)
    valid = _numpy(column.is_valid()).astype(np.bool_)
    return _numbers(_numpy(ticks), valid, unit)


def _numpy(column: Any) -> Any:  # noqa: ANN401
    return column.to_numpy(zero_copy_only=False)


def _numbers(
    ticks: NDArray[np.int64], valid: NDArray[np.bool_], unit: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Count whole days since 1970, and tell which of them are on the calendar."""
    numbers = np.floor_divide(ticks, _PER_DAY[unit])
    on_calendar = (numbers >= _FIRST) & (numbers <= _LAST)
    is_time = (ticks < _ENDLESS) & (ticks > -_ENDLESS)
    return numbers, valid & on_calendar & is_time


def _days(numbers: NDArray[np.int64], valid: NDArray[np.bool_]) -> Days:
    seen: dict[int, dt.date] = {}
    days: Days = []
    for number, is_there in zip(numbers.tolist(), valid.tolist(), strict=True):
        if is_there and number not in seen:
            seen[number] = dt.date.fromordinal(number + _EPOCH)
        days.append(seen[number] if is_there else None)
    return days
