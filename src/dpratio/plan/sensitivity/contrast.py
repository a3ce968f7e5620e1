"""The two columns that the focused strategy measures in place of s and y.

z = w·(s − r₀·y) is what the ratio is about: its sum is zero at r = r₀. h completes it.
The planner chooses which: the sum w·(s + r₀·y), which is cheap where both columns reach
equally far, or the denominator w·y, which is where s reaches further than r₀·y.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import middle_of
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS, Ratio

__all__ = ["BASES", "Contrast", "contrast_of", "guess_from", "rounded_guess"]

BASES = ("sum", "denominator")
_TWELFTH = 12
_ROUNDED = 2.0**-20

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Contrast:
    """The guess r₀, the public bound on |z|, if one was promised, and what h is.

    Example:
        >>> Contrast(centre=2.0).of(Fraction(1), Fraction(3))
        (Fraction(-5, 1), Fraction(7, 1))
    """

    centre: float
    limit: float | None = None
    basis: str = "sum"

    @property
    def uncut(self) -> float:
        """Up to which |z| the limit is not counted as cutting: rounding is no cut."""
        return math.inf if self.limit is None else self.limit * (1 + _ROUNDED)

    @property
    def has_numerator(self) -> bool:
        """Whether h holds s as well; around zero it is the denominator anyway."""
        return self.basis == "sum" and self.centre != 0

    @property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The weights of s and y in z, then in h."""
        completes = (1.0, self.centre) if self.has_numerator else (0.0, 1.0)
        return (1.0, -self.centre), completes

    def of(self, numerator: Fraction, denominator: Fraction) -> Pair:
        """Give z and h, exactly and without the limit."""
        z, h = (
            Fraction(first) * numerator + Fraction(second) * denominator
            for first, second in self.rows
        )
        return z, h

    def inverse(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Give the weights of z and h in s, then in y."""
        (a, b), (c, d) = self.rows
        scale = a * d - b * c
        return (d / scale, -b / scale), (-c / scale, a / scale)


def contrast_of(ratio: Ratio, basis: str = "sum") -> Contrast:
    """Give the contrast of a ratio whose guess is settled."""
    centre = 1.0 if ratio.guess is None else ratio.guess
    return Contrast(centre, ratio.residual_bound, basis)


def guess_from(box: Mapping[str, Bounds]) -> float:
    """Guess a ratio from bounds alone, where nobody did.

    People sit near the end of a range that is closer to zero: a twelfth of the range of
    s above it, over the middle of y. Where the sign of the ratio is open, that of the
    middle of s decides; where that of y is open, nothing does.
    """
    s, y = box["s"], box["y"]
    if y.lower < 0 < y.upper:
        return 0.0
    near = min(max(s.lower, 0.0), s.upper)
    top = near + (s.lower + s.upper - 2 * near) / _TWELFTH
    return rounded_guess(top / middle_of(y))


def rounded_guess(ratio: float) -> float:
    """Round a ratio to the two digits of a guess; 0 where it is too small or large."""
    guess = float(f"{ratio:.2g}")
    return guess if SMALLEST_GUESS <= abs(guess) <= LARGEST_GUESS else 0.0
