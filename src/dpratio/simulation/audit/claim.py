"""What a budget claims: how far one unit moves the released sums, in units of noise.

Worked out from the budget alone, apart from the code that plans and prices: what that
code does wrong must show.
"""

import math
from fractions import Fraction

from dpratio.plan.laws import CLASSICAL_GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.simulation.audit.law import gaussian_divergence


def claimed_distance(
    law: NoiseLaw, strategy: str, *, epsilon: Fraction, delta: Fraction, sums: int
) -> float:
    """Give the distance a unit may move: epsilon, or μ under Gaussian noise.

    Strategy ``even`` claims a share of the budget for each sum; the squares of their μ
    add up, since one row may be extreme in all of them.

    Example:
        >>> from dpratio.plan.laws import GAUSSIAN
        >>> claimed = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6), "sums": 6}
        >>> round(1 / claimed_distance(GAUSSIAN, "joint", **claimed), 6)
        4.224679
    """
    if law == LAPLACE:
        return float(epsilon)
    parts = sums if strategy == "even" else 1
    share, rest = float(epsilon / parts), float(delta / parts)
    if law == CLASSICAL_GAUSSIAN:
        # Dwork & Roth (2014), theorem A.1.
        each = share / math.sqrt(2 * math.log(1.25 / rest))
    else:
        each = _largest_mu(share, rest)
    return math.sqrt(parts) * each


def _largest_mu(epsilon: float, delta: float) -> float:
    """Solve for the μ that costs (epsilon, delta)."""
    from scipy.optimize import brentq

    def excess(mu: float) -> float:
        return gaussian_divergence(mu, epsilon) - delta

    return float(brentq(excess, 1e-9, 100 + 10 * math.sqrt(epsilon), xtol=1e-15))
