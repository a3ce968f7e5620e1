"""A status keeps its word: what is bounded or straight by luck is not called ok."""

import numpy as np
import pytest

from analyst.simulated import Setting, many_cells_release
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.statistic import NoiseTerm, Statistic
from dpratio.analyst.sums.variance import SamplingVariance
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
    assert any(line.startswith("weak: the sums lie") for line in found.notes())


@pytest.mark.parametrize("people", [100, 200, 500])
def test_ok_keeps_its_level_where_it_is_said(people: int) -> None:
    found = estimate_ratios(many_cells_release(Setting(people, 1), RUNS))
    ok = np.array(found.status) == "ok"
    covers = (found.ci_lower <= TRUTH) & (found.ci_upper >= TRUTH)
    sigma = np.sqrt(0.95 * 0.05 / ok.sum())
    assert ok.mean() > 0.2
    assert covers[ok].mean() > 0.94 - 3 * sigma


def test_sums_are_weak_within_deviations_of_zero_taken_together() -> None:
    """By the inverse of their covariance, where the variance is known."""
    rng = np.random.default_rng(26)
    rows = 500
    top, bottom = rng.uniform(-20, 20, rows), rng.uniform(2, 8, rows)
    root = rng.normal(size=(rows, 2, 2))
    sampled = root @ root.transpose(0, 2, 1) + 0.1 * np.eye(2)
    values = np.stack([sampled[:, 0, 0], sampled[:, 0, 1], sampled[:, 1, 1]])
    noise = (
        NoiseTerm(np.full(1, 0.5), np.zeros(1), 1.0, 0.0),
        NoiseTerm(np.full(1, 0.8), np.zeros(1), 0.3, 1.0),
    )
    variance = SamplingVariance(values, np.zeros((1, 3, 3)))
    held = Statistic(top, bottom, variance, noise, -np.inf)
    added = np.array([[0.5 + 0.8 * 0.09, 0.8 * 0.3], [0.8 * 0.3, 0.8]])
    whole = sampled + added
    sums = np.stack([top, bottom], axis=1)[:, :, None]
    together = np.sqrt((sums * np.linalg.solve(whole, sums)).sum(axis=(1, 2)))
    alone = bottom / np.sqrt(whole[:, 1, 1])
    weak = AtEstimate.of(held).is_weak()
    assert np.array_equal(weak, ~((together > 4.5) & (alone > 3)))
    assert 0.1 < weak.mean() < 0.9
    assert np.any((together > 4.5) & (alone < 3))


def test_a_variance_in_doubt_asks_for_more_deviations() -> None:
    """4.5 (1 + s/2A): 5.4 where the noise in the variance is 0.4 of all of it."""
    rows = 400
    bottom = np.linspace(4.0, 8.0, rows)
    # S and Y vary alike and apart: at the ratio 0 all of V is that of S.
    values = np.array([[1.0], [0.0], [1.0]]) * np.ones(rows)
    noisy = np.zeros((1, 3, 3))
    noisy[0, 0, 0] = 0.4**2
    held = Statistic(
        np.zeros(rows), bottom, SamplingVariance(values, noisy), (), -np.inf
    )
    far = bottom[~AtEstimate.of(held).is_weak()]
    assert far.min() == pytest.approx(4.5 * 1.2, abs=0.02)


def test_sums_without_any_doubt_are_not_weak() -> None:
    """All of one ratio, and no noise."""
    exact = SamplingVariance(np.array([[4.0], [2.0], [1.0]]), np.zeros((1, 3, 3)))
    held = Statistic(np.array([200.0]), np.array([100.0]), exact, (), 0.0)
    assert not AtEstimate.of(held).is_weak().any()


def test_no_answer_is_weak_at_a_level_that_leaves_nothing_to_luck() -> None:
    release = many_cells_release(Setting(500, 1), 400)
    statuses = estimate_ratios(release, level=1 - 1e-12).status
    assert "weak" not in statuses
    assert "ok" in statuses


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
