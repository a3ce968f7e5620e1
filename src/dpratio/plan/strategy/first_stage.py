"""The first stage of a plan: its totals, their noise and price, the guess they lead to.

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

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    certify_upwards,
    require_storable,
)
from dpratio.plan.sensitivity.joint import Grid, pooled_ratio
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.plan.settle import Allowance
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import Population
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS


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

    def only(self, at: int) -> "Stage":
        """Return the stage of one question alone."""
        return Stage(self.epsilon, self.n, self.population, self.firsts[at : at + 1])


TOTALS = 2  # Σ w·s and Σ w·y come first among the raw sums.


def totals_grid(raw: Grid) -> Grid:
    """Lay out the two totals of a question, given its raw sums."""
    return raw.first(TOTALS)


def measure_totals(raw: Grid, allowed: Allowance) -> tuple[MeasuredSum, ...]:
    """Return both totals, with noise in proportion to their sensitivity."""
    grid = totals_grid(raw)
    sizes = [float(each) for each in grid.sensitivities]

    def scaled(by: float) -> list[float]:
        return [max(each * by, SMALLEST_SCALE) for each in sizes]

    def cost(by: float) -> Fraction:
        return pooled_ratio(allowed.law, grid, scaled(by), allowed.unit, allowed.cells)

    factor = certify_upwards(
        float(cost(1.0) / allowed.ratio),
        lambda by: max(scaled(by)) > LARGEST_SCALE or cost(by) <= allowed.ratio,
    )
    scales = scaled(factor)
    require_storable(max(scales))
    return tuple(
        MeasuredSum(*each)
        for each in zip(
            grid.summands, grid.steps, grid.sensitivities, scales, strict=True
        )
    )


def totals_price(
    raw: Grid, given: tuple[MeasuredSum, ...], allowed: Allowance
) -> Fraction:
    """Bound how far one unit moves the totals of a question, in units of their noise.

    Raises:
        InvalidInput: When they are not the totals that the terms demand.

    Guarantee:
        Releasing them with ideal noise of their scales costs no more epsilon.
        Proof: docs/proofs/staged.md.
    """
    grid = totals_grid(raw)
    listed = isinstance(given, tuple) and all(
        isinstance(each, MeasuredSum) and type(each.sensitivity) is int
        for each in given
    )
    demanded = list(zip(grid.summands, grid.steps, grid.sensitivities, strict=True))
    same = listed and demanded == [
        (each.summand, each.step, each.sensitivity) for each in given
    ]
    if not same:
        raise InvalidInput(
            "a first stage measures the totals that its bounds demand. Make the plan "
            "with make_plan.",
            field="stage",
        )
    scales = [each.scale for each in given]
    for scale in scales:
        if type(scale) is not float or not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            raise InvalidInput(
                "the noise of a total is too small or too large, got "
                f"{show_given(scale)}.",
                field="stage",
            )
    return pooled_ratio(allowed.law, grid, scales, allowed.unit, allowed.cells)


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
    """Return the expected ratio after its noisy totals were seen.

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
    """Return 0 in place of a total whose sign the bounds rule out."""
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
    """Return k with 2^(k − 1) <= number < 2^k."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    return power + 1 if Fraction(2) ** power <= number else power
