"""The totals of a first stage: within its share when planned, and priced again."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.settle import allowances
from dpratio.plan.strategy.first_stage import Stage, totals_grid, totals_price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import refuse
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

TOTALS = {"spend": Bounds(0, 300), "visits": Bounds(0, 60)}
RATIO = Ratio("spend", per="visits")


def stage_of(plan: Plan) -> Stage:
    assert plan.stage is not None
    return plan.stage


def costs_of(plan: Plan) -> list[Fraction]:
    stage = stage_of(plan)
    return [
        totals_price(plan.layout(question).raw_grid, first, allowed)
        for question, first, allowed in zip(
            plan.measurements,
            stage.firsts,
            allowances(plan.study, LAPLACE, stage.epsilon, Fraction(0)),
            strict=True,
        )
    ]


def with_stage(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    return replace(plan, stage=replace(stage_of(plan), **changes))


@pytest.mark.parametrize("share", [0.2, 0.05, Fraction(1, 3)])
def test_totals_cost_what_the_first_stage_spends(share: float | Fraction) -> None:
    plan = staged_plan(stage=share, budget=Budget(1, "1e-6"))
    first = Fraction(str(share))
    assert stage_of(plan).epsilon == first
    (cost,) = costs_of(plan)
    assert float(cost) == pytest.approx(float(first), rel=1e-9)
    assert cost <= first
    whole = price(plan)
    assert (whole.epsilon, whole.delta) == (Fraction(1), Fraction(0))
    # Whatever the second stage measures, it is private at what is left.
    assert plan.for_sums == (1 - first, Fraction(0))
    assert whole.rho == (first**2 + (1 - first) ** 2) / 2
    # A first stage may spend its whole share, and no more.
    assert price(with_stage(plan, epsilon=cost)).pure[0] == cost
    less = with_stage(plan, epsilon=cost - Fraction(1, 10**30))
    refuse(less, "first stage is too small for its share")
    more = with_stage(plan, epsilon=first + Fraction(1, 100))
    refuse(more, "noise of the sums is too small")


def test_questions_share_the_first_stage_by_their_weights() -> None:
    plan = staged_plan(
        [Question(RATIO, budget_share=3), Question(RATIO, groups=GROUPS)]
    )
    costs = [float(each) for each in costs_of(plan)]
    assert costs == pytest.approx([0.15, 0.05], rel=1e-9)
    assert price(plan).epsilon == 1


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
def test_who_is_in_several_groups_needs_as_many_times_the_noise(
    neighbours: str,
) -> None:
    """There are three groups: nobody is in more."""
    units = [
        PrivacyUnit("id", totals=TOTALS, most_groups=most, neighbours=neighbours)
        for most in (1, 3, 50)
    ]
    plans = [staged_plan(unit=unit, groups=GROUPS) for unit in units]
    scales = [stage_of(plan).firsts[0][0].scale for plan in plans]
    assert scales[1] / scales[0] == pytest.approx(3, rel=1e-9)
    assert scales[2] == scales[1]


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sensitivity": 1}, "totals that its bounds demand"),
        ({"sensitivity": 2.0**24}, "totals that its bounds demand"),
        ({"step": 2.0**-10}, "totals that its bounds demand"),
        ({"scale": 2.0**51}, "too small or too large"),
        ({"scale": 2.0**-11}, "too small or too large"),
        ({"scale": 10**9}, "too small or too large"),
        ({"scale": None}, "too small for its share"),
    ],
)
def test_totals_that_were_edited_are_refused(
    changed: dict[str, Any], message: str, at: int
) -> None:
    plan = staged_plan()
    firsts = list(stage_of(plan).firsts[0])
    if changed == {"scale": None}:
        changed = {"scale": firsts[at].scale * (1 - 2e-9)}
    firsts[at] = replace(firsts[at], **changed)
    refuse(with_stage(plan, firsts=(tuple(firsts),)), message)


def test_other_totals_than_two_of_every_question_are_refused() -> None:
    plan = staged_plan()
    (totals,) = stage_of(plan).firsts
    for firsts in ((), [totals], (totals, totals)):
        refuse(with_stage(plan, firsts=firsts), "totals of every question")
    for other in (totals[::-1], totals[:1], list(totals), (1, 2)):
        refuse(with_stage(plan, firsts=(other,)), "totals that its bounds demand")


def test_noise_of_totals_is_neither_too_large_nor_too_small() -> None:
    with pytest.raises(InvalidInput, match="noise must stay below 2"):
        staged_plan(stage=1e-9, budget=Budget("0.01"))
    plan = staged_plan(budget=Budget(10**6), stage=0.999)
    assert price(plan).epsilon == 10**6
    assert min(each.scale for each in stage_of(plan).firsts[0]) >= 2.0**-10


def test_totals_are_laid_out_as_the_raw_sums_are() -> None:
    weighted = replace(RATIO, weight="w")
    plan = staged_plan(weighted, bounds={**BOUNDS, "w": Bounds(0.5, 2)})
    raw = plan.layout(plan.measurements[0]).raw_grid
    grid = totals_grid(raw)
    assert grid.sensitivities == raw.sensitivities[:2]
    assert [each.factors for each in grid.summands] == [("z",), ("h",)]
    assert tuple(each.summand for each in stage_of(plan).firsts[0]) == grid.summands
