"""The door believes nothing a plan says of itself: each guard, and a plan it stops."""

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.calibrate import MECHANISMS, calibrate, laplace_cost
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import Cost, price
from dpratio.plan.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

ONE_IN_A_MILLION = Fraction(1, 10**6)


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {
        "bounds": {
            "score": Bounds(0, 1),
            "label": Bounds(0, 2),
            "weight": Bounds(0.5, 3),
        },
        "budget": Budget(1, "1e-6"),
        "mechanism": mechanism,
    } | changes
    return make_plan(Ratio("score", per="label", weight="weight"), **terms)


def edit(plan: Plan, at: int = 0, **changes: Any) -> Plan:  # noqa: ANN401
    """Change one sum of a plan by hand."""
    sums = list(plan.sums)
    sums[at] = replace(sums[at], **changes)
    return replace(plan, sums=tuple(sums))


def refuse(plan: Plan, match: str | None = None) -> None:
    with pytest.raises(PlanRefused, match=match):
        price(plan)


@st.composite
def any_bounds(draw: st.DrawFn, least: float = -(2.0**100)) -> Bounds:
    ends = st.floats(least, 2.0**100)
    lower, upper = sorted(draw(st.tuples(ends, ends)))
    assume(lower < upper and max(-lower, upper) >= 2.0**-100)
    return Bounds(lower, upper)


@st.composite
def any_plan(draw: st.DrawFn) -> Plan:
    binary = st.just(Bounds.binary())
    bounds = {"s": draw(any_bounds()), "y": draw(any_bounds() | binary)}
    weight = draw(st.sampled_from([None, "w"]))
    if weight:
        bounds["w"] = draw(any_bounds(0.0) | binary)
    keys: st.SearchStrategy[list[Any]] = st.one_of(
        st.lists(st.integers(-9, 9), min_size=1, unique=True),
        st.lists(st.text("abc", max_size=2), min_size=1, unique=True),
        st.just([True, False]),
    )
    epsilon = draw(st.decimals("0.001", 40, places=3))
    delta = draw(st.sampled_from(["1e-12", "1e-6", "0.01", "0.9"]))
    mechanisms = MECHANISMS if epsilon <= 5 else MECHANISMS[:2]
    return make_plan(
        Ratio("s", per="y", weight=weight),
        bounds=bounds,
        budget=Budget(epsilon, delta),
        groups=draw(st.none() | keys.map(lambda given: Groups("k", given))),
        mechanism=draw(st.sampled_from(mechanisms)),
    )


@settings(deadline=None, max_examples=60)
@given(plan=any_plan())
def test_what_the_planner_makes_is_accepted_within_the_budget(plan: Plan) -> None:
    cost = price(plan)
    assert 0 < cost.epsilon <= plan.budget.epsilon
    assert 0 <= cost.delta <= plan.budget.delta
    assert cost == Cost(plan.epsilon, plan.delta)
    assert isinstance(cost.epsilon, Fraction)
    assert isinstance(cost.delta, Fraction)


@settings(deadline=None, max_examples=30)
@given(plan=any_plan(), data=st.data())
def test_any_sum_with_less_noise_or_another_sensitivity_is_refused(
    plan: Plan, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(plan.sums) - 1))
    each = plan.sums[at]
    less = each.scale * data.draw(st.floats(0, 1 - 1e-9))
    refuse(edit(plan, at, scale=less), "too small")
    moved = each.sensitivity + data.draw(st.sampled_from([-1, 1, -each.sensitivity]))
    refuse(edit(plan, at, sensitivity=moved), "sensitivity")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("at", range(7))
def test_noise_that_is_smaller_than_its_share_needs_is_refused(
    mechanism: str, at: int
) -> None:
    plan = plan_of(mechanism)
    refuse(edit(plan, at, scale=plan.sums[at].scale * (1 - 1e-9)), "too small")
    price(edit(plan, at, scale=plan.sums[at].scale * 1.5))


@pytest.mark.parametrize("at", range(7))
def test_laplace_noise_one_step_of_a_double_too_small_is_refused(at: int) -> None:
    plan = plan_of()
    each = plan.sums[at]
    below = math.nextafter(each.scale, 0)
    cost = laplace_cost(sensitivity=each.sensitivity, scale=below)
    assert cost > each.epsilon
    refuse(edit(plan, at, scale=below), "noise of .* is too small")


