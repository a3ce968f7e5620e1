"""A status keeps its word: what is bounded or straight by luck is not called ok."""

import numpy as np
import pytest

from analyst.simulated import Setting, many_cells, many_cells_release
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.statuses import codes_of, meanings_of

RUNS = 4_000
TRUTH = 1.1


def test_few_bounded_answers_among_many_open_ones_are_weak_and_not_ok() -> None:
    """Some 13 % are bounded; called ok, they covered 0.93."""
    found = estimate_ratios(many_cells_release(Setting(60, 0.2), RUNS))
    status = np.array(found.status)
    assert (status == "unbounded").mean() > 0.7
    assert (status == "weak").mean() > 0.05
    assert (status == "ok").mean() < 0.02
    assert np.isfinite(found.ci_upper[status == "weak"]).all()
    assert any(line.startswith("weak: the denominator lies") for line in found.notes())


@pytest.mark.parametrize("people", [100, 200, 500])
def test_ok_keeps_its_level_where_it_is_said(people: int) -> None:
    found = estimate_ratios(many_cells_release(Setting(people, 1), RUNS))
    ok = np.array(found.status) == "ok"
    covers = (found.ci_lower <= TRUTH) & (found.ci_upper >= TRUTH)
    sigma = np.sqrt(0.95 * 0.05 / ok.sum())
    assert ok.mean() > 0.2
    assert covers[ok].mean() > 0.94 - 3 * sigma


def test_an_answer_is_weak_just_where_zero_is_within_four_deviations() -> None:
    setting = Setting(100, 1)
    found = estimate_ratios(many_cells_release(setting, 400))
    one = np.ones(400)
    far = many_cells(setting, 400).distance((0 * one, one)).deviate()
    status = np.array(found.status)
    assert np.array_equal(status == "weak", np.isfinite(found.ci_upper) & (far <= 4))
    assert {"weak", "ok"} <= set(found.status)


def test_no_answer_is_weak_at_a_level_that_leaves_nothing_to_luck() -> None:
    release = many_cells_release(Setting(100, 1), 400)
    assert "weak" not in estimate_ratios(release, level=0.99995).status


def test_a_comparison_is_weak_where_one_of_its_groups_is() -> None:
    release = many_cells_release(Setting(100, 1), 30)
    weak = np.array(estimate_ratios(release).status) == "weak"
    answer = compare_ratios(release, link="difference")
    first, second = (np.array(each) for each in (answer.first, answer.second))
    assert answer.second is not None
    bounded = np.isfinite(answer.ci_lower) & np.isfinite(answer.ci_upper)
    either = weak[first] | weak[second]
    assert np.array_equal(np.array(answer.status) == "weak", bounded & either)
    alone = compare_ratios(release, reference=1.1)
    assert np.array_equal(np.array(alone.status) == "weak", weak)


def test_only_what_occurs_is_explained() -> None:
    statuses = {"ok": "all is well", "weak": "it is not"}
    assert codes_of(statuses)["weak"] == 1
    assert meanings_of(np.array([0, 0], dtype=np.int8), statuses) == []
    assert meanings_of(np.array([1], dtype=np.int8), statuses) == ["weak: it is not."]
