"""Parts share epsilon under Laplace noise, and μ² under Gaussian noise."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.laws import is_affordable, least_deviation
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.split_budget import (
    _root_below,
    allowances,
    cells_of,
    first_allowances,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from plan.staged_plans import staged_plan

KEYS = PrivateKeys("k", Budget("0.25", "1e-7"))


def plan_of(mechanism: str, weights: tuple[Fraction, ...] = (Fraction(1),)) -> Plan:
    ratio = Ratio("s", per="y")
    plan = make_plan(
        ratio,
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1, "1e-6"),
        groups=[None, Groups("g", ["a", "b", "c"]), KEYS],
        strategy="even",
        mechanism=mechanism,
    )
    questions = tuple(
        Measurement(ratio, at % 3, weight, ()) for at, weight in enumerate(weights)
    )
    return replace(plan, questions=questions)


def test_epsilon_and_delta_are_divided_by_weight() -> None:
    weights = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    for mechanism in ("laplace", "analytic_gaussian", "classical_gaussian"):
        plan = plan_of(mechanism, weights)
        delta = Fraction(0) if mechanism == "laplace" else Fraction("9e-7")
        given = allowances(plan)
        assert [each.epsilon for each in given] == [w * Fraction(3, 4) for w in weights]
        assert [each.delta for each in given] == [w * delta for w in weights]
        assert {each.mechanism for each in given} == {mechanism}
        assert [each.cells for each in given] == [1, 3, None]
        assert all(each.unit is plan.unit for each in given)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_first_stage_is_divided_by_weight_and_has_no_delta(mechanism: str) -> None:
    weights = (Fraction(2, 3), Fraction(1, 3))
    stage = staged_plan().stage
    assert stage is not None
    assert stage.epsilon == Fraction(1, 5)
    shares = first_allowances(plan_of(mechanism, weights), stage)
    assert [each.mechanism for each in shares] == ["laplace", "laplace"]
    assert [each.epsilon for each in shares] == [Fraction(2, 15), Fraction(1, 15)]
    assert [each.ratio for each in shares] == [Fraction(2, 15), Fraction(1, 15)]
    assert [each.delta for each in shares] == [0, 0]
    assert [each.cells for each in shares] == [1, 3]


def test_questions_under_laplace_noise_add_up_to_epsilon() -> None:
    weights = (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7))
    given = allowances(plan_of("laplace", weights))
    assert sum(each.ratio for each in given) == Fraction(3, 4)


def test_questions_under_gaussian_noise_add_up_in_squares() -> None:
    weights = (Fraction(1, 7), Fraction(2, 7), Fraction(4, 7))
    given = allowances(plan_of("analytic_gaussian", weights))
    law = "analytic_gaussian"
    whole = 1 / Fraction(least_deviation(law, Fraction(3, 4), Fraction("9e-7")))
    squares = sum(each.ratio**2 for each in given)
    assert squares <= whole**2
    assert float(squares / whole**2) == pytest.approx(1, rel=1e-12)
    (alone,) = allowances(plan_of("analytic_gaussian"))
    assert alone.ratio == whole


@given(
    epsilon=st.sampled_from(["0.01", "1", "20"]),
    delta=st.sampled_from(["1e-12", "1e-6", "0.5"]),
)
def test_what_is_affordable_is_certified_and_nearly_the_most(
    epsilon: str, delta: str
) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    law = "analytic_gaussian"
    whole = 1 / Fraction(least_deviation(law, **share))
    assert is_affordable(law, ratio=whole, **share)
    assert not is_affordable(law, ratio=whole * (1 + Fraction(1, 10**9)), **share)


@given(weight=st.fractions(Fraction(1, 10**9), 1))
def test_a_root_is_bounded_from_below_and_closely(weight: Fraction) -> None:
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


def test_cells_are_counted() -> None:
    plan = plan_of("laplace")
    assert [cells_of(plan, at) for at in range(3)] == [1, 3, None]
