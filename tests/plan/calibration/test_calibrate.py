"""Scales are certified for their share of a budget, or refused."""

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from dpratio.plan.calibration import calibrate as room
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.laws import (
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
positive = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**9)


@settings(deadline=None)
@given(sensitivity=st.integers(1, 2**25), epsilon=positive)
@example(sensitivity=2**24, epsilon=Fraction(1, 7))
@example(sensitivity=3, epsilon=Fraction(1, 4))  # A scale that is a double.
def test_laplace_noise_never_costs_more_than_its_share(
    sensitivity: int, epsilon: Fraction
) -> None:
    scale = calibrate(
        "laplace", sensitivity=sensitivity, epsilon=epsilon, delta=Fraction(0)
    )
    assert laplace_cost(sensitivity=sensitivity, scale=scale) <= epsilon
    given: dict[str, Any] = {"sensitivity": sensitivity, "epsilon": epsilon}
    given["delta"] = Fraction(0)
    assert is_certified("laplace", scale=scale, **given)
    if scale > SMALLEST_SCALE:
        below = math.nextafter(scale, 0)
        assert Fraction(below) < sensitivity / epsilon <= Fraction(scale)
        assert not is_certified("laplace", scale=below, **given)


@pytest.mark.parametrize("mechanism", GAUSSIAN)
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(-1, 10)])
def test_gaussian_noise_without_a_delta_is_refused(
    mechanism: str, delta: Fraction
) -> None:
    with pytest.raises(InvalidInput, match=r"delta above 0.*use mechanism 'laplace'"):
        calibrate(mechanism, sensitivity=1, epsilon=ONE, delta=delta)
    assert not is_certified(
        mechanism, sensitivity=1, scale=LARGEST_SCALE, epsilon=ONE, delta=delta
    )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_largest_scale_is_a_scale(mechanism: str) -> None:
    delta = Fraction(1, 10**6)
    assert is_certified(
        mechanism, sensitivity=1, scale=LARGEST_SCALE, epsilon=ONE, delta=delta
    )


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "scale",
    [
        0.0,
        -0.0,
        -1.0,
        -LARGEST_SCALE,
        math.nan,
        math.inf,
        -math.inf,
        5e-324,
        2.0**-1022,
        math.nextafter(SMALLEST_SCALE, 0),
        math.nextafter(LARGEST_SCALE, math.inf),
    ],
)
def test_scales_that_are_no_noise_are_not_certified(
    mechanism: str, scale: float
) -> None:
    """At a share so large that any noise at all would do."""
    share = {"epsilon": Fraction(1), "delta": Fraction(999, 1000)}
    if mechanism == "laplace":
        share["epsilon"] = Fraction(10**400)
    assert not is_certified(mechanism, sensitivity=1, scale=scale, **share)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("sensitivity", [0, -1])
def test_a_sum_nobody_can_move_is_not_certified(
    mechanism: str, sensitivity: int
) -> None:
    assert not is_certified(
        mechanism, sensitivity=sensitivity, scale=1e9, epsilon=ONE, delta=MILLIONTH
    )


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
def test_an_unknown_mechanism_is_not_certified(scale: float) -> None:
    assert not is_certified(
        "uniform", sensitivity=1, scale=scale, epsilon=ONE, delta=MILLIONTH
    )


def test_an_unknown_mechanism_is_not_calibrated() -> None:
    with pytest.raises(InvalidInput, match="unknown mechanism"):
        calibrate("uniform", sensitivity=1, epsilon=ONE, delta=MILLIONTH)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_a_share_of_nothing_buys_no_noise(mechanism: str, epsilon: Fraction) -> None:
    with pytest.raises(InvalidInput, match="epsilon"):
        calibrate(mechanism, sensitivity=1, epsilon=epsilon, delta=MILLIONTH)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1)])
def test_a_share_of_nothing_is_not_certified(mechanism: str, epsilon: Fraction) -> None:
    """Though a delta of 0.9 would pay for a little noise by itself."""
    assert not is_certified(
        mechanism, sensitivity=1, scale=1e9, epsilon=epsilon, delta=Fraction(9, 10)
    )


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_epsilon_too_small_for_64_bit_noise_is_refused(mechanism: str) -> None:
    share = {"epsilon": Fraction(1, 10**9), "delta": Fraction(1, 10**12)}
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells.*Raise epsilon"):
        calibrate(mechanism, sensitivity=2**24, **share)


