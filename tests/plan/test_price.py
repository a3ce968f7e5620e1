"""The door believes nothing a plan says of itself: what is planned is what is paid."""

import json
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
from dpratio.plan.laws import LAPLACE, LAWS, analytic_delta
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import joint_ratio
from dpratio.plan.sensitivity.sums import Contrast, MeasuredSum
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from edited_plans import with_terms
from plan.boxes_for_tests import any_bounds, sums_of
from plan.priced_plans import (
    KINDS,
    ask,
    change_question,
    edit,
    focused_plan,
    plan_of,
    planned,
    refuse,
    scaled,
    spent,
    with_sums,
)
from plan_documents import plan_from_document, plan_to_document
from soak import IS_SOAK

EVERY_KIND = pytest.mark.parametrize(
    ("strategy", "mechanism"), [*KINDS, ("even", "classical_gaussian")]
)

near = st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3)).map(
    lambda given: Bounds(given[0], given[0] + given[1])
)
names = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1)
keys: st.SearchStrategy[list[Any]] = (
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
    | st.lists(st.integers(-(2**63 - 1), 2**63 - 1))
    | st.lists(st.booleans())
)


@st.composite
def any_plan(draw: st.DrawFn) -> Plan:
    binary = st.just(Bounds.binary())
    strategy = draw(st.sampled_from(["focused", "joint", "even"]))
    # Columns of a focused plan cancel; at any size at all they would only be refused.
    wide = near if strategy == "focused" else any_bounds()
    s, y, w, g = draw(st.lists(names, min_size=4, max_size=4, unique=True))
    bounds = {s: draw(wide), y: draw(wide | binary)}
    weight = draw(st.sampled_from([None, w]))
    if weight:
        top = st.floats(1e-3, 1e3).map(lambda end: Bounds(0, end))
        bounds[w] = draw((top if strategy == "focused" else any_bounds(0.0)) | binary)
    declared = list(dict.fromkeys(draw(keys)))
    epsilon = draw(st.decimals("0.001", 40, places=3) | st.fractions("0.01", 5))
    delta = draw(st.sampled_from(["1e-12", "1e-6", "0.01", "0.9"]))
    classical = strategy == "even" and epsilon <= 5
    guess = draw(st.sampled_from([0.0, 1.0, -1.0, 0.3]))
    guess_is = draw(st.sampled_from(["close", "unknown"]))
    try:
        return make_plan(
            Ratio(s, per=y, weight=weight, guess=guess, guess_is=guess_is),
            bounds=bounds,
            budget=Budget(epsilon, delta),
            groups=Groups(g, declared) if declared else None,
            strategy=strategy,
            answers=draw(st.sampled_from([("ratio",), ("ratio", "means")])),
            mechanism=draw(
                st.sampled_from(list(LAWS) if classical else list(LAWS)[:2])
            ),
        )
    except InvalidInput as error:  # Where columns are all but constant.
        assume("noise must stay below" not in str(error))
        raise


@settings(deadline=None, max_examples=1_000 if IS_SOAK else 60)
@given(plan=any_plan())
def test_what_the_planner_makes_is_priced_at_its_budget_and_survives_its_document(
    plan: Plan,
) -> None:
    cost = price(plan)
    assert spent(cost) == (plan.epsilon, plan.delta)
    assert plan.epsilon == plan.budget.epsilon
    assert plan.delta == (0 if plan.law == LAPLACE else plan.budget.delta)
    assert {type(each) for each in spent(cost)} == {Fraction}
    assert str(plan)
    document = plan_to_document(plan)
    back = plan_from_document(Node(json.loads(json.dumps(document))))
    assert back == plan
    assert plan_to_document(back) == document
    for written, read in zip(plan.study.partitions, back.study.partitions, strict=True):
        if isinstance(written, Groups) and isinstance(read, Groups):
            assert [*map(type, read.keys)] == [*map(type, written.keys)]  # True is 1.


@EVERY_KIND
def test_every_sum_needs_its_lattice_its_sensitivity_and_its_noise(
    strategy: str, mechanism: str
) -> None:
    plan = planned(strategy, mechanism)
    for at, each in enumerate(plan.measurements[0].sums):
        for moved in (-1, 1, -each.sensitivity, -(2**25)):
            wrong = edit(plan, at, sensitivity=each.sensitivity + moved)
            refuse(wrong, r"sensitivity of .* must be")
        # Equal to the one needed, and still a float where cells are counted.
        refuse(edit(plan, at, sensitivity=float(each.sensitivity)), "sensitivity")
        for factor in (2.0, 0.5, 0.0, -1.0, math.nan, math.inf):
            refuse(edit(plan, at, step=each.step * factor), "lattice step")
        # Consistent, cheap in noise per cell, and not the lattice of the bounds.
        half = (each.sensitivity + 1) // 2
        refuse(edit(plan, at, step=2 * each.step, sensitivity=half), "lattice step")
        refuse(edit(plan, at, scale=each.scale / 2), "too small")
        if strategy == "even" or each.summand.name not in {"zz", "hh", "ww"}:
            # Squares must not have less of a price than mixed products need.
            price(edit(plan, at, scale=each.scale * 1.5))
        over = math.nextafter(2.0**50, math.inf)
        for scale in (0.0, -1.0, math.nan, math.inf, 5e-324, over, 2.0**-11):
            refuse(edit(plan, at, scale=scale), "noise of .* not too small or large")


