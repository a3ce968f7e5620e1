"""What a plan promises before data: widths for people nobody described, and advice.

The people are a stated family, as far as bounds allow them. docs/methods/forecast.md
says who they are and holds the ranges to simulations.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.realise import found_guesses, realise
from dpratio.plan.sensitivity.sums import contrast_of, row_box
from dpratio.plan.settle import cells_of
from dpratio.plan.strategy.allowance import QUANTILE
from dpratio.plan.strategy.people import (
    People,
    Units,
    units_of,
)
from dpratio.plan.strategy.shares import promised_widths
from dpratio.simulation.forecast.stated_people import stated_family
from dpratio.terms.budget import Budget
from dpratio.terms.study import Study

_DELTA = Fraction(1, 10**6)
_WORTH_SAYING = 0.05
_ROOM = 1.4  # For people between and beside those who are listed.
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
    require(plan.strategy == "focused", rule, plan.strategy, hint)
    box = plan.box(question)
    units = units_of(box, contrast_of(question.ratio, question.basis))
    has_ids = plan.unit.column is not None
    row = row_box(question.ratio, plan.bounds) if has_ids else None
    family = stated_family(units, question.ratio.guess_is, float(n), row)
    widths, errors, public = _measured(plan, question, units, family, quantile)
    if min(box["s"].lower, box["y"].lower) >= 0:
        # The part of an interval below zero is cut off.
        true = units.ratio * np.array([_ratio(units, each) for each in family])
        widths, public = (
            np.minimum(each, each / 2 + true) for each in (widths, public)
        )
    return Promise(widths=_roomy(widths), errors=_roomy(errors), public=_roomy(public))


def _measured(
    plan: Plan,
    question: Measurement,
    units: Units,
    family: Sequence[People],
    quantile: float,
) -> tuple[Floats, Floats, Floats]:
    """Give widths, standard errors, and widths without noise."""
    found = np.empty((3, len(family)))
    for asked, people in _planned(plan, question, units, family):
        places = list(people)
        around = units.around(contrast_of(asked.ratio, asked.basis))
        noise = [plan.law.sd(each.scale) * each.step for each in asked.sums]
        names = [each.summand.name for each in asked.sums]
        squared = np.array(noise) ** 2
        found[:2, places] = promised_widths(
            names, around, [*people.values()], squared, quantile
        )
        found[2, places], _ = promised_widths(
            names, around, [*people.values()], 0 * squared, quantile
        )
    widths, errors, public = found
    return widths, errors, public


def _planned(
    plan: Plan, question: Measurement, units: Units, family: Sequence[People]
) -> list[tuple[Measurement, dict[int, People]]]:
    """Give the sums that are measured, and of whom, by their places in the family.

    In two stages each finds a guess in its totals, from which its ratio is as far as
    noise and `learn` leave it; nothing is asked of the other questions.
    """
    if plan.stage is None:
        return [(question, dict(enumerate(family)))]
    at = plan.measurements.index(question)
    found: dict[object, tuple[Measurement, dict[int, People]]] = {}
    for place, people in enumerate(family):
        totals = [
            _totals(plan, each, units, people) if each is question else (0, 0)
            for each in plan.measurements
        ]
        guess = found_guesses(plan, totals)[at]
        if guess not in found:
            found[guess] = realise(plan, totals)[at], {}
        miss = _ratio(units, people) - guess.centre / units.ratio
        off = math.copysign(math.hypot(miss, guess.distance / units.ratio), miss)
        found[guess][1][place] = replace(people, off=off)
    return list(found.values())


def _totals(
    plan: Plan, question: Measurement, units: Units, people: People
) -> tuple[int, int]:
    """Give the totals that people have, over all groups of a question, in cells."""
    everyone = people.count * (cells_of(question.groups) or 1)
    below = everyone * people.weight * people.denominator
    top, bottom = plan.stage.firsts[plan.measurements.index(question)]  # type: ignore[union-attr]
    above = _ratio(units, people) * below * units.factors["z"]
    return round(above / top.step), round(below * units.product("yw") / bottom.step)


def _ratio(units: Units, people: People) -> float:
    """Give the true ratio of people, in the units of the box."""
    return units.contrast.centre + people.off


def worth_of_delta(study: Study, plan: Plan, n: int) -> float:
    """Say by which part a delta of 1e-6 would narrow the intervals; 0 if by little.

    The largest gain of any question counts, in the middle of its family.
    """
    free = plan.delta == 0 and study.mechanism == "auto" and plan.strategy == "focused"
    if not free:
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
