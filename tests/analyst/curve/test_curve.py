"""Calibration curves: what they show, what they refuse, and how errors cover."""

import math
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analyst.given import given_release
from analyst.samples import binned_sums, curves_release, plan_for
from dpratio.analyst.curve.curve import calibration_curve
from dpratio.analyst.curve.curve_results import CURVE_STATUSES, Curve
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.settle import cells_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from soak import IS_SOAK
from tiers import quick_first

Floats = NDArray[np.float64]
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
NULL_RUNS = 10_000
RUNS = 2_000 if IS_SOAK else 1_000
BINS = 5
SHIFTS = {"none": 0.0, "small": -0.03, "large": -0.1}


def shift_of(name: str) -> Any:  # noqa: ANN401
    return lambda score: SHIFTS[name] + 0 * score


@cache
def sums_of(
    strategy: str,
    people: int,
    weighted: bool,  # noqa: FBT001
    shift: str,
    runs: int,
) -> Floats:
    """Exact sums, the same whatever the noise."""
    plan = plan_for(strategy, "laplace", 1, people, weighted=weighted, bins=BINS)
    return binned_sums(plan, people, runs, 4, shift_of(shift))


@cache
def curves(
    strategy: str,
    mechanism: str,
    epsilon: float,
    people: int,
    weighted: bool,  # noqa: FBT001
    shift: str,
    runs: int,
) -> Curve:
    """One curve for each run, epsilon 0 for no noise."""
    plan = plan_for(
        strategy, mechanism, epsilon or 1, people, weighted=weighted, bins=BINS
    )
    sums = sums_of(strategy, people, weighted, shift, runs)
    return calibration_curve(curves_release(plan, sums, noise=epsilon > 0))


SETTINGS = [
    ("focused", "laplace", 1, 1000, False),
    ("focused", "laplace", 0, 1000, False),
    ("focused", "laplace", 0, 1000, True),
    ("focused", "analytic_gaussian", 4, 2000, True),
    ("joint", "laplace", 4, 1000, True),
]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_calibrated_score_is_rejected_at_the_level(setting: Any) -> None:  # noqa: ANN401
    """10,000 calibrated samples: 5 % of them, give or take 0.9 %, are rejected."""
    rejected = curves(*setting, "none", NULL_RUNS).errors.pvalue < 0.05
    assert rejected.mean() == pytest.approx(0.05, abs=0.009)


def truth(shift: str) -> dict[str, Floats]:
    """What holds in each bin, by summing over a fine grid of scores."""
    score = (np.arange(100_000) + 0.5) / 100_000
    mass = 6 * score * (1 - score)
    label = np.clip(score + SHIFTS[shift], 0, 1)
    place = np.minimum((score * BINS).astype(int), BINS - 1)
    share = np.bincount(place, mass) / 100_000
    means = {
        name: np.bincount(place, mass * values) / 100_000 / share
        for name, values in (("mean_score", score), ("mean_label", label))
    }
    return {
        "share": share,
        **means,
        "gap": means["mean_score"] - means["mean_label"],
        "ratio": means["mean_score"] / means["mean_label"],
    }


@pytest.mark.parametrize(
    ("epsilon", "shift", "weighted"),
    quick_first(product([2, 0], reversed(SHIFTS), [True, False])),
)
def test_points_and_errors_cover(weighted: bool, shift: str, epsilon: float) -> None:  # noqa: FBT001
    """Points and errors at their level or above."""
    found = curves("focused", "laplace", epsilon, 4000, weighted, shift, RUNS)
    held = truth(shift)
    noise_of_points = 5 * math.sqrt(0.95 * 0.05 / RUNS / BINS)
    for name, values in held.items():
        measured = getattr(found, name)
        wanted = np.tile(values, RUNS)
        covers = (measured.ci_lower <= wanted) & (wanted <= measured.ci_upper)
        assert covers.mean() > 0.945 - noise_of_points, name
    expected = (held["share"] * abs(held["gap"])).sum()
    squared = (held["share"] * held["gap"] ** 2).sum()
    five_sigma = 5 * math.sqrt(0.95 * 0.05 / RUNS)
    for measured, wanted in (
        (found.errors.expected, expected),
        (found.errors.squared, squared),
    ):
        covers = (measured.ci_lower <= wanted) & (wanted <= measured.ci_upper)
        assert covers.mean() > 0.95 - five_sigma


