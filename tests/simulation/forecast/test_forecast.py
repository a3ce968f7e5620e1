"""Forecasts agree with full simulations, cost nothing and refuse nonsense."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow, measure_coverage
from dpratio.simulation.coverage.one_query import paper_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.forecast_row import ForecastRange
from dpratio.simulation.forecast.guessed import guessed_population
from dpratio.simulation.forecast.needed import needed_people
from dpratio.simulation.population import DrawPeople, PaperPopulation
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.ratio import Ratio
from real_people import real_people
from tiers import quick_first

PAPER = PaperPopulation(1.1)


def simulated(
    people: DrawPeople,
    plan: Plan,
    n: int,
    repetitions: int = 600,
    against: float | DrawPeople | None = None,
) -> CoverageRow:
    """Simulate the releases of a plan in full."""
    (row,) = measure_coverage(
        people, plan, n=n, repetitions=repetitions, rng=1, against=against
    ).rows
    return row


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("n", "epsilon"), quick_first([(1_000, 1.0), (5_000, 0.2), (5_000, 4.0)])
)
def test_forecast_and_simulated_width_agree_within_three_per_cent(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    n: int,
    epsilon: float,
) -> None:
    plan = paper_plan(mechanism, epsilon, weighted=weighted, n=n)
    (outlook,) = forecast(plan, n=n, population=PAPER).rows
    row = simulated(PAPER, plan, n, against=1.0)
    assert row.judged.unbounded == outlook.unbounded == 0
    assert outlook.width == pytest.approx(row.judged.width.median, rel=0.03)
    assert row.rejected is not None
    assert abs(outlook.power - row.rejected) < 0.1


@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_plans_with_the_paper_s_sums_are_forecast_too(strategy: str) -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000, strategy=strategy)
    (outlook,) = forecast(plan, n=5_000, population=PAPER).rows
    row = simulated(PAPER, plan, 5_000)
    assert outlook.width == pytest.approx(row.judged.width.median, rel=0.03)


def test_a_guess_of_moments_is_forecast_like_its_population() -> None:
    guess = Population(MeanSd(30, 12), MeanSd(2.5, 1.0), correlation=0.5)
    plan = make_plan(
        Ratio("revenue", per="visits", guess=12.0),
        bounds={"revenue": Bounds(0, 100), "visits": Bounds(0, 8)},
        budget=Budget(1),
        population=guess,
        n=3_000,
    )
    (outlook,) = forecast(plan, n=3_000, population=guess).rows
    population = guessed_population(guess, plan.box(plan.measurements[0]))
    row = simulated(population, plan, 3_000)
    assert outlook.width == pytest.approx(row.judged.width.median, rel=0.03)


@pytest.mark.parametrize("name", quick_first(sorted(real_people())))
@pytest.mark.parametrize(("n", "epsilon"), quick_first([(2_000, 1.0), (10_000, 0.2)]))
def test_real_tables_are_forecast_within_a_tenth_and_their_tests_have_the_power(
    name: str, n: int, epsilon: float
) -> None:
    """The ratio to test against is set so that the true one is just detectable."""
    people = real_people()[name]
    ratio = Ratio("s", per="y", weight="w" if "w" in people.bounds else None)
    plan = make_plan(ratio, bounds=people.bounds, budget=Budget(epsilon))
    against = people.ratio
    for _ in range(3):
        (outlook,) = forecast(plan, n=n, population=people, against=against).rows
        against = people.ratio + against - outlook.detectable
    (outlook,) = forecast(plan, n=n, population=people, against=against).rows
    row = simulated(people, plan, n, 400, against)
    assert outlook.width == pytest.approx(row.judged.width.median, rel=0.1)
    assert outlook.detectable == pytest.approx(people.ratio, rel=0.03)
    assert row.rejected is not None
    assert 0.6 < row.rejected < 0.92
    assert abs(outlook.power - row.rejected) < 0.1
    (beforehand,) = forecast(plan, n=n, against=against).ranges
    assert beforehand.width_low <= row.judged.width.median <= beforehand.width_high
    assert beforehand.detectable_low <= people.ratio <= beforehand.detectable_high


@pytest.mark.slow
def test_a_guess_of_weights_that_follow_labels_is_forecast_like_the_people() -> None:
    """Without their correlations the forecast is more than half too wide."""
    people = real_people()["survey_weights"]
    drawn = people(np.random.default_rng(1), 1, 2**18)
    assert drawn.weight is not None
    columns = [each.ravel() for each in (drawn.score, drawn.label, drawn.weight)]
    score, label, weight = (
        MeanSd(float(each.mean()), float(each.std())) for each in columns
    )
    together = np.corrcoef(columns)
    guess = Population(
        score,
        MeanSd(label.mean),
        weight,
        correlation=together[0, 1],
        weight_with_numerator=together[0, 2],
        weight_with_per=together[1, 2],
    )
    apart = replace(guess, weight_with_numerator=0.0, weight_with_per=0.0)
    assert guess.ratio == pytest.approx(people.ratio, rel=0.02)
    for n, epsilon in ((2_000, 1), (10_000, 1)):
        plan = make_plan(
            Ratio("s", per="y", weight="w"),
            bounds=people.bounds,
            budget=Budget(epsilon),
            population=guess,
            n=n,
        )
        width = simulated(people, plan, n, 400).judged.width.median
        (outlook,) = forecast(plan, n=n, population=guess).rows
        assert outlook.width == pytest.approx(width, rel=0.12)
        (too_wide,) = forecast(plan, n=n, population=apart).rows
        assert too_wide.width > 1.5 * width


def test_the_detectable_ratio_is_detected_with_the_wanted_power() -> None:
    """Two populations at the detectable distance, simulated in full."""
    plan = paper_plan("laplace", 0.5, weighted=False, n=2_000)
    (outlook,) = forecast(plan, n=2_000, population=PAPER).rows
    found = simulated(PaperPopulation(outlook.detectable), plan, 2_000, 1_000, 1.0)
    assert found.rejected == pytest.approx(0.8, abs=0.07)
    further, other = PaperPopulation(outlook.detectable_between), PaperPopulation(1.0)
    between = simulated(further, plan, 2_000, 1_000, other)
    assert between.rejected == pytest.approx(0.8, abs=0.07)


def test_people_lost_are_those_a_public_study_would_not_need() -> None:
    plan = paper_plan("gaussian", 0.2, weighted=True, n=5_000)
    (outlook,) = forecast(plan, n=5_000, population=PAPER).rows
    kept = 5_000 - outlook.people_lost
    smaller = forecast(plan, n=kept, population=PAPER).rows[0]
    assert smaller.width_public == pytest.approx(outlook.width, rel=1e-3)
    assert outlook.people_lost > 3_000


def test_more_people_and_more_epsilon_give_narrower_intervals() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000)
    table = forecast(
        plan, n=[1_000, 4_000], population=PAPER, epsilon=[0.5, Fraction(2)]
    )
    widths = {(each.n, each.epsilon): each.width for each in table.rows}
    assert list(widths) == [(1_000, 0.5), (1_000, 2.0), (4_000, 0.5), (4_000, 2.0)]
    assert widths[1_000, 0.5] > widths[1_000, 2.0] > widths[4_000, 0.5]
    assert widths[4_000, 0.5] > widths[4_000, 2.0]


def test_a_forecast_repeats_itself_and_says_what_it_assumed() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    first, second = (forecast(plan, n=500, population=PAPER) for _ in range(2))
    assert first.rows == second.rows
    said = str(first)
    assert "guessed ratio of 1.1" in said
    assert "nothing was spent" in said
    assert "people_lost" in said


def test_without_a_guess_there_are_ranges_that_say_whom_they_are_for() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000)
    found = forecast(plan, n=[500, 5_000], epsilon=[0.5, 2])
    assert found.rows == ()
    assert [(each.n, each.epsilon) for each in found.ranges] == [
        (500, 0.5),
        (500, 2.0),
        (5_000, 0.5),
        (5_000, 2.0),
    ]
    for each in found.ranges:
        assert each.width_low < each.width_high
        assert each.width_public_low < each.width_low
        assert 1 < each.detectable_low < each.detectable_high
        assert each.detectable_low < each.detectable_between_low
    said = str(found)
    assert "Nobody described the people" in said
    assert "one in twenty to four in five" in said
    assert "population=Population(…), or a table [population]" in said
    assert "power: chance" not in said
    assert list(found.columns()) == list(ForecastRange.__slots__[1:])


def test_ranges_are_written_with_two_digits() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000)
    found = forecast(plan, n=[100, 5_000], against=0.0)
    shown = found.shown()
    assert shown["width_high"][0] == "∞"
    for name in ("width_low", "width_public_high", "detectable_high"):
        digits = shown[name][1].replace(".", "").lstrip("0")
        assert len(digits) == 2, name


def test_every_question_has_its_range_and_a_guess_is_about_one_ratio() -> None:
    plan = make_plan(
        [Ratio("score", per="label"), Ratio("hours", per="visits")],
        bounds={
            "score": Bounds(0, 1),
            "label": Bounds.binary(),
            "hours": Bounds(0, 80),
            "visits": Bounds(0, 9),
        },
        budget=Budget(1),
    )
    found = forecast(plan, n=5_000)
    assert [each.question for each in found.ranges] == [
        "score per label",
        "hours per visits",
    ]
    assert found.columns()["question"] == ["score per label", "hours per visits"]
    guess = Population(MeanSd(0.5, 0.2), MeanSd(0.45))
    with pytest.raises(InvalidInput, match="question=1"):
        forecast(plan, n=5_000, population=guess)
    assert len(forecast(plan, n=5_000, population=guess, question=1).rows) == 1


def test_sums_that_hang_on_the_people_are_not_forecast_without_a_guess() -> None:
    plan = paper_plan("laplace", 1.0, weighted=True, n=5_000, strategy="joint")
    with pytest.raises(InvalidInput, match="Say what the people are like"):
        forecast(plan, n=5_000)
    with pytest.raises(InvalidInput, match="Say what the people are like"):
        needed_people(plan, width=0.1)


def test_a_plan_in_two_stages_holds_the_guess_of_its_study() -> None:
    guess = Population(MeanSd(0.5, 0.2), MeanSd(0.45), correlation=0.4)
    terms: dict[str, Any] = {
        "bounds": {"s": Bounds(0, 1), "y": Bounds.binary()},
        "budget": Budget(1),
        "stage": 0.2,
    }
    plan = make_plan(Ratio("s", per="y"), population=guess, **terms)
    assert forecast(plan, n=2_000) == forecast(plan, n=2_000, population=guess)
    (beforehand,) = forecast(make_plan(Ratio("s", per="y"), **terms), n=2_000).ranges
    (outlook,) = forecast(plan, n=2_000).rows
    assert beforehand.width_low < outlook.width < beforehand.width_high


def test_where_most_intervals_are_unbounded_the_width_is_infinite() -> None:
    plan = paper_plan("gaussian", 0.2, weighted=True, n=5)
    (outlook,) = forecast(plan, n=1, population=PAPER).rows
    assert outlook.unbounded > 0.9
    assert math.isinf(outlook.width)
    assert outlook.people_lost == 1


def test_single_huge_intervals_do_not_rule_the_width() -> None:
    """More epsilon gives narrower intervals, also where some have no end."""
    plan = paper_plan("laplace", 1.0, weighted=False, n=85)
    found = forecast(plan, n=85, population=PAPER, epsilon=[0.25, 0.5, 1, 2])
    widths = [each.width for each in found.rows]
    assert widths == sorted(widths, reverse=True)
    assert found.rows[0].unbounded > 0.01


@pytest.mark.parametrize("power", [0.3, 0.5, 0.9])
def test_the_detectable_ratio_follows_the_power(power: float) -> None:
    plan = paper_plan("laplace", 0.5, weighted=False, n=2_000)
    (outlook,) = forecast(plan, n=2_000, population=PAPER, power=power).rows
    found = simulated(PaperPopulation(outlook.detectable), plan, 2_000, against=1.0)
    assert found.rejected == pytest.approx(power, abs=0.08)


@pytest.mark.parametrize(
    "options",
    [
        {"n": 0},
        {"n": []},
        {"n": True},
        {"n": [10, -1]},
        {"n": 10, "power": 1.0},
        {"n": 10, "level": 2.0},
        {"n": 10, "population": 3},
        {"n": 10, "epsilon": -1},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    with pytest.raises(InvalidInput):
        forecast(plan, **options)
