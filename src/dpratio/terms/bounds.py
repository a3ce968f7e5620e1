"""The public range of a column.

A range is a promise made before anyone sees the data; nothing here reads data. One that
was found in noisy histograms says which release of them proposed it.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Any

from dpratio.checks import require
from dpratio.strict import Node
from dpratio.terms.budget import Budget, decimal_text

__all__ = ["Bounds", "Proposed", "read_told"]

# Products of up to five clipped values and their lattice stay normal doubles
# inside these limits, so no engine can overflow or underflow on them.
_LARGEST_REACH = 2.0**100
_SMALLEST_REACH = 2.0**-100
_WIDEST = 2.0**32  # Within which bounds are found where nobody says others.
_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Proposed:
    """Where a bound came from: a release of histograms, and the epsilon that it cost.

    Args:
        release_id: The id of the release.
        epsilon: What it cost, as it was written.

    Raises:
        InvalidInput: When that is no id, or no epsilon.

    Example:
        >>> str(Proposed("0123456789abcdef0123456789abcdef", Fraction(1, 20)))
        'proposed by release 0123456789abcdef0123456789abcdef at epsilon 0.05'
    """

    release_id: str
    epsilon: Fraction

    def __post_init__(self) -> None:
        named = isinstance(self.release_id, str) and _ID.fullmatch(self.release_id)
        rule = "bounds are proposed by a release, named by 32 hexadecimal digits"
        require(named, rule, self.release_id)
        object.__setattr__(self, "epsilon", Budget(self.epsilon).epsilon)

    def __str__(self) -> str:
        cost = decimal_text(self.epsilon)
        return f"proposed by release {self.release_id} at epsilon {cost}"


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
        proposed: The release of histograms that proposed these bounds, where one did.
            The ledger admits them only if that release proposes exactly these.
        to_find: Whether the release finds narrower ones itself. See `Bounds.find`.

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
    proposed: Proposed | None = field(default=None, kw_only=True)
    to_find: bool = field(default=False, kw_only=True)

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
        found = type(self.proposed) is Proposed and not self.natural
        rule = "proposed bounds name their release, and are not natural"
        require(found or self.proposed is None, rule, self.proposed)
        flagged = isinstance(self.to_find, bool)
        require(flagged, "to_find must be true or false", self.to_find)
        open_ends = self.proposed is None and not self.natural
        rule = "bounds that are to be found are neither natural nor proposed"
        require(open_ends or not self.to_find, rule, str(self.proposed))

    @classmethod
    def binary(cls) -> "Bounds":
        """State that a column holds only 0 and 1 (or false and true)."""
        return cls(0.0, 1.0, is_binary=True)

    @classmethod
    def ones(cls) -> "Bounds":
        """State that every row counts as 1: ``Ratio(…, per="rows")`` means this."""
        return cls(0.0, 1.0, is_binary=True, is_one=True)

    @classmethod
    def find(cls, lower: float = -_WIDEST, upper: float = _WIDEST) -> "Bounds":
        """Let the release find bounds within these, for a part of its budget.

        Where too little is known to find any, these themselves are used.

        Example:
            >>> print(Bounds.find(0, 100_000))
            found within 0 to 100000
        """
        return cls(lower, upper, to_find=True)

    def __str__(self) -> str:
        if self.is_one:
            return "always 1"
        if self.is_binary:
            return "0 or 1"
        if self.to_find:
            return f"found within {self.lower:g} to {self.upper:g}"
        origin = "natural" if self.natural else self.proposed
        more = "" if origin is None else f" ({origin})"
        return f"{self.lower:g} to {self.upper:g}{more}"

    def __repr__(self) -> str:
        # Ids of sums from elsewhere are made of it: what was before stays as it was.
        ends = f"lower={self.lower!r}, upper={self.upper!r}"
        natural = ", natural=True" if self.natural and not self.is_binary else ""
        one = ", is_one=True" if self.is_one else ""
        origin = "" if self.proposed is None else f", proposed={self.proposed!r}"
        open_ends = ", to_find=True" if self.to_find else ""
        told = f"{natural}{one}{origin}{open_ends}"
        return f"Bounds({ends}, is_binary={self.is_binary}{told})"

    @property
    def can_cut(self) -> bool:
        """Whether a value that is clipped to it may be counted as cut."""
        return not self.natural

    @property
    def reach(self) -> float:
        """The largest size a clipped value can have."""
        return max(abs(self.lower), abs(self.upper))


def read_told(
    node: Node, read_epsilon: Callable[[Node], Any]
) -> tuple[Node, dict[str, Any]]:
    """Read what a table says of bounds beside their ends, and give where these stand.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    if not isinstance(node.value, dict):
        return node, {}
    if "proposed" in node.value:
        fields = node.fields("proposed", "by", "epsilon")
        by, epsilon = fields["by"].text(), read_epsilon(fields["epsilon"])
        origin = node.make(lambda: Proposed(by, epsilon))
        return fields["proposed"], {"proposed": origin}
    if "find" in node.value:
        return node.fields("find")["find"], {"to_find": True}
    return node.fields("natural")["natural"], {"natural": True}


def _to_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf
