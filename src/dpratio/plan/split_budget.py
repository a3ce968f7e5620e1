"""What each question of a plan may spend.

Questions share epsilon under Laplace noise and μ² under Gaussian noise, since those
add up.
"""

import math
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.calibration.calibrate import least_deviation
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.strategy.measure import Allowance
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.groups import Groups

__all__ = ["allowances", "cells_of", "first_allowances"]


def allowances(plan: PlanTerms) -> list[Allowance]:
    """Divide what is left for sums between the questions, by their weights."""
    epsilon, delta = plan.for_sums
    hint = "Raise the budget, or spend less on finding keys."
    require(epsilon > 0, "finding keys leaves nothing for sums", str(epsilon), hint)
    gaussian = plan.mechanism != "laplace"
    if gaussian:
        hint = "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
        require(delta > 0, "Gaussian noise needs a delta above 0", str(delta), hint)
    whole = (
        1 / Fraction(least_deviation("analytic_gaussian", epsilon, delta))
        if gaussian
        else epsilon
    )
    return [
        Allowance(
            mechanism=plan.mechanism,
            ratio=_root_below(question.weight) * whole
            if gaussian
            else question.weight * whole,
            epsilon=question.weight * epsilon,
            delta=question.weight * delta,
            unit=plan.unit,
            cells=cells_of(plan, question.partition),
        )
        for question in plan.questions
    ]


def first_allowances(plan: PlanTerms, stage: Stage) -> list[Allowance]:
    """Divide what a first stage spends between the questions, by their weights.

    Its noise is Laplace noise, whatever that of the second stage is.
    """
    return [
        Allowance(
            mechanism="laplace",
            ratio=question.weight * stage.epsilon,
            epsilon=question.weight * stage.epsilon,
            delta=Fraction(0),
            unit=plan.unit,
            cells=cells_of(plan, question.partition),
        )
        for question in plan.questions
    ]


def cells_of(plan: PlanTerms, at: int) -> int | None:
    """Count the cells of a partition; None where they are yet to be found."""
    partition = plan.partitions[at]
    if partition is None:
        return 1
    return partition.count if isinstance(partition, Groups) else None


def _root_below(weight: Fraction) -> Fraction:
    """Bound the square root of a weight from below."""
    if weight == 1:
        # One question has it all; the price of one is not rounded either.
        return Fraction(1)
    # Rounding loses less than 2^-52 of the root.
    return Fraction(math.sqrt(weight)) * (1 - Fraction(1, 2**50))
