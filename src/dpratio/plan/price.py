"""Pricing a plan again, from its terms alone.

A plan may have been edited by hand, read from a file or made by a planner with a
mistake in it. Nothing it says about itself is believed here.
Floor: plan. Imports: errors, terms, and the rest of this room.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from dpratio.checks import show_given
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.calibrate import is_certified
from dpratio.plan.lattice import step_for
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import MeasuredSum, Plan
from dpratio.plan.sensitivity import reach_of, sensitivity_in_cells
from dpratio.plan.sums import summands_for

__all__ = ["Cost", "price"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a release costs, exactly."""

    epsilon: Fraction
    delta: Fraction


def price(plan: Plan) -> Cost:
    """Prove that a plan costs no more than it says, or refuse it.

    Returns:
        The cost to charge: the declared shares, each certified to be enough.

    Raises:
        PlanRefused: When a sum is not the declared one, its sensitivity or noise is
            too small for its share, or the shares exceed the budget.

    Guarantee:
        Releasing every sum of an accepted plan, each with ideal noise of its scale,
        is (epsilon, delta)-differentially private under adding or removing one row,
        with the returned cost. Proof: docs/proofs/pricing.md.
    """
    _require_terms(plan)
    if not isinstance(plan.sums, tuple):
        _refuse("the sums of a plan must be a tuple", plan.sums)
    bounds = plan.factor_bounds
    expected = summands_for(weighted="w" in bounds, binary=bounds["y"].is_binary)
    listed = tuple(each.summand for each in plan.sums)
    if listed != expected:
        names = [summand.name for summand in listed]
        _refuse(f"strategy '{plan.strategy}' does not measure these sums", names)
    for each in plan.sums:
        _require_paid(plan, each)
    cost = Cost(plan.epsilon, plan.delta)
    if cost.epsilon > plan.budget.epsilon or cost.delta > plan.budget.delta:
        _refuse("the sums cost more than the budget", cost)
    return cost


def _require_terms(plan: Plan) -> None:
    """Make the plan's terms again, so that each of their rules is checked."""
    try:
        make_plan(
            plan.ratio,
            bounds=plan.bounds,
            budget=plan.budget,
            groups=plan.groups,
            strategy=plan.strategy,
            mechanism=plan.mechanism,
        )
    except InvalidInput as error:
        raise PlanRefused(f"the plan's terms break a rule: {error}") from None


def _require_paid(plan: Plan, each: MeasuredSum) -> None:
    name, bounds = each.summand.label, plan.factor_bounds
    step = step_for(reach_of(each.summand.factors, bounds))
    if each.step != step:
        _refuse(f"the lattice step of {name} is not the one of its bounds", each.step)
    needed = sensitivity_in_cells(each.summand.factors, bounds, step)
    if each.sensitivity != needed:
        _refuse(f"the sensitivity of {name} must be {needed} cells", each.sensitivity)
    exact = isinstance(each.epsilon, Fraction) and isinstance(each.delta, Fraction)
    if not exact or not 0 < each.epsilon <= plan.budget.epsilon or each.delta < 0:
        given = (each.epsilon, each.delta)
        _refuse(f"the share of {name} must be positive, exact and affordable", given)
    if type(each.scale) is not float or type(each.sensitivity) is not int:
        _refuse(f"the noise of {name} must be a plain number", each.scale)
    if not is_certified(
        plan.mechanism,
        sensitivity=needed,
        scale=each.scale,
        epsilon=each.epsilon,
        delta=each.delta,
    ):
        _refuse(f"the noise of {name} is too small for its share", each.scale)


def _refuse(rule: str, given: object) -> NoReturn:
    raise PlanRefused(f"{rule}, got {show_given(given)}. Make the plan with make_plan.")
