"""Means of people whom bounds cut: moments, the model behind them, and coverage."""

import numpy as np
import pytest

from dpratio.simulation.literature.clamped import (
    Clamped,
    clamped_moments,
    debiased_mean,
    default_mean,
    model_of,
    noisy_sums,
    pivotal_mean,
)

PEOPLE = Clamped(500)


def test_clamped_moments_are_those_of_a_fine_grid() -> None:
    uniform = (np.arange(400_000) + 0.5) / 400_000
    from scipy.special import ndtri

    values = np.clip(0.7 + 1.3 * ndtri(uniform), 0.0, 1.5)
    found = clamped_moments(np.array([0.7]), np.array([1.3]), PEOPLE)
    for power in (1, 2, 3, 4):
        assert found[power - 1].item() == pytest.approx(
            (values**power).mean(), rel=1e-5
        )


def test_the_model_is_found_from_its_own_moments() -> None:
    mean, sd = np.array([0.2, 1.0, 1.4]), np.array([0.5, 1.0, 2.0])
    one, two = clamped_moments(mean, sd, PEOPLE)[:2]
    found = model_of(np.array([np.full(3, 10.0), 10 * one, 10 * two]), PEOPLE)
    assert found[0] == pytest.approx(mean, abs=1e-6)
    assert found[1] == pytest.approx(sd, abs=1e-6)


def test_moments_that_no_model_has_end_at_the_limits() -> None:
    mean, sd = model_of(np.array([[10.0], [30.0], [10.0]]), PEOPLE)
    assert np.isfinite(mean).all()
    assert 0.02 * 1.5 * 0.9999 <= sd.item() <= 5 * 1.5 * 1.0001


@pytest.mark.slow
def test_only_the_debiased_interval_is_about_the_uncut() -> None:
    rng = np.random.default_rng(1)
    values = PEOPLE.draw(300, rng)
    sums = noisy_sums(values, PEOPLE, rng)
    covers = {}
    for name, found in {
        "debiased": debiased_mean(sums, PEOPLE, 0.95, 99, rng),
        "pivotal": pivotal_mean(sums, PEOPLE, 0.95, 99, rng),
        "default": default_mean(values, PEOPLE, 0.95, rng),
    }.items():
        covers[name] = ((found.lower <= 1) & (found.upper >= 1)).mean()
    assert covers["debiased"] > 0.9
    assert covers["pivotal"] < 0.5
    assert covers["default"] < 0.2
