"""Scales are certified: never too small for their share, and never much too large."""

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan import calibrate as room
from dpratio.plan.calibrate import (
    LARGEST_SCALE,
    MECHANISMS,
    SMALLEST_SCALE,
    analytic_delta,
    calibrate,
    is_affordable,
    is_certified,
    laplace_cost,
    largest_ratio,
    noise_sd,
)
from dpratio.plan.certified import log_bounds

GAUSSIAN = ["analytic_gaussian", "classical_gaussian"]
EPSILONS = ["0.001", "0.01", "0.1", "0.5", "1", "3", "10", "30", "100"]
DELTAS = ["1e-12", "1e-9", "1e-6", "1e-3", "0.1", "0.4"]
SENSITIVITIES = [1, 2**24 + 1, 2**25]
ONE, MILLIONTH = Fraction(1), Fraction(1, 10**6)


def as_mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def true_delta(sensitivity: int, scale: float, epsilon: Fraction) -> mpmath.mpf:
    """Balle & Wang (2018), theorem 8, in 60 digits."""
    ratio, exact = as_mpf(Fraction(sensitivity) / Fraction(scale)), as_mpf(epsilon)
    gain = mpmath.ncdf(ratio / 2 - exact / ratio)
    return gain - mpmath.exp(exact) * mpmath.ncdf(-ratio / 2 - exact / ratio)


def test_the_analytic_check_value_is_met() -> None:
    for sensitivity in SENSITIVITIES:
        scale = calibrate(
            "analytic_gaussian", sensitivity=sensitivity, epsilon=ONE, delta=MILLIONTH
        )
        assert scale / sensitivity == pytest.approx(4.224679, abs=5e-7)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_analytic_noise_is_enough_and_no_more_than_enough(
    epsilon: str, delta: str
) -> None:
    """Delta, computed by other means, is at most the claim; 0.1 % less breaks it."""
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    for sensitivity in SENSITIVITIES:
        scale = calibrate("analytic_gaussian", sensitivity=sensitivity, **share)
        with mpmath.workdps(60):
            claim = as_mpf(share["delta"])
            assert true_delta(sensitivity, scale, share["epsilon"]) <= claim
            assert true_delta(sensitivity, 0.999 * scale, share["epsilon"]) > claim
        given: dict[str, Any] = {"sensitivity": sensitivity, **share}
        assert is_certified("analytic_gaussian", scale=scale, **given)
        assert not is_certified("analytic_gaussian", scale=0.999 * scale, **given)


@pytest.mark.parametrize(("ratio", "epsilon"), [(0.25, 1.0), (1.0, 0.5), (3.0, 5.0)])
def test_the_closed_form_of_delta_is_the_integral_that_defines_it(
    ratio: float, epsilon: float
) -> None:
    """Integrate the positive part of p − e^ε q over the line."""
    with mpmath.workdps(25):
        start = mpmath.mpf(epsilon) / ratio + mpmath.mpf(ratio) / 2
        defined = mpmath.quad(
            lambda x: mpmath.npdf(x, ratio) - mpmath.exp(epsilon) * mpmath.npdf(x),
            [start, start + 3, start + 9, start + 40],
        )
    bound = analytic_delta(Fraction(ratio), Fraction(epsilon))
    assert float(bound) == pytest.approx(float(defined), rel=1e-12)


