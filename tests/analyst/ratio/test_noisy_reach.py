"""Reaches from a table, held against the exact tail."""

import numpy as np
import pytest

from dpratio.analyst.ratio.noisy_reach import noisy_reach
from dpratio.analyst.ratio.noisy_tail import noisy_deviate
from dpratio.analyst.ratio.tail import Distance, normal_quantile
from dpratio.arrays import Floats

RNG = np.random.default_rng(31)
ROWS = 4_000


def shares() -> tuple[Floats, Floats]:
    """Every mixture of two Laplace variables and a normal one, and the corners."""
    whole, first = RNG.uniform(size=(2, ROWS))
    whole[:400], whole[400:500], whole[500:600] = 1 - RNG.uniform(size=400) ** 6, 0, 1
    first[600:1000], first[1000:1400] = 1 - RNG.uniform(size=400) ** 6, 0.5
    return whole * first, whole * (1 - first)


@pytest.mark.parametrize(
    ("quantile", "off"),
    [
        (0.05, 8e-3),
        (0.125661, 1e-3),
        (0.67449, 1e-5),
        (1.0, 1e-6),
        *((each, 3e-8) for each in (1.281552, 1.644854, 1.959964, 2.575829, 3.290527)),
        (4.891638, 1e-6),
        (6.109410, 1e-5),
        (8.292361, 2e-4),
    ],
)
def test_a_reach_is_that_of_the_exact_tail(quantile: float, off: float) -> None:
    """From level 0.04 to the last one below 1."""
    first, second = shares()
    variance = RNG.uniform(0.1, 9, ROWS)
    found = noisy_reach(quantile, variance, variance * first, variance * second)
    scales = [np.sqrt(variance * share / 2) for share in (first, second)]
    low, high = np.zeros(ROWS), np.full(ROWS, 150.0)
    for _ in range(60):
        middle = (low + high) / 2
        is_near = noisy_deviate(middle, variance, *scales) < quantile
        low, high = np.where(is_near, middle, low), np.where(is_near, high, middle)
    assert found == pytest.approx(low, rel=off)


def test_without_laplace_noise_a_reach_is_the_normal_one() -> None:
    none, variance = np.zeros(2), np.array([1.0, 4.0])
    found = noisy_reach(1.96, variance, none, none)
    assert found == pytest.approx([1.96, 3.92], abs=1e-8)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.999, 1 - 1e-6])
def test_what_stands_for_a_deviate_exceeds_a_quantile_where_it_does(
    level: float,
) -> None:
    quantile = normal_quantile(level)
    first, second = shares()
    noise = first + second
    held = Distance(
        size=quantile * RNG.uniform(0.8, 1.6, ROWS),
        sampling=1 - noise - 0.1 * (noise > 0.9),
        noise=noise,
        doubt=RNG.uniform(0, 0.3, ROWS),
        heavy=[first, second],
    )
    apart = np.abs(held.at(quantile) - quantile) > 1e-5
    told = held.against(quantile) > quantile
    assert np.array_equal(told[apart], (held.at(quantile) > quantile)[apart])
    assert 0.1 < told.mean() < 0.9


@pytest.mark.parametrize("heavy", [0.0, 0.01, 0.3, 1.0])
def test_what_is_surely_beyond_is_beyond(heavy: float) -> None:
    """The bound never says too much, and says something."""
    one = np.ones(ROWS)
    held = Distance(
        size=RNG.uniform(2, 20, ROWS),
        sampling=(1 - heavy) * one,
        noise=heavy * one,
        doubt=0.04 * one,
        heavy=[heavy * one / 3, 2 * heavy * one / 3],
    )
    least = RNG.uniform(3, 6, ROWS)
    sure = held.is_surely_beyond(least, 5.0)
    assert sure.mean() > 0.2
    assert np.all(held.at(5.0)[sure] > least[sure])


def test_what_a_table_rejects_is_what_the_tail_rejects() -> None:
    first, second = shares()
    held = Distance(
        size=RNG.uniform(1.5, 2.6, ROWS),
        sampling=1 - first - second,
        noise=first + second,
        doubt=np.zeros(ROWS),
        heavy=[first, second],
    )
    apart = np.abs(held.at(1.96) - 1.96) > 1e-7
    assert np.array_equal(held.exceeds(1.96)[apart], (held.at(1.96) > 1.96)[apart])
