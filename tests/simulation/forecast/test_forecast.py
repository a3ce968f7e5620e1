"""Forecasts agree with full simulations, cost nothing and refuse nonsense."""

import math
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.coverage.limit import paper_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.guessed import guessed_population
from dpratio.simulation.forecast.needed import needed_epsilon, needed_people
from dpratio.simulation.population import PaperPopulation
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import Ratio

PAPER = PaperPopulation(1.1)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize(("n", "epsilon"), [(1_000, 1.0), (5_000, 0.2), (5_000, 4.0)])
def test_forecast_and_simulated_width_agree_within_three_per_cent(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    n: int,
    epsilon: float,
) -> None:
    plan = paper_plan(mechanism, epsilon, weighted=weighted, n=n)
    (outlook,) = forecast(plan, n=n, guess=PAPER).rows
    row = measure_coverage(PAPER, plan, n=n, repetitions=600, rng=1, against=1.0).rows[
        0
    ]
    assert row.judged.unbounded == outlook.unbounded == 0
    assert outlook.width == pytest.approx(row.judged.width.mean, rel=0.03)
    assert row.rejected is not None
    assert abs(outlook.power - row.rejected) < 0.1


@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_plans_with_the_paper_s_sums_are_forecast_too(strategy: str) -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000, strategy=strategy)
    (outlook,) = forecast(plan, n=5_000, guess=PAPER).rows
    row = measure_coverage(PAPER, plan, n=5_000, repetitions=600, rng=1).rows[0]
    assert outlook.width == pytest.approx(row.judged.width.mean, rel=0.03)


def test_a_guess_of_moments_is_forecast_like_its_population() -> None:
    guess = Guess(ColumnGuess(30, 12), ColumnGuess(2.5, 1.0), correlation=0.5)
    plan = make_plan(
        Ratio("revenue", per="visits", guess=12.0),
        bounds={"revenue": Bounds(0, 100), "visits": Bounds(0, 8)},
        budget=Budget(1),
        guess=guess,
        n=3_000,
    )
    (outlook,) = forecast(plan, n=3_000, guess=guess).rows
    population = guessed_population(guess, plan.box(plan.questions[0]))
    row = measure_coverage(population, plan, n=3_000, repetitions=600, rng=1).rows[0]
    assert outlook.width == pytest.approx(row.judged.width.mean, rel=0.03)


def test_the_detectable_ratio_is_detected_with_the_wanted_power() -> None:
    """Two populations at the detectable distance, simulated in full."""
    plan = paper_plan("laplace", 0.5, weighted=False, n=2_000)
    (outlook,) = forecast(plan, n=2_000, guess=PAPER).rows
    found = measure_coverage(
        PaperPopulation(outlook.detectable),
        plan,
        n=2_000,
        repetitions=1_000,
        rng=1,
        against=1.0,
    ).rows[0]
    assert found.rejected == pytest.approx(0.8, abs=0.07)
    between = measure_coverage(
        PaperPopulation(outlook.detectable_between),
        plan,
        n=2_000,
        repetitions=1_000,
        rng=1,
        against=PaperPopulation(1.0),
    ).rows[0]
    assert between.rejected == pytest.approx(0.8, abs=0.07)


def test_people_lost_are_those_a_public_study_would_not_need() -> None:
    plan = paper_plan("gaussian", 0.2, weighted=True, n=5_000)
    (outlook,) = forecast(plan, n=5_000, guess=PAPER).rows
    kept = 5_000 - outlook.people_lost
    smaller = forecast(plan, n=kept, guess=PAPER).rows[0]
    assert smaller.width_public == pytest.approx(outlook.width, rel=1e-3)
    assert outlook.people_lost > 3_000


def test_more_people_and_more_epsilon_give_narrower_intervals() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000)
    table = forecast(plan, n=[1_000, 4_000], guess=PAPER, epsilon=[0.5, Fraction(2)])
    widths = {(each.n, each.epsilon): each.width for each in table.rows}
    assert list(widths) == [(1_000, 0.5), (1_000, 2.0), (4_000, 0.5), (4_000, 2.0)]
    assert widths[1_000, 0.5] > widths[1_000, 2.0] > widths[4_000, 0.5]
    assert widths[4_000, 0.5] > widths[4_000, 2.0]


def test_a_forecast_repeats_itself_and_says_what_it_assumed() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    first, second = (forecast(plan, n=500, guess=PAPER) for _ in range(2))
    assert first.rows == second.rows
    said = str(first)
    assert "guessed ratio of 1.1" in said
    assert "nothing was spent" in said
    assert "people_lost" in said


def test_without_a_guess_the_middle_of_every_range_is_taken() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000)
    assert forecast(plan, n=500).rows[0].ratio == pytest.approx(1.0, rel=1e-9)


def test_needed_people_and_epsilon_give_the_width_that_was_asked_for() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    people = needed_people(plan, width=0.1, guess=PAPER)
    assert people is not None
    assert forecast(plan, n=people, guess=PAPER).rows[0].width == pytest.approx(
        0.1, rel=0.01
    )
    epsilon = needed_epsilon(plan, width=0.065, n=5_000, guess=PAPER)
    assert epsilon is not None
    (found,) = forecast(plan, n=5_000, guess=PAPER, epsilon=epsilon).rows
    assert found.width == pytest.approx(0.065, rel=0.01)


def test_what_cannot_be_reached_is_said_to_be_so() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    assert needed_epsilon(plan, width=0.05, n=5_000, guess=PAPER) is None
    assert needed_people(plan, width=1e-9, guess=PAPER) is None


def test_where_no_interval_is_bounded_the_width_is_infinite() -> None:
    plan = paper_plan("gaussian", 0.2, weighted=True, n=5)
    (outlook,) = forecast(plan, n=1, guess=PAPER).rows
    assert outlook.unbounded > 0.9
    assert outlook.width > 1 or math.isinf(outlook.width)


@pytest.mark.parametrize(
    "options",
    [
        {"n": 0},
        {"n": []},
        {"n": True},
        {"n": [10, -1]},
        {"n": 10, "power": 1.0},
        {"n": 10, "level": 2.0},
        {"n": 10, "guess": 3},
        {"n": 10, "epsilon": -1},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    with pytest.raises(InvalidInput):
        forecast(plan, **options)


def test_a_width_must_be_positive_and_a_plan_a_plan() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    for width in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInput, match="positive"):
            needed_people(plan, width=width)
        with pytest.raises(InvalidInput, match="positive"):
            needed_epsilon(plan, width=width, n=100)
    not_a_plan: Any = "plan"
    with pytest.raises(InvalidInput, match="must be a Plan"):
        forecast(not_a_plan, n=10)
    assert isinstance(plan, Plan)
