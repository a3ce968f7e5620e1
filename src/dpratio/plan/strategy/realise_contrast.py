"""The guess that a first stage finds: a rule from two noisy totals, in exact numbers.

The ratio is expected somewhere around the plan's guess, and the totals are worth as
much as their noise lets them be: the guess of the second stage is the best linear
forecast from both, so noisy totals move it little and clear ones wholly.
docs/methods/focused.md derives it.

It is computed from whole numbers alone, without a rounding that could differ between
machines, so that whoever reads a release finds the same guess.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS

__all__ = ["Expected", "FoundGuess", "learn", "realise_contrast"]

_PARTS = 2  # Of a distance: how finely the guess is rounded.


@dataclass(frozen=True, slots=True)
class Expected:
    """A ratio that is not known: where it is expected, and its mean square from there.

    The variance is above 0.
    """

    centre: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class FoundGuess:
    """A guess of the ratio, and how far off it may be: one standard deviation or so.

    The distance is the root of a power of two, and the guess a few of them, or halves,
    away from where the ratio was expected.
    """

    centre: float
    distance: float


def learn(
    expected: Expected,
    box: Mapping[str, Bounds],
    totals: Sequence[int],
    firsts: Sequence[MeasuredSum],
) -> Expected:
    """Say where a ratio is expected after its noisy totals were seen.

    Args:
        expected: Where it was expected before.
        box: The bounds of s and y of one unit.
        totals: The noisy Σ w·s and Σ w·y, in lattice cells.
        firsts: Their lattices and their Laplace noise.
    """
    top, bottom = (
        _possible(total * Fraction(each.step), box[letter])
        for letter, total, each in zip("sy", totals, firsts, strict=True)
    )
    # Laplace noise of scale b has variance 2b².
    top_noise, bottom_noise = (
        2 * (Fraction(each.scale) * Fraction(each.step)) ** 2 for each in firsts
    )
    centre, variance = expected.centre, expected.variance
    noise = top_noise + (centre**2 + variance) * bottom_noise
    weight = bottom**2 + noise / variance
    moved = bottom * (top - centre * bottom) / weight
    return Expected(centre + moved, noise / weight)


def _possible(total: Fraction, bounds: Bounds) -> Fraction:
    """Give 0 in place of a total whose sign the bounds rule out."""
    ruled_out = (total > 0 and bounds.upper <= 0) or (total < 0 and bounds.lower >= 0)
    return Fraction(0) if ruled_out else total


def realise_contrast(
    expected: Expected,
    box: Mapping[str, Bounds],
    totals: Sequence[int],
    firsts: Sequence[MeasuredSum],
) -> FoundGuess:
    """Find the guess of a ratio: what `learn` says, rounded to a part of its distance.

    Example:
        >>> from dpratio.plan.sensitivity.sums import Summand
        >>> firsts = [MeasuredSum(Summand(f, (f,)), 1.0, 1, 10.0) for f in "zh"]
        >>> box = {"s": Bounds(0, 9), "y": Bounds(0, 1)}
        >>> expected = Expected(Fraction(1, 2), Fraction(1))
        >>> realise_contrast(expected, box, [3_001, 999], firsts)
        FoundGuess(centre=3.0, distance=0.015625)
        >>> realise_contrast(expected, box, [3_001, 0], firsts)
        FoundGuess(centre=0.5, distance=1.0)
    """
    learned = learn(expected, box, totals, firsts)
    power = _magnitude(learned.variance) - 1
    half, odd = divmod(power, 2)
    unit = Fraction(2) ** half / _PARTS
    steps = round((learned.centre - expected.centre) / unit)
    centre = expected.centre + steps * unit
    largest = Fraction(LARGEST_GUESS)
    found = float(min(max(centre, -largest), largest))
    return FoundGuess(
        centre=found if abs(found) >= SMALLEST_GUESS else 0.0,
        distance=math.ldexp(math.sqrt(2.0) if odd else 1.0, half),
    )


def _magnitude(number: Fraction) -> int:
    """Give k with 2^(k − 1) <= number < 2^k."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return power + 1 if Fraction(2) ** power <= number else power
