"""How a budget is shared between sums: by what each is worth to the answers.

The width of an interval grows with the noise of every sum behind it. Weighing that
growth, over the family of people that a plan is made for, against the price of less
noise gives a fixed point, which is iterated here. docs/methods/focused.md derives it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.laws import NoiseLaw
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.plan.strategy.allowance import QUANTILE, allowance, allowance_slopes
from dpratio.plan.strategy.people import People, Units

_ITERATIONS = 200
_ROUNDS = 20
_SETTLED = 1e-5
_LEAST_SHARE = 1e-3
_LEAST_DOUBT = 1e-12  # Relative: less of it is as good as none.
# An answer this many times as wide as one query is lost; it no longer decides.
_LOST = 10.0
_LEAST_HEARD = 1e-6  # Where all are lost, something decides all the same.
# Ends further out than this many times the ratio say the same: it is not known.
_FURTHEST = 3.0


@dataclass(frozen=True, slots=True)
class Shared:
    """Noise scales in the units of the data, and the width they promise.

    ``log_width`` is the mean over the family and its answers; it compares plans of the
    same terms, and only differences of it mean something. Whoever takes a small share
    of the budget away raises it by ``by_budget`` times the share.
    """

    scales: Floats
    log_width: float
    by_budget: float


@dataclass(frozen=True, slots=True)
class _Answers:
    """Intervals, one a row: how noise enters its test, variance and denominator."""

    test: Floats
    variance: Floats
    denominator: Floats
    size: Floats
    sampling: Floats
    yardstick: Floats

    def variances(self, noise: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the variances that are sampling's, that are known noise, and doubt.

        The last are the noise variances of the estimates of the first.
        """
        known: Floats = self.test @ noise
        unsure: Floats = self.variance @ noise
        least = _LEAST_DOUBT * (self.sampling + known) ** 2
        return self.sampling, known, np.maximum(unsure, least)

    def spread(self, noise: Floats, count: int) -> Floats:
        """Return the variances of the first test statistics."""
        return (self.sampling + self.test @ noise)[:count]

    def under(self, noise: Floats) -> "_Noisy":
        """Put noise on every sum, given by its variances."""
        sampling, known, doubt = self.variances(noise)
        allowed, *slopes = allowance_slopes(sampling, known, doubt, QUANTILE)
        weak: Floats = (self.denominator / self.size[:, None]) ** 2
        widened: Floats = sampling + known + allowed
        excess = 0.5 * np.log(widened) - np.log(self.yardstick) + weak @ noise
        return _Noisy(self, widened, excess, weak, slopes)


@dataclass(frozen=True, slots=True)
class _Noisy:
    """The same intervals under noise.

    ``widened`` are the variances with what is allowed for the noise in their estimates,
    ``excess`` the logarithms of the widths over those of one query.
    """

    answers: _Answers
    widened: Floats
    excess: Floats
    weak: Floats
    slopes: Sequence[Floats]

    def worth(self) -> Floats:
        """Return the growth of the mean excess with the noise variance of each sum."""
        by_noise, by_doubt = self.slopes
        halved = 0.5 / self.widened
        heard = np.exp(-np.logaddexp(0.0, self.excess - math.log(_LOST)))
        heard = np.maximum(heard, _LEAST_HEARD)
        growth: Floats = (
            (heard * halved * (1 + by_noise)) @ self.answers.test
            + (heard * halved * by_doubt) @ self.answers.variance
            + heard @ self.weak
        )
        return growth / len(heard)

    def log_width(self) -> float:
        """Return the mean logarithm of the widths; lost answers count alike."""
        lost = math.log(_LOST)
        heard = lost - np.logaddexp(0.0, lost - self.excess)
        yardstick = self.answers.yardstick / self.answers.size
        return float((heard + np.log(yardstick)).mean())


