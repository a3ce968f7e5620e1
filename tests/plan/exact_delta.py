"""Delta as it is defined, in many digits; and budgets to try it with."""

from fractions import Fraction

import mpmath

EPSILONS = ["0.001", "0.01", "0.1", "0.5", "1", "3", "10", "30", "100"]
DELTAS = ["1e-12", "1e-9", "1e-6", "1e-3", "0.1", "0.4"]
SENSITIVITIES = [1, 2**24 + 1, 2**25]
ONE, MILLIONTH = Fraction(1), Fraction(1, 10**6)


def as_mpf(x: Fraction) -> mpmath.mpf:
    """A fraction in the digits that mpmath works with."""
    return mpmath.mpf(x.numerator) / x.denominator


def true_delta(sensitivity: int, scale: float, epsilon: Fraction) -> mpmath.mpf:
    """Balle & Wang (2018), theorem 8, in 60 digits."""
    ratio, exact = as_mpf(Fraction(sensitivity) / Fraction(scale)), as_mpf(epsilon)
    gain = mpmath.ncdf(ratio / 2 - exact / ratio)
    return gain - mpmath.exp(exact) * mpmath.ncdf(-ratio / 2 - exact / ratio)
