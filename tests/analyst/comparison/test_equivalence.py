"""Ratios within margins: two one-sided tests, verdicts and refusals."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from analyst.regions import people, regions_release
from analyst.simulated import Setting, many_cells_release
from dpratio.analyst.comparison.equivalence import assess_equivalence
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.arrays import Floats
from dpratio.errors import InvalidInput
from dpratio.release.release import Release

ROWS = [people(9000, ratio, seed) for seed, ratio in enumerate((1.0, 1.02, 1.06, 1.3))]


@pytest.fixture(scope="module")
def release() -> Release:
    return regions_release(ROWS)


def deviate(score: Floats, label: Floats) -> float:
    """A z-test of a mean of zero, with amounts as they are or under the hypothesis."""
    rest = score - label
    total, square = rest.sum(), (rest**2).sum()
    moved = [
        each * (1 - each @ rest * total / square / each.sum())
        for each in (score, label)
    ]
    return float(total) / math.sqrt(max(square, ((moved[0] - moved[1]) ** 2).sum()))


def test_without_noise_the_tests_are_those_of_the_rows(release: Release) -> None:
    answer = assess_equivalence(release, lower=0.95, upper=1.05)
    for at, (score, label) in enumerate(ROWS):
        rise, fall = deviate(score, 0.95 * label), -deviate(score, 1.05 * label)
        wanted = max(stats.norm.sf(rise), stats.norm.sf(fall))
        assert answer.pvalue[at] == pytest.approx(wanted, rel=1e-5, abs=1e-12)


def test_verdicts_are_those_of_the_intervals() -> None:
    release = many_cells_release(Setting(2_000, 1), 400)
    answer = assess_equivalence(release, lower=1.04, upper=1.16)
    within = (answer.ci_lower > 1.04) & (answer.ci_upper < 1.16)
    assert 0 < within.sum() < len(answer)
    verdicts = np.array(answer.verdicts)
    assert np.array_equal(verdicts == "within", within)
    outside = (answer.ci_lower > 1.16) | (answer.ci_upper < 1.04)
    assert np.array_equal(verdicts == "outside", outside)


def test_one_ratio_outside_decides_the_whole(release: Release) -> None:
    answer = assess_equivalence(release, lower=0.95, upper=1.05)
    assert answer.verdicts[0] == "within"
    assert answer.verdicts[3] == "outside"
    assert answer.overall == "outside"
    assert answer.summary().startswith("overall outside: of 4 ratios 2 within")


def test_of_many_ratios_one_outside_may_be_chance() -> None:
    answer = assess_equivalence(
        many_cells_release(Setting(2_000, 1), 400), lower=1.07, upper=1.13
    )
    assert "outside" in answer.verdicts
    assert answer.overall == "undecided"


def test_all_within_is_within_and_doubt_is_undecided(release: Release) -> None:
    assert assess_equivalence(release, lower=0.8, upper=1.5).overall == "within"
    near = assess_equivalence(release, "north", "south", lower=0.95, upper=1.03)
    assert near.overall == "undecided"


def test_one_margin_is_non_inferiority(release: Release) -> None:
    answer = assess_equivalence(release, lower=0.95)
    assert answer.overall == "within"
    assert "0.95 or more" in answer.summary()
    capped = assess_equivalence(release, "west", upper=1.1)
    assert capped.verdicts == ("outside",)
    assert "1.1 or less" in capped.notes()[0]


def test_adjusted_verdicts_are_more_careful(release: Release) -> None:
    plain = assess_equivalence(release, lower=0.95, upper=1.05)
    holm = assess_equivalence(release, lower=0.95, upper=1.05, adjust="holm")
    assert np.all(holm.pvalue_adjusted >= plain.pvalue)
    assert np.all(holm.ci_lower < plain.ci_lower)
    assert holm.to_dicts()[0]["adjust"] == "holm"
    assert any("Adjusted over 4 groups" in line for line in holm.notes())


@pytest.mark.parametrize(
    ("adjust", "level", "size"), [("none", "90", "5"), ("bonferroni", "97.5", "1.25")]
)
def test_notes_name_the_level_of_the_intervals_that_belong_to_one_sided_tests(
    release: Release, adjust: str, level: str, size: str
) -> None:
    answer = assess_equivalence(release, lower=0.95, upper=1.05, adjust=adjust)
    wanted = f"The intervals are {level} % intervals: each end belongs to a one-sided"
    assert f"{wanted} test at {size} %." in answer.notes()
    single = estimate_ratios(release, level=float(level) / 100)
    assert answer.ci_lower == pytest.approx(single.ci_lower, abs=1e-3)
    assert answer.ci_upper == pytest.approx(single.ci_upper, abs=1e-3)


def test_a_weak_denominator_decides_nothing() -> None:
    nobody = (np.zeros(1), np.zeros(1))
    answer = assess_equivalence(
        regions_release([ROWS[0], nobody], 0.5), lower=0.9, upper=1.1
    )
    assert answer.verdicts == ("within", "undecided")
    assert answer.ci_upper[1] == math.inf
    assert answer.overall == "undecided"


def test_the_answer_reads_well(release: Release) -> None:
    answer = assess_equivalence(release, lower=0.95, upper=1.05)
    names = ["group", "ratio", "ci_lower", "ci_upper", "pvalue", "level", "verdict"]
    assert list(answer.columns()) == names
    assert answer.summary() in str(answer)
    assert "<table>" in answer._repr_html_()
    simulated = many_cells_release(Setting(2_000, 1), 2)
    assert "SIMULATED" in str(assess_equivalence(simulated, upper=2.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "at least one margin is needed"),
        ({"lower": 1.05, "upper": 0.95}, "margins must be in order"),
        ({"lower": math.nan}, "a margin must be a finite number"),
        ({"upper": True}, "a margin must be a finite number"),
        ({"upper": 10**400}, "a margin must be a finite number"),
        ({"upper": 1.0, "level": 0.4}, "level must be above 0.5"),
        ({"upper": 1.0, "adjust": "fdr"}, "unknown adjustment"),
    ],
)
def test_margins_that_are_none_are_refused(
    release: Release, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        assess_equivalence(release, **options)
