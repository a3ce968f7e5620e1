"""What every engine is asked, and how the schema is checked before it reads.

An engine turns a table and a `Statement` into `ExactSums`. `tests/curator/oracle.py` is
the specification in plain loops, and every engine equals it to the last integer:

1. a row with a missing, unreadable or non-finite number, or without an id where units
   have ids, is dropped;
2. numbers become doubles, then are clipped to their bounds (binary ones rounded; where
   rows are counted, y is 1 and no column); m is taken off s;
3. each dimension of the groups gives a row its place, or drops it: a declared key, the
   bin of a clipped number, the period of a date; a missing or unreadable key is the key
   None;
4. where units have ids, w·s and w·y are counted in cells, added per id and group, and
   clipped to whole cells; of the groups of one id those with the smallest ranks are
   kept; the totals are the s and y of one row from here on;
   where cuts are counted, c is 1 if a bound that can cut moved one of the numbers of a
   unit in a group, or its total by more than rounding, or z in step 5; else it is 0;
5. where the plan has a contrast, z = w·(s − r₀·y) and h = w·(s + r₀·y), or w·y where
   the basis says so or r₀ is 0, are made in doubles in this order of work; z is
   clipped to its limit;
6. where a histogram is asked for, the group of a row, or of a person's totals, is the
   cell of its s on the ladder; of rows, one whose s is missing, unreadable or not
   finite is not dropped and has a cell of its own; where groups are counted, an id is
   one row, and its s is in how many groups it has rows;
7. each summand is a product from left to right, counted as floor(x / step + ½);
8. cells are added per group, exactly.

Guarantee:
    A row changes the sums of its own groups by its own cells, and nothing else.
    Proof: docs/proofs/sensitivity.md.
"""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass

from dpratio.checks import require
from dpratio.errors import SchemaRefused
from dpratio.plan.ladder import Ladder
from dpratio.plan.sensitivity.sums import Contrast, Total
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import KINDS, Dimension, Keys, ScoreBins
from dpratio.terms.source import ISO_DATES