@pytest.mark.parametrize(
    "epsilon", [10**4, 10**19, 10**400], ids=["1e4", "1e19", "1e400"]
)
def test_an_absurd_epsilon_is_priced_without_absurd_numbers(epsilon: int) -> None:
    """e^ε is not formed where the tail it multiplies is bounded by zero anyway."""
    assert is_certified(
        "analytic_gaussian",
        sensitivity=2**24,
        scale=2.0**24,
        epsilon=Fraction(epsilon),
        delta=MILLIONTH,
    )


@settings(deadline=None, max_examples=60)
@given(
    exact=st.fractions(Fraction(1, 10**20), 10**20, max_denominator=10**30),
)
def test_rounding_up_moves_by_at_most_one_step(exact: Fraction) -> None:
    rounded = room._round_up(exact)
    assert Fraction(math.nextafter(rounded, 0)) < exact <= Fraction(rounded)


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
    assert laplace_cost(sensitivity=3, scale=0.5) == 6
    assert 10 * laplace_cost(sensitivity=1, scale=10.0) == 1


def test_the_standard_deviation_follows_from_law_and_scale() -> None:
    assert noise_sd("laplace", 3.0) == pytest.approx(3 * math.sqrt(2))
    for mechanism in GAUSSIAN:
        assert noise_sd(mechanism, 3.0) == 3.0


def test_more_budget_never_needs_more_noise() -> None:
    grid = [Fraction(text) for text in ("0.05", "0.1", "0.5", "1")]
    for mechanism, sensitivity in itertools.product(MECHANISMS, (1, 2**24)):
        scales = [
            calibrate(
                mechanism, sensitivity=sensitivity, epsilon=epsilon, delta=MILLIONTH
            )
            for epsilon in grid
        ]
        assert scales == sorted(scales, reverse=True)
        assert len(set(scales)) == len(scales)


def test_laplace_noise_is_affordable_up_to_epsilon_itself() -> None:
    for ratio, answer in ((ONE, True), (ONE + Fraction(1, 10**40), False)):
        for delta in (Fraction(0), MILLIONTH):
            assert answer is is_affordable(
                "laplace", ratio=ratio, epsilon=ONE, delta=delta
            )


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


@pytest.mark.parametrize("mechanism", GAUSSIAN)
@pytest.mark.parametrize(
    "share",
    [
        {"epsilon": ONE, "delta": Fraction(0)},
        {"epsilon": ONE, "delta": Fraction(-1)},
        {"epsilon": Fraction(0), "delta": MILLIONTH},
        {"epsilon": Fraction(-1), "delta": MILLIONTH},
    ],
    ids=str,
)
def test_gaussian_noise_needs_both_parts_of_a_budget(
    mechanism: str, share: dict[str, Fraction]
) -> None:
    """However little a row moves the sums."""
    assert not is_affordable(mechanism, ratio=Fraction(1, 10**9), **share)


def test_an_unknown_mechanism_is_not_affordable() -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    assert not is_affordable("uniform", ratio=Fraction(1, 10**9), **share)


def test_what_is_affordable_for_one_sum_is_what_is_certified() -> None:
    scale = calibrate("analytic_gaussian", sensitivity=7, epsilon=ONE, delta=MILLIONTH)
    share = {"epsilon": ONE, "delta": MILLIONTH}
    for factor in (0.5, 1 - 1e-9, 1.0, 2.0):
        ratio = Fraction(7) / Fraction(factor * scale)
        certified = is_certified(
            "analytic_gaussian", sensitivity=7, scale=factor * scale, **share
        )
        assert certified is is_affordable("analytic_gaussian", ratio=ratio, **share)
        assert certified is (factor >= 1)


def test_scales_go_from_2_to_the_minus_10_to_2_to_the_50() -> None:
    """Noise of more cells would not fit into 64 bits; less is never needed."""
    cheap = {"epsilon": Fraction(10**6), "delta": Fraction(1, 10**6)}
    for mechanism in ("laplace", "analytic_gaussian"):
        assert calibrate(mechanism, sensitivity=1, **cheap) == 2.0**-10
    most: dict[str, Any] = {"sensitivity": 2**30, "delta": Fraction(0)}
    most |= {"epsilon": Fraction(1, 2**20)}
    assert calibrate("laplace", **most) == 2.0**50
    with pytest.raises(InvalidInput, match=r"noise must stay below 2\^50 cells"):
        calibrate("laplace", **most | {"sensitivity": 2**30 + 1})


def test_more_laplace_noise_than_needed_is_affordable_and_less_is_not() -> None:
    share = {"epsilon": Fraction(1), "delta": Fraction(0)}
    for ratio in (Fraction(1, 2), Fraction(1)):
        assert is_affordable("laplace", ratio=ratio, **share)
    above = 1 + Fraction(1, 10**40)
    assert not is_affordable("laplace", ratio=above, **share)


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
