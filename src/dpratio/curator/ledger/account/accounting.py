"""What a release takes from a cap, exactly, in one of three ways of adding up.

``basic`` adds epsilon and delta. ``zcdp`` adds rho, ``gdp`` the squares of mu, and both
the delta of finding keys; the delta of the final conversion to (epsilon, delta) is set
aside when a scope is opened. All hold when later requests depend on earlier answers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpratio.checks import require
from dpratio.plan.certified import exp_bounds, log_bounds, normal_tail_bounds
from dpratio.plan.laws import (
    GAUSSIAN,
    analytic_delta,
    certify_upwards,
)
from dpratio.plan.price import Cost

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


ACCOUNTINGS = ("basic", "zcdp", "gdp")
LOSS_NAMES = {"basic": "epsilon", "zcdp": "rho", "gdp": "squared mu"}

# These are long fractions; the ledger keeps whole units of this size, rounded up.
_UNIT = Fraction(1, 10**30)
_CAP_UNIT = Fraction(1, 10**15)
# So near its best order, rho is flat to the last digit of a double.
_SECTIONS = 50
# A budget has at most 100 digits; deltas of several key selections added up have more.
_LONGEST_DENOMINATOR = 10**110
# Sums of fractions that share no factor get longer with each; these are not for ever.
_LONGEST_SUM = 10**300


@dataclass(frozen=True, slots=True)
class Charge:
    """A loss (epsilon, rho or squared mu, as the scope adds up) and a delta."""

    loss: Fraction
    delta: Fraction

    def __add__(self, other: "Charge") -> "Charge":
        # Most releases have no delta, and to add nothing takes time too.
        delta = self.delta + other.delta if other.delta else self.delta
        return Charge(self.loss + other.loss, delta)

    def __sub__(self, other: "Charge") -> "Charge":
        return Charge(self.loss - other.loss, self.delta - other.delta)

    def fits(self, cap: "Charge") -> bool:
        """Tell whether neither exceeds the cap's."""
        return self.loss <= cap.loss and self.delta <= cap.delta


def charge_of(cost: Cost, accounting: str) -> Charge:
    """Give what a release takes from a scope.

    Guarantee:
        Releases whose charges add up to no more than a cap are together as private as
        the cap says, however each was chosen in view of earlier ones.
        Proof: docs/proofs/ledger.md.
    """
    if accounting == "basic":
        return Charge(_kept(cost.epsilon), _kept(cost.delta))
    loss = cost.rho
    if accounting == "gdp":
        loss = sum((mu_of_pure(each) ** 2 for each in cost.pure), cost.gaussian)
    return Charge(math.ceil(loss / _UNIT) * _UNIT, _kept(cost.keys_delta))


