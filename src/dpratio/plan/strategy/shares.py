"""How a budget is shared between sums: by what each is worth to the answers.

The width of an interval grows with the noise of every sum behind it. Weighing that
growth against the price of less noise gives a fixed point, which is iterated here.
docs/methods/focused.md derives it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.strategy.allowance import QUANTILE, allowance
from dpratio.plan.strategy.expected import Expected

__all__ = ["Shared", "share_budget"]

_ITERATIONS = 200
_LEAST_SHARE = 1e-9
_NO_PRICE = 1e-29  # Beside the least that is paid, it is lost in rounding.


@dataclass(frozen=True, slots=True)
class Shared:
    """Noise scales in the units of the data, and the width they promise.

    ``log_width`` compares mechanisms; only differences of it mean something.
    """

    scales: Floats
    log_width: float


@dataclass(frozen=True, slots=True)
class _Answer:
    """One interval: how sums enter its test, its variance and its denominator."""

    test: Floats
    variance: Floats
    denominator: Floats
    size: float
    sampling: float

    def spread(self, noise: Floats) -> float:
        """Give the variance of the test statistic."""
        return self.sampling + float(self.test**2 @ noise)

    def worth(self, noise: Floats) -> Floats:
        """Give the growth of the log width with the noise variance of each sum."""
        spread = self.spread(noise)
        growth: Floats = (
            self.test**2 / (2 * spread)
            + (self.denominator / self.size) ** 2
            + QUANTILE**2 / 8 * (self.variance / spread) ** 2
        )
        return growth

    def log_width(self, noise: Floats) -> float:
        """Forecast the logarithm of the width, to second order."""
        spread = self.spread(noise)
        unsure = float(self.variance**2 @ noise)
        widened = spread + allowance(spread, unsure, QUANTILE)
        return (
            math.log(widened) / 2
            - math.log(self.size)
            + float((self.denominator / self.size) ** 2 @ noise)
        )


def share_budget(
    mechanism: str,
    grid: Grid,
    affordable: float,
    contrast: Contrast,
    expected: Expected,
    nearness: float,
) -> Shared:
    """Share a budget between the sums of the focused strategy.

    Args:
        mechanism: Laplace or Gaussian noise.
        grid: The sums, and what extreme rows put into them.
        affordable: How far one row may move all sums, in units of their noise.
        contrast: The guess r₀ and the limit of z.
        expected: What is expected of the people.
        nearness: How far the ratio may lie from its guess, relatively.
    """
    is_laplace = mechanism == "laplace"
    names = [each.name for each in grid.summands]
    # In units near what is expected, no square leaves the range of doubles.
    near, unit_of = expected.in_own_units(contrast)
    contrast, expected = unit_of.contrast, near
    units = np.array([unit_of.product(each.factors) for each in grid.summands])
    moves = np.array([[float(move) for move in row] for row in grid.moves]).T
    moves *= (np.array(grid.steps) / units)[:, None]
    budget = affordable
    if not is_laplace:
        moves, budget = moves**2, affordable**2
    price = np.full(moves.shape[1], 1 / moves.shape[1])
    spread = expected.people * expected.weight_square * expected.residual
    power = 1 / 3 if is_laplace else 1 / 2
    largest = moves.max(axis=1)
    noise = np.zeros(len(names))
    weights = np.ones(len(names))
    for _ in range(_ITERATIONS):
        before = weights, price
        answers = _answers(names, contrast, expected, nearness, spread)
        worth = sum((each.worth(noise) for each in answers), np.zeros(len(names)))
        paid = np.maximum(moves @ price, 1e-12 * largest)
        weights = (worth / paid) ** power
        # No sum is left without a share, however little it seems to be worth.
        least = _LEAST_SHARE * (moves.T @ weights).max() / largest
        weights = np.maximum(weights, least)
        _keep_convex(names, weights)
        cost = moves.T @ weights
        weights *= budget / cost.max()
        price = price * (cost / cost.max()) ** 2
        price /= price.sum()
        noise = 2 / weights**2 if is_laplace else 1 / weights
        spread = answers[0].spread(noise)
        if _is_settled(before, (weights, price)):
            break
    total = sum(each.log_width(noise) for each in answers)
    scales = 1 / weights if is_laplace else 1 / np.sqrt(weights)
    return Shared(scales * units, total)


def _is_settled(before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> bool:
    """Tell whether going on would change no bit of the weights."""
    (weights, price), (new_weights, new_price) = before, after
    moved = float(np.abs(new_price - price).max())
    return bool(np.array_equal(weights, new_weights)) and moved < _NO_PRICE


def _answers(
    names: Sequence[str],
    contrast: Contrast,
    expected: Expected,
    nearness: float,
    spread: float,
) -> list[_Answer]:
    """List the intervals that are wanted: the ratio's, and those of both means."""
    (numerator_z, numerator_h), (denominator_z, denominator_h) = contrast.inverse()
    people, weight = expected.people, expected.weight
    size = abs(people * weight * expected.denominator)
    unit = _unit(contrast, expected)
    # A wide interval ends far from the guess; the far end decides its width.
    far = min(
        math.hypot(nearness, QUANTILE * math.sqrt(spread) / (unit * size)),
        max(nearness, 1.0),
    )
    on_z, on_h = _at_distance(contrast, far * unit)
    vector = _placer(names)
    ratio = _Answer(
        test=vector({"z": on_z, "h": on_h}),
        variance=vector({"zz": on_z**2, "zh": 2 * on_z * on_h, "hh": on_h**2}),
        denominator=vector({"z": denominator_z, "h": denominator_h}),
        size=size,
        sampling=people * expected.weight_square * expected.residual,
    )
    if "w" not in names:
        return [ratio]
    means = [
        (expected.numerator, expected.numerator_square, numerator_z, numerator_h),
        (
            expected.denominator,
            expected.denominator_square,
            denominator_z,
            denominator_h,
        ),
    ]
    return [
        ratio,
        *(
            _Answer(
                test=vector({"z": z, "h": h, "w": -mean}),
                variance=vector(
                    {
                        "zz": z**2,
                        "zh": 2 * z * h,
                        "hh": h**2,
                        "wz": -2 * mean * z,
                        "wh": -2 * mean * h,
                        "ww": mean**2,
                    }
                ),
                denominator=vector({"w": 1.0}),
                size=people * weight,
                sampling=people * expected.weight_square * square,
            )
            for mean, square, z, h in means
        ),
    ]


