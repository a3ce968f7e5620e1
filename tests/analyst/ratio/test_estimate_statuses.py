"""A status says what an interval means where noise spoiled the sums."""

import math

import pytest

from analyst.ten_rows_released import NORMAL, one, plan_of, release_of
from dpratio.analyst.ratio.estimate import METHODS, estimate_ratios
from dpratio.analyst.ratio.wald import LINKS, WALD_METHODS
from dpratio.analyst.sums.moments import moments_of
from dpratio.plan.sensitivity.sums import MOMENTS


def test_a_weak_denominator_gives_an_unbounded_interval() -> None:
    """sd² = Σw²(Σwy²/Σw − (Σwy/Σw)²) + 0.72; at the 95 % level zero is plausible."""
    deviation = math.sqrt(29 * (19.875 / 15 - (7 / 15) ** 2) + 0.72)
    assert 7 / deviation < NORMAL
    row = one({"wy": 7.0})
    assert row["status"] == "unbounded"
    assert (row["ci_lower"], row["ci_upper"], row["se"]) == (0.0, math.inf, math.inf)
    assert math.isnan(row["se_sampling"])
    assert math.isnan(row["se_privacy"])
    assert math.isnan(row["ratio"])
    assert one({"wy": 7.0}, level=0.5)["ratio"] == pytest.approx(13 / 7)


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_the_denominator_is_weak_just_where_fieller_says(factor: float) -> None:
    """Solve wy = z·sd(wy) for wy, then go a little to either side."""
    square = NORMAL**2 * (29 * 19.875 / 15 + 0.72) / (1 + NORMAL**2 * 29 / 15**2)
    row = one({"wy": factor * math.sqrt(square), "wys": 9.0})
    assert (row["status"] == "unbounded") == (factor < 1)


def test_without_correction_only_sampling_makes_a_denominator_weak() -> None:
    group = {"wy": 1.5, "wyy": 0.2, "wys": 0.1, "w": 400.0, "ww": 400.0}
    assert NORMAL * math.sqrt(0.72) > 1.5
    assert one(group, method="no_correction")["status"] == "ok"
    for method in ("analytical", "monte_carlo"):
        assert one(group, method=method)["status"] == "unbounded"


@pytest.mark.parametrize("wyy", [-0.212, -4.0])
def test_a_negative_sampling_variance_does_not_cancel_the_noise(wyy: float) -> None:
    """Σwy = 1.5 with noise of sd 0.85 is weak, whatever noise did to Σwy²."""
    assert 29 * (wyy / 15 - (1.5 / 15) ** 2) + 0.72 < 0.03
    row = one({"wy": 1.5, "wyy": wyy, "wss": 40.0})
    assert row["status"] == "unbounded"


@pytest.mark.parametrize("wy", [0.0, -0.001, -13.75])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("link", LINKS)
def test_a_denominator_at_or_below_zero_has_no_ratio(
    wy: float, method: str, link: str
) -> None:
    row = one({"wy": wy}, method=method, link=link, rng=1)
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)


def test_a_ratio_without_a_largest_plausible_value_is_a_half_line() -> None:
    row = one({"wy": 4.0}, method="pivot")
    assert row["status"] == "half_line"
    assert 0 < row["ci_lower"] < row["ratio"]
    assert row["ci_upper"] == row["se"] == math.inf


def test_where_there_is_no_ratio_there_is_no_logarithm_of_it() -> None:
    """Two negative sums have a positive quotient, and no meaning."""
    row = one({"wy": -13.75, "ws": -13.0}, link="log")
    assert math.isnan(row["ratio"])
    assert math.isnan(row["log_ratio"])


def test_with_negative_bounds_only_zero_has_no_ratio() -> None:
    plan = plan_of(s=(-2, 2), y=(-2, 2))
    found = estimate_ratios(release_of(plan, {"wy": -0.5}), method="analytical")
    assert found.ratio[0] == pytest.approx(-26)
    for row in (one({"wy": 0.0}, plan=plan), one({"wy": -0.5}, plan=plan)):
        assert math.isnan(row["ratio"])
        assert row["status"] == "unbounded"
        assert (row["ci_lower"], row["ci_upper"]) == (-math.inf, math.inf)


def test_a_denominator_that_cannot_be_negative_is_weak_when_it_is() -> None:
    """Only the numerator may be negative here: Σwy < 0 can be nothing but noise."""
    row = one({"wy": -13.75}, plan=plan_of(s=(-2, 2)))
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])


@pytest.mark.parametrize("name", ["w", "ww"])
@pytest.mark.parametrize("size", [0.0, -3.0])
def test_a_group_that_seems_empty_is_unbounded(name: str, size: float) -> None:
    assert one({name: size})["status"] == "unbounded"


def test_an_empty_group_is_unbounded() -> None:
    row = one(dict.fromkeys(MOMENTS, 0.0))
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)


def test_a_variance_that_noise_made_negative_is_floored_and_says_so() -> None:
    row = one({"wss": 5.0})
    assert row["status"] == "variance_floored"
    assert row["se_sampling"] > 0
    assert row["se"] ** 2 == pytest.approx(
        row["se_sampling"] ** 2 + row["se_privacy"] ** 2
    )
    assert 0 <= row["ci_lower"] <= row["ratio"] <= row["ci_upper"] < math.inf


@pytest.mark.parametrize("link", LINKS)
def test_the_floor_is_one_standard_deviation_of_the_variance_s_noise(
    link: str,
) -> None:
    """Of the noise in V, Σws² alone brings Σw²/Σw of its own; r̂ ≈ 1 brings the rest."""
    plan = plan_of(7000)
    row = one({"wss": 12.0}, plan=plan, link=link)
    assert row["status"] == "variance_floored"
    moments = moments_of(release_of(plan, {"wss": 12.0}))
    least = 29 / 15 * math.sqrt(moments.noise_covariance("wss", "wss")[0])
    size = 13.0 if link == "log" else 13.75
    floor = row["se_sampling"] ** 2 * size**2
    assert least < floor < 4 * least


def test_the_floor_is_the_same_relative_error_on_both_scales() -> None:
    on_ratio, on_log = (one({"wss": 12.0}, link=link) for link in LINKS)
    relative = on_ratio["se_sampling"] / on_ratio["ratio"]
    assert on_log["se_sampling"] == pytest.approx(relative, rel=1e-9)


@pytest.mark.parametrize("method", WALD_METHODS)
def test_a_floored_variance_is_floored_by_every_method(method: str) -> None:
    for link in LINKS:
        row = one({"wss": 5.0}, method=method, link=link, rng=1)
        assert row["status"] == "variance_floored"


@pytest.mark.parametrize("ws", [0.0, -1.0])
def test_a_numerator_at_or_below_zero_has_no_logarithm(ws: float) -> None:
    row = one({"ws": ws}, link="log")
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)
    assert (row["log_ci_lower"], row["log_ci_upper"]) == (-math.inf, math.inf)


def test_a_log_interval_too_wide_for_a_number_is_unbounded() -> None:
    """A numerator of one cell: log ± 10⁷ is finite, its exponential is not."""
    row = one({"ws": 2.0**-22}, link="log")
    assert row["ci_upper"] == math.inf
    assert row["status"] == "unbounded"
