"""Days of dates and times, in whole ticks; beyond the calendar there is none.

Frames and their own conversions stop at times that Python cannot hold, and differ on
nanoseconds before 1970; a floor of integers does neither.
Floor: curator. Imports: checks.
"""

import datetime as dt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra

__all__ = ["arrow_days", "pandas_days", "polars_days"]

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
_LAST = dt.date.max.toordinal()


def arrow_days(column: Any) -> Days:  # noqa: ANN401 (PyArrow is optional)
    """Give the days of an Arrow column of dates or times."""
    arrow = import_extra("pyarrow", "arrow")
    given = column.type
    is_days = arrow.types.is_date32(given)
    whole = arrow.int32() if is_days else arrow.int64()
    unit = "D" if is_days else "ms" if arrow.types.is_date64(given) else given.unit
    ticks = column.cast(whole).cast(arrow.int64()).fill_null(0)
    valid = column.is_valid()
    return _days(_numpy(ticks), _numpy(valid).astype(np.bool_), unit)


def polars_days(column: Any) -> Days:  # noqa: ANN401 (Polars is optional)
    """Give the days of a Polars column of dates or times."""
    unit = getattr(column.dtype, "time_unit", "D")
    ticks = column.to_physical().fill_null(0).to_numpy().astype(np.int64)
    return _days(ticks, column.is_not_null().to_numpy(), unit)


def pandas_days(column: Any) -> Days:  # noqa: ANN401 (pandas is optional)
    """Give the days of a pandas column of times."""
    if getattr(column.dtype, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    times = np.asarray(column.to_numpy())
    unit = np.datetime_data(times.dtype)[0]
    return _days(times.view(np.int64), ~np.isnat(times), unit)


def _numpy(column: Any) -> Any:  # noqa: ANN401
    return column.to_numpy(zero_copy_only=False)


def _days(ticks: NDArray[np.int64], valid: NDArray[np.bool_], unit: str) -> Days:
    numbers = np.floor_divide(ticks, _PER_DAY[unit])
    seen: dict[int, dt.date | None] = {}
    days: Days = []
    for number, is_there in zip(numbers.tolist(), valid.tolist(), strict=True):
        if number not in seen:
            on_calendar = 1 <= number + _EPOCH <= _LAST
            day = dt.date.fromordinal(number + _EPOCH) if on_calendar else None
            seen[number] = day
        days.append(seen[number] if is_there else None)
    return days
