"""The paper's equations 1 to 4, recomputed from ten rows without this library."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from analyst.ten_rows import TEN_ROWS
from dpratio.analyst.delta import (
    Spread,
    log_ratio_variance,
    noise_spread,
    ratio_variance,
    sampling_spread,
    sampling_variance_noise,
)
from dpratio.analyst.moments import Moments, NoiseTerm
from dpratio.plan.sums import MOMENTS

ROWS = [(Fraction(w), Fraction(y), Fraction(s)) for w, y, s in TEN_ROWS]

# Every quantity of the paper's section 2.3, straight from its formulas.
WEIGHT = sum((w for w, _, _ in ROWS), Fraction(0))
SQUARES = sum((w * w for w, _, _ in ROWS), Fraction(0))
KISH = SQUARES / WEIGHT**2
MEAN_S = sum((w * s for w, _, s in ROWS), Fraction(0)) / WEIGHT  # eq. 2
MEAN_Y = sum((w * y for w, y, _ in ROWS), Fraction(0)) / WEIGHT  # eq. 2
VAR_S = KISH * (sum(w * s * s for w, _, s in ROWS) / WEIGHT - MEAN_S**2)  # eq. 3
VAR_Y = KISH * (sum(w * y * y for w, y, _ in ROWS) / WEIGHT - MEAN_Y**2)  # eq. 3
COV = KISH * (sum(w * y * s for w, y, s in ROWS) / WEIGHT - MEAN_Y * MEAN_S)  # eq. 4
VAR_RATIO = (  # eq. 1
    VAR_S / MEAN_Y**2 - 2 * MEAN_S / MEAN_Y**3 * COV + MEAN_S**2 / MEAN_Y**4 * VAR_Y
)
VAR_LOG = VAR_S / MEAN_S**2 - 2 * COV / (MEAN_S * MEAN_Y) + VAR_Y / MEAN_Y**2

SUMS = [15.0, 13.75, 13.0, 29.0, 19.875, 16.0, 16.375]


def moments(noise: tuple[NoiseTerm, ...] = (), *groups: list[float]) -> Moments:
    return Moments(np.array(groups or [SUMS]), noise)


def noise_on(name: str, scale: float, law: str = "gaussian") -> NoiseTerm:
    return NoiseTerm(law, scale, np.array([float(each == name) for each in MOMENTS]))


def test_the_paper_s_quantities_are_what_a_pocket_calculator_gives() -> None:
    assert float(MEAN_S) == pytest.approx(0.866667, abs=5e-7)
    assert float(MEAN_Y) == pytest.approx(0.916667, abs=5e-7)
    assert float(1 / KISH) == pytest.approx(7.758621, abs=5e-7)
    assert float(VAR_S) == pytest.approx(0.0406716, abs=5e-8)
    assert float(VAR_Y) == pytest.approx(0.0624753, abs=5e-8)
    assert float(COV) == pytest.approx(0.0383086, abs=5e-8)
    assert float(VAR_RATIO) == pytest.approx(0.0286562, abs=5e-8)
    assert float(VAR_LOG) == pytest.approx(0.0320580, abs=5e-8)


def test_the_spread_of_the_sums_is_equations_3_and_4_times_the_squared_weight() -> None:
    spread = sampling_spread(moments())
    assert spread.numerator == pytest.approx([float(VAR_S * WEIGHT**2)])
    assert spread.denominator == pytest.approx([float(VAR_Y * WEIGHT**2)])
    assert spread.covariance == pytest.approx([float(COV * WEIGHT**2)])
    assert spread.numerator == pytest.approx([9.151111], abs=5e-7)
    assert spread.denominator == pytest.approx([14.056944], abs=5e-7)
    assert spread.covariance == pytest.approx([8.619444], abs=5e-7)


def test_the_variance_of_the_ratio_is_equation_1() -> None:
    held = moments()
    variance = ratio_variance(held, sampling_spread(held))
    assert variance == pytest.approx([float(VAR_RATIO)], rel=1e-12)
    assert variance == pytest.approx([0.0286562], abs=5e-8)


def test_the_variance_of_the_log_ratio_is_the_paper_s() -> None:
    held = moments()
    variance = log_ratio_variance(held, sampling_spread(held))
    assert variance == pytest.approx([float(VAR_LOG)], rel=1e-12)
    assert variance == pytest.approx([0.0320580], abs=5e-8)


def test_the_log_variance_is_the_squared_relative_error() -> None:
    """Var log r = Var r / r², for the sampling part as for the noise."""
    held = moments((noise_on("ws", 0.3), noise_on("wy", 0.7)))
    ratio = 13.0 / 13.75
    for spread in (sampling_spread(held), noise_spread(held)):
        relative = ratio_variance(held, spread) / ratio**2
        assert log_ratio_variance(held, spread) == pytest.approx(relative, rel=1e-12)


def test_the_variance_of_the_ratio_is_a_residual_sum() -> None:
    """At r the kish form is Σw²/Σw · Σw(s − ry)² / (Σwy)²."""
    ratio = MEAN_S / MEAN_Y
    residual = sum(w * (s - ratio * y) ** 2 for w, y, s in ROWS)
    wanted = SQUARES / WEIGHT * residual / (MEAN_Y * WEIGHT) ** 2
    assert wanted == VAR_RATIO
    held = moments()
    found = ratio_variance(held, sampling_spread(held))
    assert found == pytest.approx([float(wanted)])


def test_noise_adds_its_own_variances_to_those_of_the_sums() -> None:
    held = moments((noise_on("ws", 0.6, "laplace"), noise_on("wy", 0.5)))
    noise = noise_spread(held)
    assert noise.numerator == pytest.approx(0.72)
    assert noise.denominator == pytest.approx(0.25)
    assert noise.covariance == 0.0
    total = sampling_spread(held) + noise
    assert total.numerator == pytest.approx([9.151111 + 0.72], abs=5e-7)
    assert total.denominator == pytest.approx([14.056944 + 0.25], abs=5e-7)
    assert total.covariance == pytest.approx([8.619444], abs=5e-7)


def test_the_privacy_part_is_what_section_2_4_3_adds() -> None:
    """(var_s + r² var_y) / Y², since the noises are independent."""
    held = moments((noise_on("ws", 0.6, "laplace"), noise_on("wy", 0.5)))
    wanted = (0.72 + (13 / 13.75) ** 2 * 0.25) / 13.75**2
    assert ratio_variance(held, noise_spread(held)) == pytest.approx([wanted])
    assert wanted == pytest.approx(0.00499026, abs=5e-9)


def test_noise_shared_by_both_sums_enters_by_its_covariance() -> None:
    """One noise e in Σws and in 2Σwy moves the ratio by (1 − 2r) e / Y."""
    loading = np.array([0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    held = moments((NoiseTerm("gaussian", 0.5, loading),))
    wanted = ((1 - 2 * 13 / 13.75) * 0.5 / 13.75) ** 2
    assert ratio_variance(held, noise_spread(held)) == pytest.approx([wanted])


def test_groups_do_not_mix() -> None:
    other = [4.0, 2.0, 3.0, 6.0, 2.5, 3.5, 1.75]
    both = moments((), SUMS, other)
    alone = moments((), other)
    assert ratio_variance(both, sampling_spread(both)) == pytest.approx(
        [float(VAR_RATIO), *ratio_variance(alone, sampling_spread(alone))]
    )


def test_spreads_add_part_by_part() -> None:
    one, two = (Spread(*np.array([[i], [10.0 * i], [100.0 * i]])) for i in (1.0, 2.0))
    total = one + two
    assert total.numerator.tolist() == [3]
    assert total.denominator.tolist() == [30]
    assert total.covariance.tolist() == [300]


# The floor: how far noise moves the estimated sampling variance of Σws − r̂ Σwy.


def estimated_variance(sums: list[Fraction]) -> Fraction:
    """Equations 1 to 4 times (Σwy)², as a function of all seven noisy sums."""
    w, wy, ws, ww, wyy, wss, wys = sums
    ratio = ws / wy
    var_s = ww * (wss / w - (ws / w) ** 2)
    var_y = ww * (wyy / w - (wy / w) ** 2)
    covariance = ww * (wys / w - ws * wy / w**2)
    return var_s - 2 * ratio * covariance + ratio**2 * var_y


def slope(function: Callable[[list[Fraction]], Fraction], index: int) -> float:
    """A central difference in exact arithmetic."""
    step = Fraction(1, 10**9)
    ends = []
    for move in (step, -step):
        sums = [Fraction(each) for each in SUMS]
        sums[index] += move
        ends.append(function(sums))
    return float((ends[0] - ends[1]) / (2 * step))


@pytest.mark.parametrize("name", MOMENTS)
def test_the_noise_of_the_sampling_variance_follows_its_slope_in_each_sum(
    name: str,
) -> None:
    wanted = abs(slope(estimated_variance, MOMENTS.index(name))) * 0.25
    found = sampling_variance_noise(moments((noise_on(name, 0.25),)))
    assert found == pytest.approx([wanted], rel=1e-6, abs=1e-12)


def test_the_noise_of_the_sampling_variance_is_what_redrawing_shows() -> None:
    """Perturb all seven sums a little, estimate the variance, take its sd."""
    scales = [0.01, 0.2, 0.2, 0.03, 0.04, 0.04, 0.04]
    noise = tuple(map(noise_on, MOMENTS, scales))
    rng = np.random.default_rng(20220101)
    moved = np.array(SUMS) + rng.normal(size=(200_000, 7)) * scales
    perturbed = Moments(moved, ())
    variances = (
        ratio_variance(perturbed, sampling_spread(perturbed)) * perturbed["wy"] ** 2
    )
    found = sampling_variance_noise(moments(noise))
    assert found == pytest.approx([np.std(variances)], rel=0.01)


def test_noise_shared_by_moments_that_stand_in_for_each_other_is_counted_once() -> None:
    """Unweighted and binary: w² is w and wy² is wy, with the same noise."""
    n, y, s, ss, ys = 10.0, 4.0, 4.5, 2.6, 2.2
    loading = np.array([1.0, 0, 0, 1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0, 1.0, 0, 0])
    noise = tuple(NoiseTerm("gaussian", 0.5, each) for each in loading)
    held = moments(noise, [n, y, s, n, y, ss, ys])
    ratio = s / y
    # n cancels: V = ss − 2r·ys + r²·y, whose slope in y is 2r/y·ys − r².
    wanted = abs(2 * ratio / y * ys - ratio**2) * 0.5
    assert sampling_variance_noise(held) == pytest.approx([wanted])


def test_the_noise_is_a_number_even_where_large_slopes_cancel() -> None:
    """Without weights the slopes in w and w² are opposite and may be huge."""
    shared = NoiseTerm("laplace", 1.0, np.array([1.0, 0, 0, 1.0, 0, 0, 0]))
    rng = np.random.default_rng(7)
    for count in rng.uniform(0.1, 0.2, size=500).tolist():
        held = moments((shared,), [count, 1.0, 1.0, count, 1.0, 1e14, 1.0])
        (found,) = sampling_variance_noise(held)
        assert math.isfinite(found)
        assert 0 <= found < 1e3
