"""Noise that is used twice is found; independent noise is not accused."""

import numpy as np
import pytest

from dpratio.study.audit.repeats import agreements_of, least_alike


def test_signs_are_compared_within_a_sample_and_with_the_next() -> None:
    noise = np.array([[1.0, 2.0], [3.0, -4.0], [-5.0, -6.0]])
    agreements = agreements_of(noise)
    # Both sums: +, −, +. The first sum by samples: +, −. The second: −, +.
    assert agreements.same.tolist() == [2, 1, 1]
    assert agreements.compared.tolist() == [3, 2, 2]
    twice = agreements.plus(agreements)
    assert twice.same.tolist() == [4, 2, 2]
    assert twice.compared.tolist() == [6, 4, 4]


def test_independent_noise_is_not_accused() -> None:
    """A hundred times, at a risk of a tenth: seldom more often than that."""
    rng = np.random.default_rng(3)
    accused = sum(
        least_alike(agreements_of(rng.laplace(size=(500, 4))), risk=0.1) > 0
        for _ in range(100)
    )
    assert accused <= 10 + 3 * 3


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_that_repeats_another_sum_is_found(sign: int) -> None:
    noise = np.random.default_rng(4).normal(size=(2_000, 3))
    noise[:, 2] = sign * 5 * noise[:, 0]
    assert 0.95 < least_alike(agreements_of(noise)) < 1


def test_noise_that_repeats_the_sample_before_is_found() -> None:
    noise = np.random.default_rng(5).normal(size=(1_000, 3))
    noise[1::2] = noise[::2]
    assert 0.2 < least_alike(agreements_of(noise)) < 0.5