def test_classical_noise_one_step_of_a_double_too_small_is_refused() -> None:
    plan = plan_of("classical_gaussian")
    scale = plan.sums[0].scale
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
    "scale", [0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 2.0**51]
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_scales_that_are_no_noise_are_refused(mechanism: str, scale: float) -> None:
    refuse(edit(plan_of(mechanism), scale=scale), "noise of .* is too small")


@pytest.mark.parametrize("difference", [-1, 1, -(2**25)])
@pytest.mark.parametrize("at", range(7))
def test_another_sensitivity_is_refused(at: int, difference: int) -> None:
    """One more would be safe, but is no longer what the bounds say."""
    plan = plan_of()
    moved = plan.sums[at].sensitivity + difference
    refuse(edit(plan, at, sensitivity=moved), r"sensitivity of .* must be \d+ cells")


@pytest.mark.parametrize("factor", [2.0, 0.5, 0.75, 0.0, -1.0, math.nan, math.inf])
def test_another_lattice_step_is_refused(factor: float) -> None:
    plan = plan_of()
    refuse(edit(plan, step=plan.sums[0].step * factor), "lattice step")


def test_a_coarser_lattice_with_its_own_sensitivity_is_refused() -> None:
    """Consistent, cheap in noise per cell, and not the lattice of the bounds."""
    plan = plan_of()
    each = plan.sums[0]
    coarse = edit(plan, step=2 * each.step, sensitivity=(each.sensitivity + 1) // 2)
    refuse(coarse, "lattice step")


@pytest.mark.parametrize(
    "change",
    [
        lambda sums: sums[:-1],
        lambda sums: sums[::-1],
        lambda sums: (*sums, sums[0]),
        lambda _: (),
        lambda sums: (sums[1], *sums[1:]),
        lambda sums: (replace(sums[0], summand=Summand("w", ())), *sums[1:]),
        lambda sums: (replace(sums[0], summand=Summand("count", ("w",))), *sums[1:]),
    ],
    ids=["fewer", "reversed", "more", "none", "twice", "factors", "name"],
)
def test_another_list_of_sums_is_refused(change: Callable[[Any], Any]) -> None:
    """Before anything else is looked at: each of these could be paid for."""
    plan = plan_of(budget=Budget(100, "1e-6"))
    refuse(replace(plan, sums=change(plan.sums)), "does not measure these sums")


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


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1, 7), Fraction(-100)])
@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_share_that_is_not_positive_is_refused(
    mechanism: str, epsilon: Fraction
) -> None:
    """Gaussian noise can be private at epsilon 0, but no share may give back."""
    plan = plan_of(mechanism, budget=Budget(1, "0.9"))
    edited = edit(plan, epsilon=epsilon, scale=2.0**45)
    refuse(edited, "share of .* must be positive")


def test_a_negative_delta_is_refused() -> None:
    """It would pay for a delta that another sum spends."""
    plan = edit(plan_of(), 0, delta=Fraction(-1, 2))
    refuse(edit(plan, 1, delta=Fraction(1, 2)), "share of .* must be positive")


def test_shares_above_the_epsilon_of_the_budget_are_refused() -> None:
    plan = plan_of()
    more = plan.sums[0].epsilon + Fraction(1, 10**30)
    refuse(edit(plan, epsilon=more), "cost more than the budget")
    less = replace(plan, budget=Budget("0.9999999", "1e-6"))
    refuse(less, "cost more than the budget")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_shares_above_the_delta_of_the_budget_are_refused(mechanism: str) -> None:
    plan = plan_of(mechanism)
    more = plan.sums[0].delta + ONE_IN_A_MILLION + Fraction(1, 10**30)
    refuse(edit(plan, delta=more), "cost more than the budget")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_share_beyond_any_budget_is_refused_before_it_is_certified(
    mechanism: str,
) -> None:
    """Certifying it would form e to the power of it."""
    refuse(edit(plan_of(mechanism), epsilon=Fraction(10**19)))
    refuse(edit(plan_of(mechanism), delta=Fraction(10**19)))


def test_uneven_shares_within_the_budget_are_accepted_at_their_price() -> None:
    plan = plan_of()
    small, large = Fraction(1, 14), Fraction(3, 14)
    for at, share in ((0, small), (1, large)):
        each = plan.sums[at]
        scale = calibrate(
            "laplace",
            sensitivity=each.sensitivity,
            epsilon=share,
            delta=Fraction(0),
        )
        plan = edit(plan, at, epsilon=share, scale=scale)
    assert price(plan) == Cost(Fraction(1), Fraction(0))


