"""Whom a guess is about: the totals of the unit, or those of a question."""

from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.rehearse import rehearse
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit


@pytest.mark.slow
def test_a_guess_of_the_study_is_not_about_totals_of_a_question() -> None:
    ratio, guess = (
        Ratio("x", per="y"),
        Population(MeanSd(1, 0.5), MeanSd(0.5, 0.2)),
    )
    regions = Groups("region", ["north", "south"])
    plan = make_plan(
        [Question(ratio, groups=regions, totals={"x": Bounds(0, 30)}), Question(ratio)],
        bounds={"x": Bounds(0, 3), "y": Bounds(0, 1)},
        budget=Budget(1),
        unit=PrivacyUnit("id", totals={"x": Bounds(0, 3), "y": Bounds(0, 3)}),
        stage=0.3,
        population=guess,
        mechanism="laplace",
    )
    assert len(forecast(plan, n=5_000).ranges) == 2
    mixed = forecast(plan, n=5_000, population=guess)
    apart, alike = mixed.ranges
    assert apart == forecast(plan, n=5_000, question=1, against=mixed.against).ranges[0]
    (row,) = forecast(plan, n=5_000, population=guess, question=2).rows
    assert (alike.width_low, alike.width_high) == (row.width, row.width)
    assert "not about those of 'x per y by region': there" in str(mixed)
    assert len(forecast(plan, n=5_000, population=guess, question=1).rows) == 1
    rehearsed = rehearse(plan, n=5_000, population=guess, answers=3)
    assert len(rehearsed.rows) == 3
    assert rehearsed.said()[-1].startswith("Not rehearsed: 'x per y by region', whose")
    named = rehearse(plan, n=5_000, population=guess, answers=3, question=1)
    assert (len(named.rows), named.left_out) == (3, ())


def test_a_test_is_against_what_is_guessed_of_the_ratio() -> None:
    def tested(ratio: Ratio, population: Population | None, **more: Any) -> float:  # noqa: ANN401
        bounds = {"x": Bounds(0, 3), "y": Bounds(0, 1)}
        plan = make_plan(ratio, bounds=bounds, budget=Budget(1), **more)
        return forecast(plan, n=5_000, population=population).against

    people = Population(MeanSd(1, 0.5), MeanSd(0.5, 0.2))
    assert tested(Ratio("x", per="y", guess=1.5), people) == 1.5
    assert tested(Ratio("x", per="y"), people) == 2
    assert tested(Ratio("x", per="y"), None, stage=0) == 0.5
    assert tested(Ratio("x", per="y"), people, strategy="joint") == 1
