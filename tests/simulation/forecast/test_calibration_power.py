"""Which power a test of calibration has, before any data."""

from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.simulation.forecast.calibration_power import (
    CalibrationPower,
    calibration_power,
)

BOUNDS = {"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()}
WEIGHT = {"w": dpr.Bounds(0.5, 2)}
LAND = dpr.Groups("land", ["north"])
UNIT = dpr.Bounds(0, 1)
PEOPLE = dpr.PrivacyUnit("id", totals={"s": UNIT, "y": UNIT})


def plan_of(**terms: Any) -> dpr.Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": dpr.Budget(0.5),
        "groups": dpr.ScoreBins("s", 5),
        **terms,
    }
    return dpr.make_plan(given.pop("ratio", dpr.Ratio("s", per="y")), **given)


def test_every_kind_of_plan_is_told_with_its_size_and_power() -> None:
    found = calibration_power(plan_of(), n=600, samples=400)
    assert found.answers == ("ratio", "ratio, means", "ratio, calibration")
    size, power = np.array(found.size), np.array(found.power)
    assert (size < 0.1).all()
    assert (power > 0.3).all()
    assert power[2] > power[1]
    assert list(found.columns()) == ["answers", "n", "often", "size", "power"]
    assert "400 samples of invented people, standard error 0.025" in found.said()[1]
    best = found.answers[int(power.argmax())]
    assert found.notes()[2].endswith(f"by a plan that answers {best}.")


def test_shares_are_rounded_to_their_standard_error() -> None:
    found = CalibrationPower(500, 1.25, 400, ("ratio",), (0.0,), (0.5,))
    assert found.precision() == {"size": [0.0025], "power": [0.025]}


def test_the_plan_that_was_asked_about_comes_first() -> None:
    ratio = dpr.Ratio("s", per="y", weight="w")
    plan = plan_of(
        ratio=ratio, bounds=BOUNDS | WEIGHT, answers=("ratio", "calibration")
    )
    found = calibration_power(plan, n=100, samples=20)
    assert found.answers[0] == "ratio, calibration"
    assert len(found.answers) == 3


def test_of_several_questions_the_one_with_bins_is_asked() -> None:
    plan = plan_of(groups=[dpr.Groups("k", ["a", "b"]), dpr.ScoreBins("s", 5)])
    asked = calibration_power(plan, n=100, samples=20)
    assert asked == calibration_power(plan, n=100, samples=20, question=2)


def test_plans_that_cannot_be_made_are_left_out() -> None:
    plan = plan_of(strategy="joint")
    found = calibration_power(plan, n=100, samples=20)
    assert found.answers == ("ratio", "ratio, means")


def test_people_may_be_given() -> None:
    def all_low(rng: np.random.Generator, repetitions: int, count: int) -> Any:  # noqa: ANN401
        score = rng.beta(1, 20, size=(repetitions, count))
        return dpr.simulation.People(score, score)

    given = calibration_power(plan_of(), n=500, samples=100, population=all_low)
    spread = calibration_power(plan_of(), n=500, samples=100)
    assert given.power[0] < spread.power[0]


@pytest.mark.slow
def test_weights_that_follow_the_score_leave_the_size_in_its_place() -> None:
    """With one ω for all bins the first size is 0.0075 here, the power 0.44."""

    def heavier(rng: np.random.Generator, repetitions: int, count: int) -> Any:  # noqa: ANN401
        score = rng.beta(0.5, 5, size=(repetitions, count))
        weight = rng.exponential(size=score.shape) * (0.5 + 5 * score)
        return dpr.simulation.People(score, score, weight)

    edges = [0, 0.002, 0.006, 0.015, 0.028, 0.045, 0.07, 0.1, 0.145, 0.22, 1]
    plan = plan_of(
        ratio=dpr.Ratio("s", per="y", weight="w"),
        bounds=BOUNDS | {"w": dpr.Bounds(0.33, 3)},
        budget=dpr.Budget(4),
        groups=dpr.ScoreBins("s", edges),
    )
    found = calibration_power(plan, n=2_000, samples=400, population=heavier)
    assert found.size[0] > 0.01
    assert (np.array(found.size) < 0.08).all()
    assert found.power[0] > 0.45


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 0}, "n must be a whole number up to a million, got 0"),
        ({"often": 0}, "often must lie between 0 and 100, got 0"),
        ({"samples": 0}, "samples must be a whole number up to 100,000"),
        ({"plan": plan_of(groups=None)}, "needs bins of the score, got 's'"),
        ({"plan": plan_of(groups=LAND)}, "needs bins of the score, got 's'"),
        ({"plan": plan_of(unit=PEOPLE)}, "is about rows, got 'id'"),
    ],
)
def test_what_cannot_be_tested_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        calibration_power(**{"plan": plan_of(), "n": 100, **options})
