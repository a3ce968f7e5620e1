"""What a plan costs in concentrated privacy, from scales and sensitivities alone."""

from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import rows_plan
from dpratio.plan.calibration.calibrate import analytic_delta
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.neighbours import unit_ratio
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

STRATEGIES = pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
LAWS = pytest.mark.parametrize("law", ["laplace", "analytic_gaussian"])
UNITS: dict[str, tuple[dict[str, Any], int, int]] = {
    # How far the sums of one unit are moved, added up; and in squares, added up.
    "added": ({}, 1, 1),
    "in three groups": ({"most_groups": 3}, 3, 3),
    "changed": ({"neighbours": "change-one"}, 2, 2),
    "changed in three groups": ({"most_groups": 3, "neighbours": "change-one"}, 6, 6),
}
FOUND = PrivateKeys("k", Budget("0.25", "1e-7"))
# Cells are rounded, and half of one is a part in 2^25 of the largest move.
CLOSE = 1e-6


def plan_of(strategy: str, law: str, asked: Any = None, **terms: Any) -> Plan:  # noqa: ANN401
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
    given: dict[str, Any] = {"groups": Groups("k", list("abcd"))}
    given |= {"budget": Budget(1, "1e-6")} | terms
    return make_plan(
        asked or Ratio("s", per="y", guess=1),
        bounds=bounds,
        strategy=strategy,
        mechanism=law,
        **given,
    )


def squares(plan: Plan) -> float:
    """Each sum as a release of its own, moved once by its sensitivity."""
    return sum(
        (each.sensitivity / each.scale) ** 2
        for question in plan.questions
        for each in question.sums
    )


@STRATEGIES
@LAWS
@pytest.mark.parametrize("name", UNITS)
def test_rho_is_half_of_the_squares(strategy: str, law: str, name: str) -> None:
    words, added, squared = UNITS[name]
    unit = PrivacyUnit("user", totals={"s": Bounds(0, 3), "y": Bounds(0, 5)}, **words)
    plan = plan_of(strategy, law, unit=unit)
    cost = price(plan)
    assert cost.keys_delta == 0
    if law == "laplace":
        expected = added**2 * squares(plan)
        if strategy != "even":
            expected = min(1.0, expected)
        assert float(2 * cost.rho) == pytest.approx(expected, rel=CLOSE)
    elif strategy == "even":
        expected = squared * squares(plan)
        assert float(2 * cost.rho) == pytest.approx(expected, rel=CLOSE)
    else:
        spends_all_of_delta(2 * cost.rho, Fraction(1), Fraction(1, 10**6))


def spends_all_of_delta(square: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """One Gaussian mechanism with this μ² has the whole delta at epsilon."""
    spent = analytic_delta(Fraction(float(square) ** 0.5), epsilon)
    assert float(spent) == pytest.approx(float(delta), rel=1e-6)


@STRATEGIES
@LAWS
def test_questions_add_up_in_squares_and_keys_come_on_top(
    strategy: str, law: str
) -> None:
    ratio = Ratio("s", per="y", guess=1)
    asked = [Question(ratio, groups=FOUND), Question(ratio, share=3)]
    plan = plan_of(strategy, law, asked, groups=None)
    assert len(plan.questions) == 2
    cost = price(plan)
    assert cost.keys_delta == Fraction(1, 10**7)
    for_sums = 2 * cost.rho - Fraction(1, 16)
    if law == "analytic_gaussian" and strategy != "even":
        spends_all_of_delta(for_sums, Fraction(3, 4), Fraction(9, 10**7))
    else:
        assert float(for_sums) == pytest.approx(squares(plan), rel=CLOSE)


def test_sums_that_are_never_large_together_are_priced_together() -> None:
    """A row costs epsilon in all, where the squares of the sums add up to more."""
    bounds = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    terms: dict[str, Any] = {"strategy": "focused", "mechanism": "laplace"}
    terms["clipping"] = "unmeasured"
    question = Ratio("s", per="y", guess=1)
    plan = make_plan(question, bounds=bounds, budget=Budget(8), **terms)
    assert squares(plan) > 70
    assert float(2 * price(plan).rho) == pytest.approx(64, rel=CLOSE)


def test_sums_are_priced_each_by_itself_however_large_the_budget() -> None:
    """The squares are compared with the square of the whole, and with nothing else."""
    plan = plan_of("joint", "laplace", budget=Budget(100))
    moves = [each.sensitivity / each.scale for each in plan.questions[0].sums]
    assert 202 < squares(plan) < 100**2 < sum(each**3 for each in moves)
    cost = price(plan)
    assert [float(each) for each in cost.pure] == pytest.approx(moves, rel=CLOSE)


def test_counts_cost_epsilon_and_nothing_else() -> None:
    cost = price(rows_plan())
    assert sum(cost.pure) == cost.epsilon == 1
    assert {cost.gaussian, cost.keys_delta, cost.delta} == {Fraction(0)}


def test_two_budgets_of_keys_add_up() -> None:
    other = PrivateKeys("j", Budget("0.125", "2e-7"))
    plan = plan_of("joint", "laplace", groups=[FOUND, other])
    cost = price(plan)
    assert cost.keys_delta == Fraction(3, 10**7)
    keys = 0.25**2 + 0.125**2
    assert float(2 * cost.rho) == pytest.approx(squares(plan) + keys, rel=CLOSE)


@pytest.mark.parametrize("strategy", ["joint", "focused"])
def test_the_price_of_one_question_is_not_rounded(strategy: str) -> None:
    plan = plan_of(strategy, "analytic_gaussian")
    (question,) = plan.questions
    moved = unit_ratio(
        plan.mechanism, plan.grid(question), question.scales, plan.unit, 4
    )
    assert 2 * price(plan).rho == moved**2
