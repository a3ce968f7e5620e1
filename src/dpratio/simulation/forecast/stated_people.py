"""The people whom nobody described, for a range of widths.

It is wider than the family that shares are made for, and decides nothing.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dpratio.plan.strategy.shares import (
    SPREADS,
    Box,
    People,
    likely_ratios,
    likely_weights,
    people_of,
    reach_of,
)
from dpratio.terms.bounds import Bounds

# How frequent a label is, and where in its range a mean may lie.
_STATED_FREQUENCIES = (0.05, 0.2, 0.5, 0.8)
_STATED_PART = 0.1


def stated_family(
    box: Box, guess: float, guess_is: str, count: float, row: Box | None = None
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
    labels = (box if row is None else row)["y"]
    family = []
    for mean, usual, part in _means(box["y"], labels):
        moved = usual / mean if guess_is == "unknown" and guess else 1.0
        for near in likely_ratios(box, guess, guess_is):
            ratio = near * moved
            reach = reach_of(box, ratio)
            parts = (math.sqrt(part * (1 - part)),) if part else SPREADS
            family += [
                _possible(
                    people_of(
                        box,
                        count=count,
                        guess=guess,
                        ratio=ratio,
                        moments=(mean, (spread * reach) ** 2),
                        weights=weights,
                    ),
                    box,
                    ratio,
                )
                for spread in parts
                for weights in likely_weights(box)
            ]
    if row is None or "w" not in row:
        return tuple(family)
    heaviest = row["w"].upper
    return tuple(
        _of_weighted_rows(people, weight / heaviest, square / heaviest**2)
        for people, (weight, square) in product(family, likely_weights(row))
    )


def _of_weighted_rows(people: People, weight: float, square: float) -> People:
    """Return people whose totals are of rows with weights, over the largest weight."""

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


def _means(y: Bounds, labels: Bounds) -> Iterator[tuple[float, float, float]]:
    """Return means that y may have, and the one that a guess is made with.

    The third is how frequent y is where rows have labels, or 0.
    """
    usual = y.middle
    if y.is_one:
        # Rows that are counted are 1, whoever has them.
        yield y.upper, usual, 0.0
        return
    if labels.is_binary and not labels.is_one:
        for part in _STATED_FREQUENCIES:
            yield y.lower + part * (y.upper - y.lower), usual, part
        return
    yield usual, usual, 0.0
    if y.lower >= 0 or y.upper <= 0:
        near, far = sorted((y.lower, y.upper), key=abs)
        yield near + _STATED_PART * (far - near), usual, 0.0


def _possible(people: People, box: Box, ratio: float) -> People:
    """Return people of whom s − r·y spreads no further than means allow.

    A column within bounds spreads most when all its values lie on them.
    """
    most = _most_spread(people.numerator, box["s"])
    most += abs(ratio) * _most_spread(people.denominator, box["y"])
    return replace(people, residual=min(people.residual, most**2))


def _most_spread(mean: float, bounds: Bounds) -> float:
    return math.sqrt((mean - bounds.lower) * (bounds.upper - mean))
