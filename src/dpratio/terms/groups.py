"""Public keys: which cells are answered, in which order.

A `Groups` has one or more dimensions: declared `Keys` of a column, `ScoreBins` of a
number, or `Periods` of a date. Keys are declared, never read from the data: a key that
exists only because one person is in the table would give that person away.
"""

import datetime as dt
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import (
    KINDS,
    Cell,
    Dimension,
    Key,
    Keys,
    ScoreBins,
    as_list,
    distinct,
    repeated,
)
from dpratio.terms.ratio import require_column_name

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
