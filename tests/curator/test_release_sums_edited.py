"""Priced before it is opened: an edited plan is refused without a look at the table."""

import dataclasses
import math
from collections.abc import Callable

import pytest

from curator.door_for_tests import MISSING, focused_plan_of, plan_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, InvalidInput, PlanRefused
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from edited_plans import with_terms
from plan.priced_plans import ask, change_question, edit, with_sums


def first_scale(plan: Plan) -> float:
    return plan.measurements[0].sums[0].scale


@pytest.mark.parametrize(
    "bad",
    [
        lambda plan: edit(plan, scale=math.nextafter(first_scale(plan), 0)),
        lambda plan: edit(plan, sensitivity=1),
        lambda plan: with_sums(plan, plan.measurements[0].sums[1:]),
        lambda plan: with_terms(plan, budget=Budget("0.1")),
    ],
    ids=["scale", "sensitivity", "sums", "budget"],
)
def test_a_bad_plan_is_refused_before_the_table_is_looked_for(
    bad: Callable[[Plan], Plan],
) -> None:
    with pytest.raises(PlanRefused):
        release_sums(MISSING, bad(plan_of()), ledger=None)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan_of(), ledger=None)


def with_scales(plan: Plan, **factors: float) -> Plan:
    """The plan with the noise of some sums multiplied, or of all."""
    sums = [
        dataclasses.replace(
            each,
            scale=each.scale * factors.get(each.summand.name, factors.get("all", 1.0)),
        )
        for each in plan.measurements[0].sums
    ]
    return with_sums(plan, tuple(sums))


EDITS: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "less noise": (
        lambda plan: with_scales(plan, all=1 - 1e-9),
        "the noise of the sums is too small for the budget",
    ),
    "less noise of z": (
        lambda plan: with_scales(plan, z=0.99),
        "the noise of the sums is too small for the budget",
    ),
    "less noise of mixed products": (
        lambda plan: with_scales(plan, all=1e3, zh=1),
        "the noise of mixed products is too small beside the squares",
    ),
    "no noise": (
        lambda plan: edit(plan, scale=0.0),
        "the noise of Σ z is too small or too large",
    ),
    "endless noise": (
        lambda plan: edit(plan, scale=math.inf),
        "the noise of Σ z is too small or too large",
    ),
    "noise as a whole number": (
        lambda plan: edit(plan, scale=2**40),
        "the noise of Σ z must be a plain number",
    ),
    "step": (
        lambda plan: edit(plan, step=plan.measurements[0].sums[0].step * 2),
        "the lattice step of Σ z is not the one of its bounds",
    ),
    "sensitivity": (
        lambda plan: edit(plan, sensitivity=1),
        "the sensitivity of Σ z must be 25165824 cells, got 1",
    ),
    "a sum less": (
        lambda plan: with_sums(plan, plan.measurements[0].sums[:-1]),
        "strategy 'focused' does not measure these sums",
    ),
    "sums in another order": (
        lambda plan: with_sums(plan, plan.measurements[0].sums[::-1]),
        "strategy 'focused' does not measure these sums",
    ),
    "sums as a list": (
        lambda plan: with_sums(plan, list(plan.measurements[0].sums)),
        "the sums of a plan must be a tuple",
    ),
    "more answers": (
        lambda plan: change_question(plan, 0, answers=("ratio", "means")),
        "strategy 'focused' does not measure these sums",
    ),
    "other answers": (
        lambda plan: change_question(plan, 0, answers=("means",)),
        "the plan's terms break a rule: answers must be",
    ),
    "another guess": (
        lambda plan: ask(plan, guess=2.0),
        "the lattice step of Σ z is not the one of its bounds",
    ),
    "no guess": (
        lambda plan: ask(plan, guess=None),
        "a focused plan states the guess of its ratio, got None",
    ),
    "a residual bound": (
        lambda plan: ask(plan, residual_bound=2.9),
        "the sensitivity of Σ z must be",
    ),
    "a residual bound that binds nowhere": (
        lambda plan: ask(plan, residual_bound=3.0),
        "the plan's terms break a rule: the residual bound must be below 3",
    ),
    "wider bounds": (
        lambda plan: with_terms(plan, bounds={**plan.bounds, "w": Bounds(0, 3.5)}),
        "the sensitivity of Σ z must be",
    ),
    "strategy even": (
        lambda plan: with_terms(plan, strategy="even"),
        "strategy 'even' does not measure these sums",
    ),
    "strategy joint": (
        lambda plan: with_terms(plan, strategy="joint"),
        "strategy 'joint' does not measure these sums",
    ),
    "classical noise": (
        lambda plan: with_terms(plan, mechanism="classical_gaussian"),
        "the plan's terms break a rule: strategy 'focused' has no classical_gaussian",
    ),
    "a smaller budget": (
        lambda plan: with_terms(plan, budget=Budget("0.99", "1e-6")),
        "the noise of the sums is too small for the budget",
    ),
}


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("edited", EDITS)
def test_an_edited_focused_plan_is_refused_before_the_table_is_looked_for(
    edited: str, mechanism: str
) -> None:
    change, message = EDITS[edited]
    plan = focused_plan_of(mechanism=mechanism)
    with pytest.raises(PlanRefused) as refused:
        release_sums(MISSING, change(plan), ledger=None)
    assert str(refused.value).startswith(message)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan, ledger=None)


@pytest.mark.parametrize("law", ["auto", "none"])
def test_a_plan_without_a_law_of_noise_cannot_be_made(law: str) -> None:
    with pytest.raises(InvalidInput, match="a plan states the law of its noise"):
        with_terms(plan_of(), mechanism=law)


def test_gaussian_noise_of_a_focused_plan_costs_its_delta() -> None:
    plan = focused_plan_of(mechanism="analytic_gaussian")
    for delta in ("1e-7", "0"):
        with pytest.raises(PlanRefused):
            release_sums(
                MISSING, with_terms(plan, budget=Budget(1, delta)), ledger=None
            )
    laplace = focused_plan_of(mechanism="laplace")
    as_gaussian = with_terms(laplace, mechanism="analytic_gaussian")
    with pytest.raises(PlanRefused, match="too small"):
        release_sums(MISSING, as_gaussian, ledger=None)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_an_edited_joint_plan_is_refused_before_the_table_is_looked_for(
    mechanism: str,
) -> None:
    plan = plan_of(mechanism, strategy="joint")
    with pytest.raises(PlanRefused, match="too small for the budget"):
        release_sums(MISSING, with_scales(plan, all=1 - 1e-9), ledger=None)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan, ledger=None)


def test_the_noise_of_a_joint_price_is_too_small_for_equal_shares() -> None:
    plan = plan_of("analytic_gaussian", strategy="joint")
    with pytest.raises(
        PlanRefused, match="the noise of Σ w is too small for its share"
    ):
        release_sums(MISSING, with_terms(plan, strategy="even"), ledger=None)
