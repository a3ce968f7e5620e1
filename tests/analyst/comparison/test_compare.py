"""Ratios compared: designs, links, and references without noise."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import optimize, stats

from analyst.given import given_release
from analyst.regions import (
    LINKS,
    REGIONS,
    ROWS,
    Rows,
    cells_for,
    people,
    plan_of,
    regions_release,
)
from analyst.simulated import Setting, many_cells_release
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.sums.moments import exact_moments
from dpratio.errors import InvalidInput
from dpratio.release.combine import roll_up
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups

if TYPE_CHECKING:
    from dpratio.terms.groups import Key


@pytest.fixture(scope="module")
def release() -> Release:
    return regions_release(ROWS)


def least(first: Rows, second: Rows, shift: float) -> float:
    """The least sum of squares under r₁ = r₂ + shift, from the rows themselves."""

    def squares(r: float) -> float:
        total = 0.0
        for (score, label), at in ((first, r + shift), (second, r)):
            rest = score - at * label
            total += rest.sum() ** 2 / (rest**2).sum()
        return total

    found = optimize.minimize_scalar(
        squares, bounds=(0.3, 3), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.fun)


def test_keys_that_say_little_are_named_with_their_column(release: Release) -> None:
    plan = plan_of(Groups("grade", [0, 1]))
    graded = given_release(plan, cells_for(plan, ROWS[:2]))
    assert compare_ratios(graded, 0, 1).summary().startswith("grade 0 is ")
    assert compare_ratios(release, "north", "south").summary().startswith("north is ")


def test_without_noise_the_test_is_that_of_the_rows(release: Release) -> None:
    for one, two in ((0, 1), (1, 2), (2, 3)):
        answer = compare_ratios(release, REGIONS[one], REGIONS[two])
        wanted = math.sqrt(least(ROWS[one], ROWS[two], 0.0))
        assert answer.statistic[0] == pytest.approx(wanted, rel=1e-6)
        assert answer.pvalue[0] == pytest.approx(2 * stats.norm.sf(wanted), rel=1e-5)


def test_without_noise_an_end_is_where_the_rows_stop_to_agree(release: Release) -> None:
    answer = compare_ratios(release, "north", "south", link="difference")
    for end in (answer.ci_lower[0], answer.ci_upper[0]):
        assert least(ROWS[0], ROWS[1], end) == pytest.approx(
            stats.chi2.isf(0.05, 1), rel=1e-6
        )


def test_in_large_samples_it_is_the_two_sample_test_of_linearised_ratios() -> None:
    """Variances of Σ(a − r b)/Σb add; sums of 10¹⁴ people leave nothing else."""
    plan = plan_of(None)
    steps = np.array([each.step for each in plan.measurements[0].sums])
    sums = 1e10 * cells_for(plan, [ROWS[1], ROWS[1]]) * steps
    sums[0, 0] += 1e7  # A difference of two standard errors or so.
    moments = exact_moments(sums, plan.measurements[0])
    cells = statistic_of(moments, "linearised", lowest=0.0)
    both = (np.array([0]), np.array([1]))
    ratio = moments["ws"] / moments["wy"]
    squares = moments["aa"] - 2 * ratio * moments["ab"] + ratio**2 * moments["bb"]
    variance = squares / moments["wy"] ** 2
    wanted = (ratio[0] - ratio[1]) / math.sqrt(variance.sum())
    for link in LINKS:
        contest = Between(cells, cells, both, link)
        assert contest.deviates(0.0)[0] == pytest.approx(wanted, rel=1e-6)
    contest = Between(cells, cells, both, "difference")
    reach = stats.norm.isf(0.025) * math.sqrt(variance.sum())
    ends = contest.ends(stats.norm.isf(0.025))
    centre = ratio[0] - ratio[1]
    assert [ends.lower[0], ends.upper[0]] == pytest.approx(
        [centre - reach, centre + reach], rel=1e-6
    )


def test_scales_are_the_same_answer_in_other_words(release: Release) -> None:
    answer = compare_ratios(release, "north", "south", link=LINKS)
    rows = answer.to_dicts()
    assert [row["link"] for row in rows] == LINKS
    assert len({row["pvalue"] for row in rows}) <= 2  # Up to rounding.
    lift, log = rows[1], rows[2]
    for name in ("estimate", "ci_lower", "ci_upper"):
        assert math.log1p(lift[name]) == pytest.approx(log[name])
    ratio = estimate_ratios(release).ratio
    assert rows[0]["estimate"] == pytest.approx(ratio[0] - ratio[1])
    assert lift["estimate"] == pytest.approx(ratio[0] / ratio[1] - 1)


def test_an_error_is_on_the_scale_of_its_estimate(release: Release) -> None:
    """A lift moves 1 + lift times as fast as its logarithm, and r₂ times less."""
    answer = compare_ratios(release, "north", "south", link=LINKS)
    difference, lift, log = answer.se
    ratio = estimate_ratios(release).ratio
    assert lift == pytest.approx((1 + answer.estimate[1]) * log)
    assert difference != pytest.approx(lift, rel=0.01)
    value = compare_ratios(release, "north", reference=2.0, link=LINKS)
    assert value.se[1] == pytest.approx(value.se[0] / 2)
    assert value.se[2] == pytest.approx(value.se[0] / ratio[0])


def test_swapped_sides_give_the_mirrored_answer(release: Release) -> None:
    one = compare_ratios(release, "north", "south", link="log_ratio")
    two = compare_ratios(release, "south", "north", link="log_ratio")
    assert one.estimate == pytest.approx(-two.estimate)
    assert one.ci_lower == pytest.approx(-two.ci_upper, rel=1e-6)
    assert one.statistic == pytest.approx(-two.statistic, rel=1e-6)


def test_without_names_every_pair_is_compared(release: Release) -> None:
    rows = compare_ratios(release).to_dicts()
    pairs = [(row["first"], row["second"]) for row in rows]
    assert len(pairs) == 6
    assert pairs[:3] == [("north", "south"), ("north", "east"), ("north", "west")]
    single = compare_ratios(release, "north", "west")
    assert rows[2]["ci_upper"] == pytest.approx(single.ci_upper[0])


def test_a_baseline_is_what_each_other_group_is_held_against(release: Release) -> None:
    rows = compare_ratios(release, "south", design="baseline").to_dicts()
    assert [(row["first"], row["second"]) for row in rows] == [
        ("north", "south"),
        ("east", "south"),
        ("west", "south"),
    ]


def test_the_rest_is_all_others_rolled_up(release: Release) -> None:
    answer = compare_ratios(release, "north", design="rest")
    assert answer.to_dicts()[0]["second"] == "(rest)"
    names: dict[Key, Key] = {**dict.fromkeys(REGIONS, "other"), "north": "north"}
    two = roll_up(release, ["region"], into={"region": names})
    wanted = compare_ratios(two, "north", "other")
    for name in ("estimate", "ci_lower", "ci_upper", "statistic"):
        assert getattr(answer, name) == pytest.approx(getattr(wanted, name))
    assert len(compare_ratios(release, design="rest")) == 4


def test_against_a_value_the_interval_is_that_of_the_ratio(release: Release) -> None:
    answer = compare_ratios(release, reference=1.0, link=LINKS)
    estimates = estimate_ratios(release)
    assert answer.to_dicts()[0]["reference"] == 1.0
    assert answer.ci_lower[:4] + 1 == pytest.approx(estimates.ci_lower)
    assert answer.ci_upper[4:8] + 1 == pytest.approx(estimates.ci_upper)
    assert np.exp(answer.ci_upper[8:]) == pytest.approx(estimates.ci_upper)
    out = (estimates.ci_lower > 1) | (estimates.ci_upper < 1)
    assert np.array_equal(answer.pvalue[:4] < 0.05, out)
    score, label = ROWS[0]
    rest = score - label
    wanted = rest.sum() / math.sqrt((rest**2).sum())
    assert answer.statistic[0] == pytest.approx(wanted, rel=1e-6)


def test_a_value_on_a_scale_is_a_hypothesis(release: Release) -> None:
    for link, null in (("lift", 0.1), ("log_ratio", math.log(1.1))):
        shifted = compare_ratios(release, reference=1.0, link=link, null=null)
        direct = compare_ratios(release, reference=1.1)
        assert shifted.pvalue == pytest.approx(direct.pvalue)
    pair = compare_ratios(release, "north", "south", link="difference", null=0.2)
    assert pair.statistic[0] ** 2 == pytest.approx(least(ROWS[0], ROWS[1], 0.2))


@pytest.mark.parametrize("reference", [None, 1.05])
def test_one_sided_tests_have_one_sided_intervals(
    release: Release, reference: float | None
) -> None:
    both = compare_ratios(release, level=0.9, reference=reference)
    more = compare_ratios(release, alternative="greater", reference=reference)
    less = compare_ratios(release, alternative="less", reference=reference)
    assert more.pvalue + less.pvalue == pytest.approx(np.ones(len(both)))
    # Tests of one side take a larger variance where they must.
    width = both.ci_upper - both.ci_lower
    assert np.all(np.abs(more.ci_lower - both.ci_lower + 0.01 * width) < 0.011 * width)
    assert np.all(np.abs(less.ci_upper - both.ci_upper - 0.01 * width) < 0.011 * width)
    assert np.all(np.isinf(more.ci_upper))
    assert np.all(less.ci_lower == -1.0)
    assert set(more.status) == {"ok"}
    assert np.array_equal(more.pvalue < 0.05, more.ci_lower > 0)
    assert np.array_equal(less.pvalue < 0.05, less.ci_upper < 0)


@pytest.mark.parametrize("adjust", ["bonferroni", "benjamini_hochberg"])
def test_adjusted_p_values_and_intervals_agree(adjust: str) -> None:
    plan = plan_of(Groups("g", range(20)), epsilon=1)
    rows = [people(1500, 1 + at / 60, at) for at in range(20)]
    release = given_release(plan, cells_for(plan, rows))
    answer = compare_ratios(release, adjust=adjust, link="difference")
    out = (answer.ci_lower > 0) | (answer.ci_upper < 0)
    assert 0 < out.sum() < len(out)
    assert np.array_equal(answer.pvalue_adjusted < 0.05, out)
    assert answer.to_dicts()[0]["adjust"] == adjust
    assert any("Adjusted over 190 comparisons" in line for line in answer.notes())


def test_holms_intervals_are_bonferronis_and_it_says_so(release: Release) -> None:
    holm = compare_ratios(release, adjust="holm")
    plain = compare_ratios(release, adjust="bonferroni")
    assert np.array_equal(holm.ci_lower, plain.ci_lower)
    assert np.all(holm.pvalue_adjusted <= plain.pvalue_adjusted)
    assert any("intervals are Bonferroni's" in line for line in holm.notes())


def test_a_comparison_is_a_sentence(release: Release) -> None:
    said = compare_ratios(release, "north", "south").summary()
    assert said.startswith("north is ")
    assert " % above south, 95 % interval " in said
    assert "; p < 0.0001" in said
    many = compare_ratios(release, adjust="holm")
    assert "of 6 comparisons show a difference at level 0.95 after" in many.summary()
    one = replace(many, pvalue_adjusted=np.array([0.01, 1, 1, 1, 1, 1]))
    assert one.summary().startswith("1 of 6 comparisons shows a difference")
    assert "north" in compare_ratios(release, "north", reference=1.0).summary()
    assert any("not adjusted" in line for line in compare_ratios(release).notes())


def test_a_comparison_is_one_tidy_table(release: Release) -> None:
    answer = compare_ratios(release, "north", "south")
    names = (
        "first second link estimate ci_lower ci_upper se statistic pvalue alternative "
        "level status"
    )
    assert " ".join(answer.columns()) == names
    assert answer.to_pandas().loc[0, "first"] == "north"
    assert "north" in answer.to_markdown()
    assert answer._repr_html_().startswith("<p>north is")
    assert answer.summary() in str(answer)
    assert len(answer) == 1


def test_ratios_of_any_sign_are_compared_by_difference() -> None:
    bounds = {"score": Bounds(-1, 1), "label": Bounds(-1, 1)}
    plan = plan_of(Groups("g", ["a", "b", "c"]), epsilon=2, bounds=bounds)
    rows = [people(4000, 1.2, 1), people(4000, 1.0, 2), (np.zeros(1), np.zeros(1))]
    release = given_release(plan, cells_for(plan, rows))
    answer = compare_ratios(release, link="difference")
    assert answer.status == ("ok", "unbounded", "unbounded")
    assert answer.ci_lower[0] < answer.estimate[0] < answer.ci_upper[0]
    with pytest.raises(InvalidInput, match="'lift' needs ratios that cannot be neg"):
        compare_ratios(release, link="lift")
    assert set(compare_ratios(release).link) == {"difference"}


def test_the_papers_sums_are_compared_too() -> None:
    setting = Setting(2_000, 1, weighted=True, strategy="joint")
    release = many_cells_release(setting, 3)
    answer = compare_ratios(release)
    assert "variance kish" in answer.notes()[1]
    assert set(answer.status) == {"ok"}
    assert answer.notes()[0].startswith("SIMULATED")
    with pytest.raises(InvalidInput, match="does not hold the sums of variance"):
        compare_ratios(release, variance="linearised")
