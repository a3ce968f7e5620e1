"""The test of calibration: its size, its power, and what it makes of odd sums."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from analyst.given import given_release
from analyst.samples import with_noise
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.curve.curve_results import CalibrationErrors
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.files import example_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins
from dpratio.terms.ratio import Ratio
from tiers import quick_first

Floats = NDArray[np.float64]
RUNS = 1_000
BINS = 10
LAW = stats.beta(0.5, 5)
EDGES = (0.0, *map(float, LAW.ppf(np.arange(1, BINS) / BINS)), 1.0)
ANSWERS = {
    "ratio": ("ratio",),
    "means": ("ratio", "means"),
    "made for it": ("ratio", "calibration"),
}


@cache
def products(people: int, often: float, weighted: bool) -> dict[str, Floats]:  # noqa: FBT001
    """Sums of products by sample and bin; labels as frequent as scores, or more so."""
    rng = np.random.default_rng(12)
    codes = np.repeat(np.arange(RUNS), people)
    score = LAW.ppf(rng.random(RUNS * people))
    label = (rng.random(RUNS * people) < often * score) * 1.0
    weight = np.ones(RUNS * people)
    if weighted:
        weight = np.clip(rng.exponential(size=RUNS * people), 1 / 3, 3)
    place = np.searchsorted(EDGES, score, side="right") - 1
    cells = codes * BINS + np.minimum(place, BINS - 1)
    z, h = weight * (score - label), weight * (score + label)
    values = {"z": z, "h": h, "w": weight, "zz": z * z, "zh": z * h, "hh": h * h}
    values |= {"ww": weight**2, "wz": weight * z, "wh": weight * h}
    return {
        name: np.bincount(cells, each, RUNS * BINS).astype(np.float64)
        for name, each in values.items()
    }


def plan_of(
    answers: str,
    epsilon: float = 1,
    *,
    weighted: bool = False,
    **terms: Any,  # noqa: ANN401
) -> Plan:
    bounds = {"s": Bounds(0, 1), "y": Bounds.binary()}
    given: dict[str, Any] = {
        "bounds": bounds | ({"w": Bounds(1 / 3, 3)} if weighted else {}),
        "budget": Budget(str(epsilon)),
        "answers": ANSWERS[answers],
        "groups": ScoreBins("s", list(EDGES)),
    }
    ratio = Ratio("s", per="y", weight="w" if weighted else None)
    return make_plan(ratio, clipping="unmeasured", stage=0, **given | terms)


def errors_of(
    answers: str,
    epsilon: float,
    people: int,
    often: float,
    weighted: bool,  # noqa: FBT001
) -> CalibrationErrors:
    plan = plan_of(answers, epsilon, weighted=weighted)
    sums = products(people, often, weighted)
    names = [each.summand.name for each in plan.measurements[0].sums]
    cells = np.stack([sums[name] for name in names], axis=1)
    groups = Groups.cross(Keys("run", range(RUNS)), ScoreBins("s", list(EDGES)))
    return calibration_curve(with_noise(plan, cells, groups, 5)).errors


@pytest.mark.parametrize(
    ("weighted", "answers"),
    quick_first(product([False, True], reversed(ANSWERS))),
)
def test_a_calibrated_score_is_rejected_at_the_level(
    answers: str,
    weighted: bool,  # noqa: FBT001
) -> None:
    """0.035 to 0.06, give or take three standard errors of 1,000 samples."""
    share = (errors_of(answers, 1, 2000, 1.0, weighted).pvalue < 0.05).mean()
    assert 0.035 - 0.019 < share < 0.06 + 0.021


@pytest.mark.parametrize(
    ("answers", "mean", "epsilon", "within"),
    quick_first(
        [
            ("made for it", 4.0, 1, (0.035, 0.055)),
            ("means", 4.0, 1, (0.035, 0.06)),
            ("means", 0.3, 4, (0.025, 0.06)),
        ]
    ),
)
def test_weights_that_pile_up_at_a_bound_are_known_by_their_squares(
    answers: str, mean: float, epsilon: float, within: tuple[float, float]
) -> None:
    """The first would be 0.08 if half of the range were two deviations of ω.

    Without Σw²s the others would be 0.08 and 0.006.
    """
    rng, edges = np.random.default_rng(31), np.arange(BINS + 1) / BINS
    score = rng.random((RUNS, 2000))
    label = (rng.random(score.shape) < score) * 1.0
    weight = np.clip(rng.exponential(mean, score.shape), 1 / 3, 3)
    bins = ScoreBins("s", list(map(float, edges)))
    plan = plan_of(answers, epsilon, weighted=True, groups=bins)
    places = np.minimum((score * BINS).astype(int), BINS - 1)
    places += BINS * np.arange(RUNS)[:, None]
    values = {"w": weight, "z": weight * (score - label), "h": weight * (score + label)}
    sums = [
        np.bincount(
            places.ravel(),
            np.prod([values[each] for each in measured.summand.name], axis=0).ravel(),
        )
        for measured in plan.measurements[0].sums
    ]
    cells = np.stack(sums, axis=1).astype(np.float64)
    groups = Groups.cross(Keys("run", range(RUNS)), bins)
    found = calibration_curve(with_noise(plan, cells, groups, 5)).errors
    low, high = within
    assert low - 0.015 < (found.pvalue < 0.05).mean() < high + 0.015


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "weighted", "least"),
    quick_first(
        [
            ("made for it", False, 0.81),
            ("made for it", True, 0.35),
            ("ratio", True, 0.30),
            ("ratio", False, 0.80),
            ("means", True, 0.12),
            ("means", False, 0.68),
        ]
    ),
)
def test_labels_too_frequent_by_a_quarter_are_found(
    answers: str,
    weighted: bool,  # noqa: FBT001
    least: float,
) -> None:
    """Power at epsilon 1 and 2,000 people, less four standard errors."""
    share = (errors_of(answers, 1, 2000, 1.25, weighted).pvalue < 0.05).mean()
    assert share > least - 4 * np.sqrt(least * (1 - least) / RUNS)


def test_without_noise_it_is_the_test_of_hosmer_and_lemeshow() -> None:
    """Many labels in every bin, no weights: the squares add up to their χ²."""
    rng = np.random.default_rng(3)
    score = rng.random(40_000)
    label = (rng.random(40_000) < score) * 1.0
    plan = plan_of("means", groups=ScoreBins("s", 4))
    place = np.minimum((score * 4).astype(int), 3)
    z, h = score - label, score + label
    values = {"z": z, "h": h, "zz": z * z, "zh": z * h, "hh": h * h, "w": z * 0 + 1}
    names = [each.summand.name for each in plan.measurements[0].sums]
    sums = [np.bincount(place, values[name], 4) for name in names]
    cells = np.stack(sums, axis=1).astype(np.float64)
    bins = Groups.cross(ScoreBins("s", 4).within(Bounds(0, 1)))
    found = calibration_curve(with_noise(plan, cells, bins, 5, noise=False)).errors
    gap, spread = np.bincount(place, z), np.bincount(place, score * (1 - score))
    classic = (gap**2 / spread).sum()
    assert found.statistic[0] == pytest.approx(classic, rel=0.001)
    assert found.pvalue[0] == pytest.approx(stats.chi2.sf(classic, 4), abs=0.01)


def test_labels_that_are_no_zeros_and_ones_are_tested_by_their_own_variance() -> None:
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
    plan = plan_of("means", bounds=bounds, groups=ScoreBins("s", 2))
    sums = np.full((2, len(plan.measurements[0].sums)), 2**30)
    found = calibration_curve(given_release(plan, sums)).errors
    assert ((found.pvalue >= 0) & (found.pvalue <= 1)).all()
    assert found.bins.tolist() == [2]


@pytest.mark.parametrize(
    ("strategy", "fill"),
    [("joint", -(2**30)), ("joint", 0), ("even", -(2**30)), ("focused", 0)],
)
def test_bins_of_nobody_contradict_nothing(strategy: str, fill: int) -> None:
    bins = ScoreBins("s", 2)
    plan = plan_of("means", weighted=True, strategy=strategy, groups=bins)
    sums = np.full((2, len(plan.measurements[0].sums)), fill)
    found = calibration_curve(given_release(plan, sums)).errors
    assert found.pvalue[0] > 0.5


@pytest.mark.parametrize("strategy", ["joint", "focused"])
def test_gaps_beyond_all_noise_are_beyond_doubt(strategy: str) -> None:
    bins = ScoreBins("s", 2)
    plan = plan_of("means", weighted=True, strategy=strategy, groups=bins)
    sums = np.zeros((2, len(plan.measurements[0].sums)), dtype=np.int64)
    names = [each.summand.name for each in plan.measurements[0].sums]
    sums[:, names.index("z" if strategy == "focused" else "wy")] = 2**45
    found = calibration_curve(given_release(plan, sums)).errors
    assert found.pvalue[0] < 1e-9


def test_bins_may_be_of_another_column_than_the_score() -> None:
    bounds = {"s": Bounds(0, 1), "y": Bounds.binary(), "age": Bounds(0, 90)}
    plan = plan_of("made for it", bounds=bounds, groups=ScoreBins("age", 3))
    sums = np.full((3, len(plan.measurements[0].sums)), 2**30)
    assert calibration_curve(given_release(plan, sums)).errors.pvalue[0] <= 1


@pytest.mark.parametrize(("epsilon", "says"), [(0.1, True), (50, False)])
def test_notes_say_where_noise_hides_weights(epsilon: float, says: bool) -> None:  # noqa: FBT001
    plan = plan_of("ratio", epsilon, weighted=True, groups=ScoreBins("s", 2))
    names = [each.summand.name for each in plan.measurements[0].sums]
    people = {"z": 0.0, "h": 1_000.0, "zz": 200.0, "zh": 0.0, "hh": 900.0}
    cells = np.array([[people[name] for name in names]] * 2)
    bins = Groups.cross(ScoreBins("s", 2).within(Bounds(0, 1)))
    curve = calibration_curve(with_noise(plan, cells, bins, 5))
    said = any("Noise hides how heavy weights are" in each for each in curve.notes())
    assert said is says


def test_a_tiny_chance_is_not_said_to_its_last_digit() -> None:
    errors = calibration_curve(example_release()).errors
    tiny = replace(errors, test=replace(errors.test, pvalue=np.array([3.21e-40])))
    assert "p < 0.0001, which contradicts" in tiny.sentences()[0]
