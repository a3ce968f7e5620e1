"""Deviates that allow for Laplace noise and for a noisy variance."""

import numpy as np
import pytest

from dpratio.analyst.ratio.tail import Distance, is_drowned, stand_in, upper_tail
from dpratio.arrays import Floats, Integers


def made(size: Floats, wobble: float = 0.0, scale: float = 0.0) -> Distance:
    one = np.ones_like(size)
    noise = 2.5 * scale**2 * one
    heavy = [2 * scale**2 * one, 0.5 * scale**2 * one] if scale else []
    return Distance(size, one - noise, noise, wobble**2 * one, heavy)


SIZES = np.array([0.0, 0.3, 1.0, 1.96, 3.0, 6.0, 12.0])


def test_a_normal_statistic_is_its_own_deviate() -> None:
    assert made(SIZES).deviate() == pytest.approx(SIZES)
    assert made(SIZES).at(1.96) == pytest.approx(SIZES)


@pytest.mark.parametrize("wobble", [0.0, 0.05, 0.4, 2.0])
@pytest.mark.parametrize("scale", [0.0, 0.1, 0.6])
def test_a_deviate_agrees_with_its_own_quantile(wobble: float, scale: float) -> None:
    statistic = made(SIZES, wobble, scale)
    own = statistic.deviate()
    assert statistic.at(own) == pytest.approx(own, abs=1e-8)
    assert np.all(np.diff(own) > 0)
    # A fixed quantile is exceeded just where the own deviate exceeds it.
    for quantile in (0.5, 1.96, 4.0):
        assert np.array_equal(statistic.at(quantile) > quantile, own > quantile)


def test_a_noisy_variance_and_heavy_tails_make_a_statistic_less_surprising() -> None:
    far = np.array([3.0])
    assert made(far, wobble=0.3).deviate()[0] < 2.9
    assert made(far, scale=0.6).deviate()[0] < 2.9


def test_the_tail_is_the_normal_one() -> None:
    assert upper_tail(np.array([0.0, 1.959964])) == pytest.approx([0.5, 0.025])


def test_far_out_nothing_underflows() -> None:
    far = made(np.array([500.0, 5000.0]), wobble=0.1, scale=0.3).deviate()
    assert np.all(np.isfinite(far))
    assert np.all(far > 30)


@pytest.mark.parametrize("scale", [0.0, 0.4])
def test_the_unit_of_a_statistic_says_nothing(scale: float) -> None:
    plain = made(SIZES, wobble=0.3, scale=scale)
    moved = Distance(
        7 * SIZES,
        49 * plain.sampling,
        49 * plain.noise,
        7**4 * plain.doubt,
        [49 * each for each in plain.heavy],
    )
    assert moved.at(1.96) == pytest.approx(plain.at(1.96))
    assert moved.deviate() == pytest.approx(plain.deviate())


def test_a_variance_is_drowned_far_below_zero_where_little_else_is_known() -> None:
    sampling = np.array([1.0, -1.0, -1.6, -1.6, -9.0])
    noise = np.array([0.1, 0.1, 0.1, 0.8, 0.8])
    found = is_drowned(sampling, noise, np.ones(5))
    assert found.tolist() == [False, False, True, False, False]
    # Where nothing varies and nothing is noisy, nothing is known either.
    assert is_drowned(np.zeros(1), np.zeros(1), np.zeros(1)).all()


def test_what_stands_in_is_the_allowance_and_never_nan() -> None:
    doubt = np.array([0.0, 0.0, 4.0])
    found = stand_in(np.array([0.0, 1.0, 0.0]), doubt)
    assert found[:2].tolist() == [0, 0]
    assert found[2] == pytest.approx((1.959964**2 + 1) / 4 * 4 / (2.2 * 2), rel=1e-6)


def test_no_deviate_depends_on_the_rows_beside_it() -> None:
    rng = np.random.default_rng(5)
    size, sampling, noise = rng.uniform(0.1, 6, 300), *rng.uniform(0.1, 2, (2, 300))

    def deviates(chosen: Integers) -> Floats:
        held = size[chosen], sampling[chosen], noise[chosen]
        return Distance(*held, held[1] * held[2], [held[2]]).deviate()

    together = deviates(np.arange(300))
    for count in (1, 2, 30):
        for _ in range(10):
            some = rng.choice(300, count, replace=False)
            np.testing.assert_array_equal(deviates(some), together[some])
