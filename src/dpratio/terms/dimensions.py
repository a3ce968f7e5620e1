"""One dimension of groups: declared keys, bins of a number, periods of a date.

Keys and edges are promises made before anyone sees the data.
"""

import datetime as dt
import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import is_unicode, require_column_name

__all__ = [
    "EVERY",
    "KINDS",
    "MOST_BINS",
    "Cell",
    "Day",
    "Dimension",
    "Key",
    "Keys",
    "Periods",
    "ScoreBins",
    "distinct",
    "first_repeated",
    "period_of",
    "require_quantiles",
]

Key = str | int | bool | dt.date | None
Cell = Key | tuple[Key, ...]
Day = dt.date | str

EVERY = ("day", "week", "month", "quarter")
KINDS = {"text": str, "integer": int, "boolean": bool, "date": dt.date}
MOST_BINS = 1_000

_LARGEST_KEY = 2**63 - 1
_HUGE = 2**1023  # Beyond it a whole number is no float.
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3}


@dataclass(frozen=True, slots=True, init=False)
class Keys:
    """Declared keys of one column.

    Args:
        column: The column that holds the keys.
        values: All text, all whole numbers, all true/false or all dates; None stands
            for a missing key and may be declared beside any of them.

    Raises:
        InvalidInput: When keys are missing, repeated or of mixed types.

    Example:
        >>> Keys("region", ["north", "south", None]).values
        ('north', 'south', None)
    """

    column: str
    values: tuple[Key, ...]
    kind: type = field(compare=False)

    def __init__(self, column: str, values: Iterable[Key]) -> None:
        require_column_name(column)
        keys = _keys_of(values)
        kind = next((type(key) for key in keys if key is not None), str)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "values", keys)
        object.__setattr__(self, "kind", kind)

    @property
    def size(self) -> int:
        """The number of keys."""
        return len(self.values)

    @classmethod
    def of_kind(cls, column: str, kind: type) -> "Keys":
        """Return a dimension of keys of one type, none of them declared yet."""
        keys = cls(column, [None])
        object.__setattr__(keys, "values", ())
        object.__setattr__(keys, "kind", kind)
        return keys


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
        start, stop = (
            period_of(_day_of(day, name), every)
            for name, day in (("first", first), ("last", last))
        )
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
        """The number of periods, without a list of them: it may be long."""
        if self.every in _MONTHS:
            return len(self._months())
        return (self.last - self.first).days // _DAYS[self.every] + 1

    @property
    def values(self) -> tuple[dt.date, ...]:
        """The first days of all periods."""
        if self.every in _MONTHS:
            return tuple(dt.date(m // 12, m % 12 + 1, 1) for m in self._months())
        stop = self.last.toordinal() + 1
        days = range(self.first.toordinal(), stop, _DAYS[self.every])
        return tuple(dt.date.fromordinal(day) for day in days)

    def _months(self) -> range:
        first, stop = (day.year * 12 + day.month - 1 for day in (self.first, self.last))
        return range(first, stop + 1, _MONTHS[self.every])


@dataclass(frozen=True, slots=True, init=False)
class ScoreBins:
    """Bins of a number column: equal ones over its bounds, or between given edges.

    A value on an edge belongs to the bin above it; the last bin holds its upper edge.
    Values are clipped to their bounds first; beyond the outer edges there is no bin.

    Args:
        column: A column with bounds: the score, or any other.
        bins: The number of equal bins, or their edges in increasing order.

    Example:
        >>> ScoreBins("score", [0, 0.5, 1]).values
        ('0 to 0.5', '0.5 to 1')
    """

    column: str
    bins: int | tuple[float, ...]

    def __init__(self, column: str, bins: int | Sequence[float] = 10) -> None:
        require_column_name(column)
        is_count = isinstance(bins, int) and not isinstance(bins, bool)
        if is_count and not 1 <= bins <= MOST_BINS:  # type: ignore[operator]
            raise InvalidInput(
                f"there must be 1 to 1,000 bins, got {show_given(bins)}.", field="bins"
            )
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bins", bins if is_count else _edges_of(bins))

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


def distinct(values: Iterable[Key]) -> list[Key]:
    """Return the first of equal keys; 1, True and 1.0 are three keys."""
    firsts: dict[tuple[type, Key], Key] = {}
    for key in values:
        if key is not None and not isinstance(key, str | int | dt.date):
            raise _mixed(key)
        firsts.setdefault((type(key), key), key)
    return list(firsts.values())


def first_repeated(values: Iterable[Hashable]) -> Any:  # noqa: ANN401 (one of them)
    """Return a list of the first value that stands twice; it is empty if none does."""
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return [value]
        seen.add(value)
    return []


def require_quantiles(bins: object) -> None:
    """Raise InvalidInput unless `bins` is a number of bins at quantiles."""
    if type(bins) is not int or not 2 <= bins <= MOST_BINS:  # noqa: PLR2004
        raise InvalidInput(
            f"there must be 2 to 1,000 bins at quantiles, got {show_given(bins)}. "
            "Write 10.",
            field="bins",
        )


def _mixed(keys: object) -> InvalidInput:
    return InvalidInput(
        "group keys must be all text, all whole numbers, all true/false or all dates, "
        f"got {show_given(keys)}. Convert the keys to one type; None may join any.",
        field="keys",
    )


def _keys_of(values: Any) -> tuple[Key, ...]:  # noqa: ANN401 (checked here)
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise InvalidInput(
            f"group keys must be a list, got {show_given(values)}. Declare the public "
            "keys, for instance ['north', 'south'].",
            field="keys",
        )
    if str(getattr(values, "dtype", "")) == "datetime64[ns]":
        # Nanoseconds would become whole numbers.
        array: Any = values.to_numpy() if hasattr(values, "to_numpy") else values
        values = array.astype("datetime64[D]")
    as_list = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    keys = tuple(values if as_list is None else as_list())
    if not keys:
        raise InvalidInput("groups need at least one key.", field="keys")
    kinds = set(map(type, keys)) - {type(None)}
    if len(kinds) > 1 or not kinds <= set(KINDS.values()):
        raise _mixed(keys)
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
    repeated = first_repeated(keys)
    if repeated:
        raise InvalidInput(
            f"a group key is declared once, got {show_given(repeated)}.", field="keys"
        )
    return keys


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


def _edges_of(bins: Any) -> tuple[float, ...]:  # noqa: ANN401 (checked here)
    is_array = hasattr(bins, "tolist") and hasattr(bins, "dtype")
    if not is_array and not isinstance(bins, list | tuple | range):
        raise _no_edges("bins must be a number or a list of edges", bins)
    numbers = list(bins.tolist() if is_array else bins)
    for number in numbers:
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not isinstance(number, float) and not (is_whole and abs(number) < _HUGE):
            raise _no_edges("edges must be numbers", numbers)
    edges = tuple(map(float, numbers))
    if not 1 < len(edges) <= MOST_BINS + 1:
        raise _no_edges("bins need two edges or more", list(edges))
    for low, high in itertools.pairwise((*edges, math.inf)):
        if not math.isfinite(low) or low >= high:
            raise _no_edges("edges must rise: bins may not overlap", list(edges))
    return edges


def _no_edges(rule: str, bins: object) -> InvalidInput:
    return InvalidInput(
        f"{rule}, got {show_given(bins)}. Give a number of bins, or edges such as "
        "[0, 0.2, 0.5, 1].",
        field="bins",
    )
