"""Without noise every answer is what survey, statsmodels and scipy say, to 6 digits."""

import csv
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import dpratio as dpr
from analyst.given import given_release, noiseless, summed
from dpratio.analyst.ratio.tail import normal_quantile

FOLDER = Path(__file__).parent / "references"
ANY = dpr.Budget(1)
PEOPLE = 944
FACTOR = math.sqrt(PEOPLE / (PEOPLE - 1))
BOUNDS = {
    "pid": dpr.Bounds(0, 6),
    "vote": dpr.Bounds.binary(),
    "educ": dpr.Bounds(1, 7),
}
Floats = NDArray[np.float64]


@cache
def data() -> dict[str, Floats]:
    text = (FOLDER / "anes96.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@cache
def figures(program: str) -> dict[str, tuple[float, float]]:
    text = (FOLDER / f"figures_{program}.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row["name"]: (float(row["estimate"]), float(row["se"])) for row in rows}


@cache
def released(kind: str, strategy: str, *, by_age: bool = False) -> dpr.Release:
    weighted = kind == "weighted"
    bounds = {name: each for name, each in BOUNDS.items() if weighted or name != "educ"}
    plan = dpr.make_plan(
        dpr.Ratio("pid", per="vote", weight="educ" if weighted else None, guess=6),
        bounds=bounds,
        budget=ANY,
        strategy=strategy,
        answers=("ratio", "means") if strategy == "focused" else ("ratio", "spread"),
        groups=dpr.Groups("old", [True, False]) if by_age else None,
        clipping="unmeasured",
    )
    letters = {"s": data()["pid"], "y": data()["vote"]}
    if weighted:
        letters["w"] = data()["educ"]
    young = np.zeros(PEOPLE)
    if by_age:
        young[data()["age"] < 47] = 1
    return exactly(plan, letters, young)


def exactly(plan: dpr.Plan, letters: dict[str, Floats], cells: Floats) -> dpr.Release:
    """Release exact sums as if the noise were almost none: the non-private limit."""
    return given_release(noiseless(plan), summed(plan, letters, cells))


def shown(found: Any) -> tuple[float, float]:  # noqa: ANN401
    return float(found.estimate[0]), float(found.se_sampling[0])


def near(given: tuple[float, float], reference: tuple[float, float]) -> bool:
    return given == pytest.approx(reference, rel=2e-6)


@pytest.mark.parametrize("kind", ["plain", "weighted"])
def test_a_ratio_is_that_of_svyratio(kind: str) -> None:
    found = dpr.estimate_ratios(released(kind, "focused"), method="analytical")
    estimate, error = figures("survey")[f"{kind}_ratio"]
    assert near((found.ratio[0], found.se_sampling[0] * FACTOR), (estimate, error))
    assert found.se_privacy[0] < 1e-6 * found.se[0]


@pytest.mark.parametrize("kind", ["plain", "weighted"])
@pytest.mark.parametrize(("of", "column"), [("numerator", "pid"), ("per", "vote")])
def test_a_mean_is_that_of_svymean(kind: str, of: str, column: str) -> None:
    found = dpr.estimate_function(released(kind, "focused"), dpr.functions.mean(of))
    estimate, error = figures("survey")[f"{kind}_mean_{column}"]
    assert near(shown(found), (estimate, error / FACTOR))


@pytest.mark.parametrize("kind", ["plain", "weighted"])
def test_a_total_is_that_of_units_whose_number_varies(kind: str) -> None:
    found = dpr.estimate_function(released(kind, "focused"), dpr.functions.total())
    assert near(shown(found), figures("survey")[f"{kind}_total_pid"])


@pytest.mark.parametrize("kind", ["plain", "weighted"])
def test_arms_are_compared_as_by_svycontrast(kind: str) -> None:
    release = released(kind, "focused", by_age=True)
    reference = figures("survey")
    arms = (True, False)
    found = dpr.estimate_function(
        release, dpr.functions.difference_of_means(), arms=arms
    )
    estimate, error = reference[f"{kind}_difference"]
    assert near(shown(found), (estimate, error / FACTOR))
    for name, function, back in (
        ("log_lift", dpr.functions.lift(), math.expm1),
        ("log_ratio_of_ratios", dpr.functions.ratio_of_ratios(), math.exp),
    ):
        found = dpr.estimate_function(release, function, arms=arms, method="delta")
        estimate, error = reference[f"{kind}_{name}"]
        reach = normal_quantile(0.95) * error / FACTOR
        assert found.estimate[0] == pytest.approx(back(estimate), rel=2e-6)
        # Ends hold the second-order bend as well, a part in 10,000 of the width.
        assert found.ci_lower[0] == pytest.approx(back(estimate - reach), abs=2e-4)
        assert found.ci_upper[0] == pytest.approx(back(estimate + reach), abs=2e-4)


def test_a_variance_and_a_correlation_are_those_of_svyvar() -> None:
    release = released("plain", "joint")
    estimate, error = figures("survey")["plain_variance_pid"]
    found = dpr.estimate_function(release, dpr.functions.variance())
    by_n = (PEOPLE - 1) / PEOPLE
    assert near(shown(found), (estimate * by_n, error * by_n / FACTOR))
    estimate, error = figures("survey")["plain_correlation"]
    found = dpr.estimate_function(release, dpr.functions.correlation())
    assert near(shown(found), (estimate, error / FACTOR))


def test_a_slope_is_that_of_svyglm_and_of_statsmodels() -> None:
    found = dpr.estimate_function(released("plain", "joint"), dpr.functions.slope())
    estimate, error = figures("survey")["plain_slope"]
    # svyglm also counts its two coefficients: n/(n − 1), as everywhere.
    assert near(shown(found), figures("statsmodels")["plain_slope"])
    assert near(shown(found), (estimate, error / FACTOR))


def test_means_and_variances_are_those_of_statsmodels() -> None:
    reference = figures("statsmodels")
    release = released("plain", "joint")
    found = dpr.estimate_function(release, dpr.functions.mean())
    assert near(shown(found), reference["plain_mean_pid"])
    found = dpr.estimate_function(release, dpr.functions.variance())
    assert near(shown(found), reference["plain_variance_pid"])
    weighted = released("weighted", "joint")
    for name, function in (
        ("mean_pid", dpr.functions.mean()),
        ("variance_pid", dpr.functions.variance()),
        ("correlation", dpr.functions.correlation()),
    ):
        found = dpr.estimate_function(weighted, function)
        wanted = reference[f"weighted_{name}"][0]
        assert found.estimate[0] == pytest.approx(wanted, rel=2e-6)


@cache
def curve(
    *, weighted: bool = False
) -> tuple[dpr.results.Curve, list[NDArray[np.bool_]]]:
    """The chance of voting Dole, guessed from party identification, in four bins."""
    given = data()
    score, edges = given["pid"] / 6, [0, 0.25, 0.5, 0.75, 1]
    bounds = {"score": dpr.Bounds(0, 1), "vote": BOUNDS["vote"]}
    plan = dpr.make_plan(
        dpr.Ratio("score", per="vote", weight="educ" if weighted else None),
        bounds=bounds | ({"educ": BOUNDS["educ"]} if weighted else {}),
        budget=ANY,
        answers=("ratio", "means"),
        groups=dpr.Groups.cross(dpr.ScoreBins("score", edges)),
        clipping="unmeasured",
    )
    letters = {"s": score, "y": given["vote"]}
    if weighted:
        letters["w"] = given["educ"]
    place = np.minimum(np.digitize(score, edges) - 1, 3)
    found = dpr.calibration_curve(exactly(plan, letters, place * 1.0))
    return found, [place == at for at in range(4)]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_curve_has_the_means_of_the_rows_and_the_intervals_of_fieller(
    weighted: bool,  # noqa: FBT001
) -> None:
    found, bins = curve(weighted=weighted)
    given = data()
    weight = given["educ"] if weighted else np.ones(PEOPLE)
    z = normal_quantile(0.95)
    for at, rows in enumerate(bins):
        w, s, y = weight[rows], given["pid"][rows] / 6, given["vote"][rows]
        share = w.sum() / weight.sum()
        assert found.share.estimate[at] == pytest.approx(share, rel=1e-6)
        for measured, values, floor in (
            (found.mean_score, s, 0.0),
            (found.mean_label, y, 0.0),
            (found.gap, s - y, -math.inf),
        ):
            mean = (w * values).sum() / w.sum()
            assert measured.estimate[at] == pytest.approx(mean, rel=2e-6)
            lower, upper = fieller(w * values, w, z)
            ends = (measured.ci_lower[at], measured.ci_upper[at])
            wanted = (max(lower, floor), upper)
            assert ends == pytest.approx(wanted, rel=2e-6, abs=2e-5)


def fieller(top: Floats, bottom: Floats, z: float) -> tuple[float, float]:
    """Solve (Σa − m Σb)² = z² Σ(a − m b)² for m."""
    first = bottom.sum() ** 2 - z**2 * (bottom**2).sum()
    middle = top.sum() * bottom.sum() - z**2 * (top * bottom).sum()
    last = top.sum() ** 2 - z**2 * (top**2).sum()
    root = math.sqrt(middle**2 - first * last)
    return (middle - root) / first, (middle + root) / first


def test_the_test_of_calibration_is_hosmer_and_lemeshow_s() -> None:
    from scipy.stats import chi2

    found, bins = curve()
    score, vote = data()["pid"] / 6, data()["vote"]
    statistic = sum(
        (score[rows] - vote[rows]).sum() ** 2 / (score[rows] * (1 - score[rows])).sum()
        for rows in bins
    )
    assert found.errors.statistic[0] == pytest.approx(statistic, rel=1e-5)
    # Bins with few labels go out further than a normal variable; the law allows for it.
    assert 1 < found.errors.pvalue[0] / chi2.sf(statistic, 4) < 1.5


def test_the_errors_of_calibration_are_those_of_the_rows_without_their_bias() -> None:
    found, bins = curve()
    score, vote = data()["pid"] / 6, data()["vote"]
    gaps = [(score[rows] - vote[rows]) for rows in bins]
    plain = sum(abs(gap.sum()) for gap in gaps) / PEOPLE
    unbiased = sum(
        len(gap) / PEOPLE * (gap.mean() ** 2 - gap.var() / len(gap)) for gap in gaps
    )
    errors = found.errors
    assert errors.squared.estimate[0] == pytest.approx(unbiased, rel=1e-5)
    assert 0.9 * plain < errors.expected.estimate[0] < plain
    assert errors.expected.ci_lower[0] < plain < errors.expected.ci_upper[0]
