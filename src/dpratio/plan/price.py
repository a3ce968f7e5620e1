"""Pricing a plan again, from its terms alone.

A plan may have been edited by hand, read from a file or made by a planner with a
mistake in it. Nothing it says about itself is believed here.
Floor: plan. Imports: errors, terms, and the rest of this room.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.calibrate import (
    LARGEST_SCALE,
    MECHANISMS,
    SMALLEST_SCALE,
    is_affordable,
    is_certified,
)
from dpratio.plan.contrast import contrast_of
from dpratio.plan.joint import Grid, is_convex, joint_ratio
from dpratio.plan.plan import Plan
from dpratio.plan.require_terms import require_terms, settle_guess
from dpratio.plan.strategy import STRATEGIES, sums_of

__all__ = ["Cost", "price"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a release costs, exactly."""

    epsilon: Fraction
    delta: Fraction


def price(plan: Plan) -> Cost:
    """Prove that a plan costs no more than its budget, or refuse it.

    Returns:
        The cost to charge: the budget, which the noise is certified to keep within.

    Raises:
        PlanRefused: When a sum is not the declared one, or its lattice, sensitivity
            or noise are not what the bounds and the budget demand.

    Guarantee:
        Releasing every sum of an accepted plan, each with ideal noise of its scale,
        is (epsilon, delta)-differentially private under adding or removing one row,
        with the returned cost. Proof: docs/proofs/pricing.md.
    """
    _require_terms(plan)
    if not isinstance(plan.sums, tuple):
        _refuse("the sums of a plan must be a tuple", plan.sums)
    grid = sums_of(
        plan.strategy, plan.factor_bounds, contrast_of(plan.ratio), plan.answers
    )
    _require_sums(plan, grid)
    if plan.strategy == "even":
        _require_even(plan)
    else:
        _require_joint(plan, grid)
    return Cost(plan.epsilon, plan.delta)


def _require_terms(plan: Plan) -> None:
    try:
        require_one_of(plan.strategy, STRATEGIES, "strategy")
        require_one_of(plan.mechanism, MECHANISMS, "mechanism")
        require_terms(
            plan.ratio,
            plan.bounds,
            plan.budget,
            plan.groups,
            plan.answers,
            plan.strategy,
            plan.mechanism,
        )
        settled = plan.ratio
        if plan.strategy == "focused":
            settled = settle_guess(plan.ratio, plan.bounds)
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None
    if settled != plan.ratio:
        _refuse("a focused plan states the guess of its ratio", plan.ratio.guess)


def _require_sums(plan: Plan, grid: Grid) -> None:
    """Compare every sum with what the terms demand."""
    listed = tuple(each.summand for each in plan.sums)
    if listed != grid.summands:
        names = [summand.name for summand in listed]
        _refuse(f"strategy '{plan.strategy}' does not measure these sums", names)
    for each, step, needed in zip(
        plan.sums, grid.steps, grid.sensitivities, strict=True
    ):
        name = each.summand.label
        if each.step != step:
            _refuse(
                f"the lattice step of {name} is not the one of its bounds", each.step
            )
        if each.sensitivity != needed or type(each.sensitivity) is not int:
            _refuse(
                f"the sensitivity of {name} must be {needed} cells", each.sensitivity
            )
        if type(each.scale) is not float:
            _refuse(f"the noise of {name} must be a plain number", each.scale)
        if not SMALLEST_SCALE <= each.scale <= LARGEST_SCALE:
            _refuse(f"the noise of {name} is too small or too large", each.scale)


def _require_even(plan: Plan) -> None:
    """Certify each sum at an equal share of the budget."""
    for each in plan.sums:
        if not is_certified(
            plan.mechanism,
            sensitivity=each.sensitivity,
            scale=each.scale,
            epsilon=plan.epsilon / len(plan.sums),
            delta=plan.delta / len(plan.sums),
        ):
            name = each.summand.label
            _refuse(f"the noise of {name} is too small for its share", each.scale)


def _require_joint(plan: Plan, grid: Grid) -> None:
    """Certify all sums together."""
    scales = [each.scale for each in plan.sums]
    if not is_convex(plan.mechanism, grid, scales):
        _refuse("the noise of mixed products is too small beside the squares", scales)
    if not is_affordable(
        plan.mechanism,
        ratio=joint_ratio(plan.mechanism, grid, scales),
        epsilon=plan.epsilon,
        delta=plan.delta,
    ):
        _refuse("the noise of the sums is too small for the budget", scales)


def _refuse(rule: str, given: object) -> NoReturn:
    raise PlanRefused(f"{rule}, got {show_given(given)}. Make the plan with make_plan.")
