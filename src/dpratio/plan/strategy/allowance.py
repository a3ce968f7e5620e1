"""What noise in an estimated variance costs an interval; planner and analyst agree.

docs/methods/pivot.md derives it.
"""

from typing import TypeVar

from dpratio.arrays import Floats

__all__ = ["QUANTILE", "TEMPER", "allowance"]

QUANTILE = 1.959963984540054  # Of a normal variable, two-sided, at level 0.95.
TEMPER = 1.5  # Of the matching prior.

Number = TypeVar("Number", float, Floats)


def allowance(variance: Number, doubt: Number, quantile: float | Floats) -> Number:
    """Say by how much to widen a variance A for the noise in its own estimate.

    A* − A = (k² + 1)/4 · s²/(A + 1.5 s), with s² the noise variance of the estimate:
    the closed form, to second order, of integrating that noise out under the matching
    prior ∝ V + σ².

    Args:
        variance: A, above 0 wherever there is noise.
        doubt: s².
        quantile: k, the normal quantile that the statistic is compared with.

    Example:
        >>> allowance(1.0, 0.25, 1.0)
        0.07142857142857142
    """
    allowed: Number = (quantile**2 + 1) / 4 * doubt / (variance + TEMPER * doubt**0.5)
    return allowed
