"""One dimension of groups: declared keys, bins of a number, periods of a date.

Keys and edges are promises made before anyone sees the data.
"""

import datetime as dt
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, to_float
from dpratio.terms.ratio import is_unicode, require_column_name

Key = str | int | bool | dt.date | None
Cell = Key | tuple[Key, ...]
Day = dt.date | str

EVERY = ("day", "week", "month", "quarter")
KINDS = {"text": str, "integer": int, "boolean": bool, "date": dt.date}
MOST_BINS = 1_000

_LARGEST_KEY = 2**63 - 1
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3}


@dataclass(frozen=True, slots=True, init=False)
class Keys:
    """Declared keys of one column.

    Args:
        column: The column that holds the keys.
        keys: All text, all whole numbers, all true/false or all dates; None stands
            for a missing key and may be declared beside any of them.
        kind: The type of keys that were found privately, of which there may be none.

    Raises:
        InvalidInput: When keys are missing, repeated or of mixed types.

    Example:
        >>> Keys("region", ["north", "south", None]).values
        ('north', 'south', None)
    """

    column: str
    values: tuple[Key, ...]
    kind: type = field(compare=False)

    def __init__(
        self, column: str, keys: Iterable[Key], *, kind: type | None = None
    ) -> None:
        require_column_name(column)
        values = tuple(as_list(keys))
        _require_keys(values)
        if not values and kind is None:
            raise InvalidInput("groups need at least one key.", field="keys")
        usual = next((type(key) for key in values if key is not None), str)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "kind", kind or usual)

    @property
    def size(self) -> int:
        """The number of keys."""
        return len(self.values)


