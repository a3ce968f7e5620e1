"""The people that a plan is made for: a stated family where nobody described them.

Shares of a budget that suit people in the middle of their bounds fail those who sit
near one end, and real people do. So a plan is made for a family: residuals that spread
over 1 % to 30 % of their reach, a ratio that misses its guess either way, rare labels,
weights with a long tail, fewer or more people than expected. A public `Population`
takes the family's place. Either only decides how the budget is shared: a wrong one
widens intervals and never makes them cover less. docs/methods/focused.md has the family
and its regret.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from dpratio.plan.sensitivity.sums import Contrast, middle_of
from dpratio.plan.strategy.first_stage import Expected
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

Box = Mapping[str, Bounds]

EXPECTED_PEOPLE = 5_000
# How many people there may be, over what is expected: without a word, and with n.
_COUNTS, _COUNTS_AROUND = (0.15, 1.0, 7.0), (0.8, 1.3)
# Where the ratio may be, over the guess.
_RATIOS = {"close": (0.8, 0.95, 1.05, 1.25), "unknown": (0.1, 0.4, 1.5, 3.0)}
# Around a guess of zero, over the range of s per the middle of y.
_AROUND_ZERO = (-0.15, -0.03, 0.03, 0.15)
# Standard deviations of s − r·y over its reach.
SPREADS = (0.01, 0.03, 0.1, 0.3)
# A binary label spreads with its frequency, whatever the scores.
_FREQUENCIES = (0.2, 0.5)
# Where in its range the mean weight lies, and its variance over its squared mean.
WEIGHTS = ((0.1, 1.0), (0.4, 0.25))
UNWEIGHTED = ((1.0, 0.0),)
_MISS = 0.15  # Of a guess of the people, over the guess of the ratio.


class Range(NamedTuple):
    """Bounds in another unit: of any size."""

    lower: float
    upper: float
    is_binary: bool

    @property
    def reach(self) -> float:
        """The largest size of a value."""
        return max(abs(self.lower), abs(self.upper))


Ranges = Mapping[str, Range]


@dataclass(frozen=True, slots=True)
class People:
    """Moments of one person, in units of the box, and how far the ratio is from r₀.

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


@dataclass(frozen=True, slots=True)
class Units:
    """Powers of two near the reach of s, y and w, and a box and a contrast in them.

    ``given`` is the box in the units of the data.
    """

    factors: Mapping[str, float]
    given: Box
    box: Ranges
    contrast: Contrast

    def product(self, factors: Sequence[str]) -> float:
        """Return the unit of a product of factors."""
        return math.prod(self.factors[each] for each in factors)

    @property
    def ratio(self) -> float:
        """Return the unit of a ratio."""
        return self.factors["s"] / self.factors["y"]

    def around(self, contrast: Contrast) -> "Units":
        """Return the units with a contrast around another guess, without a limit."""
        z = self.factors["z"]
        h = z if contrast.has_numerator else self.factors["y"] * self.factors["w"]
        near = Contrast(contrast.centre / self.ratio, None, contrast.basis)
        return replace(self, factors={**self.factors, "h": h}, contrast=near)


def units_of(box: Box, contrast: Contrast) -> Units:
    """Choose units in which no square leaves the range of doubles."""
    y, w = _near(box["y"].reach), _near(box["w"].reach) if "w" in box else 1.0
    s = _near(max(box["s"].reach, abs(contrast.centre) * box["y"].reach))
    unit = {"s": s, "y": y, "w": w, "c": 1.0, "z": s * w}
    scaled = {
        name: Range(each.lower / unit[name], each.upper / unit[name], each.is_binary)
        for name, each in box.items()
    }
    limit = None if contrast.limit is None else contrast.limit / s / w
    units = Units(unit, box, scaled, contrast).around(contrast)
    return replace(units, contrast=replace(units.contrast, limit=limit))


def _near(size: float) -> float:
    """Return the largest power of two up to a size; a binary column keeps its unit."""
    return 2.0 ** (math.frexp(size)[1] - 1)


def likely_counts(n: int | None) -> tuple[float, ...]:
    """Return how many people there may be, around n or around what is usual."""
    if n is None:
        return tuple(EXPECTED_PEOPLE * each for each in _COUNTS)
    return tuple(n * each for each in _COUNTS_AROUND)


def likely_ratios(units: Units, guess_is: str) -> tuple[float, ...]:
    """Return where the ratio may be, in the units of the box."""
    centre, s, y = units.contrast.centre, units.box["s"], units.box["y"]
    if centre:
        return tuple(centre * each for each in _RATIOS[guess_is])
    unit = (s.upper - s.lower) / abs(middle_of(y.lower, y.upper))
    return tuple(unit * each for each in _AROUND_ZERO)


