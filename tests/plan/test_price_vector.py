"""One vector, one price: the sums of a joint or focused plan are priced together."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import PlanRefused
from dpratio.plan.laws import analytic_delta, is_affordable
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import joint_ratio
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.grids import grid_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from plan.priced_plans import (
    OTHER_LISTS,
    ask,
    change_question,
    edit,
    focused_plan,
    plan_of,
    refuse,
    spent,
    vector_plan,
    with_sums,
)

VECTORS = [
    (strategy, mechanism, at)
    for strategy, count in (("joint", 7), ("focused", 5), ("means", 9))
    for mechanism in ("laplace", "analytic_gaussian")
    for at in range(count)
]


@pytest.mark.parametrize(("strategy", "mechanism", "at"), VECTORS)
def test_half_the_noise_of_any_sum_of_a_vector_is_refused(
    strategy: str, mechanism: str, at: int
) -> None:
    """Sums that the dearest row does not move are dear in another."""
    plan = vector_plan(strategy, mechanism)
    refuse(edit(plan, at, scale=plan.measurements[0].sums[at].scale / 2), "too small")
    if plan.measurements[0].sums[at].summand.name not in {"zz", "hh", "ww"}:
        # More noise is as good; but squares must not have less of a price than theirs.
        price(edit(plan, at, scale=plan.measurements[0].sums[at].scale * 1.5))


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["joint", "focused", "means"])
def test_all_noise_a_billionth_too_small_is_refused(
    strategy: str, mechanism: str
) -> None:
    plan = vector_plan(strategy, mechanism)
    less = tuple(
        replace(each, scale=each.scale * (1 - 1e-9))
        for each in plan.measurements[0].sums
    )
    refuse(with_sums(plan, less), "noise of the sums is too small for the budget")
    more = tuple(
        replace(each, scale=each.scale * 1.25) for each in plan.measurements[0].sums
    )
    assert spent(price(with_sums(plan, more))) == spent(price(plan))
    assert price(with_sums(plan, more)).rho < price(plan).rho


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["joint", "focused", "means"])
def test_another_sensitivity_or_step_in_a_vector_is_refused(
    strategy: str, mechanism: str
) -> None:
    """They play no part in the joint price, but the engine counts by them."""
    plan = vector_plan(strategy, mechanism)
    for at, each in enumerate(plan.measurements[0].sums):
        for moved in (each.sensitivity - 1, each.sensitivity + 1, 0):
            refuse(edit(plan, at, sensitivity=moved), r"must be \d+ cells")
        for step in (2 * each.step, each.step / 2, -each.step):
            refuse(edit(plan, at, step=step), "lattice step")


@pytest.mark.parametrize(
    "change",
    [
        *OTHER_LISTS.values(),
        lambda sums: (replace(sums[0], summand=Summand("z", ("h",))), *sums[1:]),
    ],
    ids=[*OTHER_LISTS, "factors"],
)
def test_another_list_of_focused_sums_is_refused(change: Callable[[Any], Any]) -> None:
    plan = focused_plan(budget=Budget(100, "1e-6"))
    refuse(
        with_sums(plan, change(plan.measurements[0].sums)),
        "'focused' does not measure these",
    )


def test_other_answers_than_were_planned_are_refused() -> None:
    """Means need more sums; more sums than the ratio needs were not asked for."""
    alone, means = focused_plan(), focused_plan(answers=("ratio", "means"))
    more = change_question(alone, 0, answers=("ratio", "means"))
    refuse(more, "does not measure these sums")
    fewer = change_question(means, 0, answers=("ratio",))
    refuse(fewer, "does not measure these sums")


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_another_strategy_is_refused(strategy: str) -> None:
    plans = {
        "focused": focused_plan(budget=Budget(1, "1e-6")),
        "joint": focused_plan(strategy="joint"),
        "even": focused_plan(strategy="even"),
    }
    price(plans[strategy])
    others = ("joint", "even") if strategy == "focused" else ("focused",)
    for other in others:
        refuse(replace(plans[strategy], strategy=other))


def test_noise_made_for_one_vector_is_too_small_for_equal_shares() -> None:
    """The same sums: Gaussian noise of the one strategy is priced as the other's."""
    joint = plan_of("analytic_gaussian", strategy="joint")
    refuse(replace(joint, strategy="even"), "too small for its share")
    even = plan_of("analytic_gaussian")
    assert spent(price(replace(even, strategy="joint"))) == spent(price(even))


@pytest.mark.parametrize("guess", [0.0, 0.99, 1.0000001, -1.0, 2.0, 1.5])
def test_another_guess_than_was_priced_is_refused(guess: float) -> None:
    """The engine measures around the guess of the plan, so it decides the price."""
    plan = focused_plan()
    assert plan.measurements[0].ratio.guess == 1
    refuse(ask(plan, guess=guess))


@pytest.mark.parametrize("basis", ["denominator", "other", "", None])
def test_another_basis_than_was_priced_is_refused(basis: Any) -> None:  # noqa: ANN401
    plan = focused_plan()
    question = plan.measurements[0]
    assert question.basis == "sum"
    refuse(replace(plan, questions=(replace(question, basis=basis),)))


@pytest.mark.parametrize("basis", ["other", "", None])
def test_a_basis_is_known_where_nothing_is_measured_by_it(basis: Any) -> None:  # noqa: ANN401
    plan = vector_plan("joint", "laplace")
    changed = replace(plan.measurements[0], basis=basis)
    with pytest.raises(PlanRefused, match="unknown basis"):
        price(replace(plan, questions=(changed,)))


