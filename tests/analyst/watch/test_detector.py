"""The detector of changes: against sums over all starts, and its error."""

import numpy as np
import pytest

from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of, statistic_at
from dpratio.analyst.watch.boundary import Boundary
from dpratio.analyst.watch.detector import SHIFTS, Detector, Period
from dpratio.arrays import Floats

OPEN, LAST = Boundary(0.05, 90), Boundary(0.05, 90, is_last=True)


def normal_period(value: Floats, variance: float = 1.0) -> Period:
    one = np.ones_like(value)
    return Period(value, variance * one, 0 * one, ())


@pytest.mark.parametrize("boundary", [OPEN, LAST], ids=["open", "last"])
def test_bets_are_the_sum_over_all_starts_and_shifts(boundary: Boundary) -> None:
    values = np.random.default_rng(4).normal(0.3, 2.0, size=(12, 3))
    detector = Detector.of(3, boundary)
    for row in values:
        detector = detector.after(*[normal_period(row, 4.0)] * 2)
    for way, bets in zip((1, -1), detector.ways, strict=True):
        for at, shift in enumerate(SHIFTS):
            drift = way * shift / 2
            wanted = sum(
                detector.stake(start)
                / 2
                * np.exp((drift * values[start:] - drift**2 * 2.0).sum(axis=0))
                for start in range(12)
            )
            assert bets.whole[at] == pytest.approx(wanted)


@pytest.mark.parametrize("boundary", [OPEN, LAST], ids=["open", "last"])
def test_stakes_add_up_to_one_at_most(boundary: Boundary) -> None:
    detector = Detector.of(1, boundary)
    whole = sum(detector.stake(at) for at in range(90))
    assert 0.6 < whole <= 1 + 1e-12
    if not boundary.is_last:
        assert sum(detector.stake(at) for at in range(10**5)) < 1


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_a_bet_is_fair_or_worse_under_the_law_of_the_noise(mechanism: str) -> None:
    """E exp(λT − …) ≤ 1: one period, 200,000 groups; standard errors below 0.01."""
    release = looks_of(Setting(500, 0.2, mechanism), 1, 200_000)[0]
    statistic = statistic_at(release)
    period = Period.of(statistic, np.full(200_000, 1.05))
    usual = np.sqrt(np.median(period.variance))
    for shift in (0.25, 0.5, 0.8):
        drift = np.minimum(shift / usual, period.steepest)
        for way in (1, -1):
            mean = float(np.exp(period.log_bet(way * drift)).mean())
            assert 0.7 < mean < 1.02


def test_a_change_is_dated() -> None:
    rng = np.random.default_rng(7)
    detector = Detector.of(400, OPEN)
    for at in range(60):
        values = rng.standard_normal(400) - (1.2 if at >= 30 else 0.0)
        detector = detector.after(*[normal_period(values)] * 2)
    found = detector.seen >= 30
    assert found.mean() > 0.97
    assert (detector.way[found] == -1).all()
    assert 28 <= np.median(detector.since[found]) <= 31
    assert (detector.since <= detector.seen).all()


@pytest.mark.slow
def test_alarms_without_a_change_stay_below_alpha() -> None:
    """10,000 runs of 90 looks: 0.010 here; with α = 1 in place of 0.05, most."""
    rng = np.random.default_rng(8)
    detector = Detector.of(10_000, OPEN)
    for _ in range(90):
        period = normal_period(rng.standard_normal(10_000))
        detector = detector.after(period, period)
    assert 0.004 < (detector.seen >= 0).mean() < 0.02


def test_a_period_that_says_nothing_changes_no_bet() -> None:
    first = normal_period(np.array([1.5]))
    lost = Period(np.array([5.0]), np.array([np.inf]), np.zeros(1), ())
    before = Detector.of(1, OPEN).after(first, first)
    after = before.after(lost, lost)
    stake = before.stake(1) / 2
    assert after.ways[0].whole == pytest.approx(before.ways[0].whole + stake)
