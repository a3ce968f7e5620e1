"""Public keys: which groups are answered, in which order.

A `Groups` has one or more dimensions: declared `Keys` of a column, `ScoreBins` of a
number, or `Periods` of a date. Keys are declared, never read from the data: a key that
exists only because one person is in the table would give that person away.
"""

import contextlib
import datetime as dt
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, settle, to_float
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import is_unicode, require_column_name

Key = str | int | bool | dt.date | None
# The key of a group: one of its column, or a tuple with one of each column.
GroupKey = Key | tuple[Key, ...]
Day = dt.date | str

EVERY = ("day", "week", "month", "quarter")
KINDS = {"text": str, "integer": int, "boolean": bool, "date": dt.date}
MOST_BINS = 1_000

_LARGEST_KEY = 2**63 - 1
_MOST_GROUPS = 10**8
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
        settle(self, column=column, values=values, kind=kind or usual)

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
        settle(self, column=column, every=every, first=start, last=stop)

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


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Bins of a number column: equal ones over its bounds, or between given edges.

    A value on an edge belongs to the bin above it; the last bin holds its upper edge.
    Values are clipped to their bounds first; beyond the outer edges there is no bin. In
    a study bins have edges, as soon as their column has bounds.

    Args:
        column: A column with bounds: the score, or any other.
        bins: The number of equal bins, up to 1,000, or their edges in increasing order.

    Example:
        >>> ScoreBins("score", [0, 0.5, 1]).values
        ('0 to 0.5', '0.5 to 1')
    """

    column: str
    bins: int | Sequence[float] = 10

    def __post_init__(self) -> None:
        require_column_name(self.column)
        settle(self, bins=_bins_of(self.bins))

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
        return () if isinstance(self.bins, int) else tuple(self.bins)

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


@dataclass(frozen=True, slots=True, init=False)
class Groups:
    """The declared groups: every one is answered, in this order.

    Args:
        columns: A column, or several.
        keys: Its keys, or a list with one key per column for each group.

    Raises:
        InvalidInput: When keys are missing, repeated or of mixed types.

    Example:
        >>> Groups("region", ["north", "south"]).keys
        ('north', 'south')
        >>> Groups(["state", "sex"], [("CA", "f"), ("NY", "m")]).keys
        (('CA', 'f'), ('NY', 'm'))
    """

    dimensions: tuple[Dimension, ...]
    # The groups, by the places of their keys; None for every combination.
    listed: tuple[tuple[int, ...], ...] | None

    def __init__(self, columns: str | Sequence[str], keys: Iterable[GroupKey]) -> None:
        if isinstance(columns, str):
            _settle(self, (Keys(columns, keys),))  # type: ignore[arg-type]
            return
        if not isinstance(columns, list | tuple) or not columns:
            raise InvalidInput(
                f"groups need a column name, or several, got {show_given(columns)}.",
                field="columns",
            )
        rows = [
            tuple(row) if isinstance(row, list | tuple) else (row,)
            for row in as_list(keys)
        ]
        for row in rows:
            if len(row) != len(columns):
                raise InvalidInput(
                    f"a group of {len(columns)} columns needs as many keys, got "
                    f"{show_given(row)}.",
                    field="keys",
                )
        by_column = zip(*rows, strict=True) if rows else [()] * len(columns)
        dimensions = tuple(
            Keys(name, distinct(values))
            for name, values in zip(columns, by_column, strict=True)
        )
        _require_once(rows)
        places = [
            {key: place for place, key in enumerate(dimension.values)}
            for dimension in dimensions
        ]
        listed = [
            tuple(place[key] for place, key in zip(places, row, strict=True))
            for row in rows
        ]
        _settle(self, dimensions, tuple(listed) if len(columns) > 1 else None)

    @classmethod
    def cross(cls, *dimensions: Dimension) -> "Groups":
        """Declare every combination of keys, bins and periods; the last varies fastest.

        Example:
            >>> Groups.cross(Keys("sex", ["f", "m"]), ScoreBins("s", [0, 1, 2])).keys
            (('f', '0 to 1'), ('f', '1 to 2'), ('m', '0 to 1'), ('m', '1 to 2'))
        """
        return _settle(cls.__new__(cls), dimensions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the dimensions' columns."""
        return tuple(dimension.column for dimension in self.dimensions)

    @property
    def keys(self) -> tuple[GroupKey, ...]:
        """The keys of the groups in their order; tuples of several columns."""
        return self.first_keys(self.count)

    @property
    def count(self) -> int:
        """The number of groups."""
        if self.listed is not None:
            return len(self.listed)
        return math.prod(dimension.size for dimension in self.dimensions)

    @property
    def score_bins(self) -> tuple[ScoreBins, ...]:
        """The dimensions that are bins of a number."""
        return tuple(part for part in self.dimensions if isinstance(part, ScoreBins))

    def first_keys(self, most: int) -> tuple[GroupKey, ...]:
        """Return the first keys, without a list of all: there may be many millions."""
        values = [dimension.values for dimension in self.dimensions]
        if len(values) == 1:
            return values[0][:most]
        if self.listed is None:
            return tuple(itertools.islice(itertools.product(*values), most))
        return tuple(
            tuple(own[place] for own, place in zip(values, places, strict=True))
            for places in self.listed[:most]
        )

    def within(self, bounds: Mapping[str, Bounds]) -> "Groups":
        """Return the groups with the edges of those bins whose columns have bounds.

        Raises:
            InvalidInput: When edges lie outside the bounds.
        """
        dimensions = tuple(
            part.within(bounds[part.column])
            if isinstance(part, ScoreBins) and part.column in bounds
            else part
            for part in self.dimensions
        )
        return _settle(Groups.__new__(Groups), dimensions, self.listed)


