"""The paper's equations 1 to 4, recomputed from ten rows without this library."""

from fractions import Fraction

import numpy as np
import pytest

from analyst.given import NoiseTerm, given_moments, noise_on
from analyst.ten_rows import BY_HAND, ROWS
from dpratio.analyst.ratio.delta import (
    Spread,
    noise_spread,
    ratio_variance,
    sampling_spread,
)
from dpratio.analyst.sums.moments import Moments
from dpratio.plan.sensitivity.sums import MOMENTS

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


def moments(noise: tuple[NoiseTerm, ...] = (), *groups: list[float]) -> Moments:
    return given_moments(MOMENTS, groups or [BY_HAND], *noise)


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
    spread = sampling_spread(moments(), "kish")
    assert spread.numerator == pytest.approx([float(VAR_S * WEIGHT**2)])
    assert spread.denominator == pytest.approx([float(VAR_Y * WEIGHT**2)])
    assert spread.covariance == pytest.approx([float(COV * WEIGHT**2)])
    assert spread.numerator == pytest.approx([9.151111], abs=5e-7)
    assert spread.denominator == pytest.approx([14.056944], abs=5e-7)
    assert spread.covariance == pytest.approx([8.619444], abs=5e-7)


def test_the_variance_of_the_ratio_is_equation_1() -> None:
    held = moments()
    variance = ratio_variance(held, sampling_spread(held, "kish"))
    assert variance == pytest.approx([float(VAR_RATIO)], rel=1e-12)
    assert variance == pytest.approx([0.0286562], abs=5e-8)


def test_the_variance_of_the_log_ratio_is_the_paper_s() -> None:
    held = moments()
    variance = ratio_variance(held, sampling_spread(held, "kish"), "log")
    assert variance == pytest.approx([float(VAR_LOG)], rel=1e-12)
    assert variance == pytest.approx([0.0320580], abs=5e-8)


def test_the_log_variance_is_the_squared_relative_error() -> None:
    """Var log r = Var r / r², for the sampling part as for the noise."""
    held = moments((noise_on("ws", 0.3), noise_on("wy", 0.7)))
    ratio = 13.0 / 13.75
    for spread in (sampling_spread(held, "kish"), noise_spread(held)):
        relative = ratio_variance(held, spread) / ratio**2
        assert ratio_variance(held, spread, "log") == pytest.approx(relative, rel=1e-12)


def test_the_variance_of_the_ratio_is_a_residual_sum() -> None:
    """At r the kish form is Σw²/Σw · Σw(s − ry)² / (Σwy)²."""
    ratio = MEAN_S / MEAN_Y
    residual = sum(w * (s - ratio * y) ** 2 for w, y, s in ROWS)
    wanted = SQUARES / WEIGHT * residual / (MEAN_Y * WEIGHT) ** 2
    assert wanted == VAR_RATIO
    held = moments()
    found = ratio_variance(held, sampling_spread(held, "kish"))
    assert found == pytest.approx([float(wanted)])


def test_noise_adds_its_own_variances_to_those_of_the_sums() -> None:
    held = moments((noise_on("ws", 0.6, "laplace"), noise_on("wy", 0.5)))
    noise = noise_spread(held)
    assert noise.numerator == pytest.approx(0.72)
    assert noise.denominator == pytest.approx(0.25)
    assert noise.covariance == 0.0
    total = sampling_spread(held, "kish") + noise
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


def test_the_linearised_spread_is_that_of_squares_over_units() -> None:
    """Σa², Σb² and Σab for a = ws and b = wy: a unit is there or it is not."""
    units = [(w * s, w * y) for w, y, s in ROWS]
    squares = {
        "ws": sum(a for a, _ in units),
        "wy": sum(b for _, b in units),
        "aa": sum(a * a for a, _ in units),
        "ab": sum(a * b for a, b in units),
        "bb": sum(b * b for _, b in units),
    }
    values = [float(each) for each in squares.values()]
    held = given_moments(tuple(squares), [values])
    spread = sampling_spread(held, "linearised")
    assert spread.numerator == [float(squares["aa"])]
    assert spread.denominator == [float(squares["bb"])]
    assert spread.covariance == [float(squares["ab"])]
    # Σ(a − r̂b)²/(Σb)²: the linearised variance of a ratio.
    ratio = squares["ws"] / squares["wy"]
    residual = sum((a - ratio * b) ** 2 for a, b in units)
    wanted = float(residual / squares["wy"] ** 2)
    assert ratio_variance(held, spread) == pytest.approx([wanted], rel=1e-12)


def test_groups_do_not_mix() -> None:
    other = [4.0, 2.0, 3.0, 6.0, 2.5, 3.5, 1.75]
    both = moments((), BY_HAND, other)
    alone = moments((), other)
    assert ratio_variance(both, sampling_spread(both, "kish")) == pytest.approx(
        [float(VAR_RATIO), *ratio_variance(alone, sampling_spread(alone, "kish"))]
    )


def test_spreads_add_part_by_part() -> None:
    one, two = (Spread(*np.array([[i], [10.0 * i], [100.0 * i]])) for i in (1.0, 2.0))
    total = one + two
    assert total.numerator.tolist() == [3]
    assert total.denominator.tolist() == [30]
    assert total.covariance.tolist() == [300]
