"""The second stage: a total function of the plan and of the first one's noisy totals.

Nothing else reaches it: no exact sum, no row, no clock. Whatever the totals are, it
returns measurements that are priced, and stops at nothing.

The ratio is expected somewhere around the plan's guess, and the totals are worth as
much as their noise lets them be: the guess of the second stage is the best linear
forecast from both, so noisy totals move it little and clear ones wholly.
docs/methods/focused.md derives it. It is computed from whole numbers alone, without a
rounding that could differ between machines, so that whoever reads a release finds the
same guess.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpratio.errors import DpratioError
from dpratio.plan.make_plan import measure_question
from dpratio.plan.measurement import Measurement, Stage
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import MeasuredSum, contrast_of
from dpratio.plan.settle import Allowance, allowances
from dpratio.plan.strategy.shares import likely_ratios
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import LARGEST_GUESS, SMALLEST_GUESS, Ratio

Totals = Sequence[Sequence[int]]

_APART = 0.15  # How far groups are taken to be from their total, over its guess.


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


def realise(plan: Plan, totals: Totals) -> tuple[Measurement, ...]:
    """Decide what the second stage measures.

    Args:
        plan: A plan with a first stage that `price` accepts.
        totals: The noisy totals of each question.

    Returns:
        The questions with the guesses that were found, each with its own sums and
        noise. A guess that cannot be planned for leaves what the plan declares, and so
        do all of them where the price would be refused.

    Guarantee:
        For all whole numbers it returns measurements that are priced within what the
        plan leaves for its second stage, and it depends on its arguments alone.
        Proof: docs/proofs/staged.md.
    """
    if plan.stage is None:
        return plan.measurements
    spent = allowances(plan.study, plan.law, *plan.for_sums)
    realised = tuple(
        _around(plan, plan.stage, declared, guess, allowed)
        for declared, guess, allowed in zip(
            plan.measurements, found_guesses(plan, totals), spent, strict=True
        )
    )
    return realised if _is_priced(plan, realised) else plan.measurements


def found_guesses(plan: Plan, totals: Totals) -> list[Expected]:
    """Return the guess that each question's totals lead to."""
    guesses = []
    firsts = () if plan.stage is None else plan.stage.firsts
    for declared, both, first in zip(plan.measurements, totals, firsts, strict=True):
        box = plan.box(declared)
        expected = expected_of(box, declared.ratio)
        guesses.append(realise_contrast(expected, box, both, first))
    return guesses


def expected_of(box: Mapping[str, Bounds], ratio: Ratio) -> Expected:
    """Return where a ratio is expected before its totals are seen.

    Where nobody guessed it, it may also be as large as it is at the far end of s, so
    that a first stage may move a guess that far.
    """
    s, centre = box["s"], contrast_of(ratio).centre
    ratios = [*likely_ratios(box, centre, ratio.guess_is)]
    if ratio.guess_is == "unknown":
        far = s.reach / box["y"].reach
        is_open = not centre or s.lower < 0 < s.upper
        ratios += [far, -far] if is_open else [math.copysign(far, centre)]
    middle = Fraction(centre)
    squares = [(Fraction(point) - middle) ** 2 for point in ratios]
    return Expected(middle, sum(squares, Fraction(0)) / len(squares))


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


def is_realised(plan: Plan, measured: Sequence[Measurement], totals: Totals) -> bool:
    """Whether measurements are what these totals lead to, and are priced.

    Noise is held to its price and not to how it was shared.
    """
    if not len(measured) == len(totals) == len(plan.measurements):
        return False
    fits = all(
        # A guess that was found may have no plan; then the fallback is right.
        second == declared
        or second == declared.around(float(guess.centre), second.sums, second.basis)
        for declared, guess, second in zip(
            plan.measurements, found_guesses(plan, totals), measured, strict=True
        )
    )
    return fits and _is_priced(plan, measured)


def _around(
    plan: Plan,
    stage: Stage,
    declared: Measurement,
    guess: Expected,
    allowed: Allowance,
) -> Measurement:
    """Measure a question around its guess; as declared where that cannot be planned."""
    # Groups differ from their total, and nothing was said of them.
    least = 0.0 if allowed.cells == 1 else _APART * abs(float(guess.centre))
    distance = max(guess.distance, least)
    layout = plan.layout(declared.around(float(guess.centre), declared.sums))
    try:
        with np.errstate(all="ignore"):
            measured, _ = measure_question(
                layout, allowed, stage.n, stage.population, distance
            )
            return measured
    except Exception:  # noqa: BLE001 (whatever stops the planner, a release goes on)
        return declared


def _is_priced(plan: Plan, measured: Sequence[Measurement]) -> bool:
    """Price the second stage in exact arithmetic, against what the first has left."""
    try:
        price(plan.measuring(measured))
    except DpratioError:
        return False
    return True
