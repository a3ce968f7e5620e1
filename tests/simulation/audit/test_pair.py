"""The furthest neighbours are found, and as many of them as tell most."""

from dataclasses import replace

import pytest

from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.simulation.audit.audit_noise import claimed_distance
from dpratio.simulation.audit.law import laplace_divergence
from dpratio.simulation.audit.pair import find_pair
from dpratio.simulation.audit.question import QUESTIONS, plan_for

NOISES = [
    ("laplace", "focused"),
    ("laplace", "joint"),
    ("laplace", "even"),
    ("analytic_gaussian", "focused"),
    ("analytic_gaussian", "joint"),
    ("analytic_gaussian", "even"),
    ("classical_gaussian", "even"),
]


def planned(unit: str, mechanism: str, strategy: str, epsilon: str = "1") -> Plan:
    return plan_for(
        QUESTIONS[unit],
        strategy=strategy,
        mechanism=mechanism,
        epsilon=epsilon,
    )


def claim_of(plan: Plan) -> float:
    return claimed_distance(
        plan.law,
        plan.study.strategy,
        epsilon=plan.budget.epsilon,
        delta=plan.budget.delta,
        sums=len(plan.measurements[0].sums),
    )


@pytest.mark.parametrize("unit", QUESTIONS)
@pytest.mark.parametrize(("mechanism", "strategy"), NOISES)
def test_the_furthest_unit_reaches_the_claim_and_does_not_pass_it(
    unit: str, mechanism: str, strategy: str
) -> None:
    """All but one: the price of changed rows adds up ends of different rows."""
    plan = planned(unit, mechanism, strategy)
    share = find_pair(plan, QUESTIONS[unit]).largest / claim_of(plan)
    loose = (unit, mechanism, strategy) == (
        "changed-row",
        "analytic_gaussian",
        "focused",
    )
    assert share <= 1 + 1e-12  # A claim is a double, and noise is the least there is.
    assert share == pytest.approx(0.98 if loose else 1, abs=0.02 if loose else 3e-6)


@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_the_search_agrees_with_the_price_of_a_row(strategy: str) -> None:
    plan = planned("row", "analytic_gaussian", strategy)
    question = plan.measurements[0]
    priced = unit_ratio(
        plan.law, plan.layout(question).grid, question.scales, plan.unit, 1
    )
    found = find_pair(plan, QUESTIONS["row"]).largest
    assert found == pytest.approx(float(priced), rel=1e-6)


def test_less_noise_than_planned_for_one_sum_moves_the_unit_further() -> None:
    plan = planned("row", "laplace", "even")
    question = plan.measurements[0]
    first = replace(question.sums[0], scale=question.sums[0].scale / 2)
    edited = plan.measuring([replace(question, sums=(first, *question.sums[1:]))])
    found = find_pair(edited, QUESTIONS["row"]).largest
    assert found == pytest.approx(7 / 6, rel=1e-6)


@pytest.mark.parametrize("epsilon", ["0.2", "1", "4", "20"])
@pytest.mark.parametrize(("mechanism", "strategy"), NOISES[:6])
def test_samples_lie_where_a_test_is_mostly_right_and_sometimes_wrong(
    mechanism: str, strategy: str, epsilon: str
) -> None:
    plan = planned("row", mechanism, strategy, epsilon)
    pair = find_pair(plan, QUESTIONS["row"])
    assert pair.total == pytest.approx(pair.units * pair.largest)
    if mechanism == "laplace":
        assert pair.shape.sum() == pytest.approx(1)
        told = laplace_divergence(list(pair.total * pair.shape), 0.0)
        assert 0.68 < told < 0.9
    else:
        assert (pair.shape**2).sum() == pytest.approx(1)
        assert 1.6 < pair.total < 3.3


def test_a_large_budget_is_audited_with_less_than_a_unit() -> None:
    pair = find_pair(planned("row", "laplace", "even", "20"), QUESTIONS["row"])
    assert pair.copies == 1
    assert 0.1 < pair.units < 0.5


def test_a_changed_row_goes_to_another_group_or_to_other_values() -> None:
    plan = planned("changed-row", "laplace", "joint")
    pair = find_pair(plan, QUESTIONS["changed-row"])
    assert {each.cell for each in (*pair.first, *pair.second)} == {0, 1}
    plan = planned("changed-row", "analytic_gaussian", "focused")
    pair = find_pair(plan, QUESTIONS["changed-row"])
    assert len({each.cell for each in (*pair.first, *pair.second)}) == 1
    assert pair.first != pair.second


def test_a_person_is_in_every_group_it_may_be_in() -> None:
    plan = planned("person", "laplace", "focused")
    pair = find_pair(plan, QUESTIONS["person"])
    assert [each.cell for each in pair.first] == [0, 1]
    assert pair.second == ()
