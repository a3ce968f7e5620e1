"""From a release to intervals, by hand on ten rows."""

import math

import numpy as np
import pytest

from analyst.ten_rows_released import NORMAL, SUMS, answer, one, plan_of, release_of
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import LINKS, WALD_METHODS
from dpratio.analyst.sums.moments import moments_of

# The paper's numbers, by hand: sampling variance 0.0286562 on the ratio link and
# 0.0320580 on the log scale (test_delta.py); Laplace noise b = 0.6 on Σws and Σwy,
# so 0.72 each: privacy (0.72 + r² 0.72)/13.75² = 0.00721241 and
# 0.72/13² + 0.72/13.75² = 0.00806862.


def test_no_correction_on_ten_rows_by_hand() -> None:
    (row,) = answer(method="no_correction").to_dicts()
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["se"] == row["se_sampling"] == pytest.approx(0.169281, abs=5e-7)
    assert row["se_privacy"] == 0.0
    assert row["ci_lower"] == pytest.approx(0.613669, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.277240, abs=5e-7)
    assert row["status"] == "ok"


def test_analytical_on_ten_rows_by_hand() -> None:
    (row,) = answer().to_dicts()
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["se_sampling"] == pytest.approx(0.169281, abs=5e-7)
    assert row["se_privacy"] == pytest.approx(0.0849259, abs=5e-8)
    assert row["se"] == pytest.approx(0.189390, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.574257, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.316652, abs=5e-7)
    assert row["status"] == "ok"


def test_no_correction_on_the_log_scale_by_hand() -> None:
    (row,) = answer(method="no_correction", link="log").to_dicts()
    assert row["log_ratio"] == pytest.approx(-0.0560895, abs=5e-8)
    assert row["se"] == pytest.approx(0.179048, abs=5e-7)
    assert row["log_ci_lower"] == pytest.approx(-0.407016, abs=5e-7)
    assert row["log_ci_upper"] == pytest.approx(0.294837, abs=5e-7)
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.665633, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.342908, abs=5e-7)


def test_analytical_on_the_log_scale_by_hand() -> None:
    (row,) = answer(link="log").to_dicts()
    assert row["se_sampling"] == pytest.approx(0.179048, abs=5e-7)
    assert row["se_privacy"] == pytest.approx(0.0898255, abs=5e-8)
    assert row["se"] == pytest.approx(0.200316, abs=5e-7)
    assert row["log_ci_lower"] == pytest.approx(-0.448702, abs=5e-7)
    assert row["log_ci_upper"] == pytest.approx(0.336523, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.638456, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.400072, abs=5e-7)


@pytest.mark.parametrize("link", LINKS)
def test_monte_carlo_on_ten_rows_is_near_the_analytical_answer(link: str) -> None:
    """Twenty thousand redraws of Laplace noise, one seventh of the denominator."""
    (redrawn,) = answer(
        plan_of(700), method="monte_carlo", link=link, draws=20_000, rng=1
    ).to_dicts()
    (exact,) = answer(plan_of(700), link=link).to_dicts()
    assert redrawn["se_privacy"] == pytest.approx(exact["se_privacy"], rel=0.03)
    assert redrawn["se_sampling"] == exact["se_sampling"]
    assert redrawn["ci_lower"] == pytest.approx(exact["ci_lower"], rel=1e-3)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("link", LINKS)
def test_monte_carlo_becomes_analytical_as_noise_shrinks(
    mechanism: str, link: str
) -> None:
    gaps = []
    for epsilon in (140, 7000):
        plan = plan_of(epsilon, mechanism=mechanism)
        options = {"link": link, "draws": 100_000, "rng": 3}
        redrawn = answer(plan, method="monte_carlo", **options).se_privacy[0]
        gaps.append(abs(redrawn / answer(plan, link=link).se_privacy[0] - 1))
    assert gaps[1] < 0.01
    assert gaps[1] <= gaps[0]


def test_equation_5_reaches_the_interval() -> None:
    """Classical Gaussian noise: σ = Δ√(2 log(1.25/δ))/ε at ε = 1, δ = 1e-6 a sum."""
    sigma = 6 * math.sqrt(2 * math.log(1.25e6))
    assert sigma == pytest.approx(31.792815, abs=5e-7)
    big = {name: 400 * total for name, total in SUMS.items()}
    row = one(big, plan=plan_of(7, mechanism="classical_gaussian"))
    denominator = 400 * 13.75
    wanted = sigma * math.sqrt(1 + (13 / 13.75) ** 2) / denominator
    assert row["se_privacy"] == pytest.approx(wanted, rel=1e-9)
    assert row["se_privacy"] == pytest.approx(0.00795505, abs=5e-9)