@dataclass(frozen=True, slots=True)
class PrivateKeys:
    """Keys of a column that are not public: those that many people share are found.

    Every key is counted by people, noise is put on the counts, and keys above a
    threshold are released and answered; the rest is never mentioned.

    Args:
        column: The column that holds the keys.
        budget: What finding them may cost; it is taken from the plan's budget.
        kind: ``"text"``, ``"integer"``, ``"boolean"`` or ``"date"``.

    Example:
        >>> PrivateKeys("shop", Budget("0.2", "1e-7")).kind
        'text'
    """

    column: str
    budget: Budget
    kind: str = "text"

    def __post_init__(self) -> None:
        require_column_name(self.column)
        require_one_of(self.kind, KINDS, "kind of key")
        if not isinstance(self.budget, Budget) or self.budget.delta == 0:
            raise InvalidInput(
                "finding keys needs a Budget with a delta above 0, got "
                f"{show_given(self.budget)}. Write Budget(epsilon=0.1, delta=1e-7).",
                field="find",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column, as for `Groups`."""
        return (self.column,)

    def groups_of(self, keys: Iterable[Key]) -> Groups:
        """Return the groups of the keys that were found; there may be none."""
        return Groups.cross(Keys(self.column, keys, kind=KINDS[self.kind]))


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
    _require_once(keys)


def _require_once(keys: Sequence[GroupKey]) -> None:
    if len(set(keys)) < len(keys):
        ((key, _),) = Counter(keys).most_common(1)
        raise InvalidInput(
            f"a group key is declared once, got {show_given(key)} again.", field="keys"
        )


def _day_of(day: object, name: str) -> dt.date:
    if isinstance(day, str):
        with contextlib.suppress(ValueError):
            return dt.date.fromisoformat(day)
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


def _settle(
    groups: Groups,
    dimensions: tuple[Dimension, ...],
    listed: tuple[tuple[int, ...], ...] | None = None,
) -> Groups:
    """Fill in new groups, and return them."""
    columns = [getattr(dimension, "column", None) for dimension in dimensions]
    if not dimensions or not all(isinstance(part, Dimension) for part in dimensions):
        raise InvalidInput(
            "groups are crossed from Keys, ScoreBins and Periods, got "
            f"{show_given(list(dimensions))}.",
            field="cross",
        )
    if len(set(columns)) < len(columns):
        raise InvalidInput(
            f"each dimension of groups has its own column, got {show_given(columns)}.",
            field="cross",
        )
    settle(groups, dimensions=dimensions, listed=listed)
    if groups.count > _MOST_GROUPS:
        raise InvalidInput(f"there are too many groups, got {groups.count}.")
    return groups
