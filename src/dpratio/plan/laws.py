"""The laws of noise: how moves add up, what noise costs, how much a budget buys.

A scale is found in floating point and then *certified*: exact arithmetic shows that
it costs no more than its share. Scales only ever round up.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from dpratio.errors import InvalidInput
from dpratio.plan.certified import exp_bounds, log_bounds, normal_tail_bounds
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit

# Noise of this many cells still fits into 64-bit integers with room to spare.
LARGEST_SCALE = 2.0**50
SMALLEST_SCALE = 2.0**-10

# What a computed size keeps: processors agree on far more, and noise needs far less.
_BITS = 26


@dataclass(frozen=True, slots=True)
class NoiseLaw:
    """A law of noise, and the theorem by which it is priced.

    A move of the sums is measured in units of their noise: added up for Laplace noise,
    whose ``power`` is 1, and by its Euclidean length for Gaussian noise, whose
    ``power`` is 2. The measure is called a ratio.

    Example:
        >>> share = {"epsilon": Fraction(1, 4), "delta": Fraction(0)}
        >>> LAPLACE.calibrate(sensitivity=3, **share)
        12.0
        >>> GAUSSIAN.compose([Fraction(3), Fraction(4)])
        Fraction(5, 1)
    """

    name: str
    power: int

    def root(self, total: Fraction) -> Fraction:
        """Return a ratio whose power this is, rounded up."""
        return total if self.power == 1 else root_above(total)

    def total(self, moves: Iterable[Fraction]) -> Fraction:
        """Return the sum of the moves' powers, exactly."""
        return sum((move**self.power for move in moves), Fraction(0))

    def compose(self, moves: Iterable[Fraction]) -> Fraction:
        """Return the ratio of several moves together, rounded up."""
        return self.root(self.total(moves))

    def part(self, share: Fraction) -> Fraction:
        """Return the part of a ratio that a share of the budget buys."""
        return share if self.power == 1 else Fraction(math.sqrt(share))

    def sd(self, scale: float) -> float:
        """Return the standard deviation of noise with a scale."""
        return scale * math.sqrt(2) if self.power == 1 else scale

    def tail(self, chance: float) -> float:
        """Return how many scales noise exceeds, above zero, with this chance."""
        if self.power == 1:
            return -math.log(2 * chance)
        return -NormalDist().inv_cdf(chance)

    def affords(self, ratio: Fraction, *, epsilon: Fraction, delta: Fraction) -> bool:
        """Prove in exact arithmetic that a ratio costs at most (epsilon, delta).

        Guarantee:
            True only if adding the ideal noise of this law to sums that one unit moves
            so far is (epsilon, delta)-differentially private.
            Proof: docs/proofs/noise_scales.md.
        """
        if self.power == 1:
            return ratio <= epsilon
        if delta <= 0 or epsilon <= 0:
            return False
        if self != CLASSICAL_GAUSSIAN:
            return analytic_delta(ratio, epsilon) <= delta
        # Dwork & Roth (2014), theorem A.1; Miao & Li (2022), eq. 5.
        return (
            epsilon <= 1
            and (epsilon / ratio) ** 2 >= 2 * log_bounds(Fraction(5, 4) / delta)[1]
        )

    def calibrate(
        self, *, sensitivity: int, epsilon: Fraction, delta: Fraction
    ) -> float:
        """Return the smallest certified scale, in cells, that a share buys.

        Args:
            sensitivity: Furthest one unit can move the sum, in cells.
            epsilon: Share of epsilon, positive.
            delta: Share of delta; not used by Laplace noise, positive for others.

        Returns:
            The Laplace scale or the Gaussian standard deviation.

        Raises:
            InvalidInput: When the law cannot be used at this share.
        """
        ratio = self.largest_ratio(epsilon, delta)
        scale = _round_up(Fraction(sensitivity) / ratio)
        require_storable(scale)
        return max(scale, SMALLEST_SCALE)

    def largest_ratio(self, epsilon: Fraction, delta: Fraction) -> Fraction:
        """Return the largest ratio of move to noise that is certified for a budget."""
        if self.power == 1:
            return epsilon
        return 1 / Fraction(_least_deviation(self, epsilon, delta))

    def about_largest_ratio(self, epsilon: Fraction, delta: Fraction) -> float:
        """Return about the largest ratio of move to noise that a budget affords."""
        return (
            float(epsilon) if self.power == 1 else 1 / _analytic_guess(epsilon, delta)
        )