def share_budget(
    law: NoiseLaw,
    grid: Grid,
    affordable: float,
    units: Units,
    family: Sequence[People],
) -> Shared:
    """Share a budget between the sums of the focused strategy.

    Args:
        law: Laplace or Gaussian noise.
        grid: The sums, and what extreme rows put into them.
        affordable: How far one row may move all sums, in units of their noise.
        units: The contrast, in units of the box.
        family: The people to plan for.
    """
    products = tuple(units.product(each.factors) for each in grid.summands)
    return _shared(law, grid, affordable, products, units.contrast, tuple(family))


@lru_cache(maxsize=512)  # Plans are made again at the door and for every forecast.
def _shared(
    law: NoiseLaw,
    grid: Grid,
    affordable: float,
    products: tuple[float, ...],
    contrast: Contrast,
    family: tuple[People, ...],
) -> Shared:
    is_laplace = law.power == 1
    names = [each.name for each in grid.summands]
    sizes = np.array(products)
    moves = np.array([[float(move) for move in row] for row in grid.moves]).T
    moves *= (np.array(grid.steps) / sizes)[:, None]
    budget = affordable
    if not is_laplace:
        moves, budget = moves**2, affordable**2
    price = np.full(moves.shape[1], 1 / moves.shape[1])
    power = 1 / 3 if is_laplace else 1 / 2
    largest = moves.max(axis=1)
    noise = np.zeros(len(names))
    weights = np.ones(len(names))
    people = _columns(family)
    one_query = (people["reach"] / affordable) ** 2 * (2 if is_laplace else 1)
    spread = people["count"] * people["weight_square"] * people["residual"]
    answers_for = _answers(names, contrast, people, one_query)
    for _ in range(_ITERATIONS):
        before = weights
        answers = answers_for(spread)
        worth = answers.under(noise).worth()
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
        spread = answers.spread(noise, len(spread))
        if np.abs(weights / before - 1).max() < _SETTLED:
            break
    scales = (1 / weights if is_laplace else 1 / np.sqrt(weights)) * sizes
    scales.flags.writeable = False
    noisy = answers.under(noise)
    # Noise variances fall with ε², and with μ².
    by_budget = (2 if is_laplace else 1) * float(noisy.worth() @ noise)
    return Shared(scales, noisy.log_width(), by_budget)


def promised_widths(
    names: Sequence[str],
    units: Units,
    family: Sequence[People],
    noise: Floats,
    quantile: float = QUANTILE,
) -> tuple[Floats, Floats]:
    """Forecast the width of the ratio's interval for each of a family of people.

    Args:
        names: The sums that are measured.
        units: The contrast, in units of the box.
        family: The people.
        noise: The noise variance of each sum, in the units of the data.
        quantile: The two-sided normal quantile of the level.

    Returns:
        The widths, infinite where the denominator cannot be told from zero, and the
        standard errors, which are finite.
    """
    people = _columns(family)
    sizes = np.array([units.product(tuple(each)) for each in names])
    own = noise / sizes**2
    spread = people["count"] * people["weight_square"] * people["residual"]
    answers_for = _answers(names, units.contrast, people, np.ones_like(spread))
    for _ in range(_ROUNDS):
        answers = answers_for(spread)
        spread = answers.spread(own, len(spread))
    ratios = slice(len(spread))
    sampling, known, doubt = (each[ratios] for each in answers.variances(own))
    widened = sampling + known + allowance(sampling, known, doubt, QUANTILE)
    size = answers.size[ratios]
    errors = units.ratio * np.sqrt(widened) / size
    noise_below = (answers.denominator**2 @ own)[ratios]
    varied = people["denominator"] ** 2 + people["denominator_square"]
    sampled = people["count"] * people["weight_square"] * varied
    # Fieller (1954): the set has no end where zero is a plausible denominator.
    endless = quantile**2 * (noise_below + sampled) >= size**2
    weak = np.where(endless, np.inf, noise_below / size**2)
    return 2 * quantile * errors * np.exp(weak), errors


