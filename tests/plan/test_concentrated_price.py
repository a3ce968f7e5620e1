"""What a plan costs in concentrated privacy, from scales and sensitivities alone."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import rows_plan
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw, analytic_delta
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.plan.settle import STRATEGIES
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import over

EVERY_LAW = pytest.mark.parametrize(
    ("strategy", "law"), list(itertools.product(STRATEGIES, (LAPLACE, GAUSSIAN)))
)
BOUNDS = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
FOUND = PrivateKeys("k", Budget("0.25", "1e-7"))
# Cells are rounded, and half of one is a part in 2^25 of the largest move.
CLOSE = 1e-6


def plan_of(strategy: str, law: NoiseLaw, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": BOUNDS,
        "groups": Groups("k", list("abcd")),
        "budget": Budget(1, "1e-6"),
        "strategy": strategy,
        "mechanism": law.name,
    }
    return make_plan(Ratio("s", per="y", guess=1), **given | terms)


def squares(plan: Plan) -> float:
    """Each sum as a release of its own, moved once by its sensitivity."""
    return sum(
        (each.sensitivity / each.scale) ** 2
        for question in plan.measurements
        for each in question.sums
    )


def spends_all_of_delta(square: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """One Gaussian mechanism with this μ² has the whole delta at epsilon."""
    spent = analytic_delta(Fraction(float(square) ** 0.5), epsilon)
    assert float(spent) == pytest.approx(float(delta), rel=1e-6)


@EVERY_LAW
@pytest.mark.parametrize(
    ("terms", "moved"),  # How often the sums of one unit are moved.
    [
        ({}, 1),
        ({"most_groups": 3}, 3),
        ({"neighbours": "change-one"}, 2),
        ({"most_groups": 3, "neighbours": "change-one"}, 6),
    ],
    ids=["added", "in three groups", "changed", "changed in three groups"],
)
def test_rho_is_half_of_the_squares(
    strategy: str, law: NoiseLaw, terms: dict[str, Any], moved: int
) -> None:
    unit = PrivacyUnit("user", totals={"s": Bounds(0, 3), "y": Bounds(0, 5)}, **terms)
    plan = plan_of(strategy, law, unit=unit)
    cost = price(plan)
    assert cost.keys_delta == 0
    if law == LAPLACE:
        apart = moved**2 * squares(plan)
        expected = apart if strategy == "even" else min(1.0, apart)
        assert float(2 * cost.rho) == pytest.approx(expected, rel=CLOSE)
    elif strategy == "even":
        assert float(2 * cost.rho) == pytest.approx(moved * squares(plan), rel=CLOSE)
    else:
        spends_all_of_delta(2 * cost.rho, Fraction(1), Fraction(1, 10**6))
        moves = unit_ratio(
            law, plan.grid(plan.measurements[0]), plan.measurements[0].scales, unit, 4
        )
        assert 2 * cost.rho == moves**2  # The price of one question is not rounded.


@EVERY_LAW
def test_questions_add_up_in_squares_and_keys_come_on_top(
    strategy: str, law: NoiseLaw
) -> None:
    ratio = Ratio("s", per="y", guess=1)
    plan = make_plan(
        over([ratio], [FOUND, None], [1, 3]),
        bounds=BOUNDS,
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism=law.name,
    )
    assert len(plan.measurements) == 2
    cost = price(plan)
    assert cost.keys_delta == Fraction(1, 10**7)
    for_sums = 2 * cost.rho - Fraction(1, 16)
    if law == GAUSSIAN and strategy != "even":
        spends_all_of_delta(for_sums, Fraction(3, 4), Fraction(9, 10**7))
    else:
        assert float(for_sums) == pytest.approx(squares(plan), rel=CLOSE)


def test_two_budgets_of_keys_add_up() -> None:
    other = PrivateKeys("j", Budget("0.125", "2e-7"))
    plan = plan_of("joint", LAPLACE, groups=[FOUND, other])
    cost = price(plan)
    assert cost.keys_delta == Fraction(3, 10**7)
    keys = 0.25**2 + 0.125**2
    assert float(2 * cost.rho) == pytest.approx(squares(plan) + keys, rel=CLOSE)


def test_sums_that_are_never_large_together_are_priced_together() -> None:
    """A row costs epsilon in all, where the squares of the sums add up to more."""
    terms: dict[str, Any] = {"groups": None, "clipping": "unmeasured"}
    terms["bounds"] = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    plan = plan_of("focused", LAPLACE, budget=Budget(8), **terms)
    assert squares(plan) > 70
    assert float(2 * price(plan).rho) == pytest.approx(64, rel=CLOSE)


def test_sums_are_priced_each_by_itself_however_large_the_budget() -> None:
    """The squares are compared with the square of the whole, and with nothing else."""
    plan = plan_of("joint", LAPLACE, budget=Budget(100))
    moves = [each.sensitivity / each.scale for each in plan.measurements[0].sums]
    assert 202 < squares(plan) < 100**2 < sum(each**3 for each in moves)
    assert [float(each) for each in price(plan).pure] == pytest.approx(moves, rel=CLOSE)


def test_counts_cost_epsilon_and_nothing_else() -> None:
    cost = price(rows_plan())
    assert sum(cost.pure) == cost.epsilon == 1
    assert {cost.gaussian, cost.keys_delta, cost.delta} == {Fraction(0)}