_KIND_OF_KEY = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The public type of a column: its kind, and its name in the source.

    Kinds are ``integer``, ``number``, ``boolean``, ``text``, ``date``, ``csv`` (text
    that is read cell by cell), ``any`` (Python objects), ``repeated`` (a name that
    occurs twice) and ``other``. Columns whose names were read off the first line of a
    file are never named in a message: that line may be a row. ``decimal`` is the
    decimal sign of numbers in text, and ``dates`` how days are written there; without
    them text is neither.
    """

    kind: str
    name: str
    is_read_off: bool = False
    decimal: str | None = None
    dates: str | None = None

    @classmethod
    def here(cls, kind: str, name: str) -> "ColumnType":
        """Describe a column of a file or a frame: its text may hold ISO days."""
        is_id = name.lower().startswith(("uuid", "extension"))
        is_text = kind == "text" and not is_id
        return cls(kind, name, dates=ISO_DATES if is_text else None)

    def holds_keys(self, kind: str) -> bool:
        """Tell whether keys of a kind can be read from the column."""
        is_day = kind == "date" and self.dates is not None
        return self.kind in {kind, "csv", "any"} or is_day


@dataclass(frozen=True, slots=True)
class CellSum:
    """One sum of lattice cells: the factors of its summand and the lattice step."""

    factors: tuple[str, ...]
    step: float
    largest_cell: int


@dataclass(frozen=True, slots=True)
class UnitRule:
    """Whose rows are added up, how, and in how many groups they count."""

    column: str
    key: str
    most_groups: int
    totals: Mapping[str, Total]


@dataclass(frozen=True, slots=True)
class Statement:
    """What to add up, without a trace of privacy parameters.

    ``factor_columns`` and ``factor_bounds`` are by letter: s, y, w and m of the ratio,
    and b0, b1 … of binned columns. With a
    ``ladder`` its cells are what is counted, of the one letter s, and ``dimensions``
    are the groups in which a person's totals are made; or, where it ``counts_groups``,
    of which it counts how many a person is in.
    """

    factor_columns: Mapping[str, str]
    factor_bounds: Mapping[str, Bounds]
    dimensions: tuple[Dimension, ...]
    listed: tuple[tuple[int, ...], ...] | None
    unit: UnitRule | None
    sums: tuple[CellSum, ...]
    contrast: Contrast | None = None
    ladder: Ladder | None = None
    counts_groups: bool = False

    @property
    def cells(self) -> int:
        """How many groups, or cells of a ladder, are counted."""
        return self.groups if self.ladder is None else len(self.ladder.labels)

    @property
    def groups(self) -> int:
        """How many groups rows belong to."""
        if self.listed is not None:
            return len(self.listed)
        return math.prod(each.size for each in self.dimensions)

    @property
    def counts_cuts(self) -> bool:
        """Whether units that a bound cuts are counted."""
        return any("c" in each.factors for each in self.sums)

    @property
    def cut_letters(self) -> list[str]:
        """The letters whose bounds are watched; a bin moves no number of a sum."""
        if not self.counts_cuts:
            return []
        return [a for a in "sywm" if a in self.factor_bounds and self._can_cut(a)]

    def _can_cut(self, letter: str) -> bool:
        return self.factor_bounds[letter].can_cut

    @property
    def numerator(self) -> Bounds:
        """The bounds of s after m was taken off it."""
        own, other = self.factor_bounds["s"], self.factor_bounds.get("m")
        if other is None:
            return own
        return Bounds(own.lower - other.upper, own.upper - other.lower)

    @property
    def listed_codes(self) -> list[int]:
        """The listed cells, each as the places of its keys taken together."""
        sizes = [len(each.values) for each in self.dimensions]
        codes = []
        for cell in self.listed or ():
            code = 0
            for size, place in zip(sizes, cell, strict=True):
                code = code * size + place
            codes.append(code)
        return codes

    @property
    def key_columns(self) -> dict[int, str]:
        """The columns that hold keys or dates, by the place of their dimension."""
        return {
            at: each.column
            for at, each in enumerate(self.dimensions)
            if not isinstance(each, ScoreBins)
        }

    @property
    def columns(self) -> list[str]:
        """Every column the engine reads: numbers, keys, ids; each once."""
        ids = [] if self.unit is None else [self.unit.column]
        read = [*self.factor_columns.values(), *self.key_columns.values(), *ids]
        return list(dict.fromkeys(read))

    def check_schema(self, types: Mapping[str, ColumnType]) -> None:
        """Refuse a table whose public schema is not the declared one.

        Raises:
            SchemaRefused: When a column is missing or of the wrong type.
        """
        for column in self.columns:
            _require_there(column, types)
        for column in self.factor_columns.values():
            if types[column].kind not in {"integer", "number", "boolean", "csv", "any"}:
                _refuse_type(column, types[column], "a number column")
        for at, column in self.key_columns.items():
            wanted = kind_of_key(self.dimensions[at])
            if not types[column].holds_keys(wanted):
                _refuse_type(column, types[column], f"a column of {wanted} keys")
        _check_ids(self.unit, types)


@dataclass(frozen=True, slots=True)
class Reading:
    """Statements over the same groups and units: one reading of the table for all.

    Each counts the rows that it would count alone: a row that lacks a number of one of
    them still counts in the others. Totals are each statement's own; in how many groups
    a unit counts is the same in all, since groups are chosen once.
    """

    statements: tuple[Statement, ...]

    def __post_init__(self) -> None:
        counted = {
            None
            if each.unit is None
            else (each.unit.column, each.unit.key, each.unit.most_groups)
            for each in self.statements
        }
        rule = "statements that are read together count units in the same groups"
        require(len(counted) == 1, rule, len(counted))

    @property
    def first(self) -> Statement:
        """One of them, for the groups and the units of all."""
        return self.statements[0]

    @property
    def unit(self) -> UnitRule | None:
        """Whose rows are added up, and in how many groups they count, in all of them.

        The totals are those of the first.
        """
        return self.first.unit

    @property
    def numbers(self) -> list[str]:
        """Every column that is read as a number, each once."""
        read = (each.factor_columns.values() for each in self.statements)
        return list(dict.fromkeys(name for names in read for name in names))

    @property
    def columns(self) -> list[str]:
        """Every column the engine reads, each once."""
        return list(dict.fromkeys([*self.numbers, *self.first.columns]))

    @property
    def keeps_missing(self) -> bool:
        """Whether rows without a number are counted too: in a histogram of rows."""
        return self.first.ladder is not None and self.unit is None

    @property
    def is_masked(self) -> bool:
        """Whether a row may count in some and not in others."""
        read = {frozenset(each.factor_columns.values()) for each in self.statements}
        return len(read) > 1

    def check_schema(self, types: Mapping[str, ColumnType]) -> None:
        """Refuse a table whose public schema is not that of every statement."""
        for each in self.statements:
            each.check_schema(types)


@dataclass(frozen=True, slots=True)
class KeyCount:
    """Which keys to count units of, each unit in so many keys at most."""

    column: str
    kind: str
    unit: UnitRule | None

    @property
    def numbers(self) -> list[str]:
        """No numbers are read."""
        return []

    @property
    def keys(self) -> Keys:
        """A dimension that reads the column, without a declared key."""
        return Keys(self.column, (), kind=KINDS[self.kind])

    @property
    def columns(self) -> list[str]:
        """Every column the engine reads."""
        return [self.column, *([] if self.unit is None else [self.unit.column])]

    def check_schema(self, types: Mapping[str, ColumnType]) -> None:
        """Refuse a table without the column or the ids, or with others than these."""
        for column in self.columns:
            _require_there(column, types)
        if not types[self.column].holds_keys(self.kind):
            _refuse_type(
                self.column, types[self.column], f"a column of {self.kind} keys"
            )
        _check_ids(self.unit, types)


def kind_of_key(dimension: Dimension) -> str:
    """Name the kind of column that a dimension reads."""
    return _KIND_OF_KEY[dimension.kind] if isinstance(dimension, Keys) else "date"


def _require_there(column: str, types: Mapping[str, ColumnType]) -> None:
    if column not in types and any(each.is_read_off for each in types.values()):
        raise SchemaRefused(
            f"column '{column}' is not named by the first line of the file. Check how "
            "it is spelt there, and the delimiter: say delimiter = ';' under [data] in "
            "a study, CsvFile(…, delimiter=';') in Python. Of a file without a header, "
            "name the columns: columns = […] under [data], CsvFile(…, columns=[…])."
        )
    if column not in types:
        close = difflib.get_close_matches(column, types, n=1)
        advice = f"Did you mean '{close[0]}'?" if close else "Declare one of these."
        shown = ", ".join(f"'{name}'" for name in types)
        raise SchemaRefused(
            f"column '{column}' is not in the table. It has: {shown}. {advice}"
        )
    if types[column].kind == "repeated":
        raise SchemaRefused(
            f"column '{column}' occurs more than once in the table. "
            "Give its columns different names."
        )


def _check_ids(unit: UnitRule | None, types: Mapping[str, ColumnType]) -> None:
    if unit is not None:
        given = types[unit.column]
        if given.kind not in {"text", "integer", "csv", "any"}:
            _refuse_type(unit.column, given, "a column of text or integer ids")


def _refuse_type(column: str, given: ColumnType, declared: str) -> None:
    raise SchemaRefused(
        f"column '{column}' is {given.name}; {declared} was declared. "
        "Cast it in the source or declare another column."
    )


def row_reach(statement: Statement, letter: str) -> float:
    """Return the furthest that one row can move a total of its unit."""
    weight = statement.factor_bounds["w"].reach if "w" in statement.factor_bounds else 1
    bounds = statement.numerator if letter == "s" else statement.factor_bounds[letter]
    return bounds.reach * weight


def smallest_factor(bounds: Bounds) -> float:
    """Return the size below which a factor within bounds counts as zero.

    It is far less than a cell, and products of five that are larger do not vanish.
    Proof: docs/proofs/warehouse.md.
    """
    return bounds.reach * 2.0**-100
