"""What weights do to the variance of gaps, from sums of squares."""

from typing import Any

import numpy as np
import pytest

from dpratio.analyst.curve.cells import Cells
from dpratio.analyst.curve.omega import Omega, Profile, omega_of
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import Noise

CURVES, BINS = 2_000, 10
MIDDLE = np.tile((np.arange(BINS) + 0.5) / BINS, CURVES)
SCORES = 200 * MIDDLE
NAMES = ("ws", "wy", "aa", "ab", "bb", "wa")
BOUNDS = (0.5, 3.5)


def found(omega: Any, deviation: float, *, only_gaps: bool = False) -> Omega:  # noqa: ANN401
    """Estimate ω of many curves; noise of one deviation is on Σz² and on Σw²s."""
    rng = np.random.default_rng(4)
    true = omega * np.ones(CURVES * BINS)
    squares = true * SCORES * (1 - MIDDLE)
    columns = {
        "ws": SCORES,
        "wy": SCORES,
        "aa": squares + deviation * rng.standard_normal(len(true)),
        "ab": 0 * true,
        "bb": 0 * true,
        "wa": true * SCORES + deviation * rng.standard_normal(len(true)),
    }
    names = NAMES[:-1] if only_gaps else NAMES
    values = np.stack([columns[name] for name in names], axis=1)
    variance = np.array([[0, 0, deviation**2, 0, 0, deviation**2]])[:, : len(names)]
    noise = Noise(variance, 0 * variance)
    cells = Cells(
        moments=Moments(names, values, np.eye(len(names)), noise),
        codes=np.repeat(np.arange(CURVES), BINS),
        curves=CURVES,
        edges=(MIDDLE - 0.05, MIDDLE + 0.05),
        weights=BOUNDS,
        is_kish=False,
    )
    return omega_of(cells, Profile(SCORES, 0 * SCORES, MIDDLE))


def test_squares_without_noise_are_believed() -> None:
    line = 1.5 + MIDDLE
    given = found(line, 1e-3)
    # Labels move squares from sample to sample, so bounds have a say still.
    assert given.value == pytest.approx(line, abs=0.02)
    assert (given.guessed < 0.01).all()


def test_squares_that_noise_hides_leave_the_middle_of_the_bounds() -> None:
    given = found(3.4, 1e5)
    assert given.value == pytest.approx(2.0, abs=0.2)
    assert (given.guessed > 0.9).all()
    assert max(np.abs(each).max() for each in given.errors) < 0.2


def test_the_squares_of_the_scores_say_most() -> None:
    assert found(2.0, 100.0).guessed[0] < found(2.0, 100.0, only_gaps=True).guessed[0]


def test_its_errors_are_those_that_noise_makes() -> None:
    """Below the middle three quarters are heeded, a reach above it all of it twice."""
    given = found(1.8, 60.0)
    seen = given.value.reshape(CURVES, BINS).var(axis=0)
    said = np.sum(np.square(given.errors), axis=0)
    relative = np.mean(said.reshape(CURVES, BINS) / seen)
    assert 0.6 < relative < 1.0
    above = found(3.2, 60.0)
    heeded = np.sum(np.square(above.errors), axis=0).mean() / said.mean()
    assert 1.3 < heeded < 2.2


def test_one_bin_alone_has_no_slope() -> None:
    cells = Cells(
        moments=Moments(
            NAMES[:5],
            np.array([[100.0, 100.0, 90.0, 0.0, 0.0]]),
            np.eye(5),
            Noise(np.ones((1, 5)), np.ones((1, 5))),
        ),
        codes=np.zeros(1, dtype=np.int64),
        curves=1,
        edges=(np.zeros(1), np.ones(1)),
        weights=BOUNDS,
        is_kish=False,
    )
    one = np.ones(1)
    given = omega_of(cells, Profile(100 * one, one, 0.5 * one))
    assert BOUNDS[0] <= given.value[0] <= BOUNDS[1]
    assert given.errors[1].tolist() == [0.0]
