"""Public keys: which groups are answered, in which order.

A `Groups` has one or more dimensions: declared `Keys` of a column, `ScoreBins` of a
number, or `Periods` of a date. Keys are declared, never read from the data: a key that
exists only because one person is in the table would give that person away.
"""

import datetime as dt
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, to_float
from dpratio.terms.budget import Budget
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


_MOST_CELLS = 10**8


@dataclass(frozen=True, slots=True, init=False)
class Groups:
    """The declared cells: every one is answered, in this order.

    Args:
        column: A column, or several.
        keys: Its keys, or a list with one key per column for each cell.

    Raises:
        InvalidInput: When keys are missing, repeated or of mixed types.

    Example:
        >>> Groups("region", ["north", "south"]).keys
        ('north', 'south')
        >>> Groups(["state", "sex"], [("CA", "f"), ("NY", "m")]).keys
        (('CA', 'f'), ('NY', 'm'))
    """

    dimensions: tuple[Dimension, ...]
    listed: tuple[tuple[int, ...], ...] | None

    def __init__(self, column: str | Sequence[str], keys: Iterable[Cell]) -> None:
        if isinstance(column, str):
            _settle(self, (Keys(column, keys),))  # type: ignore[arg-type]
            return
        columns = list(column) if isinstance(column, list | tuple) else []
        if not columns:
            raise InvalidInput(
                f"groups need a column name, or several, got {show_given(column)}.",
                field="columns",
            )
        rows = [
            tuple(row) if isinstance(row, list | tuple) else (row,)
            for row in as_list(keys)
        ]
        for row in rows:
            if len(row) != len(columns):
                raise InvalidInput(
                    f"a cell of {len(columns)} columns needs as many keys, got "
                    f"{show_given(row)}.",
                    field="keys",
                )
        by_column = zip(*rows, strict=True) if rows else [()] * len(columns)
        dimensions = tuple(
            Keys(name, distinct(values))
            for name, values in zip(columns, by_column, strict=True)
        )
        if repeated(rows):
            raise InvalidInput(
                f"a group key is declared once, got {show_given(repeated(rows)[0])}.",
                field="keys",
            )
        places = [
            {key: place for place, key in enumerate(dimension.values)}
            for dimension in dimensions
        ]
        listed = [
            tuple(place[key] for place, key in zip(places, row, strict=True))
            for row in rows
        ]
        _settle(self, dimensions, tuple(listed))

    @classmethod
    def cross(cls, *dimensions: Dimension) -> "Groups":
        """Declare every combination of keys, bins and periods; the last varies fastest.

        Example:
            >>> Groups.cross(Keys("sex", ["f", "m"]), ScoreBins("s", [0, 1, 2])).keys
            (('f', '0 to 1'), ('f', '1 to 2'), ('m', '0 to 1'), ('m', '1 to 2'))
        """
        return _settle(cls.__new__(cls), dimensions)

    def only(self, cells: Sequence[tuple[int, ...]]) -> "Groups":
        """Return some combinations, given by the places of their keys.

        Raises:
            InvalidInput: When a place is not there, or a cell is given twice.
        """
        sizes = [dimension.size for dimension in self.dimensions]
        for cell in cells:
            if len(cell) != len(sizes) or not all(
                0 <= place < size for place, size in zip(cell, sizes, strict=True)
            ):
                raise InvalidInput(
                    f"every cell names one key of each dimension, got {cell}.",
                    field="cells",
                )
        if not cells or repeated(cells):
            raise InvalidInput(
                "cells are listed once each, and there is one at least.", field="cells"
            )
        return _settle(Groups.__new__(Groups), self.dimensions, tuple(cells))

    @classmethod
    def found(cls, column: str, kind: type, keys: Sequence[Key]) -> "Groups":
        """Return the cells of keys that were found privately; there may be none."""
        return cls.cross(Keys(column, keys, kind=kind))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the dimensions' columns."""
        return tuple(dimension.column for dimension in self.dimensions)

    @property
    def keys(self) -> tuple[Cell, ...]:
        """The cells in their order: keys of one dimension, or tuples of several."""
        return self.first_keys(self.count)

    @property
    def count(self) -> int:
        """The number of cells."""
        if self.listed is not None:
            return len(self.listed)
        return math.prod(dimension.size for dimension in self.dimensions)

    @property
    def score_bins(self) -> tuple[ScoreBins, ...]:
        """The dimensions that are bins of a number."""
        return tuple(part for part in self.dimensions if isinstance(part, ScoreBins))

    def first_keys(self, most: int) -> tuple[Cell, ...]:
        """Return the first cells, without a list of all: there may be many millions."""
        values = [dimension.values for dimension in self.dimensions]
        if len(values) == 1 and self.listed is None:
            return values[0][:most]
        cells: Iterable[tuple[Key, ...]] = itertools.product(*values)
        if self.listed is not None:
            cells = (
                tuple(own[place] for own, place in zip(values, row, strict=True))
                for row in self.listed
            )
        few = itertools.islice(cells, most)
        return tuple(cell for (cell,) in few) if len(values) == 1 else tuple(few)

    def within(self, bounds: Mapping[str, Bounds]) -> "Groups":
        """Return the groups with the edges of their bins.

        Raises:
            InvalidInput: When a binned column has no bounds, or edges lie outside them.
        """
        for bins in self.score_bins:
            if bins.column not in bounds:
                raise InvalidInput(
                    f"a binned column needs bounds. Add bounds for '{bins.column}'.",
                    field="bounds",
                )
        settled = tuple(
            part.within(bounds[part.column]) if isinstance(part, ScoreBins) else part
            for part in self.dimensions
        )
        return _settle(Groups.__new__(Groups), settled, self.listed)


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
        if not isinstance(self.budget, Budget):
            raise InvalidInput(
                f"budget must be a Budget, got {show_given(self.budget)}. Write "
                "Budget(epsilon=0.1, delta=1e-7).",
                field="find",
            )
        if self.budget.delta == 0:
            raise InvalidInput(
                "finding keys needs a delta above 0. Give a delta such as 1e-7.",
                field="find",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column, as for `Groups`."""
        return (self.column,)


def groups_from(table: Any, columns: str | Sequence[str]) -> Groups:  # noqa: ANN401
    """Declare cells by a public table of keys, made for this purpose.

    Args:
        table: A pandas, Polars or Arrow table, or a mapping of columns to lists; one
            row per cell, in the order of the answers.
        columns: Which of its columns hold keys.

    Returns:
        Groups of these cells, for `make_plan`.

    Raises:
        InvalidInput: When a column is missing, or keys break a rule.

    Example:
        >>> groups_from({"sex": ["f", "m"], "age": [30, 40]}, ["sex", "age"]).keys
        (('f', 30), ('m', 40))
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    named = getattr(table, "column_names", None) or getattr(table, "columns", table)
    known = [str(name) for name in named]
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"a column of keys is missing, got {show_given(name)}. The table has: "
                f"{', '.join(known)}.",
                field="columns",
            )
    values = [[_key_of(cell) for cell in _cells_of(table[name])] for name in names]
    if len(names) == 1:
        return Groups(names[0], values[0])
    return Groups(names, list(zip(*values, strict=True)))