def loss_within(accounting: str, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Find about the largest loss whose releases are (epsilon, delta)-private.

    Guarantee:
        Releases that lose no more together are (epsilon, delta)-private.
        Proof: docs/proofs/ledger.md.

    Example:
        >>> million = Fraction(1, 10**6)
        >>> [float(loss_within(each, Fraction(1), million)) for each in ACCOUNTINGS[1:]]
        [0.024..., 0.056...]
    """
    loss = (
        mu_within(epsilon, delta) ** 2
        if accounting == "gdp"
        else _rho_within(epsilon, delta)
    )
    hint = "Raise epsilon or delta, or use accounting 'basic'."
    rule = f"the caps must leave room for a {LOSS_NAMES[accounting]} above 0"
    require(loss >= _CAP_UNIT, rule, (float(epsilon), float(delta)), hint)
    return math.floor(loss / _CAP_UNIT) * _CAP_UNIT


def to_enter(charge: Charge, spent: Charge) -> Charge:
    """Give a charge as it is entered after what is spent: exact, or a trifle more.

    A charge stays exact as long as the sum does not get long: ten of 0.1 fill 1, and
    thirds and sevenths add up. Only where fractions that share no factor would make
    the sum longer than 300 digits is the charge rounded up, by less than 10⁻¹¹⁰.
    """
    pairs = ((charge.loss, spent.loss), (charge.delta, spent.delta))
    loss, delta = (
        part if (part + before).denominator <= _LONGEST_SUM else _rounded_up(part)
        for part, before in pairs
    )
    return Charge(loss, delta)


def short(charge: Charge) -> Charge:
    """Round a charge up where it has more digits than a ledger writes."""
    return Charge(_kept(charge.loss), _kept(charge.delta))


def _kept(exact: Fraction) -> Fraction:
    """Keep an exact number; round up what has more digits than a ledger writes."""
    if exact.denominator <= _LONGEST_DENOMINATOR:
        return exact
    return _rounded_up(exact)


def _rounded_up(exact: Fraction) -> Fraction:
    return Fraction(math.ceil(exact * _LONGEST_DENOMINATOR), _LONGEST_DENOMINATOR)


def _rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Find about the largest rho, certified in exact arithmetic.

    Canonne, Kamath & Steinke (2020), proposition 12: rho-zCDP is (epsilon, delta)-
    private if, for some order a > 1, rho·a is at most
    epsilon + (ln delta + ln a)/(a − 1) − ln(1 − 1/a).
    """
    order = Fraction(_best_order(float(epsilon), float(delta)))
    log_order = log_bounds(order)[0]
    log_rest = log_bounds(1 - 1 / order)[1]
    log_delta = log_bounds(delta)[0]
    return (epsilon + (log_delta + log_order) / (order - 1) - log_rest) / order


def epsilon_of_loss(accounting: str, loss: float, delta: float) -> float:
    """Give the epsilon that a loss amounts to at a delta; for reading, not for caps."""
    if accounting == "gdp":
        return gaussian_epsilon(accounting, loss, delta)
    if loss <= 0:
        return 0.0
    low, high = 0.0, loss + 2 * math.sqrt(loss * math.log(1 / delta)) + 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        order = _best_order(middle, delta)
        enough = _rho_at(order, middle, delta) >= loss
        low, high = (low, middle) if enough else (middle, high)
    return high


def pure_epsilon(accounting: str, loss: float) -> float:
    """Give about the epsilon of one release with Laplace noise that takes this loss."""
    if accounting == "zcdp":
        return math.sqrt(2 * loss)
    from scipy.special import log_ndtr

    half = math.sqrt(loss) / 2
    return float(log_ndtr(half) - log_ndtr(-half))


def gaussian_epsilon(accounting: str, loss: float, delta: float) -> float:
    """Give about the epsilon of one Gaussian release that takes this loss."""
    from scipy.special import log_ndtr

    if loss <= 0:
        return 0.0
    ratio = math.sqrt(loss if accounting == "gdp" else 2 * loss)
    low, high = 0.0, ratio**2 / 2 + ratio * math.sqrt(2 * math.log(1 / delta))
    for _ in range(60):
        middle = (low + high) / 2
        # Balle & Wang (2018), theorem 8.
        gain = math.exp(log_ndtr(ratio / 2 - middle / ratio))
        lost = math.exp(middle + log_ndtr(-ratio / 2 - middle / ratio))
        low, high = (middle, high) if gain - lost > delta else (low, middle)
    return high


def _best_order(epsilon: float, delta: float) -> float:
    """Find the order that allows the largest rho, by golden sections of its log."""
    low, high = -20.0, 25.0
    section = (math.sqrt(5) - 1) / 2

    def rho(at: float) -> float:
        return _rho_at(1 + math.exp(at), epsilon, delta)

    left, right = high - section * (high - low), low + section * (high - low)
    rho_left, rho_right = rho(left), rho(right)
    for _ in range(_SECTIONS):
        if rho_left > rho_right:
            high, right, rho_right = right, left, rho_left
            left = high - section * (high - low)
            rho_left = rho(left)
        else:
            low, left, rho_left = left, right, rho_right
            right = low + section * (high - low)
            rho_right = rho(right)
    return 1 + math.exp((low + high) / 2)


def _rho_at(order: float, epsilon: float, delta: float) -> float:
    logs = (math.log(delta) + math.log(order)) / (order - 1)
    return (epsilon + logs - math.log1p(-1 / order)) / order
