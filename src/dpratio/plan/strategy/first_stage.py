"""The first stage of a plan: its totals, and the guess that they lead to.

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
from dpratio.terms.population import Population
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS

TOTALS = 2  # Σ w·s and Σ w·y come first among the raw sums.


@dataclass(frozen=True, slots=True)
class Stage:
    """Two totals of each question, Σ w·s and Σ w·y over all its groups, with noise.

    They find the guess of the ratio around which the second stage measures. The sums
    that the questions of the plan hold are the fallback: they are measured where the
    totals find none.

    Args:
        epsilon: What the first stage spends, of the plan's budget.
        n: About how many people an answer is about, and
        population: what they are like; both only share the second stage's budget.
        firsts: The two totals of each question, in the order of the questions.
    """

    epsilon: Fraction
    n: int | None = None
    population: Population | None = None
    firsts: tuple[tuple[MeasuredSum, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """A ratio that is not known: where it is expected, and its mean square from there.

    The variance is above 0.
    """

    centre: Fraction
    variance: Fraction

    @property
    def distance(self) -> float:
        """One standard deviation: by about so much the ratio may be off."""
        return math.sqrt(self.variance)


def learn(
    expected: Expected,
    box: Mapping[str, Bounds],
    totals: Sequence[int],
    firsts: Sequence[MeasuredSum],
) -> Expected:
    """Return the expected ratio after its noisy totals were seen.

    Args:
        expected: Where it was expected before.
        box: The bounds of s and y of one unit.
        totals: The noisy Σ w·s and Σ w·y, in lattice cells.
        firsts: Their lattices and their Laplace noise.
    """
    top, bottom = (
        _possible(total * Fraction(first.step), box[letter])
        for letter, total, first in zip("sy", totals, firsts, strict=True)
    )
    # Laplace noise of scale b has variance 2b².
    top_noise, bottom_noise = (
        2 * (Fraction(first.scale) * Fraction(first.step)) ** 2 for first in firsts
    )
    centre, variance = expected.centre, expected.variance
    noise = top_noise + (centre**2 + variance) * bottom_noise
    weight = bottom**2 + noise / variance
    moved = bottom * (top - centre * bottom) / weight
    return Expected(centre + moved, noise / weight)


def _possible(total: Fraction, bounds: Bounds) -> Fraction:
    """Return 0 in place of a total whose sign the bounds rule out."""
    ruled_out = (total > 0 and bounds.upper <= 0) or (total < 0 and bounds.lower >= 0)
    return Fraction(0) if ruled_out else total


def realise_contrast(
    expected: Expected,
    box: Mapping[str, Bounds],
    totals: Sequence[int],
    firsts: Sequence[MeasuredSum],
) -> Expected:
    """Return what `learn` says, rounded so that few guesses differ.

    The variance is rounded down to a power of two, and the guess to halves of its
    square root, counted from where the ratio was expected.

    Example:
        >>> from dpratio.plan.sensitivity.sums import Summand
        >>> firsts = [MeasuredSum(Summand(f, (f,)), 1.0, 1, 10.0) for f in "zh"]
        >>> box = {"s": Bounds(0, 9), "y": Bounds(0, 1)}
        >>> expected = Expected(Fraction(1, 2), Fraction(1))
        >>> realise_contrast(expected, box, [3_001, 999], firsts)
        Expected(centre=Fraction(3, 1), variance=Fraction(1, 4096))
        >>> realise_contrast(expected, box, [3_001, 0], firsts)
        Expected(centre=Fraction(1, 2), variance=Fraction(1, 1))
    """
    learned = learn(expected, box, totals, firsts)
    variance = learned.variance
    power = variance.numerator.bit_length() - variance.denominator.bit_length()
    power -= Fraction(2) ** power > variance
    unit = Fraction(2) ** (power // 2 - 1)
    centre = expected.centre + round((learned.centre - expected.centre) / unit) * unit
    largest = Fraction(LARGEST_GUESS)
    guess = float(min(max(centre, -largest), largest))
    guess = guess if abs(guess) >= SMALLEST_GUESS else 0.0
    return Expected(Fraction(guess), Fraction(2) ** power)