@pytest.mark.parametrize("epsilon", [20, 70, 1000])
@pytest.mark.parametrize("link", LINKS)
def test_the_privacy_part_is_the_noise_over_the_denominator(
    epsilon: int, link: str
) -> None:
    plan = plan_of(epsilon)
    moments = moments_of(release_of(plan))
    var_s = moments.noise_covariance("ws", "ws")
    var_y = moments.noise_covariance("wy", "wy")
    assert var_s == pytest.approx(2 * (6 * 7 / epsilon) ** 2)
    ratio = 13.0 / 13.75
    wanted = (var_s + ratio**2 * var_y) / 13.75**2
    if link == "log":
        wanted /= ratio**2
    (found,) = answer(plan, link=link).se_privacy
    assert found**2 == pytest.approx(wanted)


@pytest.mark.parametrize("method", WALD_METHODS)
@pytest.mark.parametrize("link", LINKS)
def test_the_squares_of_the_parts_add_up(method: str, link: str) -> None:
    (row,) = answer(method=method, link=link, rng=1).to_dicts()
    parts = row["se_sampling"] ** 2 + row["se_privacy"] ** 2
    assert row["se"] ** 2 == pytest.approx(parts, rel=1e-12)
    prefix = "log_" if link == "log" else ""
    width = row[f"{prefix}ci_upper"] - row[f"{prefix}ci_lower"]
    assert width == pytest.approx(2 * NORMAL * row["se"], rel=1e-12)


@pytest.mark.parametrize(
    ("level", "quantile"), [(0.5, 0.6744898), (0.8, 1.2815516), (0.99, 2.5758293)]
)
@pytest.mark.parametrize("link", LINKS)
def test_the_level_sets_the_width(level: float, quantile: float, link: str) -> None:
    assert normal_quantile(level) == pytest.approx(quantile, abs=5e-8)
    (row,) = answer(level=level, link=link).to_dicts()
    centre = row["log_ratio"] if link == "log" else row["ratio"]
    upper = row["log_ci_upper"] if link == "log" else row["ci_upper"]
    assert upper - centre == pytest.approx(quantile * row["se"], rel=1e-6)
    assert answer(level=level).level == level


def test_the_defaults_are_a_pivot_interval_at_95_percent() -> None:
    usual = estimate_ratios(release_of(plan_of()))
    assert usual.ci_upper == answer(method="pivot", level=0.95).ci_upper
    assert usual.level == 0.95
    assert usual.method == "pivot"
    assert usual.link == "ratio"
    assert usual.variance == "kish"


def test_the_log_interval_is_the_exponential_of_itself() -> None:
    found = answer(link="log")
    assert found.log_ci_lower is not None
    assert found.log_ci_upper is not None
    assert found.ci_lower == pytest.approx(np.exp(found.log_ci_lower))
    assert found.ci_upper == pytest.approx(np.exp(found.log_ci_upper))
    assert answer().log_ratio is None


def test_the_lower_end_of_a_ratio_that_cannot_be_negative_is_not() -> None:
    row = one({"ws": 0.5, "wss": 5.0, "wys": 0.0})
    assert row["ratio"] - NORMAL * row["se"] < 0
    assert row["ci_lower"] == 0.0
    assert row["ci_upper"] == pytest.approx(row["ratio"] + NORMAL * row["se"])
    assert row["status"] == "ok"


def test_a_negative_numerator_that_noise_made_is_shown_as_zero() -> None:
    row = one({"ws": -1.0, "wss": 5.0, "wys": 0.0})
    assert row["ratio"] == 0.0
    assert row["ci_lower"] == 0.0
    assert row["ci_upper"] > 0


def test_an_interval_wholly_below_zero_is_the_point_zero() -> None:
    row = one({"w": 4000, "ww": 4000, "wy": 2000, "wyy": 2000, "ws": -900.0})
    assert (row["ratio"], row["ci_lower"], row["ci_upper"]) == (0.0, 0.0, 0.0)
    assert row["status"] in {"ok", "variance_floored"}


def test_with_negative_bounds_nothing_is_clipped() -> None:
    row = one({"ws": -13.0, "wys": -16.375}, plan=plan_of(s=(-2, 2)))
    assert row["ratio"] == pytest.approx(-0.945455, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(-1.316652, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(-0.574257, abs=5e-7)


def test_a_negative_denominator_is_as_good_as_a_positive_one() -> None:
    plan = plan_of(s=(-2, 2), y=(-2, 2))
    both = one({"wy": -13.75, "ws": -13.0}, plan=plan)
    assert both["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert both["se"] == pytest.approx(0.189390, abs=5e-7)
    below = one({"wy": -13.75, "wys": -16.375}, plan=plan)
    assert below["ratio"] == pytest.approx(-0.945455, abs=5e-7)
    assert below["ci_lower"] == pytest.approx(-1.316652, abs=5e-7)
    assert (both["status"], below["status"]) == ("ok", "ok")
