"""Simulated releases in two stages: guesses of their own, and the curator's sums."""

import numpy as np
import pytest

from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.population import People
from dpratio.simulation.simulate import view_of
from dpratio.simulation.stages import counted_question, simulate_parts
from dpratio.terms.budget import Budget
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from plan.staged_plans import GROUPS, staged_plan

RATIO = Ratio("spend", per="visits", guess=7.0)
PLAN = staged_plan(RATIO, budget=Budget(2), clipping="unmeasured")
TWO = staged_plan(
    [Question(RATIO), Question(RATIO, groups=GROUPS)],
    budget=Budget(4),
    clipping="unmeasured",
)


class Spenders:
    """People who spend 2.5 a visit."""

    ratio = 2.5

    def __call__(self, rng: np.random.Generator, repetitions: int, n: int) -> People:
        visits = rng.poisson(4.0, (repetitions, n)).astype(np.float64)
        spend = visits * rng.gamma(2.5, 1.0, (repetitions, n))
        return People(spend, visits)


def raw_sums(plan: Plan, people: People, at: int = 0) -> np.ndarray:
    question = counted_question(plan, plan.measurements[at])
    return view_of(plan, question).sums(people)


def test_a_plan_in_one_stage_is_one_part() -> None:
    plan = staged_plan(RATIO, stage=None, clipping="unmeasured")
    (question,) = plan.measurements
    assert counted_question(plan, question) is question
    sums = np.arange(10.0).reshape(2, 5)
    (part,) = simulate_parts(sums, plan, question, np.random.default_rng(1))
    assert part.places.tolist() == [0, 1]
    assert part.exact is sums


@pytest.mark.parametrize(("plan", "at"), [(PLAN, 0), (TWO, 0), (TWO, 1)])
def test_every_repetition_is_measured_around_its_own_guess(plan: Plan, at: int) -> None:
    rng = np.random.default_rng(1)
    people = Spenders()(rng, 30, 2_000)
    question = plan.measurements[at]
    parts = simulate_parts(raw_sums(plan, people, at), plan, question, rng)
    places = np.concatenate([part.places for part in parts])
    assert sorted(places.tolist()) == list(range(30))
    guesses = [part.release.questions[0].ratio.guess for part in parts]
    assert all(1.5 < float(each or 0) < 4 for each in guesses)
    for part in parts:
        (released,) = part.release.questions
        own = People(people.score[part.places], people.label[part.places])
        wanted = view_of(plan, released.measurement).sums(own)
        assert part.exact == pytest.approx(wanted, rel=1e-6, abs=1e-3)
        assert part.release.is_simulated


def test_few_people_are_measured_near_the_declared_guess() -> None:
    rng = np.random.default_rng(1)
    sums = raw_sums(PLAN, Spenders()(rng, 5, 3))
    for part in simulate_parts(sums, PLAN, PLAN.measurements[0], rng):
        assert part.release.questions[0].ratio.guess == pytest.approx(7, abs=2)


def test_coverage_is_measured_over_all_guesses_together() -> None:
    table = measure_coverage(
        Spenders(),
        PLAN,
        n=2_000,
        methods=("pivot", "public", "fieller"),
        repetitions=60,
        rng=1,
        against=2.0,
    )
    figures = table.to_dicts()
    assert all(each["coverage"] > 0.8 for each in figures)
    assert figures[0]["width_median"] > figures[1]["width_median"]


@pytest.mark.slow
def test_a_forecast_plans_the_second_stage_too() -> None:
    people = Population(MeanSd(10, 6), MeanSd(4, 2), correlation=0.5)
    staged, plain = (
        forecast(plan, n=3_000, population=people, epsilon=[1, 2]).rows
        for plan in (PLAN, staged_plan(RATIO, stage=None, clipping="unmeasured"))
    )
    assert [row.epsilon for row in staged] == [1.0, 2.0]
    # The declared guess of 7 is far off; what the first stage finds is not.
    assert all(a.width < b.width for a, b in zip(staged, plain, strict=True))
