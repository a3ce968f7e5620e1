"""A rehearsal: what is drawn is what a study would report, about a known truth."""

import math
from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.rehearse import rehearse

GUESS = dpr.Population(dpr.MeanSd(0.5, 0.22), dpr.MeanSd(0.45), correlation=0.4)
MANY = 1_000


def plan_of(epsilon: float = 1.0, **more: Any) -> Plan:  # noqa: ANN401
    return dpr.make_plan(
        dpr.Ratio("s", per="y"),
        bounds={"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()},
        budget=dpr.Budget(epsilon),
        **more,
    )


@pytest.mark.parametrize("stage", [None, 0.2])
def test_answers_hold_the_truth_as_often_as_intervals_cover(
    stage: float | None,
) -> None:
    found = rehearse(plan_of(stage=stage), n=2_000, population=GUESS, answers=MANY)
    assert math.isclose(found.truth, 0.5 / 0.45, rel_tol=1e-9)
    held = sum(each.holds for each in found.rows)
    assert 0.92 * MANY < held < 0.985 * MANY  # Six standard errors around 0.95.
    assert [each.answer for each in found.rows] == list(range(1, MANY + 1))


def test_widths_are_those_of_the_forecast() -> None:
    plan = plan_of(0.3)
    rows = rehearse(plan, n=2_000, population=GUESS, answers=MANY).rows
    median = float(np.median([each.ci_upper - each.ci_lower for each in rows]))
    (row,) = forecast(plan, n=2_000, population=GUESS).rows
    assert math.isclose(median, row.width, rel_tol=0.03)


def test_twenty_answers_say_what_would_be_learned() -> None:
    found = rehearse(plan_of(0.01), n=200, population=GUESS)
    lines = found.said()
    assert lines[0].startswith("Rehearsed: 20 answers about 200 invented people each")
    assert "have no end" in lines[1]
    assert lines[-1] == "No data were read and nothing was spent."
    assert list(found.columns()) == [
        "answer",
        "ratio",
        "ci_lower",
        "ci_upper",
        "status",
        "holds",
    ]


def test_another_seed_draws_other_answers_and_the_same_one_the_same() -> None:
    one, same, other = (
        rehearse(plan_of(), n=500, population=GUESS, seed=seed) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_every_question_of_a_ratio_is_rehearsed() -> None:
    plan = plan_of(groups=[None, dpr.Groups("region", ["north", "south"])])
    found = rehearse(plan, n=2_000, population=GUESS, answers=5)
    assert found.columns()["question"] == [
        *["s per y"] * 5,
        *["s per y by region"] * 5,
    ]
    one = rehearse(plan, n=2_000, population=GUESS, answers=5, question=2)
    assert len(one.rows) == 5
    assert len(found.chart().panels) == 2


def test_the_chart_says_which_answers_miss() -> None:
    found = rehearse(plan_of(0.3), n=600, population=GUESS)
    chart = found.chart()
    assert "the truth is 1.111" in chart.title
    assert "holds the truth" in {each.name for each in chart.legend}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"population": None}, "people whom someone described"),
        ({"answers": 0}, "answers must be a whole number"),
        ({"answers": 10**6}, "answers must be a whole number"),
        ({"seed": -1}, "seed must be"),
        ({"n": 0}, "n must be a whole number"),
        ({"level": 2.0}, "level"),
    ],
)
def test_what_breaks_a_rule_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        rehearse(plan_of(), **{"n": 500, "population": GUESS, **options})
