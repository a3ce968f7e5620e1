"""A first stage is taken where it is forecast to pay, and only there."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.stage.worth_of_stage import log_gain_of_stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from plan.staged_plans import BOUNDS, GROUPS

RATIO = Ratio("spend", per="visits")
WEIGHTED = {**BOUNDS, "w": Bounds(0.2, 12)}


def plan_of(ratio: Any = RATIO, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(1)} | terms
    return make_plan(ratio, **given)


def test_a_ratio_that_nobody_guessed_is_found_in_a_twentieth_of_epsilon() -> None:
    plan = plan_of()
    assert plan.stage is not None
    assert plan.stage.epsilon == Fraction(1, 20)
    assert plan == plan_of(stage=0.05)
    assert plan_of(stage=0).stage is None
    assert plan_of(groups=GROUPS).stage is not None


@pytest.mark.parametrize(
    ("n", "epsilon", "gain"),
    # Simulated on nine populations: 1.054, 1.012, 0.899, 0.843 and 0.994.
    [
        (500, "0.2", 1.05),
        (500, "1", 1.03),
        (2_000, "1", 0.94),
        (10_000, "0.2", 0.92),
        (10_000, "4", 0.97),
    ],
)
def test_what_it_is_worth_grows_with_people_and_epsilon_and_fades(
    n: int, epsilon: str, gain: float
) -> None:
    terms: dict[str, Any] = {"n": n, "budget": Budget(epsilon)}
    plain, staged = plan_of(stage=0, **terms), plan_of(stage=0.05, **terms)
    forecast = math.exp(-log_gain_of_stage(plain, staged, n))
    assert forecast == pytest.approx(gain, abs=0.015)
    chosen = plan_of(**terms)
    assert chosen == (staged if forecast <= 1 / 1.05 else plain)


@pytest.mark.parametrize(
    ("ratio", "terms"),
    [
        (replace(RATIO, guess=2.0), {}),
        (RATIO, {"bounds": {"spend": Bounds(0, 5), "visits": Bounds(0, 5)}}),
        (RATIO, {"strategy": "joint"}),
        (RATIO, {"mechanism": "analytic_gaussian", "budget": Budget(1, "1e-6")}),
        (
            RATIO,
            {
                "groups": PrivateKeys("k", Budget("0.1", "1e-7")),
                "budget": Budget(1, "1e-6"),
                "mechanism": "laplace",
            },
        ),
        (replace(RATIO, residual_bound=3.0), {}),
        (RATIO, {"guess": Guess(ColumnGuess(5, 5), ColumnGuess(4, 2))}),
        ([Question(RATIO), Question(replace(RATIO, guess=2.0), groups=GROUPS)], {}),
        (replace(RATIO, weight="w"), {"bounds": WEIGHTED}),
    ],
)
def test_elsewhere_a_plan_has_one_stage(
    ratio: Ratio | list[Question], terms: dict[str, Any]
) -> None:
    assert plan_of(ratio, **terms).stage is None


def test_where_a_stage_would_need_too_much_noise_a_plan_has_one() -> None:
    refused, least = 1e-9, 1.0
    while least > 1.03 * refused:
        middle = math.sqrt(refused * least)
        try:
            plan_of(stage=0, budget=Budget(middle))
        except InvalidInput:
            refused = middle
        else:
            least = middle
    budget = Budget(least)
    with pytest.raises(InvalidInput, match="noise must stay below"):
        plan_of(stage=0.05, budget=budget)
    assert plan_of(budget=budget).stage is None


def test_a_study_and_its_file_may_turn_it_off() -> None:
    text = """
    ratio = { numerator = "spend", per = "visits" }
    bounds = { spend = [0, 100], visits = [0, 20] }
    privacy = { epsilon = 1, stage = 0 }
    """
    assert make_plan(parse_study(text)).stage is None
    study = Study(RATIO, bounds=BOUNDS, budget=Budget(1))
    assert study.stage is None
    assert make_plan(study).stage is not None
    assert make_plan(replace(study, stage=Fraction(0))).stage is None
