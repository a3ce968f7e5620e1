"""What the best test can tell, against closed forms and an accounting library."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.simulation.audit.law import gaussian_divergence, laplace_divergence

THRESHOLDS = (-2.5, -1.0, 0.0, 0.4, 1.5)


@pytest.mark.parametrize("at", THRESHOLDS)
@pytest.mark.parametrize("move", [0.3, 2.0, 9.0])
def test_one_laplace_sum_has_the_divergence_of_the_textbook(
    move: float, at: float
) -> None:
    inside = 1 - math.exp((at - move) / 2)
    known = 1 - math.exp(at) if at < -move else max(inside, 0)
    assert laplace_divergence([move], at) == pytest.approx(known, abs=1e-6)
    assert laplace_divergence([move], at) >= known - 1e-12


@pytest.mark.parametrize("at", [0.0, 0.4, 1.5])
@pytest.mark.parametrize("moves", [[1.0] * 6, [2.0, 0.5, 0.1, 0.01, 1e-5]])
def test_several_laplace_sums_agree_with_an_accounting_library(
    moves: list[float], at: float
) -> None:
    composed = None
    for move in moves:
        one = privacy_loss_distribution.from_laplace_mechanism(
            1.0, sensitivity=move, value_discretization_interval=1e-3
        )
        composed = one if composed is None else composed.compose(one)
    assert composed is not None
    theirs = composed.get_delta_for_epsilon(at)
    assert laplace_divergence(moves, at) == pytest.approx(theirs, abs=2e-5)


@pytest.mark.parametrize("mu", [0.2, 2.4])
@pytest.mark.parametrize("at", THRESHOLDS)
def test_gaussian_noise_has_the_divergence_of_its_integral(
    mu: float, at: float
) -> None:
    x = np.linspace(-12, 12 + mu, 2_000_001)
    first, second = (np.exp(-((x - m) ** 2) / 2) for m in (mu, 0.0))
    gain = np.maximum(first - math.exp(at) * second, 0) / math.sqrt(2 * math.pi)
    known = float(gain.sum() * (x[1] - x[0]))
    assert gaussian_divergence(mu, at) == pytest.approx(known, abs=1e-6)


@pytest.mark.parametrize("at", THRESHOLDS)
def test_tables_that_do_not_differ_are_told_apart_by_nobody(at: float) -> None:
    trivial = max(0.0, 1 - math.exp(at))
    assert gaussian_divergence(0.0, at) == pytest.approx(trivial)
    assert laplace_divergence([0.0, 0.0], at) == pytest.approx(trivial)


@given(
    moves=st.lists(st.floats(1e-6, 4), min_size=1, max_size=5),
    at=st.floats(-3, 3),
    more=st.floats(1.01, 2),
)
@example(moves=[1e-6], at=0.0, more=1.01)
@settings(max_examples=40)
def test_less_noise_tells_more(moves: list[float], at: float, more: float) -> None:
    closer, further = (
        laplace_divergence([by * each for each in moves], at) for by in (1.0, more)
    )
    assert -1e-9 <= closer <= further + 1e-4  # Both lie above the truth, by chords.
    assert further <= 1 + 1e-9
