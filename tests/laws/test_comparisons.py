"""Do tests reject as often as they say, and do intervals of comparisons cover?

20,000 null runs each; the standard error of a size of 0.05 is 0.0015.
"""

from dataclasses import replace

import numpy as np
import pytest

from analyst.simulated import (
    DROWNED,
    SETTINGS,
    Setting,
    drowned_cells,
    many_cells,
    real_release,
)
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.comparison_target import ComparisonTarget
from dpratio.analyst.comparison.equivalence import assess_equivalence
from dpratio.analyst.comparison.homogeneity import common_ratio
from dpratio.analyst.comparison.hypothesis import AgainstValue, Between
from dpratio.analyst.ratio.tail import pvalues_of, quantile_of
from dpratio.arrays import Floats
from real_people import real_people

RUNS = 20_000
SIZE = pytest.approx(0.05, abs=0.01)
COVERAGE = pytest.approx(0.95, abs=0.008)


def between(setting: Setting, link: str, first: float, second: float) -> Between:
    sides = (
        many_cells(setting, RUNS, ratio=first, seed=3),
        many_cells(setting, RUNS, ratio=second, seed=4),
    )
    return Between(*sides, (np.arange(RUNS), np.arange(RUNS)), link)


def rejected(pvalues: Floats) -> float:
    return float((pvalues < 0.05).mean())


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_two_equal_ratios_are_told_apart_as_often_as_the_level_says(
    setting: Setting,
) -> None:
    statistic = between(setting, "difference", 1.1, 1.1).deviates(0.0)
    for alternative in ("two-sided", "greater", "less"):
        assert rejected(pvalues_of(statistic, alternative)) == SIZE


@pytest.mark.parametrize("setting", SETTINGS[1::2], ids=str)
def test_a_lift_that_is_there_is_rejected_as_often_as_the_level_says(
    setting: Setting,
) -> None:
    statistic = between(setting, "lift", 1.3, 1.1).deviates(1.3 / 1.1 - 1)
    assert rejected(pvalues_of(statistic, "two-sided")) == SIZE


@pytest.mark.parametrize("setting", SETTINGS[1:], ids=str)
def test_a_true_value_is_rejected_as_often_as_the_level_says(setting: Setting) -> None:
    cells = many_cells(setting, RUNS, seed=3)
    statistic = AgainstValue(cells, 1.1, "lift").deviates(0.0)
    for alternative in ("two-sided", "greater", "less"):
        assert rejected(pvalues_of(statistic, alternative)) == SIZE


def test_where_noise_hides_the_variance_a_true_value_is_rejected_less_often() -> None:
    """The pivot interval of one ratio of 500 people covers 0.959 at epsilon 0.2."""
    cells = many_cells(SETTINGS[0], RUNS, seed=3)
    statistic = AgainstValue(cells, 1.1, "lift").deviates(0.0)
    for alternative in ("two-sided", "greater", "less"):
        assert 0.035 < rejected(pvalues_of(statistic, alternative)) < 0.056


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.people > 500], ids=str)
def test_equal_ratios_of_five_groups_are_rejected_as_often_as_the_level_says(
    setting: Setting,
) -> None:
    cells = many_cells(setting, 5 * RUNS, seed=5)
    assert rejected(common_ratio(cells, 5).pvalue) == SIZE