def test_the_declared_share_is_charged_even_where_less_would_do() -> None:
    """A scale that was raised does not make the release cheaper."""
    plan = edit(plan_of(), scale=2.0**40)
    assert price(plan) == Cost(Fraction(1), Fraction(0))


def test_a_delta_declared_for_laplace_noise_is_charged() -> None:
    plan = edit(plan_of(), delta=ONE_IN_A_MILLION)
    assert price(plan) == Cost(Fraction(1), ONE_IN_A_MILLION)


@pytest.mark.parametrize(
    "changes",
    [
        {"delta": math.nan},
        {"delta": 0.0},
        {"epsilon": 1 / 7},
        {"epsilon": math.nan},
        {"epsilon": Decimal("0.1")},
    ],
    ids=str,
)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_shares_that_are_no_exact_fractions_are_refused(
    mechanism: str, changes: dict[str, Any]
) -> None:
    """NaN is neither below 0 nor above the budget; doubles do not add up."""
    refuse(edit(plan_of(mechanism), **changes))


@pytest.mark.parametrize(
    "scale", [Fraction(10**10, 3), Decimal(10**10), "1e10", None], ids=repr
)
def test_scales_the_sampler_cannot_use_are_refused(scale: object) -> None:
    """Certified as one number and drawn as another would be two prices."""
    refuse(edit(plan_of(), scale=scale))


def test_a_sensitivity_that_is_no_whole_number_is_refused() -> None:
    """Equal to the one needed, and still a float where cells are counted."""
    plan = plan_of()
    refuse(edit(plan, sensitivity=float(plan.sums[0].sensitivity)))


def test_a_negative_weight_bound_is_refused() -> None:
    below = {**plan_of().bounds, "weight": Bounds(-3, 3)}
    refuse(replace(plan_of(), bounds=below), "weight must be at least 0")


def test_classical_noise_above_epsilon_one_is_refused() -> None:
    """By its terms, and by the share of one sum alone."""
    plan = plan_of("classical_gaussian", budget=Budget(7, "1e-6"))
    price(plan)
    refuse(replace(plan, budget=Budget(8, "1e-6")), "analytic_gaussian")
    more = edit(plan, 0, epsilon=Fraction(3, 2), scale=2.0**49)
    refuse(edit(more, 1, epsilon=Fraction(1, 2), scale=2.0**49), "too small")


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"mechanism": "uniform"}, "unknown mechanism"),
        ({"mechanism": "Laplace"}, "unknown mechanism"),
        ({"strategy": "focused"}, "unknown strategy"),
        ({"budget": Budget(1)}, "needs a delta"),
        ({"budget": None}, "budget must be a Budget"),
        ({"ratio": "score/label"}, "ratio must be a Ratio"),
        ({"groups": ["north"]}, "groups must be Groups"),
        ({"groups": Groups("score", ["north"])}, "cannot be its group"),
        ({"bounds": {}}, "needs bounds"),
        ({"bounds": None}, "bounds must map"),
    ],
    ids=str,
)
def test_terms_that_break_a_rule_are_refused(
    changes: dict[str, Any], match: str
) -> None:
    refuse(replace(plan_of("analytic_gaussian"), **changes), match)


def test_a_mechanism_changed_by_hand_is_priced_as_what_it_is() -> None:
    """Analytic noise is too small for the classical formula; not the other way."""
    analytic = replace(plan_of("analytic_gaussian"), mechanism="classical_gaussian")
    refuse(analytic, "noise of .* is too small")
    classical = plan_of("classical_gaussian")
    assert price(replace(classical, mechanism="analytic_gaussian")) == price(classical)


def test_a_refusal_says_what_to_do_and_hides_its_cause() -> None:
    with pytest.raises(PlanRefused, match="make_plan") as caught:
        price(edit(plan_of(), scale=1.0))
    assert caught.value.__cause__ is None
    with pytest.raises(PlanRefused) as caught:
        price(replace(plan_of(), mechanism="uniform"))
    assert caught.value.__suppress_context__
    assert not isinstance(caught.value, InvalidInput)


def test_sums_that_are_no_tuple_are_refused() -> None:
    for sums in (None, list(plan_of().sums)):
        with pytest.raises(PlanRefused, match="must be a tuple"):
            price(replace(plan_of(), sums=sums))  # type: ignore[arg-type]
