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
from dpratio.plan.calibrate import (
    MECHANISMS,
    analytic_delta,
    is_affordable,
    laplace_cost,
)
from dpratio.plan.contrast import Contrast
from dpratio.plan.joint import joint_ratio
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import Cost, price
from dpratio.plan.strategy import sums_of
from dpratio.plan.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

ONE_IN_A_MILLION = Fraction(1, 10**6)


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {
        "bounds": {
            "score": Bounds(0, 1),
            "label": Bounds(0, 2),
            "weight": Bounds(0.5, 3),
        },
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": mechanism,
    } | changes
    return make_plan(Ratio("score", per="label", weight="weight"), **terms)


def focused_plan(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A focused plan; what is said of the ratio may be changed too."""
    about_ratio = ("guess", "guess_is", "residual_bound", "weight")
    asked = {name: changes.pop(name) for name in about_ratio if name in changes}
    terms: dict[str, Any] = {
        "bounds": {
            "score": Bounds(0, 1),
            "label": Bounds.binary(),
            "weight": Bounds(0.5, 3),
        },
        "budget": Budget(1, "1e-6"),
        "mechanism": mechanism,
    } | changes
    return make_plan(
        Ratio("score", per="label", **{"weight": "weight"} | asked), **terms
    )


def vector_plan(strategy: str, mechanism: str) -> Plan:
    if strategy == "joint":
        return plan_of(mechanism, strategy="joint")
    answers = ("ratio", "means") if strategy == "means" else ("ratio",)
    return focused_plan(mechanism, answers=answers)


def edit(plan: Plan, at: int = 0, **changes: Any) -> Plan:  # noqa: ANN401
    """Change one sum of a plan by hand."""
    sums = list(plan.sums)
    sums[at] = replace(sums[at], **changes)
    return with_sums(plan, tuple(sums))


def with_sums(plan: Plan, sums: Any, at: int = 0) -> Plan:  # noqa: ANN401
    """Give one part of a plan other sums."""
    return change_part(plan, at, sums=sums)


def ask(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    """Change the ratio of a plan by hand."""
    return change_part(plan, ratio=replace(plan.ratio, **changes))


def change_part(plan: Plan, at: int = 0, **changes: Any) -> Plan:  # noqa: ANN401
    parts = list(plan.parts)
    parts[at] = replace(parts[at], **changes)
    return replace(plan, parts=tuple(parts))


def spent(cost: Cost) -> tuple[Fraction, Fraction]:
    return cost.epsilon, cost.delta


def refuse(plan: Plan, match: str | None = None) -> None:
    with pytest.raises(PlanRefused, match=match):
        price(plan)


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
    is_laplace = plan.mechanism == "laplace"
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
    at = data.draw(st.integers(0, len(plan.sums) - 1))
    each = plan.sums[at]
    factor = data.draw(st.floats(0, 1 - 1e-9))
    chosen = [at] if plan.strategy == "even" else range(len(plan.sums))
    less = plan
    for index in chosen:
        less = edit(less, index, scale=plan.sums[index].scale * factor)
    refuse(less, "too small")
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
    assert cost > plan.epsilon / 7
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
    refuse(with_sums(plan, change(plan.sums)), "does not measure these sums")


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


def test_noise_saved_on_one_sum_does_not_pay_for_another_when_shares_are_even() -> None:
    plan = edit(plan_of(), 0, scale=2.0**45)
    less = plan.sums[1].scale * (1 - 1e-9)
    refuse(edit(plan, 1, scale=less), "noise of .* is too small for its share")


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


def test_noise_up_to_2_to_the_50_cells_is_accepted() -> None:
    plan = edit(plan_of(), scale=2.0**50)
    assert spent(price(plan)) == (1, 0)
    refuse(edit(plan, scale=math.nextafter(2.0**50, math.inf)), "too large")


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
    """However much noise there is: the formula is not proven there."""
    plan = plan_of("classical_gaussian", budget=Budget(7, "1e-6"))
    price(plan)
    refuse(replace(plan, budget=Budget(8, "1e-6")), "too small")
    more = replace(plan, budget=Budget("7.0000001", "1e-6"))
    sums = tuple(replace(each, scale=2.0**49) for each in plan.sums)
    refuse(with_sums(more, sums), "too small")


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"mechanism": "uniform"}, "unknown mechanism"),
        ({"mechanism": "Laplace"}, "unknown mechanism"),
        ({"strategy": "focussed"}, "unknown strategy"),
        ({"mechanism": "auto"}, "unknown mechanism"),
        ({"answers": ("means",)}, "answers must be"),
        ({"answers": ["ratio"]}, "answers must be"),
        ({"budget": Budget(1)}, "needs a delta"),
        ({"budget": None}, "budget must be a Budget"),
        ({"partitions": (["north"],)}, "groups must be Groups"),
        ({"partitions": (Groups("score", ["north"]),)}, "cannot be its group"),
        ({"partitions": ()}, "groups must be Groups"),
        ({"partitions": [None]}, "groups must be Groups"),
        ({"unit": None}, "unit must be a PrivacyUnit"),
        ({"parts": ()}, "at least one ratio"),
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
            price(with_sums(plan_of(), sums))


# One vector, one price.

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
    refuse(edit(plan, at, scale=plan.sums[at].scale / 2), "too small")
    if plan.sums[at].summand.name not in {"zz", "hh", "ww"}:
        # More noise is as good; but squares must not have less of a price than theirs.
        price(edit(plan, at, scale=plan.sums[at].scale * 1.5))


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["joint", "focused", "means"])
def test_all_noise_a_billionth_too_small_is_refused(
    strategy: str, mechanism: str
) -> None:
    plan = vector_plan(strategy, mechanism)
    less = tuple(replace(each, scale=each.scale * (1 - 1e-9)) for each in plan.sums)
    refuse(with_sums(plan, less), "noise of the sums is too small for the budget")
    more = tuple(replace(each, scale=each.scale * 1.25) for each in plan.sums)
    assert spent(price(with_sums(plan, more))) == spent(price(plan))
    assert price(with_sums(plan, more)).rho < price(plan).rho


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["joint", "focused", "means"])
def test_another_sensitivity_or_step_in_a_vector_is_refused(
    strategy: str, mechanism: str
) -> None:
    """They play no part in the joint price, but the engine counts by them."""
    plan = vector_plan(strategy, mechanism)
    for at, each in enumerate(plan.sums):
        for moved in (each.sensitivity - 1, each.sensitivity + 1, 0):
            refuse(edit(plan, at, sensitivity=moved), r"must be \d+ cells")
        for step in (2 * each.step, each.step / 2, -each.step):
            refuse(edit(plan, at, step=step), "lattice step")


@pytest.mark.parametrize(
    "change",
    [
        lambda sums: sums[:-1],
        lambda sums: sums[::-1],
        lambda sums: (*sums, sums[0]),
        lambda _: (),
        lambda sums: (sums[1], *sums[1:]),
        lambda sums: (replace(sums[0], summand=Summand("z", ("h",))), *sums[1:]),
    ],
    ids=["fewer", "reversed", "more", "none", "twice", "factors"],
)
def test_another_list_of_focused_sums_is_refused(change: Callable[[Any], Any]) -> None:
    plan = focused_plan(budget=Budget(100, "1e-6"))
    refuse(with_sums(plan, change(plan.sums)), "'focused' does not measure these")


def test_other_answers_than_were_planned_are_refused() -> None:
    """Means need more sums; more sums than the ratio needs were not asked for."""
    alone, means = focused_plan(), focused_plan(answers=("ratio", "means"))
    refuse(replace(alone, answers=("ratio", "means")), "does not measure these sums")
    refuse(replace(means, answers=("ratio",)), "does not measure these sums")


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
    assert plan.ratio.guess == 1
    refuse(ask(plan, guess=guess))


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
    refuse(replace(unsaid, bounds=apart), "needs a public guess")


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
    many = tuple(replace(each, scale=2.0**49) for each in plan.sums)
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
    parts = [1e4, 2.0, 1e4, 1.0, 10.0]
    scales = [part / each.step for part, each in zip(parts, plan.sums, strict=True)]
    grid = sums_of("focused", plan.box(plan.parts[0]), Contrast(1.0), ("ratio",))
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
        for each, scale in zip(plan.sums, scales, strict=True)
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
        for each in plan.sums
    ]
    power = 1 if mechanism == "laplace" else 2
    cost = sum(each**power for each in moved)
    if mechanism == "laplace":
        assert cost > plan.epsilon
    else:
        assert analytic_delta(Fraction(math.sqrt(cost)), plan.epsilon) > plan.delta
    refuse(plan, "noise of mixed products is too small beside the squares")


# Several parts, units with many rows, and keys that are found.

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "m": Bounds(0, 1)}
TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
RATIOS = [Ratio("s", per="y"), Ratio("s", per="y", minus="m", guess=0)]
PARTITIONS = [None, Groups("k", ["a", "b"]), Groups.cross(ScoreBins("s", 2))]


def several(strategy: str, mechanism: str, **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "groups": PARTITIONS,
        "weights": [1, 2, 0.5],
        "strategy": strategy,
        "mechanism": mechanism,
    } | changes
    return make_plan(RATIOS, **terms)


LAWS = [
    (strategy, mechanism)
    for strategy in ("focused", "joint", "even")
    for mechanism in ("laplace", "analytic_gaussian")
]


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_parts_are_priced_together(strategy: str, mechanism: str) -> None:
    plan = several(strategy, mechanism)
    assert [part.partition for part in plan.parts] == [0, 0, 1, 1, 2, 2]
    weights = [part.weight for part in plan.parts]
    assert weights == [Fraction(each, 14) for each in (2, 2, 4, 4, 1, 1)]
    delta = 0 if mechanism == "laplace" else ONE_IN_A_MILLION
    assert spent(price(plan)) == (Fraction(1), Fraction(delta))
    for at, part in enumerate(plan.parts):
        half = tuple(replace(each, scale=each.scale / 2) for each in part.sums)
        refuse(with_sums(plan, half, at), "too small")
        refuse(with_sums(plan, part.sums[:-1], at), "does not measure these sums")
        refuse(with_sums(plan, list(part.sums), at), "must be a tuple")
        first = replace(part.sums[0], sensitivity=part.sums[0].sensitivity - 1)
        refuse(with_sums(plan, (first, *part.sums[1:]), at), "sensitivity")
    # Some of the parts cost less than all of them do.
    assert price(replace(plan, parts=plan.parts[:2]))


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_parts_share_what_adds_up(mechanism: str) -> None:
    """Epsilon under Laplace noise, squares of μ under Gaussian noise."""
    equal = several("joint", mechanism, weights=None, groups=[None, PARTITIONS[1]])
    alone = make_plan(
        RATIOS[0],
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        strategy="joint",
        mechanism=mechanism,
    )
    more = 4 if mechanism == "laplace" else 2
    scale = equal.parts[0].sums[0].scale
    assert scale == pytest.approx(more * alone.sums[0].scale, rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"weight": Fraction(0)}, "weights of parts must be positive"),
        ({"weight": Fraction(-1, 2)}, "weights of parts must be positive"),
        ({"weight": Fraction(1)}, "at most 1 together"),
        ({"weight": 0.1}, "weights of parts must be positive"),
        ({"weight": None}, "weights of parts must be positive"),
        ({"partition": 3}, "each part belongs to a partition of the plan"),
        ({"partition": 4}, "each part belongs to a partition of the plan"),
        ({"partition": -1}, "each part belongs to a partition of the plan"),
        ({"partition": True}, "belongs to a partition|asked for once"),
        ({"partition": 1.0}, "belongs to a partition|asked for once"),
        ({"partition": None}, "each part belongs to a partition of the plan"),
        ({"ratio": RATIOS[0]}, "each ratio is asked for once"),
        ({"ratio": "s / y"}, "ratio must be a Ratio"),
        ({"ratio": Ratio("s", per="z")}, "needs bounds"),
    ],
    ids=str,
)
@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_a_part_changed_by_hand_is_refused(
    strategy: str, changes: dict[str, Any], match: str
) -> None:
    refuse(change_part(several(strategy, "laplace"), 1, **changes), match)


def test_parts_that_are_no_tuple_are_refused() -> None:
    plan = several("joint", "laplace")
    refuse(replace(plan, parts=list(plan.parts)), "parts of a plan must be a tuple")  # type: ignore[arg-type]


def test_a_plan_states_the_edges_of_its_bins() -> None:
    plan = several("joint", "laplace")
    unsettled = (*PARTITIONS[:2], Groups.cross(ScoreBins("s", 2)))
    refuse(replace(plan, partitions=unsettled), "states the edges of its bins")
    beyond = (*PARTITIONS[:2], Groups.cross(ScoreBins("s", [0, 2])))
    refuse(replace(plan, partitions=beyond), "edges of bins must lie within")
    other = (None, None, plan.partitions[2])
    refuse(replace(plan, partitions=other), "each partition is asked for once")


def person(strategy: str, mechanism: str, **unit: Any) -> Plan:  # noqa: ANN401
    return make_plan(
        Ratio("s", per="y", guess=1),
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit("user", totals=TOTALS, **unit),
        groups=Groups("k", ["a", "b", "c"]),
        strategy=strategy,
        mechanism=mechanism,
    )


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
@pytest.mark.parametrize(
    "unit",
    [{}, {"most_groups": 2}, {"neighbours": "change-one"}],
    ids=["one", "two groups", "changed"],
)
def test_noise_is_made_for_the_unit_that_is_declared(
    strategy: str, mechanism: str, unit: dict[str, Any]
) -> None:
    plan = person(strategy, mechanism, **unit)
    price(plan)
    less = tuple(replace(each, scale=each.scale * (1 - 1e-5)) for each in plan.sums)
    refuse(with_sums(plan, less), "too small")
    for dearer in ({"most_groups": 3}, {"neighbours": "change-one", "most_groups": 2}):
        refuse(replace(plan, unit=replace(plan.unit, **dearer)), "too small")
    wider = {**TOTALS, "s": Bounds(0, 5.1)}
    refuse(replace(plan, unit=replace(plan.unit, totals=wider)))
    refuse(replace(plan, unit=PrivacyUnit()))
    refuse(replace(plan, unit=PrivacyUnit("user")), "bounds of its totals")
    refuse(replace(plan, unit=replace(plan.unit, column="k")), "ids cannot be a group")
    refuse(replace(plan, unit=replace(plan.unit, column="s")), "ids cannot be a column")


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_totals_without_two_cells_are_refused_as_a_plan(strategy: str) -> None:
    plan = person(strategy, "laplace")
    narrow = {**TOTALS, "s": Bounds(1, 1 + 1e-9)}
    refuse(replace(plan, unit=replace(plan.unit, totals=narrow)), "too narrow a range")


FOUND = PrivateKeys("k", Budget("0.25", "1e-7"))


def finding(mechanism: str, strategy: str = "joint") -> Plan:
    groups = [FOUND, None]
    return several(strategy, mechanism, groups=groups, weights=None)


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_finding_keys_is_paid_from_the_budget(strategy: str, mechanism: str) -> None:
    plan = finding(mechanism, strategy)
    delta = Fraction("1e-7") if mechanism == "laplace" else ONE_IN_A_MILLION
    assert spent(price(plan)) == (Fraction(1), delta)
    assert plan.for_sums[0] == Fraction(3, 4)
    dearer = replace(FOUND, budget=Budget("0.2500001", "1e-7"))
    refuse(replace(plan, partitions=(dearer, None)), "too small")
    cheaper = replace(FOUND, budget=Budget("0.2", "1e-7"))
    assert price(replace(plan, partitions=(cheaper, None))).epsilon == 1
    if mechanism != "laplace":
        assert plan.for_sums[1] == Fraction("9e-7")
        dearer = replace(FOUND, budget=Budget("0.25", "1.01e-7"))
        refuse(replace(plan, partitions=(dearer, None)), "too small")


@pytest.mark.parametrize(
    "budget", [Budget(1, "1e-7"), Budget("0.5", "1.1e-6")], ids=str
)
def test_finding_keys_leaves_some_of_the_budget(budget: Budget) -> None:
    plan = finding("laplace")
    keys = replace(FOUND, budget=budget)
    refuse(replace(plan, partitions=(keys, None)), "must leave some of the budget")


def test_keys_are_found_only_for_units_that_are_added_or_removed() -> None:
    changed = replace(finding("laplace"), unit=PrivacyUnit(neighbours="change-one"))
    refuse(changed, "finding keys is proven for units that are added or removed")


def test_key_columns_are_not_those_of_the_ratio() -> None:
    plan = finding("laplace")
    keys = replace(FOUND, column="y")
    refuse(replace(plan, partitions=(keys, None)), "cannot be its group")
    crossed = Groups.cross(ScoreBins("s", [0, 1]), Keys("y", [0, 1]))
    refuse(replace(plan, partitions=(crossed, None)), "cannot be its group")
