"""A plan is complete without data: its costs, shares, parts and tables."""

import dataclasses
import math
from fractions import Fraction

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.hand_made_plans import LABEL, SCORE, WEIGHT, focused_plan, hand_made


def test_the_cost_is_the_whole_budget_but_for_a_delta_that_is_not_needed() -> None:
    plan = hand_made()
    assert plan.epsilon == 3
    assert plan.delta == 0
    assert isinstance(plan.delta, Fraction)
    for mechanism in ("analytic_gaussian", "classical_gaussian"):
        assert hand_made(mechanism).epsilon == 3
        assert hand_made(mechanism).delta == Fraction(1, 4)
    bare = dataclasses.replace(plan.measurements[0], sums=())
    assert dataclasses.replace(plan, questions=(bare,)).epsilon == 3


@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_only_a_focused_plan_has_a_contrast(strategy: str) -> None:
    plan = focused_plan()
    assert plan.contrast(plan.measurements[0]) == Contrast(1.0)
    told = focused_plan(guess=2, residual_bound=0.5)
    (question,) = told.questions
    assert told.contrast(question) == Contrast(2.0, 0.5)
    assert dataclasses.replace(told, strategy=strategy).contrast(question) is None


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_shares_are_those_of_the_row_that_costs_most(
    mechanism: str, strategy: str
) -> None:
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism=mechanism,
        clipping="unmeasured",
    )
    shares = plan.shares(plan.measurements[0])
    assert sum(shares) == pytest.approx(1)
    power = 1 if mechanism == "laplace" else 2
    # At s = 1 and y = 0 or y = 1, with the largest weight.
    rows = [(1.0, 0.0), (1.0, 1.0)]
    costs = []
    for s, y in rows:
        factors = {"w": 3.0, "s": s, "y": y, "z": 3 * (s - y), "h": 3 * (s + y)}
        costs.append(
            [
                (
                    math.prod(factors[each] for each in measured.summand.factors)
                    / (measured.scale * measured.step)
                )
                ** power
                for measured in plan.measurements[0].sums
            ]
        )
    dearest = max(costs, key=sum)
    wanted = [cost / sum(dearest) for cost in dearest]
    assert shares == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_equal_shares_are_equal() -> None:
    plan = hand_made()
    assert plan.shares(plan.measurements[0]) == [0.5, 0.5]


def test_ratio_groups_and_sums_are_those_of_the_first_question() -> None:
    plan = hand_made(groups=Groups("g", [3, 1, 2]))
    assert plan.partitions[0] is plan.partitions[0]
    assert plan.measurements[0].ratio is plan.measurements[0].ratio
    assert plan.measurements[0].sums is plan.measurements[0].sums
    assert plan.measurements[0].scales == [8.0, 4.0]
    assert hand_made().partitions[0] is None


def test_bounds_are_known_by_their_letters() -> None:
    plan = hand_made()
    assert plan.box(plan.measurements[0]) == {"s": SCORE, "y": LABEL, "w": WEIGHT}
    unweighted = make_plan(
        Ratio("score", per="label"),
        bounds={"score": SCORE, "label": LABEL},
        budget=Budget(1),
    )
    assert unweighted.box(unweighted.questions[0]) == {"s": SCORE, "y": LABEL}


def test_the_table_speaks_the_units_of_the_data() -> None:
    assert hand_made().columns() == {
        "sum": ["Σ w", "Σ w·y"],
        "sensitivity": [3.0, 6.0],
        "noise_sd": [pytest.approx(4 * 2**0.5), pytest.approx(8 * 2**0.5)],
        "share": [0.5, 0.5],
    }


def test_a_gaussian_scale_is_its_standard_deviation() -> None:
    assert hand_made("analytic_gaussian").columns()["noise_sd"] == [4.0, 8.0]


def test_plans_with_the_same_terms_are_equal() -> None:
    assert hand_made() == hand_made()
    assert hand_made() != hand_made("analytic_gaussian")


def test_a_plan_does_not_change() -> None:
    with pytest.raises(AttributeError):
        hand_made().strategy = "other"  # type: ignore[misc]


def test_the_columns_of_a_person_are_those_of_totals() -> None:
    unit = PrivacyUnit("user", totals={"score": Bounds(0, 5), "label": Bounds(0, 5)})
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        budget=Budget(1),
        unit=unit,
    )
    around = "Measured around the guess 1: z = (s − 1·y), h = (s + 1·y), of one user's"
    said = next(line for line in plan.summary() if line.startswith("Measured"))
    assert said == f"{around} totals."
    grouped = dataclasses.replace(plan, partitions=(Groups("region", ["north"]),))
    said = next(line for line in grouped.summary() if line.startswith("Measured"))
    assert said == f"{around} totals in each group."


def test_a_large_delta_draws_a_note_where_it_is_spent() -> None:
    assert "Note: delta 0.25 is large." in str(hand_made("classical_gaussian"))
    assert "Note: " not in str(hand_made("laplace"))
