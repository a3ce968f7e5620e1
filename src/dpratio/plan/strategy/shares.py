"""How a budget is shared between sums, and for whom.

Shares of a budget that suit people in the middle of their bounds fail those who sit
near one end, and real people do. So a plan is made for a family: residuals that spread
over 1 % to 30 % of their reach, a ratio that misses its guess either way, rare labels,
weights with a long tail, fewer or more people than expected. A public `Population`
takes the family's place. Either only decides how the budget is shared: a wrong one
widens intervals and never makes them cover less.

The width of an interval grows with the noise of every sum behind it. Weighing that
growth, over the family, against the price of less noise gives a fixed point, which is
iterated here. docs/methods/focused.md derives it, and has the family and its regret.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.laws import NoiseLaw
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.plan.strategy.allowance import QUANTILE, allowance_slopes
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

Box = Mapping[str, Bounds]

# Where the ratio may be, over the guess.
_RATIOS = {"close": (0.8, 0.95, 1.05, 1.25), "unknown": (0.1, 0.4, 1.5, 3.0)}
# Around a guess of zero, over the range of s per the middle of y.
_AROUND_ZERO = (-0.15, -0.03, 0.03, 0.15)
# Standard deviations of s − r·y over its reach.
SPREADS = (0.01, 0.03, 0.1, 0.3)
# A binary label spreads with its frequency, whatever the scores.
_FREQUENCIES = (0.2, 0.5)
# Where in its range the mean weight lies, and its variance over its squared mean.
_WEIGHTS = ((0.1, 1.0), (0.4, 0.25))
_MISS = 0.15  # Of a guess of the people, over the guess of the ratio.

_ITERATIONS = 200
_SETTLED = 1e-5
_LEAST_SHARE = 1e-3
_LEAST_DOUBT = 1e-12  # Relative: less of it is as good as none.
# An answer this many times as wide as one query is lost; it no longer decides.
_LOST = 10.0
_LEAST_DECIDING = 1e-6  # Where all are lost, something decides all the same.
# Ends further out than this many times the ratio say the same: it is not known.
_FURTHEST = 3.0


@dataclass(frozen=True, slots=True)
class People:
    """Moments of one person, and how far the ratio is from its guess r₀.

    ``residual`` is E(s − r·y)² at the true ratio r = r₀ + ``off``; the squares of
    numerator and denominator are variances around their means; ``reach`` is the
    largest weighted |s − r·y| that the box allows.
    """

    count: float
    weight: float
    weight_square: float
    numerator: float
    denominator: float
    off: float
    residual: float
    numerator_square: float
    denominator_square: float
    reach: float


def likely_ratios(box: Box, guess: float, guess_is: str) -> tuple[float, ...]:
    """Return where the ratio may be."""
    if guess:
        return tuple(guess * part for part in _RATIOS[guess_is])
    unit = (box["s"].upper - box["s"].lower) / abs(box["y"].middle)
    return tuple(unit * part for part in _AROUND_ZERO)


def likely_weights(box: Box) -> tuple[tuple[float, float], ...]:
    """Return means that the weight may have, each with its mean square."""
    if "w" not in box:
        return ((1.0, 1.0),)
    w = box["w"]
    means = [(w.lower + part * (w.upper - w.lower), more) for part, more in _WEIGHTS]
    return tuple((mean, mean**2 * (1 + more)) for mean, more in means)


def family_of(
    box: Box,
    guess: float,
    ratios: Sequence[float],
    counts: Sequence[float],
    population: Population | None,
) -> tuple[People, ...]:
    """List the people to plan for.

    Args:
        box: The bounds of one person.
        guess: The guess of the ratio.
        ratios: Where the ratio may be.
        counts: How many people there may be.
        population: What they are like; None for a family.
    """
    if population is not None:
        return tuple(_described(box, guess, population, count) for count in counts)
    return tuple(
        people_of(
            box,
            count=count,
            guess=guess,
            ratio=ratio,
            moments=moments,
            weights=weights,
        )
        for count, ratio in product(counts, ratios)
        for moments, weights in product(_denominators(box, ratio), likely_weights(box))
    )


def _denominators(box: Box, ratio: float) -> Iterator[tuple[float, float]]:
    """Return means of y, each with a variance of s − r·y."""
    y, reach = box["y"], reach_of(box, ratio)
    if y.is_binary:
        for part in _FREQUENCIES:
            yield part, part * (1 - part) * reach**2
        return
    for part in SPREADS:
        yield y.middle, (part * reach) ** 2


def people_of(
    box: Box,
    *,
    count: float,
    guess: float,
    ratio: float,
    moments: tuple[float, float],
    weights: tuple[float, float],
) -> People:
    """Return people with a ratio.

    Args:
        box: The bounds of one person.
        count: How many they are.
        guess: The guess of the ratio.
        ratio: What it is.
        moments: The mean of y and the variance of s − r·y.
        weights: The mean of the weight and its mean square.
    """
    s, y = box["s"], box["y"]
    mean, residual = moments
    return People(
        count=count,
        weight=weights[0],
        weight_square=weights[1],
        numerator=min(max(ratio * mean, s.lower), s.upper),
        denominator=mean,
        off=ratio - guess,
        residual=residual,
        numerator_square=((s.upper - s.lower) / 4) ** 2,
        denominator_square=((y.upper - y.lower) / 4) ** 2,
        reach=_heaviest(box) * reach_of(box, ratio),
    )


def _described(box: Box, guess: float, population: Population, count: float) -> People:
    """Return people as a guess has them; their ratio still misses r₀ a little."""
    s, s_sd = _moments(population.numerator, box["s"], "numerator")
    y, y_sd = _moments(population.per, box["y"], "per")
    weight, weight_sd = 1.0, 0.0
    if "w" in box:
        weight = (box["w"].lower + box["w"].upper) / 2
        if population.weight is not None:
            weight, weight_sd = _moments(population.weight, box["w"], "weight")
    # Weights that go with a column move what it is on average.
    heavy = weight_sd / weight
    numerator = s + population.weight_with_numerator * heavy * s_sd
    denominator = y + population.weight_with_per * heavy * y_sd
    ratio, both = numerator / denominator, population.correlation * s_sd * y_sd
    return People(
        count=count,
        weight=weight,
        weight_square=weight**2 + weight_sd**2,
        numerator=numerator,
        denominator=denominator,
        off=math.hypot(ratio - guess, _MISS * (abs(guess) or abs(ratio))),
        residual=s_sd**2
        + (ratio * y_sd) ** 2
        - 2 * ratio * both
        + (s - ratio * y) ** 2,
        numerator_square=s_sd**2,
        denominator_square=y_sd**2,
        reach=_heaviest(box) * reach_of(box, ratio),
    )


def _moments(column: MeanSd, bounds: Bounds, name: str) -> tuple[float, float]:
    return column.mean, column.spread_within(bounds, name)


def _heaviest(box: Box) -> float:
    return box["w"].reach if "w" in box else 1.0


def reach_of(box: Box, ratio: float) -> float:
    """Return the largest size of s − r·y."""
    ends = product((box["s"].lower, box["s"].upper), (box["y"].lower, box["y"].upper))
    return max(abs(a - ratio * b) for a, b in ends)


@dataclass(frozen=True, slots=True)
class Units:
    """Powers of two near the reach of s, y and w, and the contrast in these units.

    In them no square leaves the range of doubles.
    """

    s: float
    y: float
    w: float
    contrast: Contrast

    def of_sum(self, name: str) -> float:
        """Return the unit of a product of factors."""
        z = self.s * self.w
        h = z if self.contrast.has_numerator else self.y * self.w
        return math.prod({"w": self.w, "z": z, "h": h}[factor] for factor in name)

    def columns(self, family: Sequence[People]) -> dict[str, Floats]:
        """Return each moment of all people, in these units."""
        units = {
            "count": 1.0,
            "weight": self.w,
            "weight_square": self.w**2,
            "numerator": self.s,
            "denominator": self.y,
            "off": self.s / self.y,
            "residual": self.s**2,
            "numerator_square": self.s**2,
            "denominator_square": self.y**2,
            "reach": self.s * self.w,
        }
        return {
            field.name: np.array([getattr(people, field.name) for people in family])
            / units[field.name]
            for field in fields(People)
        }


def units_of(box: Box, contrast: Contrast) -> Units:
    """Return the units for a box and a contrast in the units of the data."""
    y = box["y"].reach
    s = max(box["s"].reach, abs(contrast.centre) * y)
    # The largest power of two up to each size.
    s, y, w = (2.0 ** (math.frexp(size)[1] - 1) for size in (s, y, _heaviest(box)))
    return Units(s, y, w, Contrast(contrast.centre * (y / s), None, contrast.basis))


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals, one in each column, and how noise enters them.

    Args:
        test: Squares of the parts that Σz, Σh and Σw have in the test that the interval
            inverts; products of two have a part in the estimate of its variance.
        denominator: Squares of their parts in the denominator, over its square.
        size: The size of the denominator.
        sampling: The variance of the test without noise.
    """

    test: Floats
    denominator: Floats
    size: Floats
    sampling: Floats

    def spread(self, noise: Floats) -> Floats:
        """Return the variance of the test under a matrix of noise."""
        return self.sampling + noise[0, 1:] @ self.test

    def variances(self, noise: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what is sampling's, what is known noise, and doubt about the first."""
        known = noise[0, 1:] @ self.test
        doubt = (self.test * (noise[1:, 1:] @ self.test)).sum(axis=0)
        least = _LEAST_DOUBT * (self.sampling + known) ** 2
        return self.sampling, known, np.maximum(doubt, least)


def noise_matrix(names: Sequence[str], variances: Floats) -> Floats:
    """Return the noise of Σz, Σh and Σw in the first row, that of products below."""
    first, second, times = _places(tuple(names))
    noise = np.zeros((4, 4))
    noise[first, second] = noise[second, first] = variances * times
    return noise


@lru_cache(maxsize=16)
def _places(names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the places of sums in a matrix, and how often they are in a square."""
    places = [[" zhw".index(factor) for factor in name.rjust(2)] for name in names]
    return *np.array(places).T, np.array([len(set(name)) for name in names])


def ratio_intervals(
    contrast: Contrast, people: Mapping[str, Floats], spread: Floats | None = None
) -> Intervals:
    """Return the intervals of the ratio.

    Args:
        contrast: What z and h are.
        people: The moments of each of the family.
        spread: The variance of the test, as far as it is known.
    """
    _, (on_z, on_h) = contrast.inverse()
    size = np.abs(people["count"] * people["weight"] * people["denominator"])
    sampling = people["count"] * people["weight_square"] * people["residual"]
    spread = sampling if spread is None else spread
    off = people["off"]
    # A wide interval ends far from the guess; its ends decide its width.
    furthest = _FURTHEST * np.maximum(np.abs(off + contrast.centre), np.abs(off))
    far = np.hypot(off, np.minimum(QUANTILE * np.sqrt(spread) / size, furthest))
    far = np.where(off < 0, -far, far)
    test = np.stack([1 - far * on_z, -far * on_h, 0 * far]) ** 2
    denominator = np.outer([on_z**2, on_h**2, 0.0], 1 / size**2)
    return Intervals(test, denominator, size, sampling)


def _mean_intervals(
    contrast: Contrast, people: Mapping[str, Floats]
) -> list[Intervals]:
    """Return the intervals of both means."""
    size = people["count"] * people["weight"]
    denominator = np.outer([0.0, 0.0, 1.0], 1 / size**2)
    intervals = []
    for which, (on_z, on_h) in zip(
        ("numerator", "denominator"), contrast.inverse(), strict=True
    ):
        test = np.stack([on_z + 0 * size, on_h + 0 * size, people[which]]) ** 2
        varied = people["weight_square"] * people[f"{which}_square"]
        sampling = people["count"] * varied
        intervals.append(Intervals(test, denominator, size, sampling))
    return intervals


def _joined(intervals: Sequence[Intervals]) -> Intervals:
    """Return the intervals of several answers side by side."""
    return Intervals(
        *(
            np.concatenate([getattr(some, field.name) for some in intervals], axis=-1)
            for field in fields(Intervals)
        )
    )


@dataclass(frozen=True, slots=True)
class Shared:
    """Noise scales in the units of the data, and the width they promise.

    ``log_width`` is the mean over the family and its answers; it compares plans of the
    same terms, and only differences of it mean something. A small share of the budget
    that is taken away raises it by ``by_budget`` times the share.
    """

    scales: Floats
    log_width: float
    by_budget: float


@lru_cache(maxsize=512)  # Plans are made again at the door and for every forecast.
def share_budget(
    law: NoiseLaw,
    grid: Grid,
    affordable: float,
    units: Units,
    family: tuple[People, ...],
) -> Shared:
    """Share a budget between the sums of the focused strategy.

    Args:
        law: Laplace or Gaussian noise.
        grid: The sums, and what extreme rows put into them.
        affordable: How far one row may move all sums, in units of their noise.
        units: The contrast, and the units of its sums.
        family: The people to plan for.
    """
    is_laplace = law.power == 1
    names = [summand.name for summand in grid.summands]
    sizes = np.array([units.of_sum(name) for name in names])
    moves = np.array([[float(move) for move in row] for row in grid.moves]).T
    moves = (moves * (np.array(grid.steps) / sizes)[:, None]) ** law.power
    largest = moves.max(axis=1)
    price = np.full(moves.shape[1], 1 / moves.shape[1])
    noise, weights = np.zeros((4, 4)), np.ones(len(names))
    people = units.columns(family)
    means = _mean_intervals(units.contrast, people) if "w" in names else []
    one_query = (people["reach"] / affordable) ** 2 * (2 if is_laplace else 1)
    one_query = np.tile(one_query, 1 + len(means))
    spread = None
    for _ in range(_ITERATIONS):
        before = weights
        ratio = ratio_intervals(units.contrast, people, spread)
        intervals = _joined([ratio, *means]) if means else ratio
        worth, _ = _weigh(intervals, names, noise, one_query)
        paid = np.maximum(moves @ price, 1e-12 * largest)
        weights = (worth / paid) ** (1 / 3 if is_laplace else 1 / 2)
        # No sum is left without a share, however little it seems to be worth.
        least = _LEAST_SHARE * (moves.T @ weights).max() / largest
        weights = _made_convex(names, np.maximum(weights, least))
        cost = moves.T @ weights
        weights = weights * (affordable**law.power / cost.max())
        price = price * (cost / cost.max()) ** 2
        price = price / price.sum()
        variances = 2 / weights**2 if is_laplace else 1 / weights
        noise = noise_matrix(names, variances)
        spread = ratio.spread(noise)
        if np.abs(weights / before - 1).max() < _SETTLED:
            break
    worth, excess = _weigh(intervals, names, noise, one_query)
    limit, yardsticks = math.log(_LOST), np.sqrt(intervals.sampling + one_query)
    widths = limit - np.logaddexp(0.0, limit - excess)
    log_width = float((widths + np.log(yardsticks / intervals.size)).mean())
    scales = (1 / weights if is_laplace else 1 / np.sqrt(weights)) * sizes
    scales.flags.writeable = False
    # Noise variances fall with ε², and with μ².
    return Shared(
        scales, log_width, (2 if is_laplace else 1) * float(worth @ variances)
    )


def _weigh(
    intervals: Intervals, names: Sequence[str], noise: Floats, one_query: Floats
) -> tuple[Floats, Floats]:
    """Return what the noise of each sum is worth, and how wide the intervals are.

    The worth is the growth of the mean of the latter, the logarithms of the widths over
    those of one query, with the noise variance of a sum. Lost answers count little.

    Args:
        intervals: Those of all answers.
        names: The sums.
        noise: The matrix of their noise.
        one_query: The noise variance of one query at the whole budget, for each
            interval.
    """
    sampling, known, doubt = intervals.variances(noise)
    allowed, by_noise, by_doubt = allowance_slopes(sampling, known, doubt, QUANTILE)
    widened = sampling + known + allowed
    weak = noise[0, 1:] @ intervals.denominator
    excess = 0.5 * np.log(widened / (sampling + one_query)) + weak
    deciding = np.exp(-np.logaddexp(0.0, excess - math.log(_LOST)))
    deciding = np.maximum(deciding, _LEAST_DECIDING)
    halved = deciding * 0.5 / widened
    growth, test = np.zeros((4, 4)), intervals.test
    growth[0, 1:] = test @ (halved * (1 + by_noise)) + intervals.denominator @ deciding
    growth[1:, 1:] = (test * (halved * by_doubt)) @ test.T
    first, second, times = _places(tuple(names))
    worth: Floats = growth[first, second] * times**2 / len(deciding)
    return worth, excess


def _made_convex(names: Sequence[str], weights: Floats) -> Floats:
    """Return weights of which those of mixed products leave the cost surely convex."""
    lowered = dict(zip(names, weights, strict=True))
    squares = [name for name in ("zz", "hh", "ww") if name in names]
    # Three variables: halves keep the matrix diagonally dominant.
    most = (2 if len(squares) == 2 else 1) * (1 - 2.0**-20)  # noqa: PLR2004
    for mixed in ("zh", "wz", "wh"):
        if mixed in names:
            limit = most * np.sqrt(math.prod(lowered[letter * 2] for letter in mixed))
            lowered[mixed] = min(lowered[mixed], limit)
    return np.array(list(lowered.values()))
