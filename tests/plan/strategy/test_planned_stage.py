"""Plans in two stages: what may be asked for, and what is said of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.plan.require_terms import require_terms
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

RATIO = Ratio("spend", per="visits")


def test_without_a_guess_the_fallback_is_that_of_one_stage() -> None:
    plain = make_plan(RATIO, bounds=BOUNDS, budget=Budget(1))
    assert staged_plan().questions[0].ratio == plain.questions[0].ratio


def test_a_guess_that_is_given_is_the_fallback() -> None:
    guessed = staged_plan(replace(RATIO, guess=3.0))
    assert guessed.questions[0].ratio.guess == 3.0
    same = {"spend": Bounds(0, 5), "visits": Bounds(0, 5)}
    assert staged_plan(bounds=same).questions[0].ratio.guess == 0.5


def test_a_first_stage_keeps_to_laplace_noise() -> None:
    assert staged_plan(budget=Budget(1, "1e-6")).mechanism == "laplace"


def test_a_study_holds_the_stage_and_so_does_its_file() -> None:
    plan = staged_plan()
    study = Study(RATIO, bounds=BOUNDS, budget=Budget(1), stage=0.2)
    assert make_plan(study) == plan
    text = """
    ratio = { numerator = "spend", per = "visits" }
    bounds = { spend = [0, 100], visits = [0, 20] }
    privacy = { epsilon = 1, stage = 0.2 }
    """
    assert make_plan(parse_study(text)) == plan
    assert make_plan(replace_stage(study, None, guess=2.0)).stage is None
    with pytest.raises(InvalidInput, match="holds all of its terms"):
        make_plan(study, stage=0.2)


def replace_stage(study: Study, stage: Any, guess: float) -> Study:  # noqa: ANN401
    ratio = replace(study.questions[0].ratio, guess=guess)
    return Study(ratio, bounds=study.bounds, budget=study.budget, stage=stage)


@pytest.mark.parametrize("share", [1, 1.5, -0.1, True, False, "0.2", float("nan")])
def test_a_share_lies_between_nothing_and_all(share: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="share of a first stage must lie between"):
        staged_plan(stage=share)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"strategy": "joint"}, "finds the guess of strategy 'focused'"),
        ({"mechanism": "classical_gaussian"}, "has no classical_gaussian noise"),
        (
            {"groups": PrivateKeys("region", Budget("0.1", "1e-7"))},
            "has groups that are declared",
        ),
        (
            {"ratio": replace(RATIO, guess=2.0, residual_bound=5.0)},
            "belongs to a guess that is known beforehand",
        ),
        ({"n": 0}, "n must be a whole number"),
        ({"guess": "many"}, "guess must be a Guess or None"),
        ({"budget": 1}, "budget must be a Budget"),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(
    terms: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        staged_plan(**{"budget": Budget(1, "1e-6"), **terms})


@pytest.mark.parametrize(
    "stage",
    [
        "0.2",
        Stage(0.2, 5_000),  # type: ignore[arg-type]
        Stage(Fraction(1), 5_000),
        Stage(Fraction(0), 5_000),
    ],
)
def test_a_stage_that_is_none_or_leaves_nothing_is_refused(stage: Any) -> None:  # noqa: ANN401
    plan = replace(staged_plan(), stage=stage)
    with pytest.raises(InvalidInput, match=r"stage must be a Stage|must leave some"):
        require_terms(plan)


UNIT = {"score": Bounds(0, 1), "label": Bounds.binary()}
PER_LABEL = Ratio("score", per="label")
NARROW = {"spend": Bounds(10, 10 + 2e-9), "visits": Bounds(1, 1 + 2e-10)}
PEOPLE = Guess(ColumnGuess(10, 5), ColumnGuess(3, 1))


@pytest.mark.parametrize(
    ("ratio", "terms", "staged"),
    [
        (RATIO, {}, True),
        (RATIO, {"mechanism": "analytic_gaussian"}, True),
        (replace(RATIO, guess=4.0, guess_is="unknown"), {}, True),
        ([RATIO, replace(RATIO, guess=4.0)], {}, True),
        (replace(RATIO, guess=4.0), {}, False),
        (RATIO, {"guess": PEOPLE}, False),
        (RATIO, {"stage": 0}, False),
        (RATIO, {"strategy": "even"}, False),
        (RATIO, {"groups": PrivateKeys("g", Budget("0.1", "1e-7"))}, False),
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
    assert only.firsts == plan.stage.firsts[1:]
    assert (only.epsilon, only.people) == (plan.stage.epsilon, plan.stage.people)
    alone = replace(plan, questions=plan.measurements[1:], stage=only)
    assert price(alone).epsilon == 1
