"""What a comparison says where denominators, weights or keys are lost in noise."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from analyst import ten_rows_released
from analyst.given import given_release
from analyst.regions import BOUNDS, LINKS, people, plan_of, regions_release
from analyst.simulated import Setting, many_cells_release
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.comparison.comparison import COMPARISON_STATUSES
from dpratio.analyst.comparison.equivalence import assess_equivalence
from dpratio.analyst.sums.moments import moments_of
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.release.release import Release, fresh_question
from dpratio.show.text import render
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio


def test_weak_denominators_are_statuses_and_never_errors() -> None:
    rows = [people(4000, 1.1, 1), people(4000, 1.1, 2)]
    nobody = (np.zeros(1), np.zeros(1))
    release = regions_release([*rows, nobody, nobody], epsilon=0.5)
    answer = compare_ratios(release, link=LINKS)
    table = answer.to_dicts()
    by_pair = {(r["first"], r["second"], r["link"]): r for r in table}
    assert by_pair["north", "south", "lift"]["status"] == "ok"
    for link in LINKS:
        weak = by_pair["north", "east", link]
        assert weak["status"] == "unbounded"
        assert (weak["ci_upper"], weak["se"]) == (math.inf, math.inf)
        assert weak["ci_lower"] == (-1.0 if link == "lift" else -math.inf)
        assert 0 <= weak["pvalue"] <= 1
        assert by_pair["east", "west", link]["pvalue"] == pytest.approx(1)
    assert any(line.startswith("unbounded:") for line in answer.notes())
    assert json.loads(render(answer, "json"))[1]["ci_upper"] is None
    weak_pair = compare_ratios(release, "north", "east", link="difference")
    cannot = "north cannot be compared with east, no bounded 95 % interval"
    assert weak_pair.summary().startswith(cannot)
    assert weak_pair.shown()["estimate"] == ["–"]


@pytest.mark.parametrize("design", ["pairs", "rest"])
def test_a_denominator_that_noise_made_negative_has_no_ratio(design: str) -> None:
    """Only the numerator may be negative, so that the ratio has no lowest value."""
    plan = ten_rows_released.plan_of(s=(-2, 2), keys=("a", "b"))
    release = ten_rows_released.release_of(plan, {}, {"wy": -13.75})
    answer = compare_ratios(release, design=design, link="difference")
    for row in answer.to_dicts():
        assert math.isnan(row["estimate"])
        assert row["status"] != "ok"


@pytest.mark.parametrize("lowest", [-2, 0])
@pytest.mark.parametrize("denominator", [-5.0, -13.75, -30.0, -200.0])
def test_without_an_estimate_no_interval_has_two_ends(
    denominator: float, lowest: float
) -> None:
    """Some were a point, said to be ok, or ended near −10²⁴."""
    plan = ten_rows_released.plan_of(s=(lowest, 2), keys=("a", "b"))
    release = ten_rows_released.release_of(plan, {}, {"wy": denominator})
    for options in ({}, {"reference": 1.0}, {"design": "rest"}):
        answer = compare_ratios(release, link="difference", **options)
        rows = [row for row in answer.to_dicts() if math.isnan(row["estimate"])]
        assert rows
        for row in rows:
            assert row["status"] in {"unbounded", "disconnected", "half_line"}
            assert math.isinf(row["ci_lower"]) or math.isinf(row["ci_upper"])


def test_a_denominator_that_may_be_small_leaves_one_end_open() -> None:
    seen = set()
    for count in (0, 5, 10, 20, 40, 80):
        few = (np.ones(400), (np.arange(400) < count).astype(float))
        rows = [people(20_000, 1.1, 1), few]
        release = regions_release(rows, epsilon=0.5)
        answer = compare_ratios(release, "south", "north", link="difference")
        seen |= set(answer.status)
        if answer.status == ("half_line",):
            assert math.isfinite(answer.ci_lower[0])
            assert math.isinf(answer.ci_upper[0])
            back = compare_ratios(release, "north", "south", link="difference")
            assert back.ci_upper[0] == pytest.approx(-answer.ci_lower[0])
            assert math.isinf(back.ci_lower[0])
    assert seen == {"half_line", "weak", "ok"}


def test_the_best_fit_is_found_where_one_side_is_hard_to_please() -> None:
    """Three people who agree with 1 exactly: T²/A is 3 at every other ratio."""
    agreed = (np.ones(3), np.ones(3))
    release = regions_release([agreed, people(100_000, 1.1, 3)])
    for link in LINKS:
        answer = compare_ratios(release, link=link)
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
    none = found.groups_of([])
    question = fresh_question(
        plan.law, plan.measurements[0], none, np.zeros((0, 6), dtype=np.int64)
    )
    release = Release("0" * 32, plan, (question,), "a test")
    answer = compare_ratios(release, reference=1.0)
    assert (len(answer), answer.summary()) == (0, "nothing was compared")
    with pytest.raises(InvalidInput, match="needs two groups, got 0"):
        compare_ratios(release)
    with pytest.raises(InvalidInput, match="no group to judge"):
        assess_equivalence(release, lower=1.0)


@pytest.mark.slow
def test_every_status_says_what_its_interval_does() -> None:
    seen: set[str] = set()
    # On the scale of lifts a half-line may start at −1, where every lift starts: with
    # so few people it does.
    for count, links in ((160, LINKS), (120, ("difference", "log_ratio"))):
        release = many_cells_release(Setting(count, 0.2), 40)
        for link in links:
            answer = compare_ratios(release, link=link)
            status = np.array(answer.status)
            seen |= set(answer.status)
            lowest = -1.0 if link == "lift" else -math.inf
            spans = np.isinf(answer.ci_upper) & (answer.ci_lower == lowest)
            open_ended = np.isin(status, ["unbounded", "disconnected"])
            assert np.array_equal(spans, open_ended)
            assert np.all(answer.pvalue[status == "unbounded"] >= 0.05)
            assert np.all(answer.pvalue[status == "disconnected"] < 0.05)
            assert not np.isnan(answer.pvalue).any()
            assert not np.isnan(answer.ci_lower).any()
            assert not np.isnan(answer.ci_upper).any()
            bounded = answer.estimate[np.isin(status, ["ok", "weak"])]
            assert np.all(np.isfinite(bounded))
    assert seen <= set(COMPARISON_STATUSES)
    assert {"weak", "half_line", "unbounded", "disconnected"} <= seen


def test_a_pair_whose_variances_noise_drowned_says_so() -> None:
    """Just below 0 is common and needs no word; far below 0 in both groups does."""
    release = many_cells_release(Setting(1_000, 4, weighted=True), 2)
    (question,) = release.questions
    moments = moments_of(release)
    for far, status in ((0.5, "ok"), (6.0, "variance_floored")):
        # z², to which a² is nearly all: its noise is what V's noise is made of.
        deviation = np.sqrt(moments.noise.variance[0, 2])
        variance = moments["aa"] - 2 * moments["ab"] + moments["bb"]
        step = question.planned.sums[2].step
        values = question.values.copy()
        values[:, 2] -= np.rint((variance + far * deviation) / step).astype(np.int64)
        sums = (replace(question.sums[0], values=values),)
        moved = replace(release, questions=(replace(question, sums=sums),))
        assert compare_ratios(moved, link="difference").status == (status,)


def test_a_cell_whose_weights_are_lost_in_noise_says_nothing() -> None:
    plan = plan_of(Groups("g", ["a", "b"]), epsilon=1, strategy="joint")
    steps = np.array([each.step for each in plan.measurements[0].sums])
    names = [each.summand.label for each in plan.measurements[0].sums]
    values = np.rint(np.full((2, len(steps)), 500.0) / steps).astype(np.int64)
    values[1, names.index("Σ 1")] = -5
    answer = compare_ratios(given_release(plan, values), link="difference")
    assert answer.status == ("unbounded",)
    assert answer.pvalue[0] <= 1


def test_all_pairs_of_two_hundred_groups_are_compared() -> None:
    release = many_cells_release(Setting(5_000, 1), 200)
    answer = compare_ratios(release, adjust="bonferroni", link="difference")
    assert len(answer) == 19_900
    assert set(answer.status) == {"ok"}
    assert np.all(answer.ci_lower < answer.ci_upper)
