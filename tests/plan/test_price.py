"""The door believes nothing a plan says of itself: what is planned is what is paid."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.laws import MECHANISMS
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from plan.priced_plans import (
    ONE_IN_A_MILLION,
    change_question,
    edit,
    focused_plan,
    plan_of,
    refuse,
    spent,
    vector_plan,
)


@st.composite
def any_bounds(draw: st.DrawFn, least: float = -(2.0**100)) -> Bounds:
    ends = st.floats(least, 2.0**100)
    lower, upper = sorted(draw(st.tuples(ends, ends)))
    assume(lower < upper and max(-lower, upper) >= 2.0**-100)
    return Bounds(lower, upper)


near = st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3)).map(
    lambda given: Bounds(given[0], given[0] + given[1])
)


@st.composite
def any_plan(draw: st.DrawFn) -> Plan:
    binary = st.just(Bounds.binary())
    strategy = draw(st.sampled_from(["focused", "joint", "even"]))
    # Columns of a focused plan cancel; at any size at all they would only be refused.
    wide = near if strategy == "focused" else any_bounds()
    bounds = {"s": draw(wide), "y": draw(wide | binary)}
    weight = draw(st.sampled_from([None, "w"]))
    if weight:
        top = st.floats(1e-3, 1e3).map(lambda end: Bounds(0, end))
        bounds["w"] = draw((top if strategy == "focused" else any_bounds(0.0)) | binary)
    keys: st.SearchStrategy[list[Any]] = st.one_of(
        st.lists(st.integers(-9, 9), min_size=1, unique=True),
        st.lists(st.text("abc", max_size=2), min_size=1, unique=True),
        st.just([True, False]),
    )
    epsilon = draw(st.decimals("0.001", 40, places=3))
    delta = draw(st.sampled_from(["1e-12", "1e-6", "0.01", "0.9"]))
    classical = strategy == "even" and epsilon <= 5
    guess = draw(st.sampled_from([0.0, 1.0, -1.0, 0.3]))
    try:
        return make_plan(
            Ratio("s", per="y", weight=weight, guess=guess),
            bounds=bounds,
            budget=Budget(epsilon, delta),
            groups=draw(st.none() | keys.map(lambda given: Groups("k", given))),
            strategy=strategy,
            answers=draw(st.sampled_from([("ratio",), ("ratio", "means")])),
            mechanism=draw(
                st.sampled_from(MECHANISMS if classical else MECHANISMS[:2])
            ),
        )
    except InvalidInput:  # Noise beyond 64 bits, where columns are all but constant.
        assume(False)  # noqa: FBT003
        raise


@settings(deadline=None, max_examples=60)
@given(plan=any_plan())
def test_what_the_planner_makes_is_accepted_within_the_budget(plan: Plan) -> None:
    cost = price(plan)
    assert cost.epsilon == plan.budget.epsilon
    is_laplace = plan.law == LAPLACE
    assert cost.delta == (0 if is_laplace else plan.budget.delta)
    assert spent(cost) == (plan.epsilon, plan.delta)
    assert isinstance(cost.epsilon, Fraction)
    assert isinstance(cost.delta, Fraction)


@settings(deadline=None, max_examples=30)
@given(plan=any_plan(), data=st.data())
def test_less_noise_or_another_sensitivity_is_refused(
    plan: Plan, data: st.DataObject
) -> None:
    """In any one sum with a share of its own; in all sums of one vector."""
    at = data.draw(st.integers(0, len(plan.measurements[0].sums) - 1))
    each = plan.measurements[0].sums[at]
    factor = data.draw(st.floats(0, 1 - 1e-9))
    chosen = [at] if plan.strategy == "even" else range(len(plan.measurements[0].sums))
    less = plan
    for index in chosen:
        less = edit(less, index, scale=plan.measurements[0].sums[index].scale * factor)
    refuse(less, "too small")
    moved = each.sensitivity + data.draw(st.sampled_from([-1, 1, -each.sensitivity]))
    refuse(edit(plan, at, sensitivity=moved), "sensitivity")


@pytest.mark.parametrize("strategy", ["even", "joint", "focused", "means"])
@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_smaller_budget_than_the_noise_was_made_for_is_refused(
    strategy: str, mechanism: str
) -> None:
    plan = plan_of(mechanism)
    if strategy != "even":
        plan = vector_plan(strategy, mechanism)
    refuse(replace(plan, budget=Budget("0.9999999", "1e-6")), "too small")
    if mechanism == "analytic_gaussian":
        refuse(replace(plan, budget=Budget(1, "9.999e-7")), "too small")
    larger = Budget("1.0000001", "1.001e-6")
    assert price(replace(plan, budget=larger)).epsilon == larger.epsilon


def test_the_budget_is_charged_even_where_less_would_do() -> None:
    """A scale that was raised does not make the release cheaper."""
    plan = edit(plan_of(), scale=2.0**40)
    assert spent(price(plan)) == (Fraction(1), Fraction(0))
    assert spent(price(edit(focused_plan(), scale=2.0**40))) == (
        Fraction(1),
        Fraction(0),
    )


def test_laplace_noise_is_charged_no_delta() -> None:
    for plan in (plan_of(), plan_of(strategy="joint"), focused_plan()):
        assert spent(price(plan)) == (Fraction(1), Fraction(0))
    for plan in (
        plan_of("analytic_gaussian"),
        plan_of("classical_gaussian"),
        plan_of("analytic_gaussian", strategy="joint"),
        focused_plan("analytic_gaussian"),
    ):
        assert spent(price(plan)) == (Fraction(1), ONE_IN_A_MILLION)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"mechanism": "uniform"}, "unknown mechanism"),
        ({"mechanism": "Laplace"}, "unknown mechanism"),
        ({"strategy": "focussed"}, "unknown strategy"),
        ({"mechanism": "auto"}, "unknown mechanism"),
        ({"budget": Budget(1)}, "needs a delta"),
        ({"budget": None}, "budget must be a Budget"),
        ({"partitions": (["north"],)}, "groups must be Groups"),
        ({"partitions": (Groups("score", ["north"]),)}, "cannot be its group"),
        ({"partitions": ()}, "groups must be Groups"),
        ({"partitions": [None]}, "groups must be Groups"),
        ({"unit": None}, "unit must be a PrivacyUnit"),
        ({"questions": ()}, "at least one ratio"),
        ({"bounds": {}}, "needs bounds"),
        ({"bounds": None}, "bounds must map"),
    ],
    ids=str,
)
def test_terms_that_break_a_rule_are_refused(
    changes: dict[str, Any], match: str
) -> None:
    refuse(replace(plan_of("analytic_gaussian"), **changes), match)


@pytest.mark.parametrize("answers", [("means",), ["ratio"], None])
def test_answers_that_break_a_rule_are_refused(answers: object) -> None:
    plan = change_question(plan_of("analytic_gaussian"), 0, answers=answers)
    refuse(plan, "answers must be")


def test_a_refusal_says_what_to_do_and_hides_its_cause() -> None:
    with pytest.raises(PlanRefused, match="make_plan") as caught:
        price(edit(plan_of(), scale=1.0))
    assert caught.value.__cause__ is None
    with pytest.raises(PlanRefused) as caught:
        price(replace(plan_of(), mechanism="uniform"))
    assert caught.value.__suppress_context__
    assert not isinstance(caught.value, InvalidInput)


def test_noise_up_to_2_to_the_50_cells_is_accepted() -> None:
    plan = edit(plan_of(), scale=2.0**50)
    assert spent(price(plan)) == (Fraction(1), Fraction(0))
    refuse(edit(plan, scale=math.nextafter(2.0**50, math.inf)), "too large")
