"""The totals of a first stage: within its share when planned, and priced again."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.plan.split_budget import first_allowances
from dpratio.plan.strategy.first_totals import totals_grid, totals_price
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

TOTALS = {"spend": Bounds(0, 300), "visits": Bounds(0, 60)}


def stage_of(plan: Plan) -> Stage:
    assert plan.stage is not None
    return plan.stage


def costs_of(plan: Plan) -> list[Fraction]:
    stage = stage_of(plan)
    return [
        totals_price(plan.raw_grid(question), first, allowed)
        for question, first, allowed in zip(
            plan.measurements, stage.firsts, first_allowances(plan, stage), strict=True
        )
    ]


def with_firsts(plan: Plan, firsts: Any) -> Plan:  # noqa: ANN401
    return replace(plan, stage=replace(stage_of(plan), firsts=firsts))


def one_changed(plan: Plan, **changed: Any) -> Plan:  # noqa: ANN401
    first, second = stage_of(plan).firsts[0]
    return with_firsts(plan, ((replace(first, **changed), second),))


@pytest.mark.parametrize("share", [0.2, 0.05, Fraction(1, 3)])
def test_totals_cost_what_the_first_stage_spends(share: float | Fraction) -> None:
    plan = staged_plan(stage=share)
    stage = stage_of(plan)
    assert stage.epsilon == Fraction(str(share))
    (cost,) = costs_of(plan)
    assert float(cost) == pytest.approx(float(stage.epsilon), rel=1e-9)
    assert cost <= stage.epsilon
    assert [each.summand.name for each in stage.firsts[0]] == ["z", "h"]


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
def test_who_is_in_several_groups_needs_as_many_times_the_noise(
    neighbours: str,
) -> None:
    units = [
        PrivacyUnit("id", totals=TOTALS, most_groups=most, neighbours=neighbours)
        for most in (1, 3, 50)
    ]
    plans = [staged_plan(unit=unit, groups=GROUPS) for unit in units]
    scales = [stage_of(plan).firsts[0][0].scale for plan in plans]
    assert scales[1] / scales[0] == pytest.approx(3, rel=1e-9)
    # There are three groups: nobody is in more.
    assert scales[2] == scales[1]


def test_questions_share_the_first_stage_by_their_weights() -> None:
    ratio = Ratio("spend", per="visits")
    plan = staged_plan(
        [Question(ratio, share=3), Question(ratio, groups=GROUPS)],
    )
    assert [float(each) for each in costs_of(plan)] == pytest.approx(
        [0.15, 0.05], rel=1e-9
    )
    assert price(plan).epsilon == 1


def test_a_plan_in_two_stages_costs_its_whole_budget() -> None:
    plan = staged_plan(budget=Budget(1, "1e-6"))
    cost = price(plan)
    assert (cost.epsilon, cost.delta) == (Fraction(1), Fraction(0))
    assert plan.for_sums == (Fraction(4, 5), Fraction(0))
    # Whatever the second stage measures, it is 0.8-private.
    assert cost.rho == (Fraction(1, 5) ** 2 + Fraction(4, 5) ** 2) / 2


def test_totals_that_are_not_certified_are_refused() -> None:
    plan = staged_plan()
    for first in stage_of(plan).firsts[0]:
        assert price(plan).epsilon == 1
        changed = tuple(
            replace(each, scale=each.scale * (1 - 2e-9)) if each is first else each
            for each in stage_of(plan).firsts[0]
        )
        with pytest.raises(PlanRefused, match="too small for its share"):
            price(with_firsts(plan, (changed,)))


def test_a_first_stage_that_says_less_than_it_spends_is_refused() -> None:
    plan = staged_plan()
    less = replace(stage_of(plan), epsilon=Fraction(19, 100))
    with pytest.raises(PlanRefused, match="first stage is too small for its share"):
        price(replace(plan, stage=less))
    more = replace(stage_of(plan), epsilon=Fraction(21, 100))
    with pytest.raises(PlanRefused, match="noise of the sums is too small"):
        price(replace(plan, stage=more))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sensitivity": 1}, "totals that its bounds demand"),
        ({"sensitivity": 2.0**24}, "totals that its bounds demand"),
        ({"step": 2.0**-10}, "totals that its bounds demand"),
        ({"scale": 2.0**51}, "too small or too large"),
        ({"scale": 2.0**-11}, "too small or too large"),
        ({"scale": 10**9}, "too small or too large"),
    ],
)
def test_totals_that_were_edited_are_refused(
    changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(PlanRefused, match=message):
        price(one_changed(staged_plan(), **changed))


@pytest.mark.parametrize("firsts", [(), [], ((), ()), ((1, 2),), ([1],)])
def test_other_totals_than_two_of_every_question_are_refused(firsts: object) -> None:
    with pytest.raises(PlanRefused, match=r"totals (of every|that its bounds)"):
        price(with_firsts(staged_plan(), firsts))


def test_totals_of_a_question_that_is_not_asked_are_refused() -> None:
    plan = staged_plan()
    twice = (*stage_of(plan).firsts, *stage_of(plan).firsts)
    with pytest.raises(PlanRefused, match="totals of every question"):
        price(with_firsts(plan, twice))


def test_a_first_stage_may_spend_its_whole_share() -> None:
    plan = staged_plan()
    (cost,) = costs_of(plan)
    whole = replace(stage_of(plan), epsilon=cost)
    assert price(replace(plan, stage=whole)).pure[0] == cost
    less = replace(whole, epsilon=cost - Fraction(1, 10**30))
    with pytest.raises(PlanRefused, match="too small for its share"):
        price(replace(plan, stage=less))


def test_totals_in_another_order_are_refused() -> None:
    plan = staged_plan()
    swapped = stage_of(plan).firsts[0][::-1]
    with pytest.raises(PlanRefused, match="totals that its bounds demand"):
        price(with_firsts(plan, (swapped,)))


def test_a_share_too_small_for_any_noise_is_refused() -> None:
    with pytest.raises(InvalidInput, match="noise must stay below 2"):
        staged_plan(stage=1e-9, budget=Budget("0.01"))


def test_a_large_share_keeps_some_noise() -> None:
    plan = staged_plan(budget=Budget(10**6), stage=0.999)
    assert price(plan).epsilon == 10**6
    assert min(each.scale for each in stage_of(plan).firsts[0]) >= 2.0**-10


def test_totals_are_laid_out_as_the_raw_sums_are() -> None:
    plan = staged_plan(
        Ratio("spend", per="visits", weight="w"), bounds={**BOUNDS, "w": Bounds(0.5, 2)}
    )
    raw = plan.raw_grid(plan.measurements[0])
    grid = totals_grid(raw)
    assert grid.sensitivities == raw.sensitivities[:2]
    assert [each.factors for each in grid.summands] == [("z",), ("h",)]
    assert isinstance(stage_of(plan).firsts[0][0], MeasuredSum)
