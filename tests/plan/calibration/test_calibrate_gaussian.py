"""Gaussian scales, analytic and classical: never too small, never much too large."""

import math
from fractions import Fraction

import mpmath
import pytest
from dpratio.plan.calibration import calibrate as room
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.certified import log_bounds
from dpratio.plan.laws import (
    LARGEST_SCALE,
    analytic_delta,
    calibrate,
    is_affordable,
    is_certified,
    least_deviation,
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


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_the_analytic_check_value_is_met(sensitivity: int) -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    scale = calibrate("analytic_gaussian", sensitivity=sensitivity, **share)
    assert scale / sensitivity == pytest.approx(4.224679, abs=5e-7)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        *((epsilon, delta) for epsilon in EPSILONS for delta in DELTAS),
        *(("1", "1e-25"), ("1", "1e-60"), ("1", "1e-100")),
        *(("1e-6", "0.5"), ("1e-9", "0.1")),
    ],
)
def test_analytic_noise_is_enough_and_no_more_than_enough(
    epsilon: str, delta: str
) -> None:
    """Delta, computed by other means, is at most the claim; 0.1 % less breaks it."""
    share = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    for sensitivity in SENSITIVITIES:
        scale = calibrate("analytic_gaussian", sensitivity=sensitivity, **share)
        for sigma, is_enough in ((scale, True), (0.999 * scale, False)):
            with mpmath.workdps(150):
                true = true_delta(sensitivity, sigma, share["epsilon"])
                assert bool(true <= as_mpf(share["delta"])) is is_enough
            terms = {"sensitivity": sensitivity, "scale": sigma}
            assert is_certified("analytic_gaussian", **terms, **share) is is_enough  # type: ignore[arg-type]


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
    share = {"epsilon": ONE, "delta": MILLIONTH}
    scale = calibrate("classical_gaussian", sensitivity=1, **share)
    low, high = log_bounds(Fraction(5, 4) / MILLIONTH)
    monkeypatch.setattr(room, "log_bounds", lambda _x: (low - 1, high + 1))
    for factor, is_enough in ((1.0, False), (1.1, True)):
        ratio = 1 / Fraction(factor * scale)
        assert is_affordable("classical_gaussian", ratio=ratio, **share) is is_enough


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
    """However much noise there is: the proof ends at 1, and fails near 9."""
    share = {"epsilon": epsilon, "delta": MILLIONTH}
    with pytest.raises(InvalidInput, match="analytic_gaussian"):
        calibrate("classical_gaussian", sensitivity=1, **share)
    ratio = 1 / Fraction(LARGEST_SCALE)
    assert not is_affordable("classical_gaussian", ratio=ratio, **share)
    with mpmath.workdps(60):
        formula = float(mpmath.sqrt(2 * mpmath.log(1.25 * 10**6)) / 9)
        assert true_delta(1, formula, Fraction(9)) > mpmath.mpf(10) ** -6


@pytest.mark.parametrize(
    "start", [-1.0, 0.0, 1e-300, 1e-3, 4.2, 4.3, 1e300, math.inf, math.nan]
)
def test_the_same_noise_is_found_from_every_guess(
    start: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = {"epsilon": ONE, "delta": MILLIONTH}
    found = least_deviation("analytic_gaussian", **share)
    monkeypatch.setattr(room, "_analytic_guess", lambda _epsilon, _delta: start)
    again = least_deviation.__wrapped__("analytic_gaussian", **share)
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
    found = least_deviation(mechanism, **share)
    for sigma, is_enough in ((found, True), (math.nextafter(found, 0), False)):
        ratio = 1 / Fraction(sigma)
        assert is_affordable(mechanism, ratio=ratio, **share) is is_enough


def test_a_delta_that_is_met_exactly_is_affordable() -> None:
    ratio, epsilon = Fraction(64), Fraction(2048)
    met = analytic_delta(ratio, epsilon)
    for delta, is_enough in ((met, True), (met * (1 - Fraction(1, 10**50)), False)):
        share = {"ratio": ratio, "epsilon": epsilon, "delta": delta}
        assert is_affordable("analytic_gaussian", **share) is is_enough


@pytest.mark.parametrize("power", [4, 19, 400])
def test_an_absurd_epsilon_is_priced_without_absurd_numbers(power: int) -> None:
    """e^ε is not formed where the tail it multiplies is bounded by zero anyway."""
    share = {"ratio": ONE, "epsilon": Fraction(10**power), "delta": MILLIONTH}
    assert is_affordable("analytic_gaussian", **share)