def _cells_of(column: Any) -> Iterable[Any]:  # noqa: ANN401
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, name):
            return getattr(column, name)()  # type: ignore[no-any-return]
    return column  # type: ignore[no-any-return]


def _key_of(cell: Any) -> Key:  # noqa: ANN401
    """Return a cell as a key: None where it is missing, a time as its date."""
    if cell is None or cell != cell:  # noqa: PLR0124 (NaN is not itself)
        return None
    return cell.date() if isinstance(cell, dt.datetime) else cell


def _settle(
    groups: Groups,
    dimensions: tuple[Dimension, ...],
    listed: tuple[tuple[int, ...], ...] | None = None,
) -> Groups:
    """Fill in new groups, and return them."""
    if not dimensions or not all(isinstance(part, Dimension) for part in dimensions):
        raise InvalidInput(
            "groups are crossed from Keys, ScoreBins and Periods, got "
            f"{show_given(list(dimensions))}.",
            field="cross",
        )
    columns = [dimension.column for dimension in dimensions]
    if repeated(columns):
        raise InvalidInput(
            f"each dimension of groups has its own column, got {show_given(columns)}.",
            field="cross",
        )
    object.__setattr__(groups, "dimensions", dimensions)
    object.__setattr__(groups, "listed", listed)
    if groups.count > _MOST_CELLS:
        raise InvalidInput(f"there are too many cells, got {groups.count}.")
    return groups