@pytest.mark.parametrize("epsilon", [0, 2])
@pytest.mark.parametrize("shift", ["none", "small"])
def test_the_bias_of_sampling_and_noise_is_taken_off_the_errors(
    epsilon: float, shift: str
) -> None:
    """All of it off the squares; off the sizes about half where it is largest."""
    found = curves("focused", "laplace", epsilon, 4000, False, shift, RUNS)  # noqa: FBT003
    held = truth(shift)
    wanted = (held["share"] * abs(held["gap"])).sum()
    squared = (held["share"] * held["gap"] ** 2).sum()
    gaps = found.gap.estimate.reshape(RUNS, BINS)
    shares = found.share.estimate.reshape(RUNS, BINS)
    plain, plain_squared = (
        (shares * size).sum(axis=1).mean() for size in (abs(gaps), gaps**2)
    )
    estimate = found.errors.expected.estimate.mean()
    if shift == "none":
        assert estimate < 0.65 * plain
        # Clipped at zero, half of the unbiased estimates are zero.
        assert found.errors.squared.estimate.mean() < 0.5 * plain_squared
    else:
        assert estimate == pytest.approx(wanted, rel=0.05)
        off = found.errors.squared.estimate.mean() - squared
        assert abs(off) < 0.1 * (plain_squared - squared)


def plan_of(groups: Any, **terms: Any) -> Any:  # noqa: ANN401
    given = {
        "answers": ("ratio", "means"),
        "budget": Budget(1),
        "bounds": BOUNDS,
        "ratio": Ratio("s", per="y"),
        **terms,
    }
    return make_plan(given.pop("ratio"), groups=groups, **given)


def empty(plan: Any, fill: int = 0) -> Any:  # noqa: ANN401
    questions = [
        np.full((cells_of(question.groups) or 0, len(question.sums)), fill)
        for question in plan.measurements
    ]
    return given_release(plan, *questions)


def test_groups_beside_the_bins_give_a_curve_each() -> None:
    groups = Groups.cross(Keys("land", ["north", "south"]), ScoreBins("s", 4))
    found = calibration_curve(empty(plan_of(groups), 2**40))
    assert len(found) == 8
    table = found.columns()
    assert table["land"] == ["north"] * 4 + ["south"] * 4
    assert table["s"][:2] == ["0 to 0.25", "0.25 to 0.5"]
    assert found.errors.columns()["land"] == ["north", "south"]
    assert len(found.errors) == 2
    said = found.summary()
    assert "north: expected calibration error" in said
    assert "south: expected calibration error" in said


def test_a_curve_of_nobody_is_lost_and_says_so() -> None:
    found = calibration_curve(empty(plan_of(Groups.cross(ScoreBins("s", 3)))))
    assert set(found.status) == {"lost"}
    assert f"lost: {CURVE_STATUSES['lost']}." in found.notes()
    assert found.mean_score.ci_lower.tolist() == pytest.approx([0, 1 / 3, 2 / 3])
    assert found.mean_score.ci_upper.tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    assert np.isnan(found.errors.expected.estimate).all()
    assert np.isinf(found.errors.expected.ci_upper).all()
    assert "expected calibration error unknown; p = 1" in found.summary()
    assert "3 of the bins are too lost in noise" in found.summary()


def test_nothing_is_said_that_bounds_do_not_allow() -> None:
    """400 bins of nobody: noise alone, divided by noise."""
    plan = plan_for("focused", "laplace", 1, 100, weighted=False, bins=BINS)
    nothing = np.zeros((80, BINS, len(plan.measurements[0].sums)))
    found = calibration_curve(curves_release(plan, nothing))
    edges = np.tile(np.arange(BINS) / BINS, 80)
    measures: dict[str, tuple[Any, Any]] = {
        "mean_score": (edges, edges + 1 / BINS),
        "mean_label": (0.0, 1.0),
        "gap": (edges - 1, edges + 1 / BINS),
        "ratio": (edges, np.inf),
    }
    for name, (lowest, highest) in measures.items():
        for end in ("estimate", "ci_lower", "ci_upper"):
            values = np.asarray(getattr(getattr(found, name), end))
            known = ~np.isnan(values)
            assert known.any()
            inside = (values >= lowest - 1e-12) & (values <= highest + 1e-12)
            assert inside[known].all(), name


def test_a_table_does_not_show_what_is_not_known() -> None:
    plan = plan_of(Groups.cross(ScoreBins("s", 3)))
    full, lost = empty(plan, 2**40), empty(plan)
    values = full.questions[0].values.copy()
    values[1] = lost.questions[0].values[1]
    found = calibration_curve(given_release(plan, values))
    assert [each == "lost" for each in found.status] == [False, True, False]
    shown = found.shown()
    for name in ("mean_score", "mean_label", "ratio", "gap"):
        assert [each == "–" for each in shown[name]] == [False, True, False]
        assert shown[f"{name}_ci_lower"][1] not in {"–", "nan"}
    assert shown["share"][1] != "–"
    assert (found.errors.left_out == 1).all()
    assert "1 of the bins is too lost in noise" in found.summary()