def _columns(family: Sequence[People]) -> dict[str, Floats]:
    return {
        field.name: np.array([getattr(each, field.name) for each in family])
        for field in fields(People)
    }


def _answers(
    names: Sequence[str],
    contrast: Contrast,
    people: Mapping[str, Floats],
    one_query: Floats,
) -> Callable[[Floats], _Answers]:
    """List the intervals that are wanted: the ratio's, and those of both means.

    They are given as far as the variance of each test of the ratio is known; the rest
    of them is worked out once.

    Args:
        names: The sums.
        contrast: What z and h are.
        people: The moments of each of the family.
        one_query: The noise variance of one query at the whole budget.
    """
    (numerator_z, numerator_h), (denominator_z, denominator_h) = contrast.inverse()
    heads = people["count"] * people["weight"]
    squares = people["count"] * people["weight_square"]
    size, varied = np.abs(heads * people["denominator"]), squares * people["residual"]
    off = people["off"]
    furthest = _FURTHEST * np.maximum(np.abs(off + contrast.centre), np.abs(off))
    one, ratios = np.ones_like(off), slice(len(off))

    def place(given: Mapping[str, Floats]) -> Floats:
        placed = np.zeros((len(off), len(names)))
        for name, each in given.items():
            if name in names:
                placed[:, names.index(name)] = each
        return placed

    rows = [
        _Answers(
            test=place({}),
            variance=place({}),
            denominator=place({"z": denominator_z * one, "h": denominator_h * one}),
            size=size,
            sampling=varied,
            yardstick=np.sqrt(varied + one_query),
        )
    ]
    if "w" in names:
        for which, z, h in (
            ("numerator", numerator_z, numerator_h),
            ("denominator", denominator_z, denominator_h),
        ):
            mean, sampled = people[which], squares * people[f"{which}_square"]
            rows.append(
                _Answers(
                    test=place({"z": z * one, "h": h * one, "w": -mean}) ** 2,
                    variance=place(
                        {
                            "zz": z**2 * one,
                            "zh": 2 * z * h * one,
                            "hh": h**2 * one,
                            "wz": -2 * mean * z,
                            "wh": -2 * mean * h,
                            "ww": mean**2,
                        }
                    )
                    ** 2,
                    denominator=place({"w": one}),
                    size=heads,
                    sampling=sampled,
                    yardstick=np.sqrt(sampled + one_query),
                )
            )
    fixed = _Answers(
        *(
            np.concatenate([getattr(each, field.name) for each in rows])
            for field in fields(_Answers)
        )
    )

    def answers(spread: Floats) -> _Answers:
        # A wide interval ends far from the guess; its ends decide its width.
        far = np.hypot(off, np.minimum(QUANTILE * np.sqrt(spread) / size, furthest))
        far = np.where(off < 0, -far, far)
        on_z, on_h = 1 - far * denominator_z, -far * denominator_h
        test, variance = fixed.test.copy(), fixed.variance.copy()
        test[ratios] = place({"z": on_z, "h": on_h}) ** 2
        parts = {"zz": on_z**2, "zh": 2 * on_z * on_h, "hh": on_h**2}
        variance[ratios] = place(parts) ** 2
        return replace(fixed, test=test, variance=variance)

    return answers


def _keep_convex(names: Sequence[str], weights: Floats) -> None:
    """Lower the weight of mixed products until the cost is surely convex."""
    squares = [name for name in ("zz", "hh", "ww") if name in names]
    # Three variables: halves keep the matrix diagonally dominant.
    most = (2 if len(squares) == 2 else 1) * (1 - 2.0**-20)  # noqa: PLR2004
    for mixed in ("zh", "wz", "wh"):
        if mixed in names:
            first, second = (names.index(letter * 2) for letter in mixed)
            at = names.index(mixed)
            limit = most * np.sqrt(weights[first] * weights[second])
            weights[at] = min(weights[at], limit)
