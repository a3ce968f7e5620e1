"""The people that a plan is made for: a stated family where nobody described them.

Shares of a budget that suit people in the middle of their bounds fail those who sit
near one end, and real people do. So a plan is made for a family: residuals that spread
over 1 % to 30 % of their reach, a ratio that misses its guess either way, rare labels,
weights with a long tail, fewer or more people than expected. A public `Guess` takes the
family's place. Either only decides how the budget is shared: a wrong one widens
intervals and never makes them cover less. docs/methods/focused.md has the family and
its regret.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess, middle_of

__all__ = [
    "EXPECTED_PEOPLE",
    "People",
    "Units",
    "family_of",
    "likely_counts",
    "likely_ratios",
    "stated_family",
    "units_of",
]

Box = Mapping[str, Bounds]

EXPECTED_PEOPLE = 5_000
# How many people there may be, over what is expected: without a word, and with n.
_COUNTS, _COUNTS_AROUND = (0.15, 1.0, 7.0), (0.8, 1.3)
# Where the ratio may be, over the guess.
_RATIOS = {"close": (0.8, 0.95, 1.05, 1.25), "unknown": (0.1, 0.4, 1.5, 3.0)}
# Around a guess of zero, over the range of s per the middle of y.
_AROUND_ZERO = (-0.15, -0.03, 0.03, 0.15)
# Standard deviations of s − r·y over its reach.
_SPREADS = (0.01, 0.03, 0.1, 0.3)
# A binary label spreads with its frequency, whatever the scores.
_FREQUENCIES = (0.2, 0.5)
# Where in its range the mean weight lies, and its variance over its squared mean.
_WEIGHTS = ((0.1, 1.0), (0.4, 0.25))
_UNWEIGHTED = ((1.0, 0.0),)
# For ranges of widths: how frequent a label is, and where in its range a mean may lie.
_STATED_FREQUENCIES = (0.05, 0.2, 0.5, 0.8)
_STATED_PART = 0.1
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
        """Give the unit of a product of factors."""
        return math.prod(self.factors[each] for each in factors)


def units_of(box: Box, contrast: Contrast) -> Units:
    """Choose units in which no square leaves the range of doubles."""
    y, w = _near(box["y"].reach), _near(box["w"].reach) if "w" in box else 1.0
    s = _near(max(box["s"].reach, abs(contrast.centre) * box["y"].reach))
    unit = {"s": s, "y": y, "w": w, "c": 1.0}
    scaled = {
        name: Range(each.lower / unit[name], each.upper / unit[name], each.is_binary)
        for name, each in box.items()
    }
    limit = None if contrast.limit is None else contrast.limit / s / w
    unit |= {"z": s * w, "h": s * w if contrast.has_numerator else y * w}
    near = Contrast(contrast.centre * y / s, limit, contrast.basis)
    return Units(unit, box, scaled, near)


def _near(size: float) -> float:
    """Give the largest power of two up to a size; a binary column keeps its unit."""
    return 2.0 ** (math.frexp(size)[1] - 1)


def likely_counts(n: int | None) -> tuple[float, ...]:
    """Say how many people there may be, around n or around what is usual."""
    if n is None:
        return tuple(EXPECTED_PEOPLE * each for each in _COUNTS)
    return tuple(n * each for each in _COUNTS_AROUND)


def likely_ratios(units: Units, guess_is: str) -> tuple[float, ...]:
    """Say where the ratio may be, in the units of the box."""
    centre, s, y = units.contrast.centre, units.box["s"], units.box["y"]
    if centre:
        return tuple(centre * each for each in _RATIOS[guess_is])
    unit = (s.upper - s.lower) / abs(middle_of(y))
    return tuple(unit * each for each in _AROUND_ZERO)


def family_of(
    units: Units,
    ratios: Sequence[float],
    counts: Sequence[float],
    guess: Guess | None,
) -> tuple[People, ...]:
    """List the people to plan for.

    Args:
        units: The box of one person and the contrast, in their units.
        ratios: Where the ratio may be, in the same units.
        counts: How many people there may be.
        guess: What they are like, in the units of the data; None for a family.
    """
    if guess is not None:
        return tuple(_guessed(units, guess, count) for count in counts)
    box, centre = units.box, units.contrast.centre
    return tuple(
        _people(count, box, ratio, ratio - centre, *each)
        for count, ratio in product(counts, ratios)
        for each in product(
            _denominators(box, ratio), _WEIGHTS if "w" in box else _UNWEIGHTED
        )
    )


def stated_family(
    units: Units, guess_is: str, count: float, row: Box | None = None
) -> tuple[People, ...]:
    """List the people whom nobody described, for a range of widths.

    It is wider than the family that shares are made for, which decides nothing about
    coverage: labels may be rare or usual, and a denominator may sit near the end of
    its range, with a ratio that is as much larger where no guess was made. Nobody
    spreads further than bounds and means allow.

    Where the box is one of totals, ``row`` is that of one row. Nobody said how rows of
    a person differ, so totals are one row written large: people then never look
    cheaper to protect than as many rows.
    """
    if row is not None:
        is_label = row["y"].is_binary and not row["y"].is_one
        large = {**units.box, "y": units.box["y"]._replace(is_binary=is_label)}
        alike = stated_family(replace(units, box=large), guess_is, count)
        if "w" not in row:
            return alike
        pairs = product(alike, _WEIGHTS)
        return tuple(_of_weighted_rows(each, row["w"], *by) for each, by in pairs)
    box, centre = units.box, units.contrast.centre
    found = []
    # Rows that are counted are 1, whoever has them.
    one = box["y"].upper, middle_of(box["y"]), 0.0
    for mean, usual, part in [one] if units.given["y"].is_one else _means(box["y"]):
        moved = usual / mean if guess_is == "unknown" and centre else 1.0
        for near in likely_ratios(units, guess_is):
            ratio = near * moved
            reach = _reach(box, ratio)
            parts = (math.sqrt(part * (1 - part)),) if part else _SPREADS
            found += [
                _possible(
                    _people(
                        *(count, box, ratio, ratio - centre),
                        (mean, (spread * reach) ** 2),
                        weights,
                    ),
                    box,
                    ratio,
                )
                for spread in parts
                for weights in (_WEIGHTS if "w" in box else _UNWEIGHTED)
            ]
    return tuple(found)


def _of_weighted_rows(
    people: People, bounds: Bounds, part: float, varied: float
) -> People:
    """Give people whose totals are of rows with weights, over the largest weight."""
    weight = (bounds.lower + part * (bounds.upper - bounds.lower)) / bounds.upper
    square = weight**2 * (1 + varied)

    def spread(mean: float, variance: float) -> float:
        return square * (mean**2 + variance) - (weight * mean) ** 2

    return replace(
        people,
        numerator=weight * people.numerator,
        denominator=weight * people.denominator,
        residual=square * people.residual,
        numerator_square=spread(people.numerator, people.numerator_square),
        denominator_square=spread(people.denominator, people.denominator_square),
    )


def _means(y: Range) -> Iterator[tuple[float, float, float]]:
    """Give means that y may have, and the one that a guess is made with.

    The third is how frequent y is where it is a label, or 0.
    """
    usual = middle_of(y)
    if y.is_binary:
        for part in _STATED_FREQUENCIES:
            yield y.lower + part * (y.upper - y.lower), usual, part
        return
    yield usual, usual, 0.0
    if y.lower >= 0 or y.upper <= 0:
        near, far = sorted((y.lower, y.upper), key=abs)
        yield near + _STATED_PART * (far - near), usual, 0.0


def _possible(people: People, box: Ranges, ratio: float) -> People:
    """Let s − r·y spread no further than the means of s and y allow.

    A column within bounds spreads most when all its values lie on them.
    """
    most = _most_spread(people.numerator, box["s"])
    most += abs(ratio) * _most_spread(people.denominator, box["y"])
    return replace(people, residual=min(people.residual, most**2))


def _most_spread(mean: float, bounds: Range) -> float:
    return math.sqrt((mean - bounds.lower) * (bounds.upper - mean))


def _denominators(box: Ranges, ratio: float) -> Iterator[tuple[float, float]]:
    """Give means of y, each with a variance of s − r·y."""
    y, reach = box["y"], _reach(box, ratio)
    if y.is_binary:
        for part in _FREQUENCIES:
            yield part, part * (1 - part) * reach**2
        return
    for part in _SPREADS:
        yield middle_of(y), (part * reach) ** 2


def _people(
    count: float,
    box: Ranges,
    ratio: float,
    off: float,
    denominator: tuple[float, float],
    weights: tuple[float, float],
) -> People:
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
        reach=heaviest * _reach(box, ratio),
    )


def _guessed(units: Units, guess: Guess, count: float) -> People:
    """Take people as a guess has them; their ratio still misses r₀ a little."""
    box, unit, given = units.box, units.factors, units.given
    s, s_sd = (
        each / unit["s"] for each in _moments(guess.numerator, given["s"], "numerator")
    )
    y, y_sd = (each / unit["y"] for each in _moments(guess.per, given["y"], "per"))
    weight, weight_sd = 1.0, 0.0
    if "w" in box:
        weight = (box["w"].lower + box["w"].upper) / 2
    if guess.weight is not None and "w" in box:
        guessed = _moments(guess.weight, given["w"], "weight")
        weight, weight_sd = (each / unit["w"] for each in guessed)
    # Weights that go with a column move what it is on average.
    heavy = weight_sd / weight
    numerator = s + guess.weight_with_numerator * heavy * s_sd
    denominator = y + guess.weight_with_per * heavy * y_sd
    ratio, centre = numerator / denominator, units.contrast.centre
    both = guess.correlation * s_sd * y_sd
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
        reach=(box["w"].reach if "w" in box else 1.0) * _reach(box, ratio),
    )


def _moments(guess: ColumnGuess, bounds: Bounds, name: str) -> tuple[float, float]:
    return guess.mean, guess.spread_within(bounds, name)


def _reach(box: Ranges, ratio: float) -> float:
    ends = product((box["s"].lower, box["s"].upper), (box["y"].lower, box["y"].upper))
    return max(abs(a - ratio * b) for a, b in ends)
