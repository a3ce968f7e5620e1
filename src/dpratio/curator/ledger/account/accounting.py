"""What a release takes from a cap, exactly, in one of two ways of adding up.

``basic`` adds epsilon and delta. ``zcdp`` adds rho and delta; the delta of the final
conversion to (epsilon, delta) is set aside when a scope is opened. Both hold when later
requests depend on earlier answers.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.calibration.certified import log_bounds
from dpratio.plan.price import Cost

__all__ = [
    "ACCOUNTINGS",
    "LOSS_NAMES",
    "Charge",
    "charge_of",
    "epsilon_of_rho",
    "gaussian_epsilon",
    "rho_within",
    "short",
    "to_enter",
]

ACCOUNTINGS = ("basic", "zcdp")
LOSS_NAMES = {"basic": "epsilon", "zcdp": "rho"}

# Rho is a long fraction; the ledger keeps it in whole units of this size, rounded up.
_RHO_UNIT = Fraction(1, 10**30)
_RHO_CAP_UNIT = Fraction(1, 10**15)
# So near its best order, rho is flat to the last digit of a double.
_SECTIONS = 50
# A budget has at most 100 digits; deltas of several key selections added up have more.
_LONGEST_DENOMINATOR = 10**110
# Sums of fractions that share no factor get longer with each; these are not for ever.
_LONGEST_SUM = 10**300


@dataclass(frozen=True, slots=True)
class Charge:
    """A loss (epsilon or rho, as the scope adds up) and a delta."""

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
    rho = math.ceil(cost.rho / _RHO_UNIT) * _RHO_UNIT
    return Charge(rho, _kept(cost.rho_delta))


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


def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Find about the largest rho whose releases are (epsilon, delta)-private.

    Canonne, Kamath & Steinke (2020), proposition 12: rho-zCDP is (epsilon, delta)-
    private if, for some order a > 1, rho·a is at most
    epsilon + (ln delta + ln a)/(a − 1) − ln(1 − 1/a).

    Guarantee:
        The returned rho satisfies the inequality in exact arithmetic.
        Proof: docs/proofs/ledger.md.

    Example:
        >>> float(rho_within(Fraction(1), Fraction(1, 10**6)))
        0.024...
    """
    order = Fraction(_best_order(float(epsilon), float(delta)))
    log_order = log_bounds(order)[0]
    log_rest = log_bounds(1 - 1 / order)[1]
    log_delta = log_bounds(delta)[0]
    rho = (epsilon + (log_delta + log_order) / (order - 1) - log_rest) / order
    hint = "Raise epsilon or delta, or use accounting 'basic'."
    rule = "the caps must leave room for a rho above 0"
    require(rho >= _RHO_CAP_UNIT, rule, (float(epsilon), float(delta)), hint)
    return math.floor(rho / _RHO_CAP_UNIT) * _RHO_CAP_UNIT


def epsilon_of_rho(rho: float, delta: float) -> float:
    """Give the epsilon that a rho amounts to at a delta; for reading, not for caps."""
    if rho <= 0:
        return 0.0
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        order = _best_order(middle, delta)
        enough = _rho_at(order, middle, delta) >= rho
        low, high = (low, middle) if enough else (middle, high)
    return high


def gaussian_epsilon(rho: Fraction, delta: Fraction) -> float:
    """Give about the epsilon of one Gaussian release that takes this rho."""
    from scipy.special import log_ndtr

    ratio = math.sqrt(2 * float(rho))
    if not ratio:
        return 0.0
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
