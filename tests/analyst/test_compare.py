"""Ratios compared: designs, scales, references without noise, and refusals."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from analyst.given import given_release
from analyst.regions import (
    BOUNDS,
    REGIONS,
    Rows,
    cells_for,
    people,
    plan_of,
    regions_release,
)
from analyst.simulated import Setting, many_cells_release
from dpratio.analyst.cells import cells_of
from dpratio.analyst.compare import compare_ratios
from dpratio.analyst.comparison import COMPARISON_STATUSES
from dpratio.analyst.contest import Between
from dpratio.analyst.equivalence import assess_equivalence
from dpratio.analyst.estimate import estimate_ratios
from dpratio.analyst.moments import exact_moments
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, fresh_part
from dpratio.show.text import render
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key, Keys
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

RATIOS = (1.3, 1.1, 1.0, 0.9)
ROWS = [people(4000, ratio, seed) for seed, ratio in enumerate(RATIOS)]
SCALES = ["difference", "lift", "log_ratio"]


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


def test_without_noise_the_test_is_that_of_the_rows(release: Release) -> None:
    for one, two in ((0, 1), (1, 2), (2, 3)):
        answer = compare_ratios(release, REGIONS[one], REGIONS[two])
        wanted = math.sqrt(least(ROWS[one], ROWS[two], 0.0))
        assert answer.statistic[0] == pytest.approx(wanted, rel=1e-6)
        assert answer.pvalue[0] == pytest.approx(2 * stats.norm.sf(wanted), rel=1e-5)


def test_without_noise_an_end_is_where_the_rows_stop_to_agree(release: Release) -> None:
    answer = compare_ratios(release, "north", "south", scale="difference")
    for end in (answer.ci_lower[0], answer.ci_upper[0]):
        assert least(ROWS[0], ROWS[1], end) == pytest.approx(
            stats.chi2.isf(0.05, 1), rel=1e-6
        )


def test_in_large_samples_it_is_the_two_sample_test_of_linearised_ratios() -> None:
    """Variances of Σ(a − r b)/Σb add; sums of 10¹⁴ people leave nothing else."""
    plan = plan_of(None)
    steps = np.array([each.step for each in plan.sums])
    sums = 1e10 * cells_for(plan, [ROWS[1], ROWS[1]]) * steps
    sums[0, 0] += 1e7  # A difference of two standard errors or so.
    moments = exact_moments(sums, plan)
    cells = cells_of(moments, "linearised", level=0.95, lowest=0.0)
    both = (np.array([0]), np.array([1]))
    ratio = moments["ws"] / moments["wy"]
    squares = moments["aa"] - 2 * ratio * moments["ab"] + ratio**2 * moments["bb"]
    variance = squares / moments["wy"] ** 2
    wanted = (ratio[0] - ratio[1]) / math.sqrt(variance.sum())
    for scale in SCALES:
        contest = Between(cells, cells, both, scale)
        assert contest.deviates(0.0)[0] == pytest.approx(wanted, rel=1e-6)
    contest = Between(cells, cells, both, "difference")
    reach = stats.norm.isf(0.025) * math.sqrt(variance.sum())
    ends = contest.ends(stats.norm.isf(0.025))
    centre = ratio[0] - ratio[1]
    assert [ends.lower[0], ends.upper[0]] == pytest.approx(
        [centre - reach, centre + reach], rel=1e-6
    )


def test_scales_are_the_same_answer_in_other_words(release: Release) -> None:
    answer = compare_ratios(release, "north", "south", scale=SCALES)
    rows = answer.to_dicts()
    assert [row["scale"] for row in rows] == SCALES
    assert len({row["pvalue"] for row in rows}) <= 2  # Up to rounding.
    lift, log = rows[1], rows[2]
    for name in ("estimate", "ci_lower", "ci_upper"):
        assert math.log1p(lift[name]) == pytest.approx(log[name])
    ratio = estimate_ratios(release).ratio
    assert rows[0]["estimate"] == pytest.approx(ratio[0] - ratio[1])
    assert lift["estimate"] == pytest.approx(ratio[0] / ratio[1] - 1)


def test_swapped_sides_give_the_mirrored_answer(release: Release) -> None:
    one = compare_ratios(release, "north", "south", scale="log_ratio")
    two = compare_ratios(release, "south", "north", scale="log_ratio")
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
    answer = compare_ratios(release, reference=1.0, scale=SCALES)
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
    for scale, null in (("lift", 0.1), ("log_ratio", math.log(1.1))):
        shifted = compare_ratios(release, reference=1.0, scale=scale, null=null)
        direct = compare_ratios(release, reference=1.1)
        assert shifted.pvalue == pytest.approx(direct.pvalue)
    pair = compare_ratios(release, "north", "south", scale="difference", null=0.2)
    assert pair.statistic[0] ** 2 == pytest.approx(least(ROWS[0], ROWS[1], 0.2))


@pytest.mark.parametrize("reference", [None, 1.05])
def test_one_sided_tests_have_one_sided_intervals(
    release: Release, reference: float | None
) -> None:
    both = compare_ratios(release, level=0.9, reference=reference)
    more = compare_ratios(release, alternative="greater", reference=reference)
    less = compare_ratios(release, alternative="less", reference=reference)
    assert more.pvalue + less.pvalue == pytest.approx(np.ones(len(both)))
    assert more.ci_lower == pytest.approx(both.ci_lower)
    assert less.ci_upper == pytest.approx(both.ci_upper)
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
    answer = compare_ratios(release, adjust=adjust, scale="difference")
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
    assert "; p = " in said
    many = compare_ratios(release, adjust="holm")
    assert "of 6 comparisons show a difference at level 0.95 after" in many.summary()
    one = replace(many, pvalue_adjusted=np.array([0.01, 1, 1, 1, 1, 1]))
    assert one.summary().startswith("1 of 6 comparisons shows a difference")
    assert "north" in compare_ratios(release, "north", reference=1.0).summary()
    assert any("not adjusted" in line for line in compare_ratios(release).notes())


def test_a_comparison_is_one_tidy_table(release: Release) -> None:
    answer = compare_ratios(release, "north", "south")
    names = (
        "first second scale estimate ci_lower ci_upper se statistic pvalue alternative "
        "level status"
    )
    assert " ".join(answer.columns()) == names
    assert answer.to_pandas().loc[0, "first"] == "north"
    assert "north" in answer.to_markdown()
    assert answer._repr_html_().startswith("<p>north is")
    assert answer.summary() in str(answer)
    assert len(answer) == 1


def test_weak_denominators_are_statuses_and_never_errors() -> None:
    rows = [people(4000, 1.1, 1), people(4000, 1.1, 2)]
    nobody = (np.zeros(1), np.zeros(1))
    release = regions_release([*rows, nobody, nobody], epsilon=0.5)
    answer = compare_ratios(release, scale=SCALES)
    table = answer.to_dicts()
    by_pair = {(r["first"], r["second"], r["scale"]): r for r in table}
    assert by_pair["north", "south", "lift"]["status"] == "ok"
    for scale in SCALES:
        weak = by_pair["north", "east", scale]
        assert weak["status"] == "unbounded"
        assert (weak["ci_upper"], weak["se"]) == (math.inf, math.inf)
        assert weak["ci_lower"] == (-1.0 if scale == "lift" else -math.inf)
        assert 0 <= weak["pvalue"] <= 1
        assert by_pair["east", "west", scale]["pvalue"] == pytest.approx(1)
    assert any(line.startswith("unbounded:") for line in answer.notes())
    assert json.loads(render(answer, "json"))[1]["ci_upper"] is None
    assert (
        "no bounded 95 % interval"
        in compare_ratios(release, "north", "east", scale="difference").summary()
    )


def test_a_denominator_that_may_be_small_leaves_one_end_open() -> None:
    seen = set()
    for count in (0, 5, 10, 20, 40, 80):
        few = (np.ones(400), (np.arange(400) < count).astype(float))
        rows = [people(20_000, 1.1, 1), few]
        release = regions_release(rows, epsilon=0.5)
        answer = compare_ratios(release, "south", "north", scale="difference")
        seen |= set(answer.status)
        if answer.status == ("half_line",):
            assert math.isfinite(answer.ci_lower[0])
            assert math.isinf(answer.ci_upper[0])
            back = compare_ratios(release, "north", "south", scale="difference")
            assert back.ci_upper[0] == pytest.approx(-answer.ci_lower[0])
            assert math.isinf(back.ci_lower[0])
    assert seen == {"half_line", "ok"}


def test_the_best_fit_is_found_where_one_side_is_hard_to_please() -> None:
    """Three people who agree with 1 exactly: T²/A is 3 at every other ratio."""
    agreed = (np.ones(3), np.ones(3))
    release = regions_release([agreed, people(100_000, 1.1, 3)])
    for scale in SCALES:
        answer = compare_ratios(release, scale=scale)
        assert answer.statistic[0] ** 2 == pytest.approx(3, rel=1e-3)
        assert answer.status == ("unbounded",)
    assert "no bounded 95 % interval" in answer.summary()


def test_keys_that_were_not_found_are_no_comparisons() -> None:
    found = PrivateKeys("region", Budget("0.1", "1e-7"))
    plan = make_plan(
        Ratio("score", per="label"),
        bounds=BOUNDS,
        groups=found,
        budget=Budget(1, "1e-6"),
        mechanism="laplace",
    )
    none = Groups.found("region", str, [])
    part = fresh_part(plan, plan.parts[0], none, np.zeros((0, 5), dtype=np.int64))
    release = Release("0" * 32, plan, (part,), "a test")
    answer = compare_ratios(release, reference=1.0)
    assert (len(answer), answer.summary()) == (0, "nothing was compared")
    with pytest.raises(InvalidInput, match="needs two groups, got 0"):
        compare_ratios(release)
    with pytest.raises(InvalidInput, match="no group to judge"):
        assess_equivalence(release, lower=1.0)


def test_every_status_says_what_its_interval_does() -> None:
    release = many_cells_release(Setting(250, 0.2), 80)
    seen: set[str] = set()
    for scale in SCALES:
        answer = compare_ratios(release, scale=scale)
        status = np.array(answer.status)
        seen |= set(answer.status)
        lowest = -1.0 if scale == "lift" else -math.inf
        spans = np.isinf(answer.ci_upper) & (answer.ci_lower == lowest)
        open_ended = np.isin(status, ["unbounded", "disconnected"])
        assert np.array_equal(spans, open_ended)
        assert np.all(answer.pvalue[status == "unbounded"] >= 0.05)
        assert np.all(answer.pvalue[status == "disconnected"] < 0.05)
        assert not np.isnan(answer.pvalue).any()
        assert not np.isnan(answer.ci_lower).any()
        assert not np.isnan(answer.ci_upper).any()
        hidden = answer.estimate[status == "ok"]
        assert np.all(np.isfinite(hidden))
    assert seen <= set(COMPARISON_STATUSES)
    assert {"ok", "variance_floored", "unbounded", "disconnected"} <= seen


def test_ratios_of_any_sign_are_compared_by_difference() -> None:
    bounds = {"score": Bounds(-1, 1), "label": Bounds(-1, 1)}
    plan = plan_of(Groups("g", ["a", "b", "c"]), epsilon=2, bounds=bounds)
    rows = [people(4000, 1.2, 1), people(4000, 1.0, 2), (np.zeros(1), np.zeros(1))]
    release = given_release(plan, cells_for(plan, rows))
    answer = compare_ratios(release, scale="difference")
    assert answer.status == ("ok", "unbounded", "unbounded")
    assert answer.ci_lower[0] < answer.estimate[0] < answer.ci_upper[0]
    with pytest.raises(InvalidInput, match="'lift' needs ratios that cannot be neg"):
        compare_ratios(release, scale="lift")
    assert set(compare_ratios(release).scale) == {"difference"}


def test_the_papers_sums_are_compared_too() -> None:
    setting = Setting(2_000, 1, weighted=True, strategy="joint")
    release = many_cells_release(setting, 3)
    answer = compare_ratios(release)
    assert "variance kish" in answer.notes()[1]
    assert set(answer.status) == {"ok"}
    assert answer.notes()[0].startswith("SIMULATED")
    with pytest.raises(InvalidInput, match="does not hold the sums of variance"):
        compare_ratios(release, variance="linearised")


def test_a_cell_whose_weights_are_lost_in_noise_says_nothing() -> None:
    plan = plan_of(Groups("g", ["a", "b"]), epsilon=1, strategy="joint")
    steps = np.array([each.step for each in plan.sums])
    names = [each.summand.label for each in plan.sums]
    values = np.rint(np.full((2, len(steps)), 500.0) / steps).astype(np.int64)
    values[1, names.index("Σ 1")] = -5
    answer = compare_ratios(given_release(plan, values), scale="difference")
    assert answer.status == ("unbounded",)
    assert answer.pvalue[0] <= 1


def test_all_pairs_of_a_thousand_groups_are_compared() -> None:
    release = many_cells_release(Setting(5_000, 1), 1_000)
    answer = compare_ratios(release, adjust="bonferroni", scale="difference")
    assert len(answer) == 499_500
    assert set(answer.status) == {"ok"}
    assert np.all(answer.ci_lower < answer.ci_upper)


@pytest.mark.parametrize(
    ("groups", "options", "message"),
    [
        (("nort", "south"), {}, "no such group, got 'nort'. Did you mean 'north'?"),
        (("north", "north"), {}, "a group is named once"),
        (("north",), {}, "say design='baseline' or design='rest'"),
        ((), {"design": "baseline"}, "names one group"),
        ((), {"design": "star"}, "unknown design"),
        ((), {"scale": "ratio"}, "unknown scale"),
        ((), {"scale": []}, "at least one scale"),
        ((), {"scale": SCALES, "null": 0.1}, "belongs to one scale"),
        ((), {"null": math.nan}, "null must be a finite number"),
        ((), {"null": "0"}, "null must be a finite number"),
        ((), {"null": -1.0}, "a lift is above −1"),
        ((), {"alternative": "more"}, "unknown alternative"),
        ((), {"adjust": "hochberg"}, "Did you mean 'benjamini_hochberg'"),
        ((), {"level": 1}, "level must lie between 0 and 1"),
        ((), {"part": 1}, "part must be from 0 to 0"),
        ((), {"reference": 0}, "needs a reference above 0"),
        ((), {"reference": math.inf}, "reference must be a finite number"),
        ((), {"reference": 1.0, "design": "rest"}, "takes the place of a design"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    release: Release, groups: tuple[str, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, *groups, **options)
    assert message in str(refused.value)


def test_anything_but_a_release_is_refused() -> None:
    with pytest.raises(InvalidInput, match="release must be a Release"):
        compare_ratios(None)  # type: ignore[arg-type]


def test_the_whole_table_is_compared_with_a_value_only() -> None:
    plan = plan_of(None)
    release = given_release(plan, cells_for(plan, ROWS[:1]))
    assert len(compare_ratios(release, reference=1.0)) == 1
    with pytest.raises(InvalidInput, match=r"needs two groups, got 1\. Against a num"):
        compare_ratios(release)


def test_groups_of_several_columns_are_named_by_all_of_them() -> None:
    groups = Groups.cross(Keys("state", ["CA", "NY"]), Keys("year", [1, 2]))
    plan = plan_of(groups)
    release = given_release(plan, cells_for(plan, ROWS))
    answer = compare_ratios(release, ("CA", 1), ["NY", 2])  # type: ignore[arg-type]
    assert (answer.first, answer.second) == (["CA, 1"], ["NY, 2"])


def test_people_in_several_groups_are_not_compared_but_each_with_a_value() -> None:
    totals = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    unit = PrivacyUnit("user", totals=totals, most_groups=2)
    plan = plan_of(Groups("region", REGIONS), unit=unit)
    release = given_release(plan, cells_for(plan, ROWS))
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, "north", "south")
    for words in (
        "groups that may share people cannot be compared",
        "got 'most_groups=2'",
        "One user lies in up to 2 of them",
        "Ratio('a', minus='b', per=…)",
    ):
        assert words in str(refused.value)
    assert len(compare_ratios(release, reference=1.0)) == 4


def two_questions() -> Release:
    bounds = {**BOUNDS, "old": Bounds(0, 1)}
    asked = [Ratio("score", per="label"), Ratio("old", per="label")]
    plan = plan_of(Groups("region", REGIONS), bounds=bounds, ratio=asked)
    return given_release(plan, cells_for(plan, ROWS), cells_for(plan, ROWS, 1))


def test_two_questions_on_the_same_people_are_refused_with_the_plan_that_answers() -> (
    None
):
    release = two_questions()
    wanted = "plan their difference: Ratio('score', minus='old', per='label')."
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, "north", "north", part=(0, 1))  # type: ignore[arg-type]
    assert "two questions about the same people are not independent" in str(
        refused.value
    )
    assert wanted in str(refused.value)
    with pytest.raises(InvalidInput) as refused:
        compare_ratios(release, "north", "south")
    assert "several parts of this release hold these groups; say which" in str(
        refused.value
    )
    assert wanted in str(refused.value)
    assert len(compare_ratios(release, "north", "south", part=1)) == 1
    with pytest.raises(InvalidInput, match="part must be from 0 to 1"):
        compare_ratios(release, part=(0, 7))  # type: ignore[arg-type]


def test_cells_of_different_partitions_are_refused() -> None:
    groups = [Groups("region", REGIONS), Groups("sex", ["f", "m"])]
    plan = plan_of(groups)
    release = given_release(plan, cells_for(plan, ROWS), cells_for(plan, ROWS[:2], 1))
    asked: list[tuple[tuple[str, ...], Any]] = [(("north", "f"), None), ((), (0, 1))]
    for groups_named, part in asked:
        with pytest.raises(InvalidInput) as refused:
            compare_ratios(release, *groups_named, part=part)
        said = str(refused.value)
        assert "groups of different partitions may hold the same people" in said
        assert "Groups.cross(…)" in said
        assert "Ratio('a', minus='b', per=…)" in said
    assert compare_ratios(release, "f", "m").first == ["f"]
    with pytest.raises(InvalidInput, match="no such group, got 'x'"):
        compare_ratios(release, "f", "x")
    with pytest.raises(InvalidInput, match="no such group, got 'north'"):
        compare_ratios(release, "north", "south", part=1)
