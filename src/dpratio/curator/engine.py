"""What every engine is asked, and how the schema is checked before it reads.

An engine turns a table and a `Statement` into `ExactSums`. `engine_python` is the
specification in plain loops; every other engine equals it to the last integer:

1. a row with a missing, unreadable or non-finite number is dropped;
2. numbers become doubles, then are clipped to their bounds (binary ones rounded);
3. where the plan has a contrast, z = w·(s − r₀·y) and h = w·(s + r₀·y), or w·y where
   r₀ is 0, are made in doubles in this order of work; z is clipped to its limit;
4. each summand is a product from left to right, counted as floor(x / step + ½);
5. cells are added per declared key, exactly; undeclared keys are ignored.

Floor: curator. Imports: errors, plan.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from dpratio.errors import SchemaRefused
from dpratio.plan.contrast import Contrast
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Key

__all__ = ["CellSum", "ColumnType", "Statement", "statement_of"]


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The public type of a column: its kind, and its name in the source.

    Kinds are ``integer``, ``number``, ``boolean``, ``text``, ``csv`` (text that is
    read cell by cell), ``any`` (Python objects), ``repeated`` (a name that occurs
    twice) and ``other``.
    """

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class CellSum:
    """One sum of lattice cells: the factors of its summand and the lattice step."""

    factors: tuple[str, ...]
    step: float
    largest_cell: int


@dataclass(frozen=True, slots=True)
class Statement:
    """What to add up, without a trace of privacy parameters."""

    factor_columns: Mapping[str, str]
    factor_bounds: Mapping[str, Bounds]
    group_column: str | None
    keys: tuple[Key, ...]
    sums: tuple[CellSum, ...]
    contrast: Contrast | None = None

    @property
    def columns(self) -> list[str]:
        """Every column the engine reads."""
        grouped = [] if self.group_column is None else [self.group_column]
        return [*self.factor_columns.values(), *grouped]

    def check_schema(self, types: Mapping[str, ColumnType]) -> None:
        """Refuse a table whose public schema is not the declared one.

        Raises:
            SchemaRefused: When a column is missing or of the wrong type.
        """
        for column in self.columns:
            if column not in types:
                close = difflib.get_close_matches(column, types, n=1)
                advice = (
                    f"Did you mean '{close[0]}'?" if close else "Declare one of these."
                )
                raise SchemaRefused(
                    f"column '{column}' is not in the table. "
                    f"It has: {', '.join(types)}. {advice}"
                )
            if types[column].kind == "repeated":
                raise SchemaRefused(
                    f"column '{column}' occurs more than once in the table. "
                    "Give its columns different names."
                )
        for column in self.factor_columns.values():
            if types[column].kind not in {"integer", "number", "boolean", "csv", "any"}:
                _refuse_type(column, types[column], "a number column")
        if self.group_column is not None:
            wanted = {str: "text", int: "integer", bool: "boolean"}[type(self.keys[0])]
            if types[self.group_column].kind not in {wanted, "csv", "any"}:
                _refuse_type(
                    self.group_column,
                    types[self.group_column],
                    f"a column of {wanted} keys",
                )


def statement_of(plan: Plan) -> Statement:
    """Say what a plan needs added up."""
    return Statement(
        factor_columns=dict(zip("syw", plan.ratio.columns, strict=False)),
        factor_bounds=plan.factor_bounds,
        group_column=None if plan.groups is None else plan.groups.column,
        keys=() if plan.groups is None else plan.groups.keys,
        sums=tuple(
            CellSum(each.summand.factors, each.step, each.sensitivity)
            for each in plan.sums
        ),
        contrast=plan.contrast,
    )


def _refuse_type(column: str, given: ColumnType, declared: str) -> None:
    raise SchemaRefused(
        f"column '{column}' is {given.name}; {declared} was declared. "
        "Cast it in the source or declare another column."
    )
