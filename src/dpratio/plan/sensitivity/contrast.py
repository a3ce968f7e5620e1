"""The two columns that the focused strategy measures in place of s and y.

z = w·(s − r₀·y) is what the ratio is about: its sum is zero at r = r₀. h completes it:
w·(s + r₀·y), or w·y where the guess r₀ is zero.
"""

from dataclasses import dataclass
from fractions import Fraction

from dpratio.terms.ratio import Ratio

__all__ = ["Contrast", "contrast_of"]

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Contrast:
    """The guess r₀ and the public bound on |z|, if one was promised.

    Example:
        >>> Contrast(centre=2.0).of(Fraction(1), Fraction(3))
        (Fraction(-5, 1), Fraction(7, 1))
    """

    centre: float
    limit: float | None = None

    @property
    def rows(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The weights of s and y in z, then in h."""
        completes = (1.0, self.centre) if self.centre else (0.0, 1.0)
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


def contrast_of(ratio: Ratio) -> Contrast:
    """Give the contrast of a ratio whose guess is settled."""
    centre = 1.0 if ratio.guess is None else ratio.guess
    return Contrast(centre, ratio.residual_bound)
