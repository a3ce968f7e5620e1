"""Plans in two stages: what may be asked for, and what is said of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.ratio import Ratio
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

RATIO = Ratio("spend", per="visits")
KEYS = PrivateKeys("region", Budget("0.1", "1e-7"))


def test_the_fallback_is_the_guess_of_one_stage() -> None:
    plain = make_plan(RATIO, bounds=BOUNDS, budget=Budget(1), stage=0)
    assert staged_plan().measurements[0].ratio == plain.measurements[0].ratio
    assert staged_plan(replace(RATIO, guess=3.0)).measurements[0].ratio.guess == 3.0


UNIT = {"score": Bounds(0, 1), "label": Bounds.binary()}
PER_LABEL = Ratio("score", per="label")
NARROW = {"spend": Bounds(10, 10 + 2e-9), "visits": Bounds(1, 1 + 2e-10)}
PEOPLE = Population(MeanSd(10, 5), MeanSd(3, 1))


@pytest.mark.parametrize(
    ("ratio", "terms", "staged"),
    [
        (RATIO, {}, True),
        (RATIO, {"mechanism": "analytic_gaussian"}, True),
        (replace(RATIO, guess=4.0, guess_is="unknown"), {}, True),
        ([RATIO, replace(RATIO, guess=4.0)], {}, True),
        (replace(RATIO, guess=4.0), {}, False),
        (RATIO, {"population": PEOPLE}, False),
        (RATIO, {"stage": 0}, False),
        (RATIO, {"strategy": "even"}, False),
        (RATIO, {"groups": KEYS}, False),
        (replace(RATIO, residual_bound=5.0), {}, False),
        # Lattices this fine leave room for the noise of one stage alone.
        (RATIO, {"bounds": NARROW, "budget": Budget("0.1")}, False),
        (PER_LABEL, {"bounds": UNIT}, False),
        (PER_LABEL, {"bounds": {**UNIT, "label": Bounds(0, 1)}}, True),
        (PER_LABEL, {"bounds": {**UNIT, "score": Bounds.binary()}}, True),
    ],
)
def test_a_stage_is_taken_where_nobody_guessed(
    ratio: Any,  # noqa: ANN401
    terms: dict[str, Any],
    staged: bool,  # noqa: FBT001
) -> None:
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(1, "1e-6"), **terms}
    plan = make_plan(ratio, **given)
    spent = None if plan.stage is None else plan.stage.epsilon
    assert spent == (Fraction(1, 20) if staged else None)
    assert price(plan).epsilon == plan.budget.epsilon


def test_the_plan_says_what_both_stages_spend() -> None:
    said = str(staged_plan(groups=GROUPS))
    assert "The first spends epsilon 0.2 on finding the guess" in said
    assert "noise_sd 1414.2 and 282.84" in said
    assert "The second spends epsilon 0.8" in said
