"""The guess that a first stage finds: a rule from two noisy totals, in exact numbers.

It is computed from whole numbers alone, without a rounding that could differ between
machines, so that whoever reads a release finds the same guess.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.terms.bounds import Bounds

__all__ = ["FoundGuess", "realise_contrast"]

_WEAKEST = 4  # A denominator below so many standard deviations of its noise is weak.
_UNSURE = 3  # A ratio below so many of its own is not found either.
_BITS = 6
_SMALLEST, _LARGEST = Fraction(1, 2**50), Fraction(2**50)


@dataclass(frozen=True, slots=True)
class FoundGuess:
    """A guess of the ratio, and how far off it may be: one standard deviation or so.

    The guess has 6 significant bits; the distance is the root of a power of two.
    """

    centre: float
    distance: float


def realise_contrast(
    box: Mapping[str, Bounds], totals: Sequence[int], firsts: Sequence[MeasuredSum]
) -> FoundGuess | None:
    """Find the guess of a ratio in its noisy totals.

    Args:
        box: The bounds of s and y of one unit.
        totals: The noisy Σ w·s and Σ w·y, in lattice cells.
        firsts: Their lattices and their Laplace noise.

    Returns:
        The guess; None where the noisy denominator is too weak to find one, or the
        guess would be too large.

    Example:
        >>> from dpratio.plan.sensitivity.sums import Summand
        >>> firsts = [MeasuredSum(Summand(f, (f,)), 1.0, 1, 10.0) for f in "zh"]
        >>> box = {"s": Bounds(0, 9), "y": Bounds(0, 1)}
        >>> realise_contrast(box, [3_001, 999], firsts)
        FoundGuess(centre=3.0, distance=0.0625)
        >>> realise_contrast(box, [3_001, 30], firsts) is None
        True
    """
    top, bottom = (
        total * Fraction(each.step) for total, each in zip(totals, firsts, strict=True)
    )
    # Laplace noise of scale b has variance 2b².
    top_noise, bottom_noise = (
        2 * (Fraction(each.scale) * Fraction(each.step)) ** 2 for each in firsts
    )
    possible = (bottom > 0 and box["y"].upper > 0) or (
        bottom < 0 and box["y"].lower < 0
    )
    if not possible or bottom**2 <= _WEAKEST**2 * bottom_noise:
        return None
    ratio = top / bottom
    variance = (top_noise + ratio**2 * bottom_noise) / bottom**2
    if variance > _LARGEST**2:
        return None
    distance = _root_above(variance)
    if ratio**2 <= _UNSURE**2 * variance or abs(ratio) < _SMALLEST:
        return None
    centre = _shortened(ratio)
    return FoundGuess(float(centre), distance) if abs(centre) <= _LARGEST else None


def _shortened(number: Fraction) -> Fraction:
    """Round to 6 significant bits; exact as a double."""
    unit = Fraction(2) ** (_magnitude(abs(number)) - _BITS)
    return round(number / unit) * unit


def _root_above(square: Fraction) -> float:
    """Give the root of the least power of two that is not below a square."""
    power = _magnitude(square)
    if Fraction(2) ** (power - 1) == square:
        power -= 1
    half, odd = divmod(power, 2)
    return math.ldexp(math.sqrt(2.0) if odd else 1.0, half)


def _magnitude(number: Fraction) -> int:
    """Give k with 2^(k − 1) <= number < 2^k."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return power + 1 if Fraction(2) ** power <= number else power