LAPLACE = NoiseLaw("laplace", 1)
GAUSSIAN = NoiseLaw("analytic_gaussian", 2)
# The same noise, priced by the classical formula: Dwork & Roth (2014), theorem A.1.
CLASSICAL_GAUSSIAN = NoiseLaw("classical_gaussian", 2)
LAWS = {law.name: law for law in (LAPLACE, GAUSSIAN, CLASSICAL_GAUSSIAN)}


@lru_cache(maxsize=256)
def _least_deviation(law: NoiseLaw, epsilon: Fraction, delta: Fraction) -> float:
    """Return the least standard deviation, per unit of sensitivity, that is certified.

    It is the least of all doubles, and so the same on every processor, however its
    logarithms are rounded.
    """
    guess_of = _classical_guess if law == CLASSICAL_GAUSSIAN else _analytic_guess
    near = guess_of(epsilon, delta)
    guess = min(max(SMALLEST_SCALE, near), LARGEST_SCALE)

    def enough(sigma: float) -> bool:
        return law.affords(1 / Fraction(sigma), epsilon=epsilon, delta=delta)

    high = certify_upwards(guess, enough)
    low, growth = guess, 2.0**-50
    while enough(low):
        high, low, growth = low, low * (1 - growth), min(2 * growth, 0.5)
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


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
    gain, loss = normal_tail_bounds(near)[1], normal_tail_bounds(far)[0]
    return gain - exp_bounds(epsilon)[0] * loss if loss else gain


def _classical_guess(epsilon: Fraction, delta: Fraction) -> float:
    if epsilon > 1:
        raise InvalidInput(
            "classical_gaussian is proven only up to epsilon 1 per sum, and a sum "
            f"would get {float(epsilon):g}. Use mechanism 'analytic_gaussian', which "
            "is proven for every epsilon.",
            field="mechanism",
        )
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
        part = -math.expm1(min(loss - gain, -1e-16))
        return float(gain) + math.log(part) - log_delta

    # delta <= ratio/2 for small ratios, and delta -> 1 for large ones.
    low, high = log_delta - 7, math.log(100 + 10 * math.sqrt(epsilon))
    return math.exp(-float(brentq(excess, low, high, xtol=1e-14)))


def require_storable(scale: float) -> None:
    """Raise InvalidInput if noise is too large for 64-bit integers."""
    if scale > LARGEST_SCALE:
        raise InvalidInput(
            "epsilon is too small: noise must stay below 2^50 cells, and would be "
            f"{scale:g}. Raise epsilon, or ask for fewer sums.",
            field="budget",
        )


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


def root_above(square: Fraction) -> Fraction:
    """Bound a square root from above, to some 40 digits."""
    exact = math.isqrt(square.numerator)
    if square.denominator == 1 and exact * exact == square.numerator:
        return Fraction(exact)
    length = square.numerator.bit_length() - square.denominator.bit_length()
    bits = 2 * max(0, 140 - length // 2)
    scaled = math.isqrt(math.ceil(square * 2**bits)) + 1
    return Fraction(scaled, 2 ** (bits // 2))


def _round_up(exact: Fraction) -> float:
    rounded = float(exact)
    return rounded if Fraction(rounded) >= exact else math.nextafter(rounded, math.inf)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The Laplace scale on counts, and the least noisy count that is named."""

    scale: float
    least: int

    def size_found(self, chance: float) -> int:
        """Return from how many units a key is found with a chance above one half."""
        return math.ceil(self.least - 0.5 + self.scale * LAPLACE.tail(1 - chance))


def threshold_of(keys: PrivateKeys, unit: PrivacyUnit) -> Threshold:
    """Set the noise and the threshold of a private key selection.

    A unit counts in at most g keys. With Laplace noise of scale b = g/ε, rounded to
    whole numbers, a key that one unit alone holds reaches τ = 1 + ⌈b ln(g/2δ) + ½⌉ with
    probability at most δ/g.

    Guarantee:
        Naming the keys whose noisy count reaches the threshold is (ε, δ)-private under
        adding or removing one unit. Proof: docs/proofs/key_selection.md.
    """
    groups = unit.most_groups
    scale = LAPLACE.calibrate(
        sensitivity=groups,
        epsilon=keys.budget.epsilon,
        delta=Fraction(0),
    )
    log = log_bounds(Fraction(groups) / (2 * keys.budget.delta))[1]
    least = 1 + math.ceil(max(Fraction(scale) * log, Fraction(0)) + Fraction(1, 2))
    return Threshold(scale, least)
