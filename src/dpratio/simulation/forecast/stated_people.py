"""The people whom nobody described, for a range of widths.

It is wider than the family that shares are made for, and decides nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dpratio.plan.sensitivity.sums import middle_of
from dpratio.plan.strategy.people import (
    SPREADS,
    UNWEIGHTED,
    WEIGHTS,
    Box,
    People,
    Range,
    Ranges,
    Units,
    likely_ratios,
    people_of,
    reach_of,
)
from dpratio.terms.bounds import Bounds

# How frequent a label is, and where in its range a mean may lie.
_STATED_FREQUENCIES = (0.05, 0.2, 0.5, 0.8)
_STATED_PART = 0.1


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
        pairs = product(alike, WEIGHTS)
        return tuple(_of_weighted_rows(each, row["w"], *by) for each, by in pairs)
    box, centre = units.box, units.contrast.centre
    found = []
    # Rows that are counted are 1, whoever has them.
    one = box["y"].upper, middle_of(box["y"].lower, box["y"].upper), 0.0
    for mean, usual, part in [one] if units.given["y"].is_one else _means(box["y"]):
        moved = usual / mean if guess_is == "unknown" and centre else 1.0
        for near in likely_ratios(units, guess_is):
            ratio = near * moved
            reach = reach_of(box, ratio)
            parts = (math.sqrt(part * (1 - part)),) if part else SPREADS
            found += [
                _possible(
                    people_of(
                        *(count, box, ratio, ratio - centre),
                        (mean, (spread * reach) ** 2),
                        weights,
                    ),
                    box,
                    ratio,
                )
                for spread in parts
                for weights in (WEIGHTS if "w" in box else UNWEIGHTED)
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
    usual = middle_of(y.lower, y.upper)
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