def _unit(contrast: Contrast, expected: Expected) -> float:
    """Give the size against which the distance from the guess is measured."""
    if contrast.centre:
        return abs(contrast.centre)
    return max(abs(expected.numerator / expected.denominator), 1e-300)


def _at_distance(contrast: Contrast, distance: float) -> tuple[float, float]:
    """Give the weights of z and h in s − r·y, for r this far from the guess."""
    if contrast.centre:
        part = distance / abs(contrast.centre)
        return 1 + part / 2, part / 2
    return 1.0, distance


def _placer(names: Sequence[str]) -> Callable[[Mapping[str, float]], Floats]:
    def place(given: Mapping[str, float]) -> Floats:
        return np.array([given.get(name, 0.0) for name in names])

    return place


def _keep_convex(names: Sequence[str], weights: Floats) -> None:
    """Lower the weight of mixed products until the cost is surely convex."""
    squares = [name for name in ("zz", "hh", "ww") if name in names]
    # Three variables: halves keep the matrix diagonally dominant.
    most = (2 if len(squares) == 2 else 1) * (1 - 2.0**-20)  # noqa: PLR2004
    for mixed in ("zh", "wz", "wh"):
        if mixed in names:
            first, second = (names.index(letter * 2) for letter in mixed)
            at = names.index(mixed)
            limit = most * math.sqrt(weights[first] * weights[second])
            weights[at] = min(weights[at], limit)
