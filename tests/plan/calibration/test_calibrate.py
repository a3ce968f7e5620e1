"""Scales are certified for their share of a budget, or refused."""

import math
from fractions import Fraction
from typing import Any

import pytest
from dpratio.plan.calibration import calibrate as room
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.calibration.calibrate import (
    LARGEST_SCALE,
    MECHANISMS,
    SMALLEST_SCALE,
    calibrate,
    certify_upwards,
    is_affordable,
    is_certified,
    laplace_cost,
    largest_ratio,
    noise_sd,
    shorten,
)
from plan.exact_delta import DELTAS, EPSILONS, MILLIONTH, ONE

GAUSSIAN = ["analytic_gaussian", "classical_gaussian"]
EVERY_LAW = pytest.mark.parametrize("mechanism", MECHANISMS)
positive = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**9)


@settings(deadline=None)
@given(sensitivity=st.integers(1, 2**25), epsilon=positive)
@example(sensitivity=2**24, epsilon=Fraction(1, 7))
@example(sensitivity=3, epsilon=Fraction(1, 4))  # A scale that is a double.
@example(sensitivity=2**25, epsilon=Fraction(1, 2**25))  # The largest scale.
def test_laplace_noise_costs_its_share_and_the_next_double_costs_more(
    sensitivity: int, epsilon: Fraction
) -> None:
    share: dict[str, Any] = {"sensitivity": sensitivity, "epsilon": epsilon}
    share["delta"] = Fraction(0)
    scale = calibrate("laplace", **share)
    assert laplace_cost(sensitivity=sensitivity, scale=scale) <= epsilon
    assert is_certified("laplace", scale=scale, **share)
    if scale > SMALLEST_SCALE:
        below = math.nextafter(scale, 0)
        assert Fraction(below) < sensitivity / epsilon <= Fraction(scale)
        assert not is_certified("laplace", scale=below, **share)


@EVERY_LAW
@pytest.mark.parametrize(
    "scale",
    [
        *(0.0, -0.0, -1.0, -LARGEST_SCALE, math.nan, math.inf, -math.inf),
        *(5e-324, 2.0**-1022, math.nextafter(SMALLEST_SCALE, 0)),
        math.nextafter(LARGEST_SCALE, math.inf),
    ],
)
def test_scales_that_are_no_noise_are_not_certified(
    mechanism: str, scale: float
) -> None:
    """At a share so large that any noise at all would do."""
    share = {"epsilon": Fraction(1), "delta": Fraction(999, 1000)}
    assert is_certified(mechanism, sensitivity=1, scale=LARGEST_SCALE, **share)
    if mechanism == "laplace":
        share["epsilon"] = Fraction(10**400)
    assert not is_certified(mechanism, sensitivity=1, scale=scale, **share)


@EVERY_LAW
@pytest.mark.parametrize(
    "change",
    [
        {"sensitivity": 0},
        {"sensitivity": -1},
        # Though a delta of 0.9 would pay for a little noise by itself.
        {"epsilon": Fraction(0), "delta": Fraction(9, 10)},
        {"epsilon": Fraction(-1), "delta": Fraction(9, 10)},
    ],
    ids=str,
)
def test_a_share_of_nothing_or_a_sum_nobody_can_move_is_not_certified(
    mechanism: str, change: dict[str, Any]
) -> None:
    share: dict[str, Any] = {"sensitivity": 1, "epsilon": ONE, "delta": MILLIONTH}
    assert not is_certified(mechanism, scale=1e9, **share | change)
    if "epsilon" in change:
        with pytest.raises(InvalidInput, match="epsilon must be positive"):
            calibrate(mechanism, **share | change)


@pytest.mark.parametrize("mechanism", GAUSSIAN)
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(-1, 10)])
def test_gaussian_noise_without_a_delta_is_refused(
    mechanism: str, delta: Fraction
) -> None:
    """However little a row moves the sums."""
    share = {"epsilon": ONE, "delta": delta}
    with pytest.raises(InvalidInput, match=r"delta above 0.*use mechanism 'laplace'"):
        calibrate(mechanism, sensitivity=1, **share)
    assert not is_affordable(mechanism, ratio=Fraction(1, 10**9), **share)


def test_an_unknown_mechanism_has_no_noise() -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    with pytest.raises(InvalidInput, match="unknown mechanism"):
        calibrate("uniform", sensitivity=1, **share)
    assert not is_certified("uniform", sensitivity=1, scale=1e6, **share)
    assert not is_affordable("uniform", ratio=Fraction(1, 10**9), **share)