@pytest.mark.parametrize("scale", [Fraction(10**10, 3), Decimal(10**10), "1e10", None])
def test_scales_the_sampler_cannot_use_are_refused(scale: object) -> None:
    """Certified as one number and drawn as another would be two prices."""
    refuse(edit(plan_of(), scale=scale), "must be a plain number")
    assert spent(price(edit(plan_of(), scale=2.0**50))) == (Fraction(1), Fraction(0))


@EVERY_KIND
def test_all_noise_a_billionth_too_small_is_refused(
    strategy: str, mechanism: str
) -> None:
    plan = planned(strategy, mechanism)
    refuse(scaled(plan, 1 - 1e-9), "noise of .* is too small for")
    more = price(scaled(plan, 1.25))
    # The budget is charged even where less would do.
    assert spent(more) == spent(price(plan))
    assert more.rho < price(plan).rho


@EVERY_KIND
def test_a_smaller_budget_than_the_noise_was_made_for_is_refused(
    strategy: str, mechanism: str
) -> None:
    plan = planned(strategy, mechanism)
    refuse(with_terms(plan, budget=Budget("0.9999999", "1e-6")), "too small")
    if mechanism != "laplace":
        refuse(with_terms(plan, budget=Budget(1, "9.999e-7")), "too small")
    larger = Budget("1.0000001", "1.001e-6")
    assert price(with_terms(plan, budget=larger)).epsilon == larger.epsilon


OTHER_LISTS: dict[str, Callable[[Any], Any]] = {
    "fewer": lambda sums: sums[:-1],
    "reversed": lambda sums: sums[::-1],
    "more": lambda sums: (*sums, sums[0]),
    "none": lambda _: (),
    "twice": lambda sums: (sums[1], *sums[1:]),
    "factors": lambda sums: (_named(sums[0], factors=("h",)), *sums[1:]),
    "name": lambda sums: (_named(sums[0], name="n"), *sums[1:]),
}


def _named(measured: MeasuredSum, **changes: Any) -> MeasuredSum:  # noqa: ANN401
    return replace(measured, summand=replace(measured.summand, **changes))


@pytest.mark.parametrize("change", OTHER_LISTS)
@pytest.mark.parametrize("strategy", ["even", "joint", "focused", "means"])
def test_another_list_of_sums_is_refused(strategy: str, change: str) -> None:
    """Before anything else is looked at: each of these could be paid for."""
    plan = with_terms(planned(strategy, "laplace"), budget=Budget(100))
    sums = OTHER_LISTS[change](plan.measurements[0].sums)
    refuse(with_sums(plan, sums), "does not measure these sums")
    refuse(with_sums(plan, list(plan.measurements[0].sums)), "must be a tuple")


EVEN, GUESSED = plan_of(), focused_plan(guess=1)
FOCUSED, JOINT, PAPER = (
    focused_plan(strategy=strategy) for strategy in ("focused", "joint", "even")
)
WIDER = [
    (EVEN, "weight", Bounds(0.5, 3.0000001)),
    (EVEN, "weight", Bounds(0.5, 6)),
    (GUESSED, "score", Bounds(0, 1.0000001)),
    (GUESSED, "score", Bounds(-0.0000001, 1)),
    (GUESSED, "label", Bounds(0, 1.0000001)),
    (GUESSED, "label", Bounds(-1, 1)),
    (GUESSED, "weight", Bounds(0.5, 3.0000001)),
]
EDITED = [
    # Means need more sums; more sums than the ratio needs were not asked for.
    (change_question(FOCUSED, answers=("ratio", "means")), "does not measure"),
    (change_question(planned("means", "laplace"), answers=("ratio",)), "not measure"),
    (change_question(FOCUSED, basis="denominator"), None),
    # The engine clips to the bounds of the plan, so these decide the price.
    *(
        (with_terms(plan, bounds={**plan.bounds, name: wide}), "sensitiv|step|noise")
        for plan, name, wide in WIDER
    ),
    # A denominator that stops being binary needs a seventh sum.
    (
        with_terms(EVEN, bounds={**EVEN.bounds, "label": Bounds.binary()}),
        "does not measure",
    ),
    (with_terms(PAPER, bounds=EVEN.bounds), "does not measure"),
    (with_terms(FOCUSED, strategy="joint"), "does not measure"),
    (with_terms(FOCUSED, strategy="even"), "does not measure"),
    (with_terms(JOINT, strategy="focused"), None),
    (with_terms(PAPER, strategy="focused"), None),
    (with_terms(planned("joint", "analytic_gaussian"), strategy="even"), "its share"),
    # Analytic noise is too small for the classical formula; not the other way.
    *(
        (with_terms(planned(name, "laplace"), mechanism="analytic_gaussian"), "small")
        for name in ("joint", "focused", "means")
    ),
    (
        with_terms(
            planned("even", "analytic_gaussian"), mechanism="classical_gaussian"
        ),
        "too small",
    ),
]