def test_bins_may_be_of_another_column() -> None:
    bounds = {**BOUNDS, "age": Bounds(0, 90)}
    plan = plan_of(Groups.cross(ScoreBins("age", 3)), bounds=bounds)
    found = calibration_curve(empty(plan))
    assert "The bins are of age, not of s." in found.notes()
    assert found.mean_score.ci_upper.tolist() == [1, 1, 1]


def test_which_bins_is_asked_where_there_are_two() -> None:
    bounds = {**BOUNDS, "age": Bounds(0, 90)}
    groups = Groups.cross(ScoreBins("age", 3), ScoreBins("s", 2))
    release = empty(plan_of(groups, bounds=bounds))
    with pytest.raises(InvalidInput, match=r"needs one binned column.*bins='age'"):
        calibration_curve(release)
    assert calibration_curve(release, bins="s").bins == "s"
    with pytest.raises(InvalidInput, match=r"needs one binned column, got 'other'"):
        calibration_curve(release, bins="other")


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (
            {"groups": Groups("land", ["north"])},
            r"in Python groups=ScoreBins\('s', 10\)",
        ),
        (
            {"unit": PrivacyUnit("id", totals={"s": Bounds(0, 1), "y": Bounds(0, 1)})},
            "a calibration curve is about rows, got 'id'",
        ),
        (
            {
                "ratio": Ratio("s", per="y", minus="t"),
                "bounds": {**BOUNDS, "t": Bounds(0, 1)},
            },
            "a calibration curve must be about one score",
        ),
    ],
    ids=["bins", "people", "difference"],
)
def test_a_release_without_a_curve_says_what_to_plan(
    terms: dict[str, Any], said: str
) -> None:
    given = dict(terms)
    groups = given.pop("groups", Groups.cross(ScoreBins("s", 2)))
    with pytest.raises(InvalidInput, match=said):
        calibration_curve(empty(plan_of(groups, **given)))


def test_an_option_that_is_none_is_refused() -> None:
    release = empty(plan_of(Groups.cross(ScoreBins("s", 2))))
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
        calibration_curve(release, level=95)
    with pytest.raises(InvalidInput, match="no such question, got 2"):
        calibration_curve(release, question=2)
    with pytest.raises(InvalidInput, match="release must be a Release"):
        calibration_curve("release.json")  # type: ignore[arg-type]


@pytest.mark.parametrize("answers", [("ratio",), ("ratio", "calibration")])
def test_a_release_of_ratios_alone_has_its_ratios_and_the_test(
    answers: tuple[str, ...],
) -> None:
    groups = Groups.cross(Keys("land", ["north", "south"]), ScoreBins("s", 3))
    found = calibration_curve(empty(plan_of(groups, answers=answers), 2**40))
    assert list(found.columns()) == [
        *("land", "s", "ratio", "ratio_ci_lower", "ratio_ci_upper", "status")
    ]
    assert list(found.errors.columns()) == [*("land", "statistic", "bins", "pvalue")]
    assert found.errors.columns()["bins"] == [3, 3]
    assert "need a plan with answers=('ratio', 'means')" in found.notes()[0]
    assert found.summary().startswith("north: p < 0.0001")
    assert np.isnan(found.gap.estimate).all()
    assert len(found.shown()["ratio"]) == 6


def test_ratios_alone_that_nobody_has_say_so() -> None:
    plan = plan_of(Groups.cross(ScoreBins("s", 3)), answers=("ratio",))
    found = calibration_curve(empty(plan))
    assert set(found.status) == {"ratio_unbounded"}


def test_a_curve_says_what_it_is() -> None:
    found = calibration_curve(empty(plan_of(Groups.cross(ScoreBins("s", 2))), 2**40))
    assert str(found).startswith("Calibration over bins of s, intervals at level 0.95")
    assert found._repr_html_().startswith("<p>Calibration over bins of s")
    stamped = replace(found, is_simulated=True, origin="elsewhere")
    assert stamped.notes()[0].startswith("SIMULATED")
    assert stamped.notes()[1].startswith("EXTERNAL: these sums were measured by else")
    assert list(found.columns())[:4] == [
        "s",
        "share",
        "share_ci_lower",
        "share_ci_upper",
    ]
