"""Running ratios: against merged releases and against a search for the ends."""

import numpy as np
import pytest
from scipy import optimize

from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of, statistic_at
from dpratio.analyst.watch.boundary import Boundary
from dpratio.analyst.watch.running import Running
from dpratio.release.combine import merge

OPEN, LAST = Boundary(0.05, 8), Boundary(0.05, 8, is_last=True)
SETTINGS = [
    Setting(800, 1),
    Setting(800, 1, weighted=True),
    Setting(800, 1, "analytic_gaussian"),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_all_periods_together_are_the_merged_release(setting: Setting) -> None:
    releases = looks_of(setting, 5, 4)
    whole = statistic_at(merge(releases, units_are_disjoint=True))
    first, *others = (statistic_at(each) for each in releases)
    running = Running.of(first)
    for each in others:
        running = running.plus(each)
    for ratio in (0.2, 1.0, 1.7):
        at = np.full(4, ratio)
        point = (np.ones(4), at)
        assert running.variance(at) == pytest.approx(whole.variance(point))
        doubt = sum(each * ratio**power for power, each in enumerate(running.doubt))
        assert doubt == pytest.approx(whole.sampling.doubt_at(point))
        fourth = sum(each * ratio**power for power, each in enumerate(running.laplace))
        scales = sum(
            scale**4 for each in (first, *others) for scale in each.laplace(point)
        )
        assert fourth == pytest.approx(scales, abs=1e-9)
    assert running.ratio == pytest.approx(whole.numerator / whole.denominator)


@pytest.mark.parametrize("boundary", [OPEN, LAST], ids=["open", "last"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_ends_are_where_the_test_of_a_ratio_reaches_the_boundary(
    setting: Setting, boundary: Boundary
) -> None:
    first, second = (statistic_at(each) for each in looks_of(setting, 2, 3))
    running = Running.of(first).plus(second)
    found = running.sequence(boundary)
    top, bottom = running.numerator, running.denominator
    middle = top / bottom
    variance = running.variance(middle)
    one = np.ones(3)
    point = (one, middle)
    seen = first.sampling.at(point)
    share = seen**2 / (seen**2 + first.sampling.doubt_at(point))
    lead = share * seen + first.noise_variance(point)
    assert (found.ratio == middle).all()
    for at in range(3):
        time, scale = variance[at : at + 1], lead[at : at + 1]
        plain = boundary.quantile(time, scale)[0] ** 2

        def excess(ratio: float, at: int = at, plain: float = plain) -> float:
            spread = running.variance(np.full(3, ratio))[at]
            return float((top[at] - ratio * bottom[at]) ** 2 - plain * spread)

        # What the normal law leaves out widens the ends, by a little.
        low = optimize.brentq(excess, middle[at] - 2.0, middle[at])
        high = optimize.brentq(excess, middle[at], middle[at] + 9.0)
        assert found.lower[at] <= low + 1e-9
        assert found.upper[at] >= high - 1e-9
        assert found.upper[at] - found.lower[at] < 1.25 * (high - low)


def test_without_laplace_noise_and_doubt_the_ends_are_exact() -> None:
    """By hand: S = 110, Y = 100, V = 36 at every ratio, 8 looks expected, at look 1."""
    statistic = statistic_at(looks_of(SETTINGS[2], 1, 1)[0])
    nothing = np.zeros((5, 1))
    running = Running(
        np.array([110.0]),
        np.array([100.0]),
        np.array([[36.0], [0.0], [0.0]]),
        np.zeros((3, 1)),
        nothing,
        nothing,
        (np.array([[36.0], [0.0], [0.0]]), np.zeros((3, 1)), nothing),
        np.zeros(1),
        statistic.lowest,
    )
    half = 6 * OPEN.quantile(np.array([36.0]), np.array([36.0]))[0] / 100
    found = running.sequence(OPEN)
    assert found.lower[0] == pytest.approx(1.1 - half)
    assert found.upper[0] == pytest.approx(1.1 + half)


def test_a_denominator_that_is_lost_gives_no_bounded_sequence() -> None:
    statistic = statistic_at(looks_of(Setting(20, 0.05), 1, 40)[0])
    found = Running.of(statistic).sequence(OPEN)
    lost = statistic.denominator <= 0
    assert lost.any()
    assert np.isnan(found.ratio[lost]).all()
    assert (found.lower[lost] == 0).all()
    assert np.isinf(found.upper[lost]).all()
