"""Plans in two stages: what may be asked for, and what is said of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from plan.priced_plans import refuse
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

RATIO = Ratio("spend", per="visits")
KEYS = PrivateKeys("region", Budget("0.1", "1e-7"))


def test_the_fallback_is_the_guess_of_one_stage() -> None:
    plain = make_plan(RATIO, bounds=BOUNDS, budget=Budget(1), stage=0)
    assert staged_plan().measurements[0].ratio == plain.measurements[0].ratio
    assert staged_plan(replace(RATIO, guess=3.0)).measurements[0].ratio.guess == 3.0


def test_a_study_holds_the_stage_and_so_does_its_file() -> None:
    plan = staged_plan()
    assert make_plan(Study(RATIO, bounds=BOUNDS, budget=Budget(1), stage=0.2)) == plan
    text = """
    ratio = { numerator = "spend", per = "visits" }
    bounds = { spend = [0, 100], visits = [0, 20] }
    privacy = { epsilon = 1, stage = 0.2 }
    """
    assert make_plan(parse_study(text)) == plan


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        *(
            ({"stage": share}, "share of a first stage must lie between")
            for share in (1, 1.5, -0.1, True, False, "0.2", float("nan"))
        ),
        ({"strategy": "joint"}, "finds the guess of strategy 'focused'"),
        ({"mechanism": "classical_gaussian"}, "has no classical_gaussian noise"),
        ({"groups": KEYS}, "has groups that are declared"),
        (
            {"ratio": replace(RATIO, guess=2.0, residual_bound=5.0)},
            "belongs to a guess that is known beforehand",
        ),
        ({"n": 0}, "n must be a whole number"),
        ({"population": "many"}, "population must be a Population or None"),
        ({"budget": 1}, "budget must be a Budget"),
    ],
    ids=str,
)
def test_what_the_proof_does_not_cover_is_refused(
    terms: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        staged_plan(**{"budget": Budget(1, "1e-6"), **terms})


@pytest.mark.parametrize("epsilon", [0.2, Fraction(1), Fraction(0)])
def test_a_stage_that_leaves_nothing_is_refused(epsilon: Any) -> None:  # noqa: ANN401
    stage = replace(staged_plan().stage, epsilon=epsilon)  # type: ignore[type-var]
    refuse(replace(staged_plan(), stage=stage), "must leave some|exact epsilon")


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


def test_a_stage_of_one_question_keeps_its_totals() -> None:
    plan = staged_plan([Question(RATIO), Question(RATIO, groups=GROUPS)])
    assert plan.stage is not None
    only = plan.stage.only(1)
    assert only == replace(plan.stage, firsts=plan.stage.firsts[1:])
    alone = replace(plan, stage=only).measuring(plan.measurements[1:])
    assert price(alone).epsilon == 1
