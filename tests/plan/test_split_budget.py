"""Parts share epsilon under Laplace noise, and μ² under Gaussian noise."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.calibration.calibrate import least_deviation
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.split_budget import _root_below, allowances, first_allowances
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio

KEYS = PrivateKeys("k", Budget("0.25", "1e-7"))
SHARES = [Fraction(each, 7) for each in (1, 2, 4)]


def plan_of(mechanism: str) -> Plan:
    """One question for the whole table, one for three groups, one for unknown keys."""
    return make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1, "1e-6"),
        groups=[None, Groups("g", ["a", "b", "c"]), KEYS],
        weights=SHARES,
        strategy="even",
    )


@pytest.mark.parametrize(
    "mechanism", ["laplace", "analytic_gaussian", "classical_gaussian"]
)
def test_what_is_left_is_divided_by_weight(mechanism: str) -> None:
    """What finding keys costs is not there for sums."""
    plan = plan_of(mechanism)
    delta = Fraction(0 if mechanism == "laplace" else "9e-7")
    assert plan.for_sums == (Fraction(3, 4), delta)
    given = allowances(plan)
    assert [each.epsilon for each in given] == [w * Fraction(3, 4) for w in SHARES]
    assert [each.delta for each in given] == [w * delta for w in SHARES]
    assert {each.mechanism for each in given} == {mechanism}
    assert [each.cells for each in given] == [1, 3, None]
    assert all(each.unit is plan.unit for each in given)
    if mechanism == "laplace":
        assert [each.ratio for each in given] == [each.epsilon for each in given]
        return
    # Under Gaussian noise they add up in squares.
    law = "analytic_gaussian"
    whole = 1 / Fraction(least_deviation(law, Fraction(3, 4), delta))
    squares = sum(each.ratio**2 for each in given)
    assert squares <= whole**2
    assert float(squares / whole**2) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_first_stage_is_divided_by_weight_and_has_no_delta(mechanism: str) -> None:
    stage = Stage(Fraction(1, 5))
    for each, weight in zip(
        first_allowances(plan_of(mechanism), stage), SHARES, strict=True
    ):
        assert each.mechanism == "laplace"
        assert each.epsilon == each.ratio == weight / 5
        assert each.delta == 0


@given(weight=st.fractions(Fraction(1, 10**9), 1))
def test_a_root_is_bounded_from_below_and_closely(weight: Fraction) -> None:
    """One question has it all; the price of one is not rounded either."""
    root = _root_below(weight)
    assert root * root <= weight
    assert float(root * root / weight) == pytest.approx(1, rel=1e-12)
    assert _root_below(Fraction(1)) == 1


@pytest.mark.parametrize(("epsilon", "delta"), [("0.25", "1e-7"), ("0.2", "5e-8")])
def test_nothing_left_for_sums_is_refused(epsilon: str, delta: str) -> None:
    plan = replace(plan_of("laplace"), budget=Budget(epsilon, "1e-6"))
    with pytest.raises(InvalidInput, match=r"^finding keys leaves nothing for sums"):
        allowances(plan)
    plan = replace(plan_of("analytic_gaussian"), budget=Budget(1, delta))
    with pytest.raises(InvalidInput, match=r"^Gaussian noise needs a delta above 0"):
        allowances(plan)
