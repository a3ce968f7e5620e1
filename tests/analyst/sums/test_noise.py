"""The noise of released sums: one draw, many draws, draws of several laws."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.analyst.sums.noise import Noise, noise_of, take
from dpratio.arrays import Floats
from dpratio.plan.laws import CLASSICAL_GAUSSIAN, GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.release.release import NoiseLayer

STEPS = np.array([0.5, 2.0])


def layer(
    scales: tuple[float, ...], *counts: int, law: NoiseLaw = LAPLACE
) -> NoiseLayer:
    return NoiseLayer(law, scales, counts)


def moments_of_draws(noise: Noise) -> tuple[Floats, Floats]:
    """Give E x² and E x⁴ of a Laplace variable plus a normal one.

    A Laplace variable of scale b has variance 2b² and fourth moment 24b⁴.
    """
    heavy = 2 * noise.laplace**2
    fourth = 24 * noise.laplace**4 + 6 * heavy * noise.normal + 3 * noise.normal**2
    return heavy + noise.normal, fourth


@pytest.mark.parametrize("scale", [2.0**-10, 0.1, 1 / 3, 7.3, 1e15])
def test_one_laplace_draw_is_exact(scale: float) -> None:
    noise = noise_of((layer((scale, scale), 1),), STEPS)
    own = scale * STEPS[None]
    assert noise.laplace == pytest.approx(own, rel=1e-15, abs=0)
    assert noise.variance == pytest.approx(2 * own**2, rel=1e-15, abs=0)
    assert noise.normal == pytest.approx(np.zeros((1, 2)), abs=1e-14 * scale**2)


@pytest.mark.parametrize(
    "law", [GAUSSIAN, CLASSICAL_GAUSSIAN], ids=lambda law: law.name
)
def test_normal_noise_stays_normal_however_often_it_is_added(law: NoiseLaw) -> None:
    noise = noise_of((layer((3.0, 1.0), 1, 50, law=law),), STEPS)
    assert not noise.laplace.any()
    assert noise.variance.tolist() == noise.normal.tolist()
    assert noise.variance.tolist() == [[2.25, 4.0], [112.5, 200.0]]


@given(
    count=st.integers(1, 10**9),
    scale=st.floats(1e-3, 1e6),
)
@example(count=1, scale=1.0)
@example(count=2, scale=1.0)
def test_the_first_four_moments_are_those_of_the_sum_of_draws(
    count: int, scale: float
) -> None:
    """A sum of m has variance 2mb² and fourth moment 24mb⁴ + 12m(m − 1)b⁴."""
    noise = noise_of((layer((scale,), count),), np.ones(1))
    second, fourth = moments_of_draws(noise)
    assert second == pytest.approx(2 * count * scale**2, rel=1e-9)
    wanted = (24 * count + 12 * count * (count - 1)) * scale**4
    assert fourth == pytest.approx(wanted, rel=1e-9)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([LAPLACE, GAUSSIAN]),
            st.floats(1e-3, 1e3),
            st.integers(1, 1000),
        ),
        min_size=1,
        max_size=5,
    )
)
@example([(LAPLACE, 1.0, 1), (GAUSSIAN, 2.0, 1)])
@example([(LAPLACE, 1.0, 3), (LAPLACE, 40.0, 1)])
def test_layers_of_different_laws_and_scales_add_up_in_all_four_moments(
    layers: list[tuple[NoiseLaw, float, int]],
) -> None:
    """Variances and fourth cumulants add: 12b⁴ for Laplace, none for normal."""
    noise = noise_of(
        tuple(layer((scale,), count, law=law) for law, scale, count in layers),
        np.ones(1),
    )
    variance = sum(
        count * scale**2 * (2 if law == LAPLACE else 1) for law, scale, count in layers
    )
    cumulant = sum(
        12 * count * scale**4 for law, scale, count in layers if law == LAPLACE
    )
    second, fourth = moments_of_draws(noise)
    assert second == pytest.approx(variance, rel=1e-9)
    assert fourth == pytest.approx(cumulant + 3 * variance**2, rel=1e-9)
    assert np.all(noise.normal >= 0)


def test_drawn_sums_have_the_quantiles_that_are_claimed() -> None:
    """The tail of m draws against the Laplace and normal parts that stand for it."""
    rng = np.random.default_rng(3)
    for count in (2, 5, 20):
        draws = rng.laplace(size=(200_000, count)).sum(axis=1)
        noise = noise_of((layer((1.0,), count),), np.ones(1))
        stand_in = rng.laplace(scale=noise.laplace[0, 0], size=200_000)
        stand_in += rng.normal(scale=math.sqrt(noise.normal[0, 0]), size=200_000)
        for level in (0.9, 0.95, 0.99):
            drawn, claimed = (
                float(np.quantile(np.abs(each), level)) for each in (draws, stand_in)
            )
            assert claimed == pytest.approx(drawn, rel=0.02)


def test_cells_of_one_release_may_be_made_of_different_numbers_of_draws() -> None:
    noise = noise_of((layer((1.0,), 1, 16, 81),), np.ones(1))
    assert noise.laplace[:, 0] == pytest.approx([1, 2, 3])
    assert noise.variance[:, 0] == pytest.approx([2, 32, 162])
    assert noise.normal[:, 0] == pytest.approx([0, 24, 144])


def test_a_layer_that_all_cells_share_joins_one_that_differs() -> None:
    noise = noise_of((layer((1.0,), 1), layer((2.0,), 1, 3)), np.ones(1))
    assert noise.variance[:, 0].tolist() == [2 + 8, 2 + 24]
    assert noise.laplace[:, 0] == pytest.approx([17**0.25, 49**0.25])


def test_without_layers_there_is_no_noise() -> None:
    noise = noise_of((), STEPS)
    assert noise.variance.tolist() == noise.laplace.tolist() == [[0, 0]]


def test_some_cells_are_taken_unless_all_are_the_same() -> None:
    own = np.array([[1.0], [2.0], [3.0]])
    chosen = np.array([True, False, True])
    assert take(own, chosen).tolist() == [[1], [3]]
    assert take(own, slice(1, 3)).tolist() == [[2], [3]]
    assert take(own[:1], chosen).tolist() == [[1]]


@pytest.mark.parametrize("step", [1e-100, 1e100])
def test_noise_in_very_small_or_large_units_keeps_its_law(step: float) -> None:
    """The fourth power of a scale need not fit in a double."""
    noise = noise_of((layer((1.0,), 16),), np.array([step]))
    assert noise.laplace[0, 0] == pytest.approx(2 * step, rel=1e-12, abs=0)
    assert noise.variance[0, 0] == pytest.approx(32 * step**2, rel=1e-12, abs=0)
