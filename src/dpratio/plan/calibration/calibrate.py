"""How much noise a share of the budget needs, and the proof that it is enough.

A scale is found in floating point and then *certified*: exact arithmetic shows that
it costs no more than its share. Scales only ever round up.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from dpratio.checks import require, require_one_of
from dpratio.plan.calibration.certified import (
    exp_bounds,
    log_bounds,
    normal_tail_bounds,
)

__all__ = [
    "LARGEST_SCALE",
    "MECHANISMS",
    "SMALLEST_SCALE",
    "analytic_delta",
    "calibrate",
    "certify_upwards",
    "is_affordable",
    "is_certified",
    "laplace_cost",
    "largest_ratio",
    "least_deviation",
    "noise_sd",
    "shorten",
]

MECHANISMS = ("laplace", "analytic_gaussian", "classical_gaussian")

# Noise of this many cells still fits into 64-bit integers with room to spare.
LARGEST_SCALE = 2.0**50
SMALLEST_SCALE = 2.0**-10

# What a computed size keeps: processors agree on far more, and noise needs far less.
_BITS = 26


def calibrate(
    mechanism: str, *, sensitivity: int, epsilon: Fraction, delta: Fraction
) -> float:
    """Find the smallest noise scale, in cells, that a share of the budget buys.

    Args:
        mechanism: One of `MECHANISMS`.
        sensitivity: Furthest one unit can move the sum, in cells.
        epsilon: Share of epsilon.
        delta: Share of delta; not used by Laplace noise.

    Returns:
        The Laplace scale or the Gaussian standard deviation, certified.

    Raises:
        InvalidInput: When the mechanism cannot be used at this share.

    Example:
        >>> share = {"epsilon": Fraction(1, 4), "delta": Fraction(0)}
        >>> calibrate("laplace", sensitivity=3, **share)
        12.0
    """
    require_one_of(mechanism, MECHANISMS, "mechanism")
    require(epsilon > 0, "a share of epsilon must be positive", str(epsilon))
    if mechanism == "laplace":
        scale = _round_up(Fraction(sensitivity) / epsilon)
    else:
        hint = "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
        require(delta > 0, "Gaussian noise needs a delta above 0", str(delta), hint)
        deviation = least_deviation(mechanism, epsilon, delta)
        scale = _round_up(sensitivity * Fraction(deviation))
    hint = "Raise epsilon, or ask for fewer sums."
    rule = "epsilon is too small: noise must stay below 2^50 cells"
    require(scale <= LARGEST_SCALE, rule, scale, hint)
    return max(scale, SMALLEST_SCALE)


@lru_cache(maxsize=256)
def least_deviation(mechanism: str, epsilon: Fraction, delta: Fraction) -> float:
    """Give the least standard deviation, per unit of sensitivity, that is certified.

    It is the least of all doubles, and so the same on every processor, however its
    logarithms are rounded.
    """
    guesses = {
        "analytic_gaussian": _analytic_guess,
        "classical_gaussian": _classical_guess,
    }
    near = guesses[mechanism](epsilon, delta)
    guess = min(max(SMALLEST_SCALE, near), LARGEST_SCALE)

    def enough(sigma: float) -> bool:
        ratio = 1 / Fraction(sigma)
        return is_affordable(mechanism, ratio=ratio, epsilon=epsilon, delta=delta)

    high = certify_upwards(guess, enough)
    low, growth = guess, 2.0**-50
    while enough(low):
        high, low, growth = low, low * (1 - growth), min(2 * growth, 0.5)
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def is_certified(
    mechanism: str,
    *,
    sensitivity: int,
    scale: float,
    epsilon: Fraction,
    delta: Fraction,
) -> bool:
    """Prove in exact arithmetic that a scale costs at most (epsilon, delta).

    Guarantee:
        True only if adding the ideal noise of this scale to a sum of this
        sensitivity is (epsilon, delta)-differentially private.
        Proof: docs/proofs/noise_scales.md.
    """
    if not SMALLEST_SCALE <= scale <= LARGEST_SCALE or sensitivity <= 0:
        return False
    ratio = Fraction(sensitivity) / Fraction(scale)
    return is_affordable(mechanism, ratio=ratio, epsilon=epsilon, delta=delta)


def is_affordable(
    mechanism: str, *, ratio: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    """Prove that noise this much larger than a row's move costs (epsilon, delta).

    Args:
        mechanism: One of `MECHANISMS`.
        ratio: How far one row moves the sums in units of their noise: added up for
            Laplace noise, the Euclidean length for Gaussian noise.
        epsilon: What may be spent.
        delta: What may be spent.
    """
    if mechanism == "laplace":
        return ratio <= epsilon
    if delta <= 0 or epsilon <= 0 or mechanism not in MECHANISMS:
        return False
    if mechanism == "analytic_gaussian":
        return analytic_delta(ratio, epsilon) <= delta
    # Dwork & Roth (2014), theorem A.1; Miao & Li (2022), eq. 5.
    return (
        epsilon <= 1
        and (epsilon / ratio) ** 2 >= 2 * log_bounds(Fraction(5, 4) / delta)[1]
    )


def laplace_cost(*, sensitivity: int, scale: float) -> Fraction:
    """Price one noisy sum in pure differential privacy.

    Args:
        sensitivity: Furthest one unit can move the sum, in lattice cells.
        scale: Laplace scale, in lattice cells.

    Returns:
        The cost epsilon as an exact fraction, so that costs add up without rounding.

    Example:
        >>> laplace_cost(sensitivity=3, scale=12.0)
        Fraction(1, 4)
    """
    require(sensitivity > 0, "sensitivity must be positive", sensitivity)
    hint = "Leave a sum without noise out of the plan."
    require(0 < scale < math.inf, "scale must be positive and finite", scale, hint)
    return Fraction(sensitivity) / Fraction(scale)


def analytic_delta(ratio: Fraction, epsilon: Fraction) -> Fraction:
    """Bound from above the delta of Gaussian noise at a given epsilon.

    Args:
        ratio: Sensitivity over standard deviation.
        epsilon: The epsilon at which delta is asked for.

    Returns:
        A certified upper bound on Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ).

    Example:
        >>> 9.99e-7 < analytic_delta(1 / Fraction("4.224679"), Fraction(1)) < 1.001e-6
        True
    """
    # Balle & Wang (2018), theorem 8, as tails of the standard normal.
    near = epsilon / ratio - ratio / 2
    far = epsilon / ratio + ratio / 2
    gain, lost = normal_tail_bounds(near)[1], normal_tail_bounds(far)[0]
    return gain - exp_bounds(epsilon)[0] * lost if lost else gain


def largest_ratio(mechanism: str, epsilon: Fraction, delta: Fraction) -> float:
    """Give about the largest ratio of move to noise that a budget affords."""
    if mechanism == "laplace":
        return float(epsilon)
    return 1 / _analytic_guess(epsilon, delta)


def noise_sd(mechanism: str, scale: float) -> float:
    """Give the standard deviation of noise with a given scale."""
    return scale * math.sqrt(2) if mechanism == "laplace" else scale


def _classical_guess(epsilon: Fraction, delta: Fraction) -> float:
    hint = "Use mechanism 'analytic_gaussian', which is proven for every epsilon."
    rule = "classical_gaussian is proven only up to epsilon 1 per sum"
    require(epsilon <= 1, rule, float(epsilon), hint)
    return math.sqrt(2 * math.log(1.25 / float(delta))) / float(epsilon)


def _analytic_guess(share: Fraction, delta: Fraction) -> float:
    """Solve for the standard deviation per unit of sensitivity, in log space."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr

    epsilon, log_delta = float(share), math.log(delta)

    def excess(log_ratio: float) -> float:
        ratio = math.exp(log_ratio)
        gain = log_ndtr(ratio / 2 - epsilon / ratio)
        loss = epsilon + log_ndtr(-ratio / 2 - epsilon / ratio)
        # The difference cancels where both tails are deep; any negative one will do.
        kept = -math.expm1(min(loss - gain, -1e-16))
        return float(gain) + math.log(kept) - log_delta

    # delta <= ratio/2 for small ratios, and delta -> 1 for large ones.
    low, high = log_delta - 7, math.log(100 + 10 * math.sqrt(epsilon))
    return math.exp(-float(brentq(excess, low, high, xtol=1e-14)))


def shorten(size: float) -> float:
    """Round up to 26 bits, so that a plan is the same one on every processor.

    Logarithms and vector units of processors differ in their last bits; an approval
    is of a plan's hash, and must hold on another machine.

    Example:
        >>> shorten(1 / 3) == shorten(1 / 3 + 1e-15), shorten(0.75)
        (True, 0.75)
    """
    part, exponent = math.frexp(size)
    return math.ldexp(math.ceil(math.ldexp(part, _BITS)), exponent - _BITS)


def certify_upwards(start: float, certified: Callable[[float], bool]) -> float:
    """Raise a scale, at first by the least, until it is certified or far too large."""
    scale, growth = start, 2.0**-48
    while scale <= LARGEST_SCALE and not certified(scale):
        scale *= 1 + growth
        growth *= 2
    return scale


def _round_up(exact: Fraction) -> float:
    rounded = float(exact)
    return rounded if Fraction(rounded) >= exact else math.nextafter(rounded, math.inf)
