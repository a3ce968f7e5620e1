"""The public range of a column.

A range is a promise made before anyone sees the data; nothing here reads data.
"""

import math
from dataclasses import dataclass, field
from numbers import Real

from dpratio.checks import require

__all__ = ["Bounds"]

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
        (5.0, Bounds(lower=0.0, upper=1.0, is_binary=True))
        >>> Bounds(0, 1, natural=True).can_cut, Bounds(0, 400).can_cut
        (False, True)
    """

    lower: float
    upper: float
    is_binary: bool = False
    natural: bool = field(default=False, kw_only=True)
    is_one: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        given = (self.lower, self.upper)
        hint = "Give two finite numbers, the smaller first."
        numeric = all(
            isinstance(end, Real) and not isinstance(end, bool) for end in given
        )
        require(numeric, "bounds must be two numbers", given, hint)
        lower, upper = (_to_float(end) for end in given)
        ordered = -math.inf < lower < upper < math.inf
        require(ordered, "bounds must be finite and in order", given, hint)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        flagged = isinstance(self.is_binary, bool)
        require(flagged, "is_binary must be true or false", self.is_binary)
        flagged = isinstance(self.natural, bool)
        require(flagged, "natural must be true or false", self.natural)
        object.__setattr__(self, "natural", self.natural or self.is_binary)
        require(
            _SMALLEST_REACH <= self.reach <= _LARGEST_REACH,
            "the larger bound must lie between 2^-100 and 2^100 in size",
            given,
            "Use another unit of measurement.",
        )
        is_unit = (self.lower, self.upper) == (0.0, 1.0)
        require(is_unit or not self.is_binary, "binary bounds are 0 and 1", given)
        counts = self.is_one is False or (self.is_one is True and self.is_binary)
        require(counts, "what counts as 1 is binary", self.is_one)

    @classmethod
    def binary(cls) -> "Bounds":
        """State that a column holds only 0 and 1 (or false and true)."""
        return cls(0.0, 1.0, is_binary=True)

    @classmethod
    def ones(cls) -> "Bounds":
        """State that every row counts as 1: ``Ratio(…, per="rows")`` means this."""
        return cls(0.0, 1.0, is_binary=True, is_one=True)

    def __str__(self) -> str:
        if self.is_one:
            return "always 1"
        if self.is_binary:
            return "0 or 1"
        more = " (natural)" if self.natural else ""
        return f"{self.lower:g} to {self.upper:g}{more}"

    def __repr__(self) -> str:
        # Ids of sums from elsewhere are made of it: what was before stays as it was.
        ends = f"lower={self.lower!r}, upper={self.upper!r}"
        natural = ", natural=True" if self.natural and not self.is_binary else ""
        one = ", is_one=True" if self.is_one else ""
        return f"Bounds({ends}, is_binary={self.is_binary}{natural}{one})"

    @property
    def can_cut(self) -> bool:
        """Whether a value that is clipped to it may be counted as cut."""
        return not self.natural

    @property
    def reach(self) -> float:
        """The largest size a clipped value can have."""
        return max(abs(self.lower), abs(self.upper))


def _to_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
