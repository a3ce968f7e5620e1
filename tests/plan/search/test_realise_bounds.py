"""From noisy counts to what is measured: for any whole numbers, and priced."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.tables_for_tests import fixed
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.search.realise_bounds import (
    Searched,
    describe_unfound,
    is_searched,
    measured_within,
    realise_bounds,
)
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import Budget
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED
from dpratio.terms.unit import PrivacyUnit
from plan.search_plans import PERSON, REGIONS, counts_at, search_of, search_plan

PLANS = {
    "rows": search_plan(),
    "any guess": search_plan(Ratio("spent", per="orders")),
    "both": search_plan(
        Ratio("spent", per="orders"),
        bounds={"spent": Bounds.find(), "orders": Bounds.find()},
    ),
    "people": search_plan(unit=PERSON, groups=REGIONS),
    "even": search_plan(strategy="even", clipping=MEASURED),
    "shifted": search_plan(bounds={"spent": Bounds.find(100, 4096)}),
}
PLAN = PLANS["rows"]


def ends(plan: Plan, name: str = "spent") -> tuple[float, float]:
    held = plan.unit.totals if plan.unit.column else plan.bounds
    assert not held[name].to_find
    return held[name].lower, held[name].upper


@pytest.mark.parametrize("kind", PLANS)
def test_bounds_that_are_found_are_measured_within(kind: str) -> None:
    plan = PLANS[kind]
    second, searched = realise_bounds(plan, counts_at(plan, 5, 6, 7))
    assert searched.is_taken
    assert ends(second) == (100 if kind == "shifted" else 0, 256)
    assert second.search is None
    left = 1 - search_of(plan).epsilon
    assert price(second).epsilon == second.budget.epsilon == left
    assert is_searched(plan, second.questions, searched)
    assert describe_unfound(plan, searched) == []


def test_guesses_that_follow_from_bounds_follow_those_that_are_found() -> None:
    plan = PLANS["both"]
    assert plan.questions[0].ratio.guess == 1  # Both have the same widest bounds.
    counts = (counts_at(plan, 7)[0], counts_at(plan, 1)[1])
    second, searched = realise_bounds(plan, counts)
    assert (ends(second), ends(second, "orders")) == ((0, 256), (0, 4))
    ratio = second.questions[0].ratio
    known = search_plan(
        Ratio("spent", per="orders"),
        bounds={"spent": Bounds(0, 256), "orders": Bounds(0, 4)},
    )
    assert ratio == known.questions[0].ratio
    assert is_searched(plan, second.questions, searched)
    given_one, _ = realise_bounds(PLAN, counts_at(PLAN, 7))
    assert given_one.questions[0].ratio.guess == 25


def test_what_is_not_found_keeps_the_widest_bounds() -> None:
    plan = PLANS["both"]
    counts = (counts_at(plan, 7)[0], counts_at(plan)[1])
    second, searched = realise_bounds(plan, counts)
    assert searched.is_taken
    assert ends(second, "orders") == (-(2.0**32), 2.0**32)
    said = "No bounds of orders could be found: the widest ones were used."
    assert describe_unfound(plan, searched) == [said]


def found_totals(*powers: int, unit: PrivacyUnit = PERSON) -> tuple[float, float]:
    totals = {**unit.totals, "spent": Bounds.find()}
    own = replace(unit, totals=totals)
    plan = search_plan(bounds={"spent": Bounds(0, 2.0**31)}, unit=own)
    second, searched = realise_bounds(plan, counts_at(plan, *powers))
    assert searched.is_taken
    assert is_searched(plan, second.questions, searched)
    return ends(second)


def test_found_totals_reach_as_far_as_rows_let_them() -> None:
    """One row exceeds a total by 2^30 at most, or there would be no plan."""
    assert found_totals(4) == (0, 32)
    assert found_totals(-6) == (0, 2)
    plan = search_plan(
        bounds={"spent": Bounds(-(2.0**31), 2.0**31)},
        unit=replace(PERSON, totals={**PERSON.totals, "spent": Bounds.find()}),
    )
    cells = [
        tuple(5_000 * (key == "-2^-4 to -2^-5") for key in each.keys)
        for each in search_of(plan).histograms.partitions
    ]
    second, searched = realise_bounds(plan, tuple(cells))
    assert searched.is_taken
    assert ends(second) == (-2, 0)


def test_totals_that_every_question_has_of_its_own_are_as_found() -> None:
    own = Question(
        Ratio("spent", per="orders", guess=25), totals={"spent": Bounds(0, 64)}
    )
    plan = make_plan(
        own,
        bounds={"spent": Bounds(0, 2.0**31), "orders": Bounds(0, 4)},
        unit=replace(PERSON, totals={**PERSON.totals, "spent": Bounds.find()}),
        budget=Budget(1),
    )
    second, searched = realise_bounds(plan, counts_at(plan, -6))
    assert searched.is_taken
    assert ends(second)[1] < 1


@pytest.mark.parametrize(
    "powers", [(), (12,), (1,)], ids=["little", "beyond", "outside"]
)
def test_where_nothing_can_be_found_the_declared_plan_is_measured(
    powers: tuple[int, ...],
) -> None:
    """Too few people; people beyond the limits; people below the declared bounds."""
    plan = PLANS["shifted"]
    counts = counts_at(plan, *powers)
    if powers == (12,):
        counts = tuple((*each[:-2], 5_000, 0) for each in counts)
    second, searched = realise_bounds(plan, counts)
    assert not searched.is_taken
    assert ends(second) == (100, 4096)
    assert second.questions == plan.questions
    assert price(second).epsilon == Fraction(9, 10)
    assert is_searched(plan, second.questions, searched)
    assert describe_unfound(plan, searched)


def test_what_a_tiny_declared_end_leaves_is_not_found() -> None:
    """Everybody is negative; cut to the declared end there are no bounds left."""
    plan = search_plan(bounds={"spent": Bounds.find(-1e-40, 4096)})
    counts = tuple(
        tuple(5_000 * (key == "-2^3 to -2^2") for key in each.keys)
        for each in search_of(plan).histograms.partitions
    )
    second, searched = realise_bounds(plan, counts)
    assert not searched.is_taken
    assert ends(second) == (-1e-40, 4096)
    assert is_searched(plan, second.questions, searched)
    taken = replace(searched, is_taken=True)
    assert not is_searched(plan, second.questions, taken)


def test_bounds_that_cannot_be_planned_are_not_taken() -> None:
    """A residual bound that the found box does not reach is no plan."""
    ratio = Ratio("spent", per="orders", guess=25, residual_bound=1_000)
    plan = search_plan(ratio)
    second, searched = realise_bounds(plan, counts_at(plan, 5, 6, 7))
    assert not searched.is_taken
    assert second.questions == plan.questions
    wide, searched = realise_bounds(plan, counts_at(plan, 9, 10))
    assert searched.is_taken
    assert ends(wide) == (0, 2048)


def test_a_guess_that_does_not_fit_the_found_bounds_is_left_out() -> None:
    guess = Guess(ColumnGuess(600, 100), ColumnGuess(2, 1))
    plan = search_plan(n=1_000, guess=guess)
    second, searched = realise_bounds(plan, counts_at(plan, 5, 6, 7))
    assert searched.is_taken
    plain, _ = realise_bounds(search_plan(n=1_000), searched.counts)
    assert second.questions == plain.questions


@pytest.mark.parametrize("kind", ["rows", "both", "people"])
@given(data=st.data())
@fixed(6)
def test_any_whole_numbers_give_a_priced_plan(kind: str, data: st.DataObject) -> None:
    plan = PLANS[kind]
    some = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-500, 500)
    counts = tuple(
        tuple(data.draw(st.lists(some, min_size=len(each), max_size=len(each))))
        for each in counts_at(plan)
    )
    second, searched = realise_bounds(plan, counts)
    assert price(second).epsilon == 1 - search_of(plan).epsilon
    assert realise_bounds(plan, counts) == (second, searched)
    assert is_searched(plan, second.questions, searched)
    declared = plan.unit.totals if plan.unit.column else plan.bounds
    lower, upper = ends(second)
    assert declared["spent"].lower <= lower < upper <= declared["spent"].upper


def test_the_measured_plan_costs_everything_and_says_who_found_its_bounds() -> None:
    second, searched = realise_bounds(PLAN, counts_at(PLAN, 7))
    measured = measured_within(PLAN, second.questions, searched, "a" * 32)
    origin = Proposed("a" * 32, Fraction(1, 10))
    assert measured.bounds["spent"] == Bounds(0, 256, proposed=origin)
    assert measured.search is None
    assert price(measured).epsilon == 1
    nothing, searched = realise_bounds(PLAN, counts_at(PLAN))
    measured = measured_within(PLAN, nothing.questions, searched, "a" * 32)
    assert measured.bounds["spent"] == Bounds(0, 4096)


SECOND, SEARCHED = realise_bounds(PLAN, counts_at(PLAN, 7))
(ASKED,) = SECOND.questions


def quieter(question: Any) -> Any:  # noqa: ANN401
    return replace(
        question,
        sums=tuple(replace(each, scale=each.scale / 2) for each in question.sums),
    )


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ((ASKED,), None),
        ((), SEARCHED),
        ((ASKED,), replace(SEARCHED, counts=())),
        ((ASKED,), replace(SEARCHED, counts=(SEARCHED.counts[0][:-1],))),
        ((ASKED,), replace(SEARCHED, is_taken=False)),
        (PLAN.questions, SEARCHED),
        ((ASKED,), Searched(counts_at(PLAN, 8), is_taken=True)),
        ((ASKED,), Searched(counts_at(PLAN), is_taken=True)),
        ((quieter(ASKED),), SEARCHED),
        ((replace(ASKED, ratio=replace(ASKED.ratio, guess=26)),), SEARCHED),
        ((replace(ASKED, name="another"),), SEARCHED),
    ],
)
def test_what_other_counts_would_lead_to_is_told_apart(
    asked: Any,  # noqa: ANN401
    searched: Searched | None,
) -> None:
    assert is_searched(PLAN, (ASKED,), SEARCHED)
    assert not is_searched(PLAN, asked, searched)


def test_how_noise_was_shared_is_not_compared() -> None:
    more = replace(
        ASKED, sums=tuple(replace(each, scale=2 * each.scale) for each in ASKED.sums)
    )
    assert is_searched(PLAN, (more,), SEARCHED)


@pytest.mark.parametrize("counts", [[(1,)], ([1],), ((1.0,),), ((2**63,),), ((True,),)])
def test_counts_are_whole_numbers(counts: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="whole numbers"):
        Searched(counts, is_taken=True)


def test_what_was_taken_is_said() -> None:
    with pytest.raises(InvalidInput, match="is_taken must be true or false"):
        Searched(((1,),), is_taken=1)  # type: ignore[arg-type]


def test_a_plan_that_looks_for_nothing_finds_nothing() -> None:
    plain = search_plan(bounds={"spent": Bounds(0, 9)})
    with pytest.raises(InvalidInput, match="without a search"):
        realise_bounds(plain, ())
    assert describe_unfound(plain, None) == []
