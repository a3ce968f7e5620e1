"""How many people, or how much epsilon, a width needs."""

import math
from typing import Any

import pytest

from curator.histograms_for_tests import rows_plan
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.simulation.coverage.one_query import paper_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.needed import needed_epsilon, needed_people
from dpratio.simulation.population import PaperPopulation
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio

PAPER = PaperPopulation(1.1)
PLAN = paper_plan("laplace", 1.0, weighted=False, n=5_000)


def test_needed_people_and_epsilon_give_the_width_that_was_asked_for() -> None:
    people = needed_people(PLAN, width=0.1, population=PAPER)
    assert people is not None
    assert forecast(PLAN, n=people, population=PAPER).rows[0].width == pytest.approx(
        0.1, rel=0.01
    )
    epsilon = needed_epsilon(PLAN, width=0.065, n=5_000, population=PAPER)
    assert epsilon is not None
    (found,) = forecast(PLAN, n=5_000, population=PAPER, epsilon=epsilon).rows
    assert found.width == pytest.approx(0.065, rel=0.01)


def test_without_a_guess_what_is_needed_is_enough_for_the_widest() -> None:
    people = needed_people(PLAN, width=0.2)
    assert people is not None
    assert forecast(PLAN, n=people).ranges[0].width_high == pytest.approx(0.2, rel=0.01)
    least = needed_people(PLAN, width=0.2, population=PAPER)
    assert least is not None
    assert least < people
    epsilon = needed_epsilon(PLAN, width=0.6, n=5_000)
    assert epsilon is not None
    (found,) = forecast(PLAN, n=5_000, epsilon=epsilon).ranges
    assert found.width_high == pytest.approx(0.6, rel=0.01)


@pytest.mark.parametrize("question", [2, "all"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_level_and_the_question_are_those_that_are_named(
    question: str | int, level: float
) -> None:
    ratio, regions = Ratio("s", per="y"), Groups("region", ["north", "south"])
    plan = make_plan(
        [Question(ratio, groups=regions), Question(ratio, budget_share=4, name="all")],
        bounds={"s": Bounds(0, 2), "y": Bounds.binary()},
        budget=Budget(1),
    )
    asked: dict[str, Any] = {"question": question, "level": level}
    people = needed_people(plan, width=0.2, **asked)
    epsilon = needed_epsilon(plan, width=0.6, n=50_000, **asked)
    assert people is not None
    assert epsilon is not None
    (by_people,) = forecast(plan, n=people, **asked).ranges
    (by_epsilon,) = forecast(plan, n=50_000, epsilon=epsilon, **asked).ranges
    assert by_people.width_high == pytest.approx(0.2, rel=0.01)
    # What a first stage finds, and with it the width, moves by steps.
    assert by_epsilon.width_high == pytest.approx(0.6, rel=0.03)
    (of_regions,) = forecast(plan, n=people, question=1, level=level).ranges
    assert of_regions.width_high > by_people.width_high


def test_what_cannot_be_reached_is_said_to_be_so() -> None:
    assert needed_epsilon(PLAN, width=0.05, n=5_000, population=PAPER) is None
    assert needed_people(PLAN, width=1e-9, population=PAPER) is None


def test_a_width_must_be_positive_and_a_plan_a_plan() -> None:
    for width in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInput, match="positive"):
            needed_people(PLAN, width=width)
        with pytest.raises(InvalidInput, match="positive"):
            needed_epsilon(PLAN, width=width, n=100)
    not_a_plan: Any = "plan"
    with pytest.raises(InvalidInput, match="a plan of ratios is needed"):
        forecast(not_a_plan, n=10)


@pytest.mark.parametrize("guess", [None, PAPER])
def test_histograms_have_no_width(guess: PaperPopulation | None) -> None:
    plan: Any = rows_plan()
    rule = "a plan of ratios is needed"
    with pytest.raises(InvalidInput, match=rule):
        forecast(plan, n=100, population=guess)
    with pytest.raises(InvalidInput, match=rule):
        needed_people(plan, width=0.1, population=guess)
    with pytest.raises(InvalidInput, match=rule):
        needed_epsilon(plan, width=0.1, n=100, population=guess)
