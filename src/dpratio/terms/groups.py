"""Public keys: which cells are answered, in which order.

A `Groups` has one or more dimensions: declared `Keys` of a column, `ScoreBins` of a
number, or `Periods` of a date. Keys are declared, never read from the data: a key that
exists only because one person is in the table would give that person away.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dpratio.checks import require, require_one_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import (
    KINDS,
    Cell,
    Dimension,
    Key,
    Keys,
    Periods,
    ScoreBins,
    distinct,
)
from dpratio.terms.ratio import require_column_name

__all__ = ["Groups", "PrivateKeys"]

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
            _settle(self, (Keys(column, keys),), None)  # type: ignore[arg-type]
            return
        columns = list(column) if isinstance(column, list | tuple) else []
        require(columns, "groups need a column name, or several", column)
        hint = "List one key per column for each cell."
        listable = isinstance(keys, Iterable) and not isinstance(keys, str | bytes)
        require(listable, "group keys must be a list", keys, hint)
        rows = [tuple(row) if isinstance(row, list | tuple) else (row,) for row in keys]
        fits = all(len(row) == len(columns) for row in rows)
        rule = f"a cell of {len(columns)} columns needs as many keys"
        bad = next((row for row in rows if len(row) != len(columns)), None)
        require(fits, rule, bad)
        require(rows, "groups need at least one key", rows)
        dimensions = tuple(
            Keys(name, distinct(values))
            for name, values in zip(columns, zip(*rows, strict=True), strict=True)
        )
        places = [
            {key: at for at, key in enumerate(each.values)} for each in dimensions
        ]
        listed = tuple(
            tuple(place[key] for place, key in zip(places, row, strict=True))
            for row in rows
        )
        if len(set(listed)) != len(listed):
            seen: set[tuple[int, ...]] = set()
            places_seen = zip(rows, listed, strict=True)
            twice = [row for row, at in places_seen if at in seen or seen.add(at)]  # type: ignore[func-returns-value]
            require(not twice, "a group key is declared once", twice[0])
        _settle(self, dimensions, listed)

    @classmethod
    def cross(cls, *dimensions: Dimension) -> "Groups":
        """Declare every combination of keys, bins and periods; the last varies fastest.

        Example:
            >>> Groups.cross(Keys("sex", ["f", "m"]), ScoreBins("s", [0, 1, 2])).keys
            (('f', '0 to 1'), ('f', '1 to 2'), ('m', '0 to 1'), ('m', '1 to 2'))
        """
        known = all(isinstance(each, Keys | ScoreBins | Periods) for each in dimensions)
        rule = "groups are crossed from Keys, ScoreBins and Periods"
        require(dimensions and known, rule, list(dimensions))
        return _made(dimensions, None)

    def only(self, cells: Sequence[tuple[int, ...]]) -> "Groups":
        """Keep some combinations, given by the places of their keys.

        Raises:
            InvalidInput: When a place is not there, or a cell is given twice.
        """
        sizes = [each.size for each in self.dimensions]
        known = bool(cells) and all(
            len(cell) == len(sizes)
            and all(0 <= at < size for at, size in zip(cell, sizes, strict=True))
            for cell in cells
        )
        require(known, "every cell names one key of each dimension", len(cells))
        once = len(set(cells)) == len(cells)
        require(once, "a group key is declared once", len(cells))
        return _made(self.dimensions, tuple(cells))

    @classmethod
    def found(cls, column: str, kind: type, keys: Sequence[Key]) -> "Groups":
        """Give the cells of keys that were found privately; there may be none."""
        if keys:
            return cls(column, keys)
        return _made((Keys.of_kind(column, kind),), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the dimensions' columns."""
        return tuple(each.column for each in self.dimensions)

    @property
    def keys(self) -> tuple[Cell, ...]:
        """The cells in their order: keys of one dimension, or tuples of several."""
        values = [each.values for each in self.dimensions]
        if len(values) == 1:
            listed = self.listed
            return (
                values[0]
                if listed is None
                else tuple(values[0][at] for (at,) in listed)
            )
        if self.listed is None:
            return tuple(itertools.product(*values))
        return tuple(
            tuple(own[at] for own, at in zip(values, row, strict=True))
            for row in self.listed
        )

    @property
    def count(self) -> int:
        """How many cells there are."""
        if self.listed is not None:
            return len(self.listed)
        return math.prod(each.size for each in self.dimensions)

    @property
    def score_bins(self) -> tuple[ScoreBins, ...]:
        """Those of the dimensions that are bins of a number."""
        return tuple(each for each in self.dimensions if isinstance(each, ScoreBins))

    def first_keys(self, most: int) -> tuple[Cell, ...]:
        """Give the first cells, without a list of all: there may be many millions."""
        if len(self.dimensions) == 1 or self.listed is not None:
            return self.keys[:most]
        values = [each.values for each in self.dimensions]
        return tuple(itertools.islice(itertools.product(*values), most))

    def within(self, bounds: Mapping[str, Bounds]) -> "Groups":
        """Settle bins into edges; every binned column needs bounds.

        Raises:
            InvalidInput: When a binned column has no bounds, or edges lie outside them.
        """
        settled: list[Dimension] = []
        for each in self.dimensions:
            if isinstance(each, ScoreBins):
                hint = f"Add bounds for '{each.column}'."
                known = each.column in bounds
                require(known, "a binned column needs bounds", each.column, hint)
                settled.append(each.within(bounds[each.column]))
            else:
                settled.append(each)
        return _made(tuple(settled), self.listed)


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
        hint = "Write Budget(epsilon=0.1, delta=1e-7)."
        given = isinstance(self.budget, Budget)
        require(given, "budget must be a Budget", self.budget, hint)
        hint = "Give a delta such as 1e-7."
        delta = str(self.budget.delta)
        require(
            self.budget.delta > 0, "finding keys needs a delta above 0", delta, hint
        )
        require_one_of(self.kind, KINDS, "kind of key")

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column, as for `Groups`."""
        return (self.column,)


def _made(
    dimensions: tuple[Dimension, ...], listed: tuple[tuple[int, ...], ...] | None
) -> Groups:
    """Make groups of dimensions that were read already."""
    groups = Groups.__new__(Groups)
    _settle(groups, dimensions, listed)
    return groups


def _settle(
    groups: Groups,
    dimensions: tuple[Dimension, ...],
    listed: tuple[tuple[int, ...], ...] | None,
) -> None:
    columns = [each.column for each in dimensions]
    distinct = len(set(columns)) == len(columns)
    require(distinct, "each dimension of groups has its own column", columns)
    object.__setattr__(groups, "dimensions", dimensions)
    object.__setattr__(groups, "listed", listed)
    require(groups.count <= _MOST_CELLS, "there are too many cells", groups.count)
