"""Noise that is used twice is found; independent noise is not accused."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.simulation.audit.repeats import Agreements, agreements_of, least_alike

Ints = NDArray[np.int64]

SCALE = 1_000
NORMAL_MEDIAN = round(0.6745 * SCALE)


def drawn(seed: int, samples: int, sums: int) -> Ints:
    rng = np.random.default_rng(seed)
    return np.rint(SCALE * rng.normal(size=(samples, sums))).astype(np.int64)


def compared(noise: Ints, earlier: Ints | None = None) -> Agreements:
    medians = np.full(noise.shape[1], NORMAL_MEDIAN)
    return agreements_of(noise, medians, earlier)


def test_signs_and_sizes_are_compared_within_a_sample_with_the_next_and_before() -> (
    None
):
    noise = np.array([[1, 2], [3, -4], [-5, -6]])
    agreements = agreements_of(noise, np.array([3, 4]), noise[:2] * [1, -1])
    # Both sums: +, −, +. The first sum by samples: +, −. The second: −, +.
    # The release before: the first sum the same, the second the opposite.
    # Large are the third noise of either sum: sizes agree but for the step to it.
    assert agreements.same.tolist() == [2, 1, 1, 2, 0, 3, 1, 1, 2, 2]
    assert agreements.compared.tolist() == 2 * [3, 2, 2, 2, 2]
    twice = agreements.plus(agreements)
    assert twice.same.tolist() == [4, 2, 2, 4, 0, 6, 2, 2, 4, 4]
    assert twice.compared.tolist() == 2 * [6, 4, 4, 4, 4]


def test_a_release_without_one_before_and_a_longer_one_before_are_compared() -> None:
    noise = drawn(1, 5, 1)
    assert compared(noise).compared.tolist() == 2 * [4, 0]
    assert compared(noise, drawn(2, 9, 1)).compared.tolist() == 2 * [4, 5]


def test_independent_noise_is_not_accused() -> None:
    """A hundred times, at a risk of a tenth: seldom more often than that."""
    accused = sum(
        least_alike(compared(drawn(at, 500, 4), drawn(1_000 + at, 500, 4)), risk=0.1)
        > 0
        for at in range(1, 101)
    )
    assert accused <= 10 + 3 * 3


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_that_repeats_another_sum_is_found(sign: int) -> None:
    noise = drawn(4, 2_000, 3)
    noise[:, 2] = sign * 5 * noise[:, 0]
    assert 0.95 < least_alike(compared(noise)) < 1


def test_noise_that_repeats_the_sample_before_is_found() -> None:
    noise = drawn(5, 1_000, 3)
    noise[1::2] = noise[::2]
    assert 0.2 < least_alike(compared(noise)) < 0.5


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_that_repeats_the_release_before_is_found(sign: int) -> None:
    noise = drawn(6, 1_000, 3)
    assert least_alike(compared(noise, sign * noise)) > 0.9


def test_sums_that_are_large_together_are_found_though_their_signs_differ() -> None:
    """One size for all sums, with signs of their own."""
    noise = np.abs(drawn(7, 1_000, 1)) * np.sign(drawn(8, 1_000, 3))
    assert least_alike(compared(noise)) > 0.9
