"""Gaussian scales, analytic and classical: never too small, never much too large."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from dpratio.plan.calibration import calibrate as room
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.certified import log_bounds
from dpratio.plan.laws import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    analytic_delta,
    calibrate,
    is_affordable,
    is_certified,
)
from plan.exact_delta import (
    DELTAS,
    EPSILONS,
    MILLIONTH,
    ONE,
    SENSITIVITIES,
    as_mpf,
    true_delta,
)


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


@pytest.mark.parametrize(
    "start", [-1.0, 0.0, 1e-300, 1e-3, 4.2, 4.3, 1e300, math.inf, math.nan]
)
def test_the_same_noise_is_found_from_every_guess(
    start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    found = room.least_deviation("analytic_gaussian", **share)
    monkeypatch.setattr(room, "_analytic_guess", lambda _epsilon, _delta: start)
    again = room.least_deviation.__wrapped__("analytic_gaussian", **share)
    assert again == found
    less = math.nextafter(found, 0)
    with mpmath.workdps(60):
        assert true_delta(1, found, ONE) <= mpmath.mpf(10) ** -6
        assert true_delta(1, less, ONE) > mpmath.mpf(10) ** -6


@pytest.mark.parametrize("mechanism", ["analytic_gaussian", "classical_gaussian"])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.2", "1e-9"), ("1", "0.01")])
def test_less_noise_is_refused_by_the_least_step(
    mechanism: str, epsilon: str, delta: str
) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    found = room.least_deviation(mechanism, **share)
    for sigma, enough in ((found, True), (math.nextafter(found, 0), False)):
        assert is_affordable(mechanism, ratio=1 / Fraction(sigma), **share) is enough


def test_the_search_for_a_scale_ends_even_if_none_is_certified() -> None:
    tried: list[float] = []

    def never(scale: float) -> bool:
        tried.append(scale)
        return False

    assert room.certify_upwards(SMALLEST_SCALE, never) > LARGEST_SCALE
    assert room.certify_upwards(LARGEST_SCALE, never) > LARGEST_SCALE
    assert tried == sorted(tried)
    assert len(tried) < 100


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        ("1", "1e-25"),
        ("1", "1e-60"),
        ("1", "1e-100"),
        ("1e-6", "0.5"),
        ("1e-9", "0.1"),
    ],
)
def test_noise_is_found_for_budgets_of_any_shape(epsilon: str, delta: str) -> None:
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    scale = calibrate("analytic_gaussian", sensitivity=2**24, **share)
    assert is_certified("analytic_gaussian", sensitivity=2**24, scale=scale, **share)
    less = 0.999 * scale
    assert not is_certified("analytic_gaussian", sensitivity=2**24, scale=less, **share)


def test_a_delta_that_is_met_exactly_is_affordable() -> None:
    ratio, epsilon = Fraction(64), Fraction(2048)
    met = analytic_delta(ratio, epsilon)
    for delta, enough in ((met, True), (met * (1 - Fraction(1, 10**50)), False)):
        share = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
        assert is_affordable("analytic_gaussian", **share) is enough
