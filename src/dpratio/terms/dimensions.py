"""One dimension of groups: declared keys, bins of a number, periods of a date."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpratio.checks import require, require_one_of
from dpratio.terms.bins.score_bins import ScoreBins
from dpratio.terms.ratio import is_unicode, require_column_name

__all__ = [
    "EVERY",
    "KINDS",
    "Cell",
    "Day",
    "Dimension",
    "Key",
    "Keys",
    "Periods",
    "ScoreBins",
    "distinct",
    "period_of",
]

Key = str | int | bool | dt.date | None
Cell = Key | tuple[Key, ...]
Day = dt.date | str

EVERY = ("day", "week", "month", "quarter")
KINDS = {"text": str, "integer": int, "boolean": bool, "date": dt.date}

_LARGEST_KEY = 2**63 - 1
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "quarter": 3}

_ONE_TYPE = (
    "group keys must be all text, all whole numbers, all true/false or all dates"
)
_CONVERT = "Convert the keys to one type; None may join any."


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
        declared = _read_keys(values)
        kind = next((type(key) for key in declared if key is not None), str)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "values", declared)
        object.__setattr__(self, "kind", kind)

    @property
    def size(self) -> int:
        """How many keys there are."""
        return len(self.values)

    @classmethod
    def of_kind(cls, column: str, kind: type) -> "Keys":
        """Give a dimension of keys of one type, none of them declared yet."""
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
        start = period_of(_read_day(first), every)
        stop = period_of(_read_day(last), every)
        require(start <= stop, "the first period must not follow the last", str(start))
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "every", every)
        object.__setattr__(self, "first", start)
        object.__setattr__(self, "last", stop)

    @property
    def size(self) -> int:
        """How many periods there are, without a list of them: it may be long."""
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


Dimension = Keys | ScoreBins | Periods


def period_of(day: dt.date, every: str) -> dt.date:
    """Give the first day of the period that holds a day."""
    if every == "week":
        return day - dt.timedelta(days=day.weekday())
    step = _MONTHS.get(every)
    return day.replace(day=1, month=day.month - (day.month - 1) % step) if step else day


def distinct(values: Iterable[Key]) -> list[Key]:
    """Keep the first of equal keys; 1, True and 1.0 are three keys."""
    kept: list[Key] = []
    seen: set[tuple[type, Key]] = set()
    for key in values:
        plain = key is None or isinstance(key, str | int | dt.date)
        require(plain, _ONE_TYPE, key, _CONVERT)
        if (type(key), key) not in seen:
            seen.add((type(key), key))
            kept.append(key)
    return kept


def _read_keys(values: object) -> tuple[Key, ...]:
    hint = "Declare the public keys, for instance ['north', 'south']."
    listed = isinstance(values, Iterable) and not isinstance(values, str | bytes)
    require(listed, "group keys must be a list", values, hint)
    declared = tuple(_plain(values))
    require(declared, "groups need at least one key", declared, hint)
    kinds = set(map(type, declared)) - {type(None)}
    same = len(kinds) <= 1 and kinds <= {str, int, bool, dt.date}
    require(same, _ONE_TYPE, declared, _CONVERT)
    _require_storable(declared, next(iter(kinds), str))
    if len(set(declared)) != len(declared):
        seen: set[Key] = set()
        repeated = [key for key in declared if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
        require(not repeated, "a group key is declared once", repeated)
    return declared


def _plain(values: object) -> Iterable[Key]:
    """Give plain Python keys; arrays and series know how."""
    if str(getattr(values, "dtype", "")) == "datetime64[ns]":
        # Nanoseconds would become whole numbers.
        array: Any = values.to_numpy() if hasattr(values, "to_numpy") else values
        values = array.astype("datetime64[D]")
    as_list = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    return as_list() if as_list is not None else values  # type: ignore[return-value]


def _require_storable(keys: tuple[Key, ...], kind: type) -> None:
    given: Sequence[Any] = keys
    if None in keys:
        given = [key for key in keys if key is not None]
    if kind is int:
        ends = [min(given), max(given)]
        fits = all(-_LARGEST_KEY <= end <= _LARGEST_KEY for end in ends)
        require(fits, "a whole-number key must fit in 64 bits", ends)
    if kind is str:
        rule = "a text key must be valid Unicode without NUL"
        for key in given:
            require("\x00" not in key and is_unicode(key), rule, key)


def _read_day(given: object) -> dt.date:
    day = _iso(given) if isinstance(given, str) else given
    require(type(day) is dt.date, "a day is a date such as 2026-01-31", given)
    return day  # type: ignore[return-value]


def _iso(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None
