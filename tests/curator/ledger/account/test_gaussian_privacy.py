"""Mu of pure and of (epsilon, delta)-private releases, against 50 digits of mpmath."""

from fractions import Fraction

import mpmath
import pytest

from dpratio.curator.ledger.account.accounting import mu_of_pure, mu_within

EPSILONS = ["1e-15", "1e-9", "0.001", "0.05", "0.5", "1", "4", "20", "63.9"]


def exact_mu(epsilon: Fraction) -> mpmath.mpf:
    """−2Φ⁻¹(1/(1 + e^ε)), by the inverse error function."""
    exact = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    # Φ(x) = (1 + erf(x/√2))/2, and 1 − 2/(1 + e^ε) is tanh(ε/2).
    return 2 * mpmath.sqrt(2) * mpmath.erfinv(mpmath.tanh(exact / 2))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_mu_of_a_pure_release_is_the_exact_one_and_hardly_more(
    epsilon: str,
) -> None:
    with mpmath.workdps(80):
        wanted = exact_mu(Fraction(epsilon))
        found = mu_of_pure(Fraction(epsilon))
        value = mpmath.mpf(found.numerator) / found.denominator
        assert wanted <= value <= wanted * (1 + mpmath.mpf(10) ** -9)


@pytest.mark.parametrize("epsilon", ["1e-19", "64", "700", "5000"])
def test_tiny_and_huge_epsilons_have_a_bound_of_their_own(epsilon: str) -> None:
    """2√(2ε): P(N > √(2ε)) ≤ e^−ε/2, which is at most 1/(1 + e^ε)."""
    found = mu_of_pure(Fraction(epsilon))
    assert found**2 >= 8 * Fraction(epsilon)
    assert found**2 <= 8 * Fraction(epsilon) * (1 + Fraction(1, 10**6))


def test_a_pure_release_is_told_apart_no_better_than_by_its_mu() -> None:
    """At every size a test of randomised response has no more power than mu allows."""
    for epsilon in (0.1, 1.0, 5.0):
        mu = mpmath.mpf(float(mu_of_pure(Fraction(epsilon))))
        for size in (1e-6, 1e-3, 0.1, 0.3, 0.5, 0.9):
            missed = max(
                1 - mpmath.exp(epsilon) * size, mpmath.exp(-epsilon) * (1 - size), 0
            )
            inverse = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(size))
            assert missed >= mpmath.ncdf(inverse - mu) - mpmath.mpf(10) ** -12


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1e-6"), ("0.1", "1e-9"), ("10", "1e-3"), ("4", "0.1")]
)
def test_the_mu_of_caps_is_the_largest(epsilon: str, delta: str) -> None:
    """Balle & Wang (2018), theorem 8, with 40 digits."""
    found = mu_within(Fraction(epsilon), Fraction(delta))
    with mpmath.workdps(40):

        def exact_delta(mu: mpmath.mpf) -> mpmath.mpf:
            loss = mpmath.mpf(epsilon)
            lost = mpmath.exp(loss) * mpmath.ncdf(-mu / 2 - loss / mu)
            return mpmath.ncdf(mu / 2 - loss / mu) - lost

        mu = mpmath.mpf(found.numerator) / found.denominator
        assert exact_delta(mu) <= mpmath.mpf(delta)
        assert exact_delta(mu * (1 + mpmath.mpf(10) ** -9)) > mpmath.mpf(delta)