@dataclass(frozen=True, slots=True, init=False)
class Periods:
    """Days, weeks, months or quarters of a date or time column, in a declared range.

    A period is named by its first day; weeks begin on Monday. Times are taken in UTC.

    Args:
        column: A column of dates or times.
        every: ``"day"``, ``"week"``, ``"month"`` or ``"quarter"``.
        first: A day of the first period.
        last: A day of the last one.

    Example:
        >>> len(Periods("seen", "month", "2026-01-15", "2026-03-01").values)
        3
    """

    column: str
    every: str
    first: dt.date
    last: dt.date

    def __init__(self, column: str, every: str, first: Day, last: Day) -> None:
        require_column_name(column)
        require_one_of(every, EVERY, "period")
        start = period_of(_day_of(first, "first"), every)
        stop = period_of(_day_of(last, "last"), every)
        if start > stop:
            raise InvalidInput(
                f"the first period must not follow the last, got '{start}'.",
                field="first",
            )
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "every", every)
        object.__setattr__(self, "first", start)
        object.__setattr__(self, "last", stop)

    @property
    def size(self) -> int:
        """The number of periods."""
        return len(self._numbers())

    @property
    def values(self) -> tuple[dt.date, ...]:
        """The first days of all periods."""
        if self.every in _MONTHS:
            return tuple(dt.date(n // 12, n % 12 + 1, 1) for n in self._numbers())
        return tuple(map(dt.date.fromordinal, self._numbers()))

    def _numbers(self) -> range:
        """Return the number of each period's first month or day."""
        if self.every in _MONTHS:
            first, last = (12 * d.year + d.month - 1 for d in (self.first, self.last))
            return range(first, last + 1, _MONTHS[self.every])
        stop = self.last.toordinal() + 1
        return range(self.first.toordinal(), stop, _DAYS[self.every])


@dataclass(frozen=True, slots=True, init=False)
class ScoreBins:
    """Bins of a number column: equal ones over its bounds, or between given edges.

    A value on an edge belongs to the bin above it; the last bin holds its upper edge.
    Values are clipped to their bounds first; beyond the outer edges there is no bin.

    Args:
        column: A column with bounds: the score, or any other.
        bins: The number of equal bins, up to 1,000, or their edges in increasing order.

    Example:
        >>> ScoreBins("score", [0, 0.5, 1]).values
        ('0 to 0.5', '0.5 to 1')
    """

    column: str
    bins: int | tuple[float, ...]

    def __init__(self, column: str, bins: int | Sequence[float] = 10) -> None:
        require_column_name(column)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bins", _bins_of(bins))

    def within(self, bounds: Bounds) -> "ScoreBins":
        """Return the bins with their edges, which must lie within the bounds."""
        if isinstance(self.bins, int):
            width = bounds.upper - bounds.lower
            inner = [bounds.lower + width * nth / self.bins for nth in range(self.bins)]
            return ScoreBins(self.column, [*inner, bounds.upper])
        if not (bounds.lower <= self.bins[0] and self.bins[-1] <= bounds.upper):
            raise InvalidInput(
                f"edges of bins must lie within the bounds of '{self.column}', got "
                f"[{self.bins[0]}, {self.bins[-1]}].",
                field="bins",
            )
        return self

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges; equal bins have none before `within`."""
        return () if isinstance(self.bins, int) else self.bins

    @property
    def size(self) -> int:
        """The number of bins; 0 before `within`."""
        return max(len(self.edges) - 1, 0)

    @property
    def values(self) -> tuple[str, ...]:
        """The bins, as text."""
        short = [f"{edge:g}" for edge in self.edges]
        if len(set(short)) != len(short):
            short = [repr(edge) for edge in self.edges]
        return tuple(f"{low} to {high}" for low, high in itertools.pairwise(short))


Dimension = Keys | ScoreBins | Periods


def period_of(day: dt.date, every: str) -> dt.date:
    """Return the first day of the period that holds a day."""
    if every == "week":
        return day - dt.timedelta(days=day.weekday())
    step = _MONTHS.get(every)
    return day.replace(day=1, month=day.month - (day.month - 1) % step) if step else day


def as_list(keys: Any) -> list[Any]:  # noqa: ANN401 (checked here)
    """Return keys as a list of plain values, also those of an array or a series."""
    if not isinstance(keys, Iterable) or isinstance(keys, str | bytes):
        raise InvalidInput(
            f"group keys must be a list, got {show_given(keys)}. Declare the public "
            "keys, for instance ['north', 'south'].",
            field="keys",
        )
    if str(getattr(keys, "dtype", "")) == "datetime64[ns]":
        # Nanoseconds would become whole numbers.
        array: Any = keys.to_numpy() if hasattr(keys, "to_numpy") else keys
        keys = array.astype("datetime64[D]")
    to_list = getattr(keys, "tolist", None) or getattr(keys, "to_list", None)
    return list(keys if to_list is None else to_list())


def distinct(values: Iterable[Key]) -> list[Key]:
    """Return the first of equal keys, which must be of one type."""
    keys = list(values)
    _require_one_kind(keys)
    return list(dict.fromkeys(keys))


def repeated(values: Iterable[Hashable]) -> list[Any]:
    """Return the values that occur more than once."""
    return [value for value, count in Counter(values).items() if count > 1]


def require_quantiles(bins: object) -> None:
    """Raise InvalidInput unless `bins` is a number of bins at quantiles."""
    if type(bins) is not int or not 2 <= bins <= MOST_BINS:  # noqa: PLR2004
        raise InvalidInput(
            f"there must be 2 to 1,000 bins at quantiles, got {show_given(bins)}. "
            "Write 10.",
            field="bins",
        )


def _require_one_kind(keys: Sequence[object]) -> None:
    kinds = set(map(type, keys)) - {type(None)}
    if len(kinds) > 1 or not kinds <= set(KINDS.values()):
        raise InvalidInput(
            "group keys must be all text, all whole numbers, all true/false or all "
            f"dates, got {show_given(tuple(keys))}. Convert the keys to one type; None "
            "may join any.",
            field="keys",
        )


def _require_keys(keys: tuple[Key, ...]) -> None:
    _require_one_kind(keys)
    for key in keys:
        if type(key) is int and abs(key) > _LARGEST_KEY:
            raise InvalidInput(
                f"a whole-number key must fit in 64 bits, got {show_given(key)}.",
                field="keys",
            )
        if type(key) is str and ("\x00" in key or not is_unicode(key)):
            raise InvalidInput(
                f"a text key must be valid Unicode without NUL, got {show_given(key)}.",
                field="keys",
            )
    if repeated(keys):
        raise InvalidInput(
            f"a group key is declared once, got {show_given(repeated(keys)[:1])}.",
            field="keys",
        )


def _day_of(day: object, name: str) -> dt.date:
    if isinstance(day, str):
        try:
            return dt.date.fromisoformat(day)
        except ValueError:
            pass
    if type(day) is dt.date:
        return day
    raise InvalidInput(
        f"a day is a date such as 2026-01-31, got {show_given(day)}.", field=name
    )


def _bins_of(bins: Any) -> int | tuple[float, ...]:  # noqa: ANN401 (checked here)
    """Return the number of bins, or their edges as floats."""
    if type(bins) is int and 1 <= bins <= MOST_BINS:
        return bins
    listed = bins.tolist() if hasattr(bins, "tolist") else bins
    if isinstance(listed, list | tuple | range) and 1 < len(listed) <= MOST_BINS + 1:
        edges = tuple(map(to_float, listed))
        if all(
            low < high
            for low, high in itertools.pairwise((-math.inf, *edges, math.inf))
        ):
            return edges
    raise InvalidInput(
        "bins must be a number from 1 to 1,000, or a list of rising edges such as "
        f"[0, 0.2, 0.5, 1], got {show_given(bins)}.",
        field="bins",
    )
