"""Gaussian differential privacy: mu says how well one Gaussian test tells two tables.

Squares of mu add up (Dong, Roth & Su 2022), also where each release is chosen in view
of the answers before it (Smith & Thakurta 2022).
Proof: docs/proofs/ledger.md.
"""

import math
from fractions import Fraction
from functools import lru_cache

from dpratio.plan.certified import exp_bounds, normal_tail_bounds
from dpratio.plan.laws import (
    GAUSSIAN,
    analytic_delta,
    certify_upwards,
)

# Beyond it 2√(2ε), a bound for every ε, costs some 5 % more than the exact mu.
_LARGE = 64
_SMALL = 1e-5  # Below it mu is √(π/2) times epsilon, to ten digits.
_LEAST = 2.0**-60
_BITS = 60


@lru_cache(maxsize=1024)
def mu_of_pure(epsilon: Fraction) -> Fraction:
    """Bound the mu of every epsilon-private release: −2Φ⁻¹(1/(1 + e^ε)), certified.

    Example:
        >>> float(mu_of_pure(Fraction(1, 10)))
        0.1253...
    """
    if epsilon >= _LARGE or epsilon < _LEAST:
        # P(N > √(2ε)) ≤ e^−ε/2 ≤ 1/(1 + e^ε).
        return Fraction(math.isqrt(math.ceil(8 * epsilon * 4**_BITS)) + 1, 2**_BITS)
    from scipy.special import ndtri_exp

    half = math.sqrt(math.pi / 8) * float(epsilon)
    if epsilon > _SMALL:
        half = -float(ndtri_exp(-math.log1p(math.exp(float(epsilon)))))
    most = 1 / (1 + exp_bounds(epsilon)[1])
    return 2 * Fraction(
        certify_upwards(half, lambda at: normal_tail_bounds(Fraction(at))[1] <= most)
    )


def mu_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Find about the largest mu whose releases are (epsilon, delta)-private, certified.

    Example:
        >>> float(mu_within(Fraction(1), Fraction(1, 10**6)))
        0.236...
    """
    inverse = certify_upwards(
        1 / GAUSSIAN.about_largest_ratio(epsilon, delta),
        lambda at: analytic_delta(1 / Fraction(at), epsilon) <= delta,
    )
    return 1 / Fraction(inverse)
