"""A public grid of powers of two, and the cell of it on which a number lies.

How many cells there are, and where, is said before anyone sees the data. Every number
has one cell, and so has what is no number.
"""

import bisect
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.checks import require
from dpratio.plan.sensitivity.box import Total
from dpratio.terms.bounds import Bounds

__all__ = ["Ladder", "ladder_of"]

# Bounds end at 2^100, and a grid that a person looks at holds some hundred cells.
_LEAST, _MOST = -90, 90
_WIDEST = 120
# A person's totals are whole cells below 2^52: doubles hold them on every engine.
_TOTAL_BITS = 51
_ENDS = re.compile(r"2\^(-?[0-9]{1,2}) (?:to .*|or above)")


@dataclass(frozen=True, slots=True)
class Ladder:
    """Cells between powers of two, on each side of zero.

    Args:
        lowest: Sizes below 2^lowest lie around 0.
        highest: Sizes from 2^highest on lie beyond.

    Example:
        >>> Ladder(0, 2).labels[3:]
        ('around 0', '2^0 to 2^1', '2^1 to 2^2', '2^2 or above', 'not finite')
        >>> Ladder(0, 2).place(3.5), Ladder(0, 2).place(None)
        (5, 7)
    """

    lowest: int = -20
    highest: int = 40

    def __post_init__(self) -> None:
        given = (self.lowest, self.highest)
        whole = all(type(each) is int for each in given)
        rule = "the outer limits of a histogram must lie between 2^-90 and 2^90"
        require(whole and _LEAST <= self.lowest < self.highest <= _MOST, rule, given)
        rule = f"a histogram must hold {_WIDEST} powers of two at most"
        require(self.highest - self.lowest <= _WIDEST, rule, given)

    @classmethod
    def between(cls, smallest: float, largest: float) -> "Ladder":
        """Give the ladder whose outer limits hold two sizes between them.

        Example:
            >>> Ladder.between(0.01, 5000)
            Ladder(lowest=-7, highest=13)
        """
        rule = "outer limits are two positive numbers, the smaller first"
        hint = "Write limits=(0.01, 1e6)."
        real = all(
            isinstance(each, int | float) and not isinstance(each, bool)
            for each in (smallest, largest)
        )
        ordered = real and 0 < smallest < largest < math.inf
        require(ordered, rule, (smallest, largest), hint)
        mantissa, exponent = math.frexp(largest)
        top = exponent - 1 if mantissa == 0.5 else exponent  # noqa: PLR2004
        return cls(math.frexp(smallest)[1] - 1, top)

    @property
    def edges(self) -> tuple[float, ...]:
        """The powers of two between the cells, rising."""
        sizes = [2.0**at for at in range(self.lowest, self.highest + 1)]
        return (*(-each for each in reversed(sizes)), *sizes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells in words, rising; the last holds what is not finite."""
        low, high = self.lowest, self.highest
        below = [f"-2^{at + 1} to -2^{at}" for at in reversed(range(low, high))]
        above = [f"2^{at} to 2^{at + 1}" for at in range(low, high)]
        first, last = f"-2^{high} or below", f"2^{high} or above"
        return (first, *below, "around 0", *above, last, "not finite")

    def place(self, number: float | None) -> int:
        """Give the cell of a number; None is what is not finite.

        A power of two belongs to the cell that is further from zero.

        Guarantee:
            Every number has one cell of those that are declared.
            Proof: docs/proofs/histogram.md.
        """
        if number is None:
            return len(self.edges) + 1
        if number < 0:
            return bisect.bisect_left(self.edges, number)
        return bisect.bisect_right(self.edges, number)

    @property
    def outer(self) -> Bounds:
        """What rows are clipped to: beyond the last edge, and no further."""
        reach = 1.5 * 2.0**self.highest
        return Bounds(-reach, reach)

    @property
    def total(self) -> Total:
        """How a person's rows are added up, in whole cells that doubles hold."""
        most = 3 * 2 ** (_TOTAL_BITS - 1)
        return Total(2.0 ** (self.highest - _TOTAL_BITS), -most, most)


def ladder_of(labels: Sequence[object]) -> Ladder | None:
    """Find the ladder that has just these cells; None where there is none."""
    middle = len(labels) // 2
    said = [str(each) for each in (*labels[middle : middle + 1], *labels[-2:-1])]
    ends = [_ENDS.fullmatch(each) for each in said]
    if len(ends) != len(("low", "high")) or not all(ends):
        return None
    low, high = (int(end[1]) for end in ends if end is not None)
    sound = _LEAST <= low < high <= _MOST and high - low <= _WIDEST
    if not sound or Ladder(low, high).labels != tuple(labels):
        return None
    return Ladder(low, high)
