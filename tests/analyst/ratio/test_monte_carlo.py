"""Redrawing the noise: the paper's section 2.4.2."""

import math
from dataclasses import replace

import numpy as np
import pytest

from analyst.given import NoiseTerm, given_moments, noise_on
from analyst.ten_rows import BY_HAND
from dpratio.analyst.ratio import monte_carlo
from dpratio.analyst.ratio.delta import noise_spread, ratio_variance
from dpratio.analyst.ratio.monte_carlo import extra_variances
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import Noise
from dpratio.plan.sensitivity.sums import MOMENTS


def moments(*noise: NoiseTerm, rows: list[list[float]] | None = None) -> Moments:
    return given_moments(MOMENTS, rows or [BY_HAND], *noise)


def extra(
    held: Moments, scale: str = "ratio", *, draws: int = 200, seed: int = 1
) -> list[float]:
    rng = np.random.default_rng(seed)
    found: list[float] = extra_variances(held, [scale], draws=draws, rng=rng)[
        scale
    ].tolist()
    return found


def test_it_is_the_mean_squared_move_of_the_ratio() -> None:
    """Section 2.4.2, step by step, with the same draws in plain loops."""
    held = moments(noise_on("wy", 0.5), noise_on("ws", 0.6))
    rng = np.random.default_rng(5)
    on_y, on_s = (rng.normal(scale=b, size=200).tolist() for b in (0.5, 0.6))
    ratio = 13.0 / 13.75
    total = 0.0
    for e_y, e_s in zip(on_y, on_s, strict=True):
        total += ((13.0 + e_s) / (13.75 + e_y) - ratio) ** 2
    assert extra(held, seed=5) == pytest.approx([total / 200])


def test_both_scales_come_from_the_same_redraws() -> None:
    held = moments(noise_on("wy", 0.5), noise_on("ws", 0.6))
    rng = np.random.default_rng(5)
    both = extra_variances(held, ("ratio", "log"), draws=200, rng=rng)
    assert both["ratio"].tolist() == extra(held, "ratio", seed=5)
    assert both["log"].tolist() == extra(held, "log", seed=5)


def test_laplace_noise_is_redrawn_from_its_own_law() -> None:
    """E|e| = b and P(|e| > 3b) = e⁻³ tell it from a normal of the same variance."""
    rng = np.random.default_rng(11)
    scale, normal = np.array([2.0]), np.array([0.0])
    drawn = np.abs(monte_carlo._draw(scale, normal, (400_000, 1), rng)) / 2.0
    assert drawn.mean() == pytest.approx(1, abs=0.01)
    assert (drawn > 3).mean() == pytest.approx(math.exp(-3), abs=0.002)


def test_the_log_scale_takes_the_move_of_the_logarithm() -> None:
    held = moments(noise_on("ws", 0.6))
    draws = np.random.default_rng(5).normal(scale=0.6, size=(200, 1))
    moves = [math.log((13.0 + e) / 13.0) ** 2 for e in draws[:, 0].tolist()]
    assert extra(held, "log", seed=5) == pytest.approx([sum(moves) / 200])


@pytest.mark.parametrize("law", ["laplace", "analytic_gaussian", "classical_gaussian"])
def test_with_small_noise_and_many_draws_it_is_the_analytical_part(law: str) -> None:
    held = moments(noise_on("ws", 0.006, law), noise_on("wy", 0.004, law))
    noise = noise_spread(held)
    found = extra(held, draws=200_000)
    assert found == pytest.approx(ratio_variance(held, noise), rel=0.02)
    found = extra(held, "log", draws=200_000)
    assert found == pytest.approx(ratio_variance(held, noise, "log"), rel=0.02)


