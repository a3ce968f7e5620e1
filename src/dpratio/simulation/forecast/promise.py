"""What a plan promises before data: widths for people nobody described, and advice.

The people are a stated family, as far as bounds allow them. docs/methods/forecast.md
says who they are and holds the ranges to simulations.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.realise import found_guesses, realise
from dpratio.plan.sensitivity.sums import CUT, contrast_of, row_box
from dpratio.plan.settle import cells_of
from dpratio.plan.strategy.allowance import QUANTILE, allowance
from dpratio.plan.strategy.shares import (
    SPREADS,
    Box,
    People,
    likely_ratios,
    likely_weights,
    noise_matrix,
    people_of,
    ratio_intervals,
    reach_of,
    units_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.study import Study

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


_DELTA = Fraction(1, 10**6)
_WORTH_SAYING = 0.05
_ROOM = 1.4  # For people between and beside those who are listed.
_ROUNDS = 20
_PART = 0.85  # Of the family that the upper end of a range is for.


@dataclass(frozen=True, slots=True)
class WidthRange:
    """The narrowest and the widest interval to expect of a family of people."""

    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Promise:
    """Widths of a family, its standard errors, and its widths without noise.

    A width that is infinite stands for intervals without an end. Errors are those of
    the ratio, as a test of a value has them, and have no such.
    """

    widths: WidthRange
    errors: WidthRange
    public: WidthRange


def promised_range(
    plan: Plan, question: Measurement, n: int, quantile: float = QUANTILE
) -> Promise:
    """Forecast the widths of a focused plan over a stated family of people.

    Args:
        plan: What would be measured.
        question: One of its questions.
        n: People behind one answer.
        quantile: The two-sided normal quantile of the level of the intervals.

    Raises:
        InvalidInput: When the plan measures other sums than a focused one.
    """
    rule = "without a guess only plans of strategy 'focused' can be forecast"
    hint = (
        "Say what the people are like: population=Population(…), or [population] in "
        "the study."
    )
    require(plan.study.strategy == "focused", rule, plan.study.strategy, hint)
    box = plan.box(question)
    has_ids = plan.unit.column is not None
    row = row_box(question.ratio, plan.bounds) if has_ids else None
    guess = contrast_of(question.ratio).centre
    family = stated_family(box, guess, question.ratio.guess_is, float(n), row)
    widths, errors, public = _measured(plan, question, family, quantile)
    if min(box["s"].lower, box["y"].lower) >= 0:
        # The part of an interval below zero is cut off.
        true = np.array([guess + people.off for people in family])
        widths, public = (
            np.minimum(each, each / 2 + true) for each in (widths, public)
        )
    return Promise(widths=_roomy(widths), errors=_roomy(errors), public=_roomy(public))


def _measured(
    plan: Plan, question: Measurement, family: Sequence[People], quantile: float
) -> tuple[Floats, Floats, Floats]:
    """Return widths, standard errors, and widths without noise."""
    figures = np.empty((3, len(family)))
    for measured, people in _planned(plan, question, family):
        places = list(people)
        noise = [plan.law.sd(part.scale) * part.step for part in measured.sums]
        squared = np.array(noise) ** 2
        planned = plan.box(question), measured, [*people.values()]
        figures[:2, places] = promised_widths(*planned, squared, quantile)
        figures[2, places], _ = promised_widths(*planned, 0 * squared, quantile)
    widths, errors, public = figures
    return widths, errors, public


def promised_widths(
    box: Box,
    measured: Measurement,
    family: Sequence[People],
    noise: Floats,
    quantile: float = QUANTILE,
) -> tuple[Floats, Floats]:
    """Forecast the width of the ratio's interval for each of a family of people.

    Args:
        box: The bounds of one person.
        measured: The sums that are measured.
        family: The people.
        noise: The noise variance of each sum, in the units of the data.
        quantile: The two-sided normal quantile of the level.

    Returns:
        The widths, infinite where the denominator cannot be told from zero, and the
        standard errors, which are finite.
    """
    units = units_of(box, contrast_of(measured.ratio, measured.basis))
    people, spread = units.columns(family), None
    sums = [place for place, part in enumerate(measured.sums) if part.summand != CUT]
    names = [measured.sums[place].summand.name for place in sums]
    sizes = np.array([units.of_sum(name) for name in names])
    own = noise_matrix(names, noise[sums] / sizes**2)
    for _ in range(_ROUNDS):
        intervals = ratio_intervals(units.contrast, people, spread)
        spread = intervals.spread(own)
    sampling, known, doubt = intervals.variances(own)
    widened = sampling + known + allowance(sampling, known, doubt, QUANTILE)
    errors = units.s / units.y * np.sqrt(widened) / intervals.size
    weak = own[0, 1:] @ intervals.denominator
    varied = people["denominator"] ** 2 + people["denominator_square"]
    sampled = people["count"] * people["weight_square"] * varied
    # Fieller (1954): the set has no end where zero is a plausible denominator.
    endless = quantile**2 * (weak + sampled / intervals.size**2) >= 1
    weak = np.where(endless, np.inf, weak)
    return 2 * quantile * errors * np.exp(weak), errors


def _planned(
    plan: Plan, question: Measurement, family: Sequence[People]
) -> list[tuple[Measurement, dict[int, People]]]:
    """Return the sums that are measured, and of whom, by their places in the family.

    In two stages each finds a guess in its totals, from which its ratio is as far as
    noise and `learn` leave it; nothing is asked of the other questions.
    """
    if plan.stage is None:
        return [(question, dict(enumerate(family)))]
    at = plan.measurements.index(question)
    found: dict[object, tuple[Measurement, dict[int, People]]] = {}
    for place, people in enumerate(family):
        ratio = contrast_of(question.ratio).centre + people.off
        totals = [
            _totals(plan, each, ratio, people) if each is question else (0, 0)
            for each in plan.measurements
        ]
        guess = found_guesses(plan, totals)[at]
        if guess not in found:
            found[guess] = realise(plan, totals)[at], {}
        miss = ratio - float(guess.centre)
        off = math.copysign(math.hypot(miss, guess.distance), miss)
        found[guess][1][place] = replace(people, off=off)
    return list(found.values())


def _totals(
    plan: Plan, question: Measurement, ratio: float, people: People
) -> tuple[int, int]:
    """Return the totals that people have, over all groups of a question, in cells."""
    everyone = people.count * (cells_of(question.groups) or 1)
    below = everyone * people.weight * people.denominator
    top, bottom = plan.stage.firsts[plan.measurements.index(question)]  # type: ignore[union-attr]
    return round(ratio * below / top.step), round(below / bottom.step)


def worth_of_delta(study: Study, plan: Plan, n: int) -> float:
    """Say by which part a delta of 1e-6 would narrow the intervals; 0 if by little.

    The largest gain of any question counts, in the middle of its family.
    """
    free = plan.delta == 0 and study.mechanism == "auto"
    if not free or study.strategy != "focused":
        return 0.0
    # What a first stage finds is worth the same to both laws, and not known here.
    alone = replace(study, stage=Fraction(0))
    if plan.stage is not None:
        plan = make_plan(alone)
    wider = replace(alone, budget=Budget(study.budget.epsilon, _DELTA))
    other = make_plan(replace(wider, mechanism="analytic_gaussian"))
    gains = [
        1 - _middle(other, theirs, n) / _middle(plan, ours, n)
        for ours, theirs in zip(plan.measurements, other.measurements, strict=True)
    ]
    return max(gains) if max(gains) >= _WORTH_SAYING else 0.0


def _middle(plan: Plan, question: Measurement, n: int) -> float:
    found = promised_range(plan, question, n).errors
    return math.sqrt(found.lowest * found.highest)


def _roomy(widths: Floats) -> WidthRange:
    """Give both ends of a family, without those for whom everything is at its worst."""
    inside = np.sort(widths)
    last = math.ceil(_PART * (len(inside) - 1))
    return WidthRange(float(inside[0]) / _ROOM, float(inside[last]) * _ROOM)