def expected_of(units: Units, guess_is: str) -> Expected:
    """Return where the ratio is expected, in the units of the data.

    Where nobody guessed it, it may also be as large as it is at the far end of s, so
    that a first stage may move a guess that far.
    """
    centre, box = units.contrast.centre, units.box
    ratios = list(likely_ratios(units, guess_is))
    if guess_is == "unknown":
        far = box["s"].reach / box["y"].reach
        open_sign = not centre or box["s"].lower < 0 < box["s"].upper
        ratios += [far, -far] if open_sign else [math.copysign(far, centre)]
    unit, middle = Fraction(units.ratio), Fraction(centre)
    squares = sum((Fraction(each) - middle) ** 2 for each in ratios)
    return Expected(unit * middle, unit**2 * squares / len(ratios))


def family_of(
    units: Units,
    ratios: Sequence[float],
    counts: Sequence[float],
    population: Population | None,
) -> tuple[People, ...]:
    """List the people to plan for.

    Args:
        units: The box of one person and the contrast, in their units.
        ratios: Where the ratio may be, in the same units.
        counts: How many people there may be.
        population: What they are like, in the units of the data; None for a family.
    """
    if population is not None:
        return tuple(_guessed(units, population, count) for count in counts)
    box, centre = units.box, units.contrast.centre
    return tuple(
        people_of(count, box, ratio, ratio - centre, *each)
        for count, ratio in product(counts, ratios)
        for each in product(
            _denominators(box, ratio), WEIGHTS if "w" in box else UNWEIGHTED
        )
    )


def _denominators(box: Ranges, ratio: float) -> Iterator[tuple[float, float]]:
    """Return means of y, each with a variance of s − r·y."""
    y, reach = box["y"], reach_of(box, ratio)
    if y.is_binary:
        for part in _FREQUENCIES:
            yield part, part * (1 - part) * reach**2
        return
    for part in SPREADS:
        yield middle_of(y.lower, y.upper), (part * reach) ** 2


def people_of(
    count: float,
    box: Ranges,
    ratio: float,
    off: float,
    denominator: tuple[float, float],
    weights: tuple[float, float],
) -> People:
    """Return people with a mean of y and a variance of s − r·y.

    Of weights it takes the place of their mean in the range, and their variance over
    its square.
    """
    s, y = box["s"], box["y"]
    mean, residual = denominator
    lightest, heaviest = (box["w"].lower, box["w"].upper) if "w" in box else (1.0, 1.0)
    weight = lightest + weights[0] * (heaviest - lightest)
    return People(
        count=count,
        weight=weight,
        weight_square=weight**2 * (1 + weights[1]),
        numerator=min(max(ratio * mean, s.lower), s.upper),
        denominator=mean,
        off=off,
        residual=residual,
        numerator_square=((s.upper - s.lower) / 4) ** 2,
        denominator_square=((y.upper - y.lower) / 4) ** 2,
        reach=heaviest * reach_of(box, ratio),
    )


def _guessed(units: Units, population: Population, count: float) -> People:
    """Return people as a guess has them; their ratio still misses r₀ a little."""
    box, unit, given = units.box, units.factors, units.given
    s, s_sd = (
        each / unit["s"]
        for each in _moments(population.numerator, given["s"], "numerator")
    )
    y, y_sd = (each / unit["y"] for each in _moments(population.per, given["y"], "per"))
    weight, weight_sd = 1.0, 0.0
    if "w" in box:
        weight = (box["w"].lower + box["w"].upper) / 2
    if population.weight is not None and "w" in box:
        guessed = _moments(population.weight, given["w"], "weight")
        weight, weight_sd = (each / unit["w"] for each in guessed)
    # Weights that go with a column move what it is on average.
    heavy = weight_sd / weight
    numerator = s + population.weight_with_numerator * heavy * s_sd
    denominator = y + population.weight_with_per * heavy * y_sd
    ratio, centre = numerator / denominator, units.contrast.centre
    both = population.correlation * s_sd * y_sd
    return People(
        count=count,
        weight=weight,
        weight_square=weight**2 + weight_sd**2,
        numerator=numerator,
        denominator=denominator,
        off=math.hypot(ratio - centre, _MISS * (abs(centre) or abs(ratio))),
        residual=s_sd**2
        + (ratio * y_sd) ** 2
        - 2 * ratio * both
        + (s - ratio * y) ** 2,
        numerator_square=s_sd**2,
        denominator_square=y_sd**2,
        reach=(box["w"].reach if "w" in box else 1.0) * reach_of(box, ratio),
    )


def _moments(population: MeanSd, bounds: Bounds, name: str) -> tuple[float, float]:
    return population.mean, population.spread_within(bounds, name)


def reach_of(box: Ranges, ratio: float) -> float:
    """Return the largest size of s − r·y."""
    ends = product((box["s"].lower, box["s"].upper), (box["y"].lower, box["y"].upper))
    return max(abs(a - ratio * b) for a, b in ends)
