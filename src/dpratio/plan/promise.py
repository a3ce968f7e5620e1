"""What a plan promises before data: widths for people nobody described, and advice."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.strategy.people import family_of, likely_ratios, units_of
from dpratio.plan.strategy.shares import promised_widths
from dpratio.terms.budget import Budget
from dpratio.terms.study import Study

__all__ = ["WidthRange", "promised_range", "worth_of_delta"]

_DELTA = Fraction(1, 10**6)
_WORTH_SAYING = 0.05
_ROOM = 1.4  # For a mean of the denominator away from the middle.


@dataclass(frozen=True, slots=True)
class WidthRange:
    """The narrowest and the widest interval to expect of a family of people."""

    lowest: float
    highest: float


def promised_range(plan: Plan, question: PlannedQuestion, n: int) -> WidthRange:
    """Forecast the widths of a focused plan over the family it was made for."""
    box = plan.box(question)
    units = units_of(box, contrast_of(question.ratio, question.basis))
    ratios = likely_ratios(units, question.ratio.guess_is)
    family = family_of(units, ratios, (float(n),), None)
    noise = [noise_sd(plan.mechanism, each.scale) * each.step for each in question.sums]
    widths = promised_widths(
        [each.summand.name for each in question.sums],
        units,
        family,
        np.array(noise) ** 2,
    )
    if min(box["s"].lower, box["y"].lower) >= 0:
        # The part of an interval below zero is cut off.
        unit = units.factors["s"] / units.factors["y"]
        true = unit * np.array([units.contrast.centre + each.off for each in family])
        widths = np.minimum(widths, widths / 2 + true)
    return WidthRange(float(widths.min()) / _ROOM, float(widths.max()) * _ROOM)


def worth_of_delta(study: Study, plan: Plan, n: int) -> float:
    """Say by which part a delta of 1e-6 would narrow the intervals; 0 if by little.

    The largest gain of any question counts, in the middle of its family.
    """
    free = plan.delta == 0 and study.mechanism == "auto" and plan.strategy == "focused"
    free = free and study.stage is None  # Two stages have Laplace noise.
    if not free:
        return 0.0
    wider = replace(study, budget=Budget(study.budget.epsilon, _DELTA))
    other = make_plan(replace(wider, mechanism="analytic_gaussian"))
    gains = [
        1 - _middle(other, theirs, n) / _middle(plan, ours, n)
        for ours, theirs in zip(plan.questions, other.questions, strict=True)
    ]
    return max(gains) if max(gains) >= _WORTH_SAYING else 0.0


def _middle(plan: Plan, question: PlannedQuestion, n: int) -> float:
    found = promised_range(plan, question, n)
    return float(np.sqrt(found.lowest * found.highest))
