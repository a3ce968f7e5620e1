"""Equal shares: each sum is priced for itself, and each guard stops a plan."""

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import PlanRefused
from dpratio.plan.laws import MECHANISMS, laplace_cost
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from plan.priced_plans import OTHER_LISTS, edit, plan_of, refuse, vector_plan, with_sums


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("at", range(7))
def test_noise_that_is_smaller_than_its_share_needs_is_refused(
    mechanism: str, at: int
) -> None:
    plan = plan_of(mechanism)
    refuse(
        edit(plan, at, scale=plan.measurements[0].sums[at].scale * (1 - 1e-9)),
        "too small",
    )
    price(edit(plan, at, scale=plan.measurements[0].sums[at].scale * 1.5))


@pytest.mark.parametrize("at", range(7))
def test_laplace_noise_one_step_of_a_double_too_small_is_refused(at: int) -> None:
    plan = plan_of()
    each = plan.measurements[0].sums[at]
    below = math.nextafter(each.scale, 0)
    cost = laplace_cost(sensitivity=each.sensitivity, scale=below)
    assert cost > plan.epsilon / 7
    refuse(edit(plan, at, scale=below), "noise of .* is too small")


def test_classical_noise_one_step_of_a_double_too_small_is_refused() -> None:
    plan = plan_of("classical_gaussian")
    scale = plan.measurements[0].sums[0].scale
    for _ in range(200):  # From the certified scale down to the smallest one.
        below = math.nextafter(scale, 0)
        try:
            price(edit(plan, scale=below))
        except PlanRefused as error:
            assert "too small" in str(error)  # noqa: PT017
            return
        scale = below
    pytest.fail("the planner's scale is far from the smallest one")


@pytest.mark.parametrize(
    "scale",
    [0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 2.0**51, 2.0**-11],
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_scales_that_are_no_noise_are_refused(mechanism: str, scale: float) -> None:
    message = "noise of .* is too small or too large"
    refuse(edit(plan_of(mechanism), scale=scale), message)
    if mechanism != "classical_gaussian":
        for strategy in ("joint", "focused", "means"):
            refuse(edit(vector_plan(strategy, mechanism), scale=scale), message)


@pytest.mark.parametrize("difference", [-1, 1, -(2**25)])
@pytest.mark.parametrize("at", range(7))
def test_another_sensitivity_is_refused(at: int, difference: int) -> None:
    """One more would be safe, but is no longer what the bounds say."""
    plan = plan_of()
    moved = plan.measurements[0].sums[at].sensitivity + difference
    refuse(edit(plan, at, sensitivity=moved), r"sensitivity of .* must be \d+ cells")


@pytest.mark.parametrize("factor", [2.0, 0.5, 0.75, 0.0, -1.0, math.nan, math.inf])
def test_another_lattice_step_is_refused(factor: float) -> None:
    plan = plan_of()
    refuse(edit(plan, step=plan.measurements[0].sums[0].step * factor), "lattice step")


def test_a_coarser_lattice_with_its_own_sensitivity_is_refused() -> None:
    """Consistent, cheap in noise per cell, and not the lattice of the bounds."""
    plan = plan_of()
    each = plan.measurements[0].sums[0]
    coarse = edit(plan, step=2 * each.step, sensitivity=(each.sensitivity + 1) // 2)
    refuse(coarse, "lattice step")


@pytest.mark.parametrize(
    "change",
    [
        *OTHER_LISTS.values(),
        lambda sums: (replace(sums[0], summand=Summand("w", ())), *sums[1:]),
        lambda sums: (replace(sums[0], summand=Summand("count", ("w",))), *sums[1:]),
    ],
    ids=[*OTHER_LISTS, "factors", "name"],
)
def test_another_list_of_sums_is_refused(change: Callable[[Any], Any]) -> None:
    """Before anything else is looked at: each of these could be paid for."""
    plan = plan_of(budget=Budget(100, "1e-6"))
    refuse(
        with_sums(plan, change(plan.measurements[0].sums)),
        "does not measure these sums",
    )


def test_sums_of_other_bounds_are_refused() -> None:
    """A denominator that stops being binary needs a seventh sum."""
    binary = {**plan_of().bounds, "label": Bounds.binary()}
    refuse(replace(plan_of(), bounds=binary), "does not measure these sums")
    general = {**plan_of().bounds, "label": Bounds(0, 1)}
    refuse(replace(plan_of(bounds=binary), bounds=general), "does not measure")


def test_wider_bounds_than_were_priced_are_refused() -> None:
    """The engine clips to the bounds of the plan, so these decide the price."""
    wide = {**plan_of().bounds, "weight": Bounds(0.5, 3.0000001)}
    refuse(replace(plan_of(), bounds=wide), "sensitivity")
    wider = {**plan_of().bounds, "weight": Bounds(0.5, 6)}
    refuse(replace(plan_of(), bounds=wider), "lattice step")


def test_noise_saved_on_one_sum_does_not_pay_for_another_when_shares_are_even() -> None:
    plan = edit(plan_of(), 0, scale=2.0**45)
    less = plan.measurements[0].sums[1].scale * (1 - 1e-9)
    refuse(edit(plan, 1, scale=less), "noise of .* is too small for its share")


@pytest.mark.parametrize(
    "scale", [Fraction(10**10, 3), Decimal(10**10), "1e10", None], ids=repr
)
def test_scales_the_sampler_cannot_use_are_refused(scale: object) -> None:
    """Certified as one number and drawn as another would be two prices."""
    refuse(edit(plan_of(), scale=scale))


def test_a_sensitivity_that_is_no_whole_number_is_refused() -> None:
    """Equal to the one needed, and still a float where cells are counted."""
    plan = plan_of()
    refuse(edit(plan, sensitivity=float(plan.measurements[0].sums[0].sensitivity)))


def test_a_negative_weight_bound_is_refused() -> None:
    below = {**plan_of().bounds, "weight": Bounds(-3, 3)}
    refuse(replace(plan_of(), bounds=below), "weight must be at least 0")


def test_classical_noise_above_epsilon_one_is_refused() -> None:
    """However much noise there is: the formula is not proven there."""
    plan = plan_of("classical_gaussian", budget=Budget(7, "1e-6"))
    price(plan)
    refuse(replace(plan, budget=Budget(8, "1e-6")), "too small")
    more = replace(plan, budget=Budget("7.0000001", "1e-6"))
    sums = tuple(replace(each, scale=2.0**49) for each in plan.measurements[0].sums)
    refuse(with_sums(more, sums), "too small")


def test_a_mechanism_changed_by_hand_is_priced_as_what_it_is() -> None:
    """Analytic noise is too small for the classical formula; not the other way."""
    analytic = replace(plan_of("analytic_gaussian"), mechanism="classical_gaussian")
    refuse(analytic, "noise of .* is too small")
    classical = plan_of("classical_gaussian")
    assert price(replace(classical, mechanism="analytic_gaussian")) == price(classical)


def test_sums_that_are_no_tuple_are_refused() -> None:
    for sums in (None, list(plan_of().questions[0].sums)):
        with pytest.raises(PlanRefused, match="must be a tuple"):
            price(with_sums(plan_of(), sums))