def test_the_safe_end_of_every_bound_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bounds blown up, the ends that were taken can be told apart."""
    tails = {Fraction(1, 2): Fraction(3, 10), Fraction(3, 2): Fraction(7, 100)}
    hundredth = Fraction(1, 100)
    monkeypatch.setattr(
        room,
        "normal_tail_bounds",
        lambda x: (tails[x] - hundredth, tails[x] + hundredth),
    )
    monkeypatch.setattr(room, "exp_bounds", lambda _x: (Fraction(2), Fraction(3)))
    bound = analytic_delta(Fraction(1), Fraction(1))
    assert bound == Fraction(31, 100) - 2 * Fraction(6, 100)
    share = {"sensitivity": 1, "epsilon": ONE, "delta": MILLIONTH}
    scale = calibrate("classical_gaussian", sensitivity=1, epsilon=ONE, delta=MILLIONTH)
    original = log_bounds(Fraction(5, 4) / MILLIONTH)
    monkeypatch.setattr(
        room, "log_bounds", lambda _x: (original[0] - 1, original[1] + 1)
    )
    given: dict[str, Any] = {**share}
    assert not is_certified("classical_gaussian", scale=scale, **given)
    assert is_certified("classical_gaussian", scale=1.1 * scale, **given)


@settings(deadline=None, max_examples=60)
@given(
    ratio=st.fractions(Fraction(1, 1000), 8, max_denominator=10**6),
    epsilon=st.fractions(Fraction(1, 1000), 20, max_denominator=10**6),
)
def test_the_bound_on_delta_is_above_delta_and_close_to_it(
    ratio: Fraction, epsilon: Fraction
) -> None:
    bound = analytic_delta(ratio, epsilon)
    with mpmath.workdps(200):
        exact, point = as_mpf(epsilon), as_mpf(ratio)
        near, far = exact / point - point / 2, exact / point + point / 2
        gain = mpmath.erfc(near / mpmath.sqrt(2)) / 2
        true = gain - mpmath.exp(exact) * mpmath.erfc(far / mpmath.sqrt(2)) / 2
        assert true <= as_mpf(bound) <= true + gain * mpmath.mpf(10) ** -35 + 1e-300


@pytest.mark.parametrize("epsilon", ["0.001", "0.2", "0.7", "1"])
@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.01", "0.4"])
def test_classical_noise_is_the_formula_of_the_paper_rounded_up(
    epsilon: str, delta: str
) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    for sensitivity in SENSITIVITIES:
        scale = calibrate("classical_gaussian", sensitivity=sensitivity, **share)
        with mpmath.workdps(60):
            logarithm = mpmath.log(mpmath.mpf(5) / 4 / as_mpf(share["delta"]))
            formula = (
                sensitivity * mpmath.sqrt(2 * logarithm) / as_mpf(share["epsilon"])
            )
            assert formula <= scale <= formula * (1 + mpmath.mpf(10) ** -12)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "0.5", "0.9", "1"])
def test_classical_noise_keeps_its_promise_for_every_delta(epsilon: str) -> None:
    """The textbook proof wants a small delta; docs/proofs/noise_scales.md does not."""
    deltas = [f"1e-{power}" for power in (1, 2, 3, 6, 9, 12, 50, 100)]
    deltas += ["0.2", "0.4", "0.41", "0.6", "0.75", "0.9", "0.999", "0.999999"]
    for delta in deltas:
        share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
        scale = calibrate("classical_gaussian", sensitivity=2**24, **share)
        with mpmath.workdps(150):
            true = true_delta(2**24, scale, share["epsilon"])
            assert true <= as_mpf(share["delta"])


@pytest.mark.parametrize(
    "epsilon", [Fraction(2), 1 + Fraction(1, 10**9), 1 + Fraction(1, 10**30)]
)
def test_classical_noise_above_epsilon_one_is_refused(epsilon: Fraction) -> None:
    with pytest.raises(InvalidInput, match="analytic_gaussian"):
        calibrate("classical_gaussian", sensitivity=1, epsilon=epsilon, delta=MILLIONTH)
    # However much noise there is: the proof ends at 1.
    assert not is_certified(
        "classical_gaussian",
        sensitivity=1,
        scale=LARGEST_SCALE,
        epsilon=epsilon,
        delta=MILLIONTH,
    )


def test_classical_noise_would_fail_near_epsilon_nine() -> None:
    epsilon, delta = 9, mpmath.mpf(10) ** -6
    scale = float(mpmath.sqrt(2 * mpmath.log(1.25 / delta)) / epsilon)
    with mpmath.workdps(60):
        assert true_delta(1, scale, Fraction(epsilon)) > delta


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


@pytest.mark.parametrize("start", [0.0, -1.0, 1e-300, 1e-3, 4.2])
def test_a_guess_that_is_too_small_is_raised_until_it_is_certified(
    start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_analytic_guess", lambda _epsilon, _delta: start)
    scale = calibrate("analytic_gaussian", sensitivity=1, epsilon=ONE, delta=MILLIONTH)
    with mpmath.workdps(60):
        assert true_delta(1, scale, ONE) <= mpmath.mpf(10) ** -6
    if start > 4:
        assert scale < 2 * 4.224679 - start + 1e-6


@pytest.mark.parametrize("start", [math.nan, math.inf, 1e300])
def test_a_guess_that_is_no_scale_is_refused(
    start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_analytic_guess", lambda _epsilon, _delta: start)
    with pytest.raises(InvalidInput, match=r"below 2\^50"):
        calibrate("analytic_gaussian", sensitivity=1, epsilon=ONE, delta=MILLIONTH)


def test_the_search_for_a_scale_ends_even_if_none_is_certified() -> None:
    tried: list[float] = []

    def never(scale: float) -> bool:
        tried.append(scale)
        return False

    assert room.certify_upwards(SMALLEST_SCALE, never) > LARGEST_SCALE
    assert room.certify_upwards(LARGEST_SCALE, never) > LARGEST_SCALE
    assert tried == sorted(tried)
    assert len(tried) < 100


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
    none = Fraction(0)
    most = {"sensitivity": 2**30, "epsilon": Fraction(1, 2**20), "delta": none}
    assert calibrate("laplace", **most) == 2.0**50
    with pytest.raises(InvalidInput, match=r"noise must stay below 2\^50 cells"):
        calibrate("laplace", **most | {"sensitivity": 2**30 + 1})


def test_more_laplace_noise_than_needed_is_affordable_and_less_is_not() -> None:
    share = {"epsilon": Fraction(1), "delta": Fraction(0)}
    for ratio in (Fraction(1, 2), Fraction(1)):
        assert is_affordable("laplace", ratio=ratio, **share)
    above = 1 + Fraction(1, 10**40)
    assert not is_affordable("laplace", ratio=above, **share)
