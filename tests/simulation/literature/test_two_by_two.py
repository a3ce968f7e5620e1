"""The relative risk of a 2 × 2 table, by hand, and by the library's own comparison."""

import math

import numpy as np
import pytest

from dpratio.simulation.literature.two_by_two import (
    Risks,
    default,
    draw_counts,
    from_counts,
    noisy_counts,
)

TABLE = np.array([[30.0], [70], [20], [80]])
LOG = math.log(1.5)
# Katz et al. (1978): 1/30 − 1/100 + 1/20 − 1/100.
KATZ = 19 / 300


def test_without_noise_the_interval_is_katz_s() -> None:
    found = noisy_counts(TABLE, 1.0, 2.0, corrected=False)
    assert found.centre.item() == pytest.approx(LOG)
    assert found.upper.item() == pytest.approx(LOG + 2 * math.sqrt(KATZ))


def test_noise_adds_its_variance_times_squared_slopes() -> None:
    found = noisy_counts(TABLE, 0.5, 2.0, corrected=True)
    slopes = (1 / 30 - 0.01) ** 2 + 0.01**2 + (1 / 20 - 0.01) ** 2 + 0.01**2
    spread = KATZ + 2 / 0.5**2 * slopes
    assert found.lower.item() == pytest.approx(LOG - 2 * math.sqrt(spread))


def test_counts_that_are_not_positive_give_no_interval() -> None:
    lost = np.array([[-1.0, 30], [70, 70], [20, 20], [80, 0]])
    assert np.isnan(noisy_counts(lost, 1.0, 2.0, corrected=True).lower).all()


def test_our_test_of_large_counts_is_near_katz_s() -> None:
    found = from_counts(100 * TABLE, 100.0, 1.96)
    reach = 1.96 * math.sqrt(KATZ / 100)
    assert found.lower.item() == pytest.approx(LOG - reach, abs=0.03 * reach)
    assert found.upper.item() == pytest.approx(LOG + reach, abs=0.03 * reach)


def test_all_three_cover_and_counts_are_narrower_than_the_default() -> None:
    """Coverage of 2,000 runs is known to 0.005."""
    rng = np.random.default_rng(1)
    risks = Risks(500, 0.3, 0.2)
    exact = draw_counts(risks, 2_000, rng)
    assert exact.sum(axis=0).tolist() == [1_000] * 2_000
    noisy = exact + rng.laplace(scale=1 / 0.5, size=exact.shape)
    widths = []
    for found in (
        default(exact, 0.5, 1.96, rng),
        noisy_counts(noisy, 0.5, 1.96, corrected=True),
        from_counts(noisy, 0.5, 1.96),
    ):
        covered = (found.lower <= risks.truth) & (risks.truth <= found.upper)
        assert 0.93 < covered.mean() < 0.975
        widths.append(np.median(found.upper - found.lower))
    assert widths[1] < 0.97 * widths[0]
    assert widths[2] == pytest.approx(widths[1], rel=0.05)
