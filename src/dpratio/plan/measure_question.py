"""The sums of one question around its guess, in the basis that promises least width."""

import math
from dataclasses import replace

from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.contrast import BASES, contrast_of
from dpratio.plan.strategy.measure import Allowance, measure_focused, measure_gaps
from dpratio.plan.strategy.people import (
    Units,
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.terms.guess import Guess

__all__ = ["measure_around"]

# Where the ratio may be around a guess that was found, in distances.
_AROUND = (-1.5, -0.5, 0.5, 1.5)
_DIGITS = 9


def measure_around(
    plan: PlanTerms,
    question: PlannedQuestion,
    allowed: Allowance,
    n: int | None,
    guess: Guess | None,
    distance: float | None = None,
) -> tuple[PlannedQuestion, float]:
    """Give a question its sums, and a number that falls with the width they promise.

    Args:
        plan: The terms that the question belongs to.
        question: It has a guess of its ratio.
        allowed: What it may spend.
        n: About how many people there are, and
        guess: what they are like; None for a family of people. It is about the totals
            of the unit, and not used where the question has others.
        distance: How far the ratio may be from its guess, where that is known;
            otherwise its ``guess_is`` tells.
    """
    if "calibration" in question.answers:
        sums = measure_gaps(plan.grid(question), allowed)
        gap = noise_sd(plan.mechanism, sums[0].scale) * sums[0].step
        return replace(question, sums=sums), math.log(gap)
    # Around zero h is the denominator anyway.
    bases = BASES if question.ratio.guess else BASES[:1]
    tried = [
        _measured(plan, replace(question, basis=basis), allowed, n, guess, distance)
        for basis in bases
    ]
    # Near ties go to the first, whatever the last bits of a processor say.
    return min(tried, key=lambda each: round(each[1], _DIGITS))


def _measured(
    plan: PlanTerms,
    question: PlannedQuestion,
    allowed: Allowance,
    n: int | None,
    guess: Guess | None,
    distance: float | None,
) -> tuple[PlannedQuestion, float]:
    contrast = contrast_of(question.ratio, question.basis)
    units = units_of(plan.box(question), contrast)
    ratios = (
        likely_ratios(units, question.ratio.guess_is)
        if distance is None
        else _ratios_within(units, distance)
    )
    known = guess if plan.is_guessed(question) else None
    family = family_of(units, ratios, likely_counts(n), known)
    sums, width = measure_focused(plan.grid(question), allowed, units, family)
    return replace(question, sums=sums), width


def _ratios_within(units: Units, distance: float) -> list[float]:
    """Say where the ratio may be, in the units of the box."""
    unit = distance * units.factors["y"] / units.factors["s"]
    return [units.contrast.centre + part * unit for part in _AROUND]