def test_a_guess_that_is_hardly_another_is_priced_again() -> None:
    """Sums of the same lattice and sensitivity may still be too dear together."""
    plan = focused_plan()
    more = ask(plan, guess=1 + 2.0**-26)
    with pytest.raises(PlanRefused, match=r"sensitivity|too small"):
        price(more)


def test_a_focused_plan_without_a_guess_is_refused() -> None:
    """Also where 1 would be taken: a plan says what it measures."""
    plan = focused_plan()
    unsaid = ask(plan, guess=None)
    refuse(unsaid, "states the guess of its ratio, got None")
    apart = {**plan.bounds, "label": Bounds(0, 2)}
    refuse(replace(unsaid, bounds=apart), "states the guess of its ratio, got None")


@pytest.mark.parametrize("limit", [None, 0.75, 0.5000001, 2.9])
def test_a_wider_limit_than_was_priced_is_refused(limit: float | None) -> None:
    plan = focused_plan(residual_bound=0.5)
    price(plan)
    refuse(ask(plan, residual_bound=limit))


def test_a_narrower_limit_is_another_plan_too() -> None:
    plan = focused_plan(residual_bound=0.5)
    refuse(ask(plan, residual_bound=0.4))


@pytest.mark.parametrize("limit", [3.0, 3.5, 100.0])
def test_a_limit_that_binds_nowhere_is_refused(limit: float) -> None:
    plan = focused_plan()
    beyond = ask(plan, residual_bound=limit)
    refuse(beyond, "residual bound must be below 3")


@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_a_limit_the_strategy_does_not_use_is_refused(strategy: str) -> None:
    plan = plan_of(strategy=strategy)
    limited = ask(plan, residual_bound=0.5)
    refuse(limited, f"strategy '{strategy}' does not use a residual bound")


def test_how_close_a_guess_is_does_not_change_the_price() -> None:
    """It shared the budget when the plan was made, and has no part in its proof."""
    plan = focused_plan()
    other = ask(plan, guess_is="unknown")
    assert price(other) == price(plan)


@pytest.mark.parametrize("strategy", ["joint", "focused"])
def test_classical_noise_does_not_compose_into_a_vector(strategy: str) -> None:
    plan = vector_plan(strategy, "analytic_gaussian")
    refuse(replace(plan, mechanism="classical_gaussian"), "has no classical_gaussian")
    many = tuple(replace(each, scale=2.0**49) for each in plan.measurements[0].sums)
    huge = replace(with_sums(plan, many), mechanism="classical_gaussian")
    refuse(huge, "has no classical_gaussian")


@pytest.mark.parametrize("strategy", ["joint", "focused", "means"])
def test_noise_of_the_other_law_is_priced_as_what_it_is(strategy: str) -> None:
    laplace = vector_plan(strategy, "laplace")
    refuse(replace(laplace, mechanism="analytic_gaussian"), "too small")


def test_wider_bounds_than_a_focused_plan_was_made_for_are_refused() -> None:
    plan = focused_plan(guess=1)
    for name, wide in (
        ("score", Bounds(0, 1.0000001)),
        ("score", Bounds(-0.0000001, 1)),
        ("label", Bounds(0, 1.0000001)),
        ("label", Bounds(-1, 1)),
        ("weight", Bounds(0.5, 3.0000001)),
    ):
        refuse(replace(plan, bounds={**plan.bounds, name: wide}))


def test_a_smaller_least_weight_costs_no_more() -> None:
    """Rows cost most at the largest weight; the least one plays no part."""
    plan = focused_plan()
    assert price(replace(plan, bounds={**plan.bounds, "weight": Bounds(0, 3)}))


def uneven(mechanism: str) -> Plan:
    """Make noise so that a row inside the box costs more than every corner.

    Along s = 1 the mixed product falls as 1 − y² while h = 1 + y still grows.
    """
    bounds = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    plan = focused_plan(mechanism, weight=None, bounds=bounds, guess=1)
    questions = [1e4, 2.0, 1e4, 1.0, 10.0]
    scales = [
        question / each.step
        for question, each in zip(questions, plan.measurements[0].sums, strict=True)
    ]
    grid = sums_of("focused", plan.box(plan.measurements[0]), Contrast(1.0), ("ratio",))
    share = {"epsilon": plan.budget.epsilon, "delta": plan.budget.delta}
    factor = 1.0
    while not is_affordable(
        mechanism,
        ratio=joint_ratio(mechanism, grid, [factor * scale for scale in scales]),
        **share,
    ):
        factor *= 1.001
    sums = tuple(
        replace(each, scale=factor * scale)
        for each, scale in zip(plan.measurements[0].sums, scales, strict=True)
    )
    return with_sums(plan, sums)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_noise_under_which_a_row_inside_the_box_costs_more_is_refused(
    mechanism: str,
) -> None:
    """Its corners are affordable; the row s = 1, y = 0.3 is not."""
    plan = uneven(mechanism)
    row = {"z": 0.7, "h": 1.3, "zz": 0.49, "zh": 0.91, "hh": 1.69}
    moved = [
        Fraction(row[each.summand.name]) / Fraction(each.step * each.scale)
        for each in plan.measurements[0].sums
    ]
    power = 1 if mechanism == "laplace" else 2
    cost = sum(each**power for each in moved)
    if mechanism == "laplace":
        assert cost > plan.epsilon
    else:
        assert analytic_delta(Fraction(math.sqrt(cost)), plan.epsilon) > plan.delta
    refuse(plan, "noise of mixed products is too small beside the squares")