@pytest.mark.parametrize("is_noisy", [True, False])
def test_equal_ratios_of_few_people_are_rejected_as_often_as_the_level_says(
    is_noisy: bool,  # noqa: FBT001
) -> None:
    cells = many_cells(Setting(500, 0.2, is_noisy=is_noisy), 5 * RUNS // 2, seed=5)
    assert rejected(common_ratio(cells, 5).pvalue) == SIZE


@pytest.mark.parametrize("setting", SETTINGS[1:6:2], ids=str)
def test_at_the_margin_equivalence_is_found_as_often_as_the_level_says(
    setting: Setting,
) -> None:
    """At one margin, with the other far away, the size is that of one test."""
    cells = many_cells(setting, RUNS, seed=3)
    contest = AgainstValue(cells, 0.0, "difference")
    deviate = np.minimum(contest.deviates(1.1), -contest.deviates(3.0))
    assert rejected(pvalues_of(deviate, "greater")) == SIZE


@pytest.mark.parametrize("link", ["difference", "lift", "log_ratio"])
@pytest.mark.parametrize("setting", [SETTINGS[at] for at in (0, 2, 3, 4)], ids=str)
def test_intervals_of_comparisons_cover(setting: Setting, link: str) -> None:
    truth = {"difference": 0.2, "lift": 0.2 / 1.1, "log_ratio": np.log(1.3 / 1.1)}
    contest = between(setting, link, 1.3, 1.1)
    contest = replace(contest, places=(np.arange(RUNS // 2), np.arange(RUNS // 2)))
    ends = contest.ends(quantile_of(0.95, "two-sided"))
    covered = (ends.lower <= truth[link]) & (truth[link] <= ends.upper)
    assert covered.mean() == COVERAGE
    # A p-value and an interval say the same.
    pvalue = pvalues_of(contest.deviates(0.0), "two-sided")
    out = (ends.lower > 0) | (ends.upper < 0)
    bounded = ends.has_lower & ends.has_upper
    assert np.array_equal((pvalue < 0.05)[bounded], out[bounded])


@pytest.mark.parametrize(("mechanism", "ratio", "sizes"), DROWNED)
def test_sums_near_their_noise_are_told_apart_no_more_often_than_the_level_says(
    mechanism: str, ratio: float, sizes: tuple[float, float]
) -> None:
    first, second = (
        drowned_cells(mechanism, ratio, size, RUNS, seed=seed)
        for seed, size in enumerate(sizes)
    )
    every = (np.arange(RUNS), np.arange(RUNS))
    statistic = Between(first, second, every, "difference").deviates(0.0)
    pvalues = pvalues_of(statistic, "two-sided")
    assert (pvalues < 0.05).mean() <= 0.054
    assert (pvalues < 0.01).mean() <= 0.012
    for alternative in ("greater", "less"):
        assert rejected(pvalues_of(statistic, alternative)) <= 0.056


@pytest.mark.parametrize("people", [300, 500])
def test_long_tails_are_not_rejected_more_often_on_one_side(people: int) -> None:
    """Spend per visit: the size would be 0.08 with V as it is estimated."""
    spend = real_people()["spend_per_visit"]
    truth, release = spend.ratio, real_release(spend, people, 4, RUNS // 2, seed=7)
    apart = compare_ratios(release, reference=truth, alternative="less")
    assert rejected(apart.pvalue) <= 0.058
    within = assess_equivalence(release, lower=0.0, upper=truth)
    assert rejected(within.pvalue) <= 0.058
    many = real_release(spend, 5_000, 4, RUNS // 2, seed=8)
    small, large = (
        ComparisonTarget.of(
            each, (), question=None, variance=None, is_one_sided=True
        ).statistic
        for each in (release, many)
    )
    every = (np.arange(RUNS // 2), np.arange(RUNS // 2))
    statistic = Between(small, large, every, "difference").deviates(0.0)
    for alternative in ("greater", "less"):
        assert rejected(pvalues_of(statistic, alternative)) <= 0.058


def test_ratios_of_negative_denominators_lie_on_the_side_where_they_are() -> None:
    """2 is more than 1, whatever the signs of the two sums."""
    upright = replace(
        drowned_cells("analytic_gaussian", 2, 100, 100, seed=1), lowest=-np.inf
    )
    turned = replace(
        upright, numerator=-upright.numerator, denominator=-upright.denominator
    )
    smaller = replace(upright, numerator=upright.numerator / 2)
    every = (np.arange(100), np.arange(100))
    for cells in (upright, turned):
        assert (AgainstValue(cells, 1.0, "difference").deviates(0.0) > 5).all()
        assert (Between(cells, smaller, every, "difference").deviates(0.0) > 5).all()


def test_where_denominators_are_weak_the_size_is_kept() -> None:
    """At 60 people most sets are unbounded: no more is rejected than promised."""
    setting = Setting(60, 0.2)
    contest = between(setting, "difference", 1.1, 1.1)
    some = replace(contest, places=(np.arange(1000), np.arange(1000)))
    ends = some.ends(quantile_of(0.95, "two-sided"))
    assert (ends.has_lower & ends.has_upper).mean() < 0.5
    statistic = contest.deviates(0.0)
    assert not np.isnan(statistic).any()
    for alternative in ("two-sided", "greater", "less"):
        assert rejected(pvalues_of(statistic, alternative)) <= 0.056
    assert rejected(common_ratio(many_cells(setting, 5 * 4000, seed=6), 5).pvalue) <= (
        0.056
    )