@pytest.mark.parametrize(("plan", "message"), EDITED)
def test_terms_that_demand_other_sums_or_noise_are_refused(
    plan: Plan, message: str | None
) -> None:
    refuse(plan, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(({"guess": guess}, None) for guess in (0.0, 0.99, 1.0000001, -1.0, 2.0)),
        # Sums of the same lattice and sensitivity may still be too dear together.
        ({"guess": 1 + 2.0**-26}, "sensitivity|too small"),
        # Also where 1 would be taken: a plan says what it measures.
        ({"guess": None}, "states the guess of its ratio, got None"),
        *(({"residual_bound": limit}, None) for limit in (None, 0.75, 0.5000001, 0.4)),
        *(
            ({"residual_bound": limit}, "residual bound must be below 3")
            for limit in (3.0, 3.5, 100.0)
        ),
    ],
    ids=str,
)
def test_another_contrast_than_was_priced_is_refused(
    changes: dict[str, Any], message: str | None
) -> None:
    """The engine measures around the guess of the plan, so it decides the price."""
    plan = focused_plan(residual_bound=0.5)
    assert plan.measurements[0].ratio.guess == 1
    refuse(ask(plan, **changes), message)
    # How close a guess is shared the budget, and has no part in the price.
    assert price(ask(plan, guess_is="unknown")) == price(plan)


def test_noise_saved_on_one_sum_does_not_pay_for_another_when_shares_are_even() -> None:
    plan = edit(plan_of(), 0, scale=2.0**45)
    less = plan.measurements[0].sums[1].scale * (1 - 1e-9)
    refuse(edit(plan, 1, scale=less), "noise of .* is too small for its share")


@pytest.mark.parametrize("at", range(7))
def test_laplace_noise_one_step_of_a_double_too_small_is_refused(at: int) -> None:
    plan = plan_of()
    each = plan.measurements[0].sums[at]
    below = math.nextafter(each.scale, 0)
    cost = Fraction(each.sensitivity) / Fraction(below)
    assert cost > plan.epsilon / 7
    refuse(edit(plan, at, scale=below), "noise of .* is too small")


def test_a_refusal_says_what_to_do_and_hides_its_cause() -> None:
    with pytest.raises(PlanRefused, match="make_plan") as caught:
        price(edit(plan_of(), scale=1.0))
    assert caught.value.__cause__ is None
    with pytest.raises(PlanRefused) as caught:
        price(with_terms(plan_of(), clipping="uniform"))
    assert caught.value.__suppress_context__
    assert not isinstance(caught.value, InvalidInput)


def uneven(mechanism: str) -> Plan:
    """Make noise so that a row inside the box costs more than every corner.

    Along s = 1 the mixed product falls as 1 − y² while h = 1 + y still grows.
    """
    bounds = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    plan = focused_plan(mechanism, weight=None, bounds=bounds, guess=1)
    sums = plan.measurements[0].sums
    sizes = [1e4, 2.0, 1e4, 1.0, 10.0]
    scales = [size / each.step for size, each in zip(sizes, sums, strict=True)]
    box = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
    grid = sums_of("focused", box, Contrast(1.0), ("ratio",))
    share = {"epsilon": plan.budget.epsilon, "delta": plan.budget.delta}
    while not plan.law.affords(joint_ratio(plan.law, grid, scales), **share):
        scales = [1.001 * scale for scale in scales]
    noisy = (replace(each, scale=b) for each, b in zip(sums, scales, strict=True))
    return with_sums(plan, tuple(noisy))


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
    if mechanism == "laplace":
        assert sum(moved) > plan.epsilon
    else:
        length = math.sqrt(sum(each**2 for each in moved))
        assert analytic_delta(Fraction(length), plan.epsilon) > plan.delta
    refuse(plan, "noise of mixed products is too small beside the squares")
