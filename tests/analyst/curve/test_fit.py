"""The line through a curve and its Brier score, where a release tells them."""

import numpy as np
import pytest

from analyst.given import given_release, noiseless, summed
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.arrays import Floats
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins
from planned import plan_scores

RNG = np.random.default_rng(11)
SCORE: Floats = np.round(RNG.beta(2, 3, 3_000), 6).astype(np.float64)
LABEL: Floats = (RNG.random(3_000) < 0.1 + 0.7 * SCORE).astype(np.float64)
GROUP = np.arange(3_000) % 2
FIT = ["calibration_intercept", "calibration_slope", "brier_score"]


def plan_of(*answers: str, strategy: str = "joint") -> Plan:
    plan = plan_scores(
        Budget(1e6),
        groups=Groups.cross(Keys("group", ["a", "b"]), ScoreBins("score", 4)),
        answers=("ratio", *answers),
        strategy=strategy,
        mechanism="laplace",
    )
    return noiseless(plan)


def released(plan: Plan) -> Release:
    bins = np.minimum((SCORE * 4).astype(int), 3)
    columns = {"s": SCORE, "y": LABEL, "w": np.ones(len(SCORE))}
    return given_release(plan, summed(plan, columns, GROUP * 4.0 + bins))


def test_the_line_and_the_brier_score_are_those_of_the_rows() -> None:
    """Held to numpy's least squares and to the mean of (s − y)², row by row."""
    plan = plan_of("spread")
    release = released(plan)
    errors = calibration_curve(release).errors
    assert list(errors.fit) == FIT
    table = errors.columns()
    for at, name in enumerate(table["group"]):
        own = np.equal(GROUP, {"a": 0, "b": 1}[name])
        slope, intercept = np.polyfit(SCORE[own], LABEL[own], 1)
        square = (SCORE[own] - LABEL[own]) ** 2
        found = [table[each][at] for each in FIT]
        assert found == pytest.approx([intercept, slope, square.mean()], rel=1e-3)
        half = 1.96 * square.std() / np.sqrt(own.sum())
        width = table["brier_score_ci_upper"][at] - table["brier_score_ci_lower"][at]
        assert width == pytest.approx(2 * half, rel=2e-2)
        # Heteroscedastic errors (White 1980), as labels of 0 and 1 have them.
        away = SCORE[own] - SCORE[own].mean()
        rest = LABEL[own] - intercept - slope * SCORE[own]
        error = np.sqrt((away**2 * rest**2).sum()) / (away**2).sum()
        ends = [table[f"calibration_slope_ci_{end}"][at] for end in ("lower", "upper")]
        assert ends[1] - ends[0] == pytest.approx(2 * 1.96 * error, rel=2e-2)


@pytest.mark.parametrize("plan", [plan_of("means", strategy="focused"), plan_of()])
def test_a_plan_without_spread_tells_neither(plan: Plan) -> None:
    release = released(plan)
    errors = calibration_curve(release).errors
    assert not errors.fit
    assert not set(FIT) & set(errors.columns())


def test_they_are_rounded_like_the_rest() -> None:
    plan = plan_of("spread")
    release = released(plan)
    shown = calibration_curve(release).errors.shown()
    assert all(len(each) <= 8 for each in shown["brier_score"])