@EVERY_LAW
def test_scales_go_from_2_to_the_minus_10_to_2_to_the_50(mechanism: str) -> None:
    """Noise of more cells would not fit into 64 bits; less is never needed."""
    little = {"epsilon": Fraction(1, 10**9), "delta": Fraction(1, 10**12)}
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells.*Raise epsilon"):
        calibrate(mechanism, sensitivity=2**24, **little)
    if mechanism != "classical_gaussian":
        much = {"epsilon": Fraction(10**6), "delta": MILLIONTH}
        assert calibrate(mechanism, sensitivity=1, **much) == 2.0**-10
    most: dict[str, Any] = {"delta": Fraction(0), "epsilon": Fraction(1, 2**20)}
    assert calibrate("laplace", sensitivity=2**30, **most) == 2.0**50
    with pytest.raises(InvalidInput, match=r"noise must stay below 2\^50 cells"):
        calibrate("laplace", sensitivity=2**30 + 1, **most)


@EVERY_LAW
@pytest.mark.parametrize("sensitivity", [1, 2**24])
def test_more_budget_never_needs_more_noise(mechanism: str, sensitivity: int) -> None:
    scales = [
        calibrate(
            mechanism,
            sensitivity=sensitivity,
            epsilon=Fraction(epsilon),
            delta=MILLIONTH,
        )
        for epsilon in ("0.05", "0.1", "0.5", "1")
    ]
    assert scales == sorted(set(scales), reverse=True)


def test_laplace_noise_is_affordable_up_to_epsilon_itself() -> None:
    above = ONE + Fraction(1, 10**40)
    for ratio, answer in ((ONE / 2, True), (ONE, True), (above, False)):
        for delta in (Fraction(0), MILLIONTH):
            share = {"ratio": ratio, "epsilon": ONE, "delta": delta}
            assert is_affordable("laplace", **share) is answer


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_largest_ratio_is_where_the_budget_ends(epsilon: str, delta: str) -> None:
    """A hair below it is proven to be affordable; a hair above costs more."""
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    largest = Fraction(largest_ratio("analytic_gaussian", *share.values()))
    for part, answer in ((1 - 1e-9, True), (1 + 1e-9, False)):
        ratio = largest * Fraction(part)
        assert answer is is_affordable("analytic_gaussian", ratio=ratio, **share)
    assert largest_ratio("laplace", *share.values()) == float(epsilon)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_sum_without_noise_has_no_price(scale: float) -> None:
    with pytest.raises(InvalidInput, match=r"positive and finite.*Leave a sum"):
        laplace_cost(sensitivity=1, scale=scale)


@pytest.mark.parametrize("sensitivity", [0, -3])
def test_a_sum_nobody_can_move_has_no_price(sensitivity: int) -> None:
    with pytest.raises(InvalidInput, match="sensitivity must be positive"):
        laplace_cost(sensitivity=sensitivity, scale=1.0)


def test_the_price_of_laplace_noise_is_an_exact_fraction() -> None:
    assert laplace_cost(sensitivity=3, scale=12.0) == Fraction(1, 4)
    assert 10 * laplace_cost(sensitivity=1, scale=10.0) == 1


def test_the_standard_deviation_follows_from_law_and_scale() -> None:
    assert noise_sd("laplace", 3.0) == pytest.approx(3 * math.sqrt(2))
    assert {noise_sd(mechanism, 3.0) for mechanism in GAUSSIAN} == {3.0}


def test_sizes_keep_26_bits_and_are_rounded_up() -> None:
    assert shorten(1 / 3) == 44_739_243 * 2.0**-27  # ⌈2/3 · 2²⁶⌉
    assert shorten(3.0) == 3
    assert shorten(2.0**40 + 1) == 2.0**40 + 2.0**15
    assert shorten(1 - 2.0**-53) == 1


@pytest.mark.parametrize("beyond", [1e-15, 1e-13, 1e-9, 0.1, 7.0])
def test_a_scale_is_raised_at_first_by_the_least(beyond: float) -> None:
    """So that what was nearly enough is raised by nearly nothing."""
    found = certify_upwards(1.0, lambda scale: scale >= 1 + beyond)
    assert 1 + beyond <= found <= 1 + max(4 * beyond, 2.0**-46)


def test_the_search_for_a_scale_ends_even_if_none_is_certified() -> None:
    tried: list[float] = []

    def never(scale: float) -> bool:
        tried.append(scale)
        return False

    for start in (SMALLEST_SCALE, LARGEST_SCALE):
        assert certify_upwards(start, never) > LARGEST_SCALE
    assert tried == sorted(tried)
    assert len(tried) < 100
