"""The public range of a column.

A range is a promise made before anyone sees the data; nothing here reads data.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput

# Products of up to five clipped values and their lattice stay normal doubles
# inside these limits, so no engine can overflow or underflow on them.
_LARGEST_REACH = 2.0**100
_SMALLEST_REACH = 2.0**-100


@dataclass(frozen=True, slots=True)
class Bounds:
    """The public range of one column; values outside are clipped to it.

    Args:
        lower: Smallest value a cell may count as.
        upper: Largest value a cell may count as.
        is_binary: Whether the column holds only 0 and 1; other values are
            rounded to the nearer of the two. See `Bounds.binary`.
        natural: Whether no value can lie outside, as with a probability between 0 and
            1. Values outside are still clipped, but are not counted as cut. Binary
            bounds are natural.
        is_one: Whether it is no column at all: every row counts as 1. See
            `Bounds.ones`.

    Raises:
        InvalidInput: When the range is empty, reversed, not finite or extreme.

    Example:
        >>> Bounds(-2, 5).reach, Bounds.binary()
        (5.0, Bounds(lower=0.0, upper=1.0, is_binary=True, ...))
        >>> Bounds(0, 1, natural=True).can_cut, Bounds(0, 400).can_cut
        (False, True)
    """

    lower: float
    upper: float
    is_binary: bool = False
    natural: bool = field(default=False, kw_only=True)
    is_one: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        shown = show_given((self.lower, self.upper))
        lower, upper = to_float(self.lower), to_float(self.upper)
        is_binary = self.is_binary or self.is_one
        if not -math.inf < lower < upper < math.inf:
            raise InvalidInput(
                f"bounds must be two finite numbers, the smaller first, got {shown}."
            )
        if not _SMALLEST_REACH <= max(abs(lower), abs(upper)) <= _LARGEST_REACH:
            raise InvalidInput(
                "the larger bound must lie between 2^-100 and 2^100 in size, got "
                f"{shown}. Use another unit of measurement."
            )
        if is_binary and (lower, upper) != (0.0, 1.0):
            raise InvalidInput(f"binary bounds are 0 and 1, got {shown}.")
        natural = self.natural or is_binary
        settle(self, lower=lower, upper=upper, is_binary=is_binary, natural=natural)

    @classmethod
    def binary(cls) -> "Bounds":
        """Return the bounds of a column that holds only 0 and 1 (or false and true)."""
        return cls(0.0, 1.0, is_binary=True)

    @classmethod
    def ones(cls) -> "Bounds":
        """Return the bounds of what counts as 1, as in ``Ratio(…, per="rows")``."""
        return cls(0.0, 1.0, is_one=True)

    def __str__(self) -> str:
        if self.is_one:
            return "always 1"
        if self.is_binary:
            return "0 or 1"
        return f"{self.lower:g} to {self.upper:g}{' (natural)' * self.natural}"

    @property
    def can_cut(self) -> bool:
        """Whether a value that is clipped to it may be counted as cut."""
        return not self.natural

    @property
    def reach(self) -> float:
        """The largest size a clipped value can have."""
        return max(abs(self.lower), abs(self.upper))

    @property
    def middle(self) -> float:
        """The middle of the range, away from zero."""
        middle = (self.lower + self.upper) / 2
        return middle if abs(middle) >= self.reach / 4 else self.reach / 4


def to_float(number: object) -> float:
    """Return a number as a float; NaN if it is none, or too large."""
    if not isinstance(number, Real) or isinstance(number, bool):
        return math.nan
    try:
        return float(number)
    except OverflowError:
        return math.nan


def require_bounds(bounds: object, name: str) -> None:
    """Raise InvalidInput unless a term maps the names of columns to bounds."""
    wrong = [bounds]
    if isinstance(bounds, Mapping):
        wrong = [pair for pair in bounds.values() if not isinstance(pair, Bounds)]
    if wrong:
        raise InvalidInput(
            f"{name} must map column names to Bounds, got {show_given(wrong[0])}. "
            "Write {'score': Bounds(0, 1), …}.",
            field=name,
        )


def settle(value: object, /, **contents: Any) -> None:  # noqa: ANN401
    """Set the fields of a frozen value in its constructor.

    Args:
        value: A dataclass.
        contents: What its fields are, by their names; other names are left alone, so
            that a constructor may hand over its ``locals()``.
    """
    for part in fields(value):  # type: ignore[arg-type]
        if part.name in contents:
            object.__setattr__(value, part.name, contents[part.name])
