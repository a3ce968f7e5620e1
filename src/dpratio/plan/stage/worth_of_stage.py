"""What a first stage is worth: forecast before data, over the people of a family."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpratio.arrays import Floats
from dpratio.errors import InvalidInput
from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.split_budget import cells_of
from dpratio.plan.stage.realise import realise
from dpratio.plan.strategy.people import (
    EXPECTED_PEOPLE,
    Units,
    family_of,
    likely_ratios,
    units_of,
)
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.plan.strategy.shares import promised_widths
from dpratio.terms.guess import middle_of

__all__ = ["log_gain_of_stage", "with_stage"]

# What a first stage gets, and by how much it must narrow answers to be taken.
_SHARE, _WORTH_IT = Fraction(1, 20), math.log(1.05)

Measure = Callable[[PlanTerms, int | None, None], Plan]


def with_stage(plain: Plan, n: int | None, measure: Measure) -> Plan:
    """Give a plan a first stage where that is forecast to narrow its answers.

    Args:
        plain: A plan in one stage, of terms that leave it to the planner.
        n: About how many people an answer is about.
        measure: Makes the plan of terms.
    """
    may_have = (
        plain.strategy == "focused"
        and not plain.private_keys
        and all(map(_is_open, plain.questions))
    )
    if not may_have:
        return plain
    stage = Stage(_SHARE * plain.budget.epsilon, n)
    try:
        staged = measure(replace(plain, stage=stage), n, None)
    except InvalidInput:  # Its noise would be too large.
        return plain
    return staged if log_gain_of_stage(plain, staged, n) >= _WORTH_IT else plain


def _is_open(question: PlannedQuestion) -> bool:
    """Tell whether nobody guessed a ratio, and a first stage may."""
    return (
        question.ratio.guess_is == "unknown"
        and question.ratio.residual_bound is None
        and "calibration" not in question.answers
    )


def log_gain_of_stage(plain: Plan, staged: Plan, n: int | None) -> float:
    """Forecast by how much a first stage narrows answers, after paying for it.

    Args:
        plain: A plan in one stage, for ratios that nobody guessed.
        staged: The same terms in two stages.
        n: About how many people an answer is about.

    Returns:
        The mean logarithm of the old standard error over the new one. The mean is over
        questions, and over where the ratio may be. Of the first stage the totals are
        expected that such people have.
    """
    count = float(n or EXPECTED_PEOPLE)
    places = [_likely(plain, question) for question in plain.questions]
    gains = []
    for ratios in zip(*places, strict=True):
        totals = [_totals(staged, at, ratio, count) for at, ratio in enumerate(ratios)]
        second = replace(staged, questions=realise(staged, totals))
        gains += [
            (
                _log_errors(plain, old, ratio, count)
                - _log_errors(second, new, ratio, count)
            ).mean()
            for old, new, ratio in zip(
                plain.questions, second.questions, ratios, strict=True
            )
        ]
    return float(np.mean(gains))


def _units(plan: Plan, question: PlannedQuestion) -> Units:
    return units_of(plan.box(question), contrast_of(question.ratio, question.basis))


def _likely(plan: Plan, question: PlannedQuestion) -> list[float]:
    """Say where the ratio may be, in the units of the data."""
    units = _units(plan, question)
    unit = units.factors["s"] / units.factors["y"]
    return [unit * each for each in likely_ratios(units, question.ratio.guess_is)]


def _totals(plan: Plan, at: int, ratio: float, count: float) -> tuple[int, int]:
    """Give the totals that people have, over all groups, in cells."""
    question = plan.questions[at]
    everyone = count * (cells_of(plan, question.partition) or 1)
    below = everyone * middle_of(plan.box(question)["y"])
    top, bottom = plan.stage.firsts[at]  # type: ignore[union-attr]
    return round(ratio * below / top.step), round(below / bottom.step)


def _log_errors(
    plan: Plan, question: PlannedQuestion, ratio: float, count: float
) -> Floats:
    units = _units(plan, question)
    unit = units.factors["s"] / units.factors["y"]
    family = family_of(units, [ratio / unit], [count], None)
    noise = [noise_sd(plan.mechanism, each.scale) * each.step for each in question.sums]
    names = [each.summand.name for each in question.sums]
    _, errors = promised_widths(names, units, family, np.array(noise) ** 2)
    return np.log(errors)
