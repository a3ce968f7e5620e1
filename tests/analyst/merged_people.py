"""People in several releases that were measured around different guesses."""

from dataclasses import replace
from typing import Any

import numpy as np

from analyst.given import given_plan, summed
from dpratio.arrays import Floats
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.release.combine import merge
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

__all__ = ["WAYS", "covering", "merged_release", "plan_around"]

# Guesses over the true ratio, and what h is.
WAYS = (
    (1.0, "sum"),
    (0.7, "denominator"),
    (1.5, "sum"),
    (0.85, "denominator"),
    (1.2, "sum"),
)
_MIXED = 3


def plan_around(
    guess: float,
    basis: str,
    *,
    bounds: dict[str, Bounds],
    epsilon: float = 1,
    mechanism: str = "laplace",
    **terms: Any,  # noqa: ANN401
) -> Plan:
    """A priced plan in the basis wanted; noise is in proportion to what sums reach."""
    budget = Budget(epsilon, 0 if mechanism == "laplace" else "1e-6")
    plan = given_plan(bounds, budget, guess=guess, mechanism=mechanism, **terms)
    if plan.measurements[0].basis == basis:
        return plan
    question = replace(plan.measurements[0], basis=basis)
    grid, most = plan.layout(question).grid, len(plan.measurements[0].sums) / epsilon
    if mechanism != "laplace":
        most *= 6
    # Mixed products get more: their price must not bend.
    sums = tuple(
        MeasuredSum(summand, step, reach, most * reach * (4 if at == _MIXED else 1))
        for at, (summand, step, reach) in enumerate(
            zip(grid.summands, grid.steps, grid.sensitivities, strict=True)
        )
    )
    other = plan.measuring([replace(question, sums=sums)])
    price(other)
    return other


def merged_release(
    plans: list[Plan], columns: list[dict[str, Floats]], cells: int, seed: int
) -> Release:
    """Add people up around their own guess each, with noise, and merge; by cell."""
    chance = np.random.default_rng(seed)
    groups = Groups("cell", range(cells))
    given = []
    for plan, own in zip(plans, columns, strict=True):
        by_cell = plan.over(groups)
        (question,) = by_cell.measurements
        places = np.arange(len(own["s"])) % cells
        exact = summed(by_cell, own, places.astype(float))
        draw = chance.laplace if plan.law == LAPLACE else chance.normal
        noise = np.rint(draw(scale=np.array(question.scales), size=exact.shape))
        values = exact + noise.astype(np.int64)
        asked = fresh_question(by_cell.law, question, groups, values)
        given.append(Release(chance.bytes(16).hex(), by_cell, (asked,), "a test"))
    return merge(given, units_are_disjoint=True)


def covering(lower: Floats, upper: Floats, truth: float) -> float:
    """Tell how often intervals hold the truth."""
    return float(((lower <= truth) & (truth <= upper)).mean())