def test_noise_shared_by_both_sums_is_drawn_once() -> None:
    loading = np.array([0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    held = moments(NoiseTerm("gaussian", 0.01, loading))
    wanted = ratio_variance(held, noise_spread(held))
    assert extra(held, draws=200_000) == pytest.approx(wanted, rel=0.02)


def test_more_noise_moves_the_ratio_more_than_the_delta_method_says() -> None:
    """The bias the paper names: large noise in the denominator has a heavy tail."""
    held = moments(noise_on("ws", 2.5), noise_on("wy", 2.5))
    assert extra(held, draws=100_000)[0] > ratio_variance(held, noise_spread(held))[0]


def test_only_the_noise_of_the_two_sums_is_redrawn() -> None:
    others = [noise_on(name, 1.0) for name in MOMENTS if name not in {"ws", "wy"}]
    assert extra(moments(*others)) == [0.0]
    both = [noise_on("wy", 0.5), noise_on("ws", 0.6)]
    assert extra(moments(*others, *both)) == extra(moments(*both))


def test_a_redraw_that_leaves_the_logarithm_undefined_shows() -> None:
    """Noise that could turn the sign of the ratio has no finite log variance."""
    row = [15.0, 13.75, 0.5, 29.0, 19.875, 16.0, 16.375]
    held = moments(noise_on("ws", 1.0), rows=[row, BY_HAND])
    undefined, defined = extra(held, "log")
    assert math.isnan(undefined)
    assert defined > 0
    assert np.isfinite(extra(held)).all()


@pytest.mark.parametrize("wy", [0.0, -1.0, 1e-300])
def test_a_denominator_at_zero_gives_no_warning(wy: float) -> None:
    row = [15.0, wy, 13.0, 29.0, 19.875, 16.0, 16.375]
    held = moments(noise_on("ws", 0.1), rows=[row, BY_HAND])
    for scale in ("ratio", "log"):
        strange, usual = extra(held, scale)
        assert not strange < 0
        assert 0 < usual < 1


def test_the_same_seed_gives_the_same_answer_and_another_one_another() -> None:
    held = moments(noise_on("ws", 0.6), noise_on("wy", 0.6))
    assert extra(held, seed=1) == extra(held, seed=1)
    assert extra(held, seed=1) != extra(held, seed=2)


def test_groups_have_noise_of_their_own() -> None:
    held = moments(noise_on("ws", 0.6), rows=[BY_HAND, BY_HAND])
    first, second = extra(held)
    assert first != second


def test_many_groups_are_done_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monte_carlo, "_CELLS_AT_ONCE", 1000)
    held = moments(noise_on("ws", 0.006), rows=[BY_HAND] * 12)
    found = extra(held, draws=300)
    assert len(found) == 12
    assert len(set(found)) == 12
    wanted = ratio_variance(held, noise_spread(held))
    assert found == pytest.approx(wanted, rel=0.5)


def test_more_draws_than_fit_at_once_are_drawn_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(monte_carlo, "_CELLS_AT_ONCE", 10)
    held = moments(noise_on("ws", 0.6), rows=[BY_HAND, BY_HAND])
    alone = moments(noise_on("ws", 0.6))
    assert extra(held, draws=300)[0] == extra(alone, draws=300)[0]


def test_noise_of_many_draws_is_redrawn_from_both_of_its_parts() -> None:
    """Sixteen draws of scale 1: a Laplace one of scale 2, and a normal variance 24."""
    rng = np.random.default_rng(3)
    laplace, normal = np.array([2.0, 1.0]), np.array([24.0, 0.0])
    drawn = monte_carlo._draw(laplace, normal, (400_000, 2), rng)
    assert drawn.var(axis=0) == pytest.approx([32, 2], rel=0.01)
    fourth = (drawn**4).mean(axis=0)
    assert fourth == pytest.approx([24 * 16 + 12 * 16 * 15, 24], rel=0.05)


def test_cells_are_redrawn_with_noise_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = moments(noise_on("ws", 0.006), rows=[BY_HAND] * 6)
    sizes = np.array([[1.0], [4.0], [9.0], [16.0], [25.0], [36.0]])
    variance = held.noise.variance * sizes
    rolled = replace(held, noise=Noise(variance, np.zeros_like(variance)))
    wanted = ratio_variance(rolled, noise_spread(rolled))
    assert wanted == pytest.approx(wanted[0] * sizes[:, 0])
    for at_once in (2**15, 8_000):
        monkeypatch.setattr(monte_carlo, "_CELLS_AT_ONCE", at_once)
        assert extra(rolled, draws=4_000) == pytest.approx(wanted, rel=0.2)
