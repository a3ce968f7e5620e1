"""One ratio for all groups: references without noise, two groups, and refusals."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from analyst.given import given_release
from analyst.regions import (
    REGIONS,
    Floats,
    Rows,
    cells_for,
    people,
    plan_of,
    regions_release,
)
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.homogeneity import assess_homogeneity, common_ratio
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.sums.moments import exact_moments
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit

ROWS = [people(4000, ratio, seed) for seed, ratio in enumerate((1.1, 1.12, 1.1, 1.16))]


def least(rows: list[Rows]) -> tuple[float, float]:
    """The ratio that fits the rows best, and its sum of squares."""

    def squares(r: float) -> float:
        rests = [score - r * label for score, label in rows]
        return float(sum(rest.sum() ** 2 / (rest**2).sum() for rest in rests))

    found = optimize.minimize_scalar(
        squares, bounds=(0.3, 3), method="bounded", options={"xatol": 1e-12}
    )
    return float(found.x), float(found.fun)


def test_without_noise_the_statistic_is_that_of_the_rows() -> None:
    answer = assess_homogeneity(regions_release(ROWS))
    ratio, wanted = least(ROWS)
    assert answer.ratio == pytest.approx(ratio, rel=1e-6)
    assert answer.statistic == pytest.approx(wanted, rel=1e-6)
    assert (answer.df, answer.groups) == (3, 4)
    assert answer.pvalue == pytest.approx(stats.chi2.sf(wanted, 3), rel=1e-5)


def test_in_large_samples_it_is_cochrans_q() -> None:
    """Cochran (1954): Q = Σ (r − r̄)²/v with r̄ weighted by 1/v."""
    plan = plan_of(None)
    steps = np.array([each.step for each in plan.measurements[0].sums])
    sums = 1e14 * cells_for(plan, [ROWS[0]] * 4) * steps
    sums[:, 0] += np.array([1e8, -5e8, 9e8, 0])
    moments = exact_moments(sums, plan.measurements[0])
    cells = statistic_of(moments, "linearised", lowest=0.0)
    found = common_ratio(cells, 4)
    ratio: Floats = moments["ws"] / moments["wy"]
    squares = moments["aa"] - 2 * ratio * moments["ab"] + ratio**2 * moments["bb"]
    weight = moments["wy"] ** 2 / squares
    mean = (weight * ratio).sum() / weight.sum()
    wanted = (weight * (ratio - mean) ** 2).sum()
    assert found.pvalue[0] == pytest.approx(stats.chi2.sf(wanted, 3), rel=1e-6)
    assert found.ratio[0] == pytest.approx(mean, rel=1e-9)


def test_of_two_groups_it_is_their_comparison() -> None:
    for epsilon in (0.2, 1e6):
        release = regions_release(ROWS, epsilon)
        answer = assess_homogeneity(release, "north", "west")
        pair = compare_ratios(release, "north", "west")
        assert answer.pvalue == pytest.approx(float(pair.pvalue[0]))
        assert answer.statistic == pytest.approx(float(pair.statistic[0]) ** 2)


def test_groups_that_differ_are_found_out() -> None:
    rows = [people(4000, ratio, 7) for ratio in (1.0, 1.1, 1.3, 2.0)]
    assert assess_homogeneity(regions_release(rows, 1)).pvalue < 1e-6
    apart = [people(40_000, ratio, 7) for ratio in (0.2, 1.1, 1.3, 5.0)]
    answer = assess_homogeneity(regions_release(apart))
    assert answer.pvalue < 1e-300
    assert answer.statistic > 1000


def test_nobody_anywhere_is_no_evidence() -> None:
    nobody = (np.zeros(1), np.zeros(1))
    answer = assess_homogeneity(regions_release([nobody] * 4, 0.5))
    assert answer.pvalue == pytest.approx(1)
    assert math.isfinite(answer.statistic)


def test_ratios_of_any_sign_have_one_too() -> None:
    bounds = {"score": Bounds(-1, 1), "label": Bounds(-1, 1)}
    plan = plan_of(Groups("g", ["a", "b", "c"]), epsilon=1e6, bounds=bounds)
    rows = [(-score, label) for score, label in ROWS[:3]]
    answer = assess_homogeneity(given_release(plan, cells_for(plan, rows)))
    flipped = assess_homogeneity(regions_release(ROWS), *REGIONS[:3])
    assert answer.ratio == pytest.approx(-flipped.ratio, rel=1e-6)
    assert answer.statistic == pytest.approx(flipped.statistic, rel=1e-5)


def test_the_answer_reads_well() -> None:
    answer = assess_homogeneity(regions_release(ROWS))
    assert answer.summary().startswith("one ratio, 1.1")
    names = ["groups", "left_out", "ratio", "statistic", "df", "pvalue"]
    assert list(answer.columns()) == names
    assert "all 4 groups have one ratio" in str(answer)
    assert "<table>" in answer._repr_html_()


def test_one_group_and_shared_people_are_refused() -> None:
    with pytest.raises(InvalidInput, match="two groups or more, got 1"):
        assess_homogeneity(regions_release(ROWS), "north")
    totals = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    unit = PrivacyUnit("user", totals=totals, most_groups=2)
    plan = plan_of(Groups("region", REGIONS), unit=unit)
    with pytest.raises(InvalidInput, match="may share people"):
        assess_homogeneity(given_release(plan, cells_for(plan, ROWS)))


def test_a_group_that_says_nothing_does_not_hide_the_others() -> None:
    nobody = (np.zeros(1), np.zeros(1))
    rows = [*(people(4000, each, 1) for each in (1.0, 1.2, 1.4)), nobody]
    plan = plan_of(Groups("region", ["a", "b", "c", "nobody"]))
    release = given_release(plan, cells_for(plan, rows))
    alone = assess_homogeneity(release, "a", "b", "c")
    every = assess_homogeneity(release)
    assert (every.left_out, every.groups, every.df) == (1, 3, 2)
    assert (every.statistic, every.pvalue) == (alone.statistic, alone.pvalue)
    assert every.pvalue < 1e-6
    assert "does not fit 3 groups" in str(every)
    assert "Left out: 1 more" in str(every)
