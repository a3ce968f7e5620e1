"""Bounds on exp, log, pi and the normal tail that cannot lie.

Every function returns two fractions with the true value between them. Decimal's
``exp`` and ``ln`` are correctly rounded by their specification; everything else is
directed rounding and a series whose remainder is bounded.
Proof: docs/proofs/certified.md.
"""

import math
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache

Interval = tuple[Fraction, Fraction]

DIGITS = 40
# Beyond this many standard deviations the tail is below this bound.
FURTHEST = 60
BEYOND_FURTHEST = Fraction(1, 10**780)


def exp_bounds(x: Fraction, digits: int = DIGITS) -> Interval:
    """Enclose e^x.

    Example:
        >>> low, high = exp_bounds(Fraction(1))
        >>> float(low) == float(high) == math.e, low < high
        (True, True)
    """
    low, high = _divide(x, digits)
    nearest = _contexts(digits)[1]
    below, above = Fraction(nearest.exp(low)), Fraction(nearest.exp(high))
    return below - _rounding(below, digits), above + _rounding(above, digits)


def log_bounds(x: Fraction, digits: int = DIGITS) -> Interval:
    """Enclose the natural logarithm of a positive number."""
    low, high = _divide(x, digits)
    nearest = _contexts(digits)[1]
    below, above = Fraction(nearest.ln(low)), Fraction(nearest.ln(high))
    return below - _rounding(below, digits), above + _rounding(above, digits)


@lru_cache(maxsize=1024)
def normal_tail_bounds(x: Fraction, digits: int = DIGITS) -> Interval:
    """Enclose P(N > x) for a standard normal N.

    The two ends agree to about ``digits`` significant digits for 0 <= x <= 60.

    Example:
        >>> low, high = normal_tail_bounds(Fraction(0))
        >>> low <= Fraction(1, 2) <= high
        True
    """
    if x < 0:
        low, high = normal_tail_bounds(-x, digits)
        return 1 - high, 1 - low
    if x > FURTHEST:
        return Fraction(0), BEYOND_FURTHEST
    # 1/2 - phi(x) * series cancels x^2 / (2 ln 10) leading digits; carry them.
    working = digits + 4 + math.ceil(float(x * x) / 4.6)
    half = Fraction(1, 2)
    density_low, density_high = _density_bounds(x, working)
    series_low, series_high = _series_bounds(x, working)
    low = half - density_high * series_high
    return max(low, Fraction(0)), half - density_low * series_low


def _series_bounds(x: Fraction, digits: int) -> Interval:
    """Enclose x + x^3/3 + x^5/(3·5) + …, the normal integral over its density."""
    down, _, up = _contexts(digits)
    low, high = _divide(x, digits)
    square_low, square_high = down.multiply(low, low), up.multiply(high, high)
    total_low, total_high, odd = Decimal(0), Decimal(0), 1
    smallest = Decimal((0, (1,), -digits))
    while True:
        total_low = down.add(total_low, low)
        total_high = up.add(total_high, high)
        # From here each term is less than half the one before it, so all that
        # follow add up to less than the last one.
        shrinks = up.multiply(2, square_high) < odd
        if shrinks and high <= up.multiply(smallest, total_high):
            return Fraction(total_low), Fraction(up.add(total_high, high))
        odd += 2
        low = down.divide(down.multiply(low, square_low), odd)
        high = up.divide(up.multiply(high, square_high), odd)


def _density_bounds(x: Fraction, digits: int) -> Interval:
    exp_low, exp_high = exp_bounds(-x * x / 2, digits)
    pi_low, pi_high = _pi_bounds(digits)
    root_low, root_high = _root_bounds(2 * pi_low, 2 * pi_high, digits)
    return exp_low / root_high, exp_high / root_low


def _root_bounds(low: Fraction, high: Fraction, digits: int) -> Interval:
    unit = 10 ** (2 * digits)
    root_low = math.isqrt(math.floor(low * unit))
    root_high = math.isqrt(math.ceil(high * unit)) + 1
    return Fraction(root_low, 10**digits), Fraction(root_high, 10**digits)


@lru_cache(maxsize=64)
def _pi_bounds(digits: int) -> Interval:
    """Enclose pi by Machin's formula 16 atan(1/5) - 4 atan(1/239)."""
    fifth_low, fifth_high = _inverse_tangent_bounds(5, digits)
    other_low, other_high = _inverse_tangent_bounds(239, digits)
    return 16 * fifth_low - 4 * other_high, 16 * fifth_high - 4 * other_low


def _inverse_tangent_bounds(inverse: int, digits: int) -> Interval:
    """Enclose atan(1/inverse): the alternating series brackets its limit."""
    below, above, odd, sign = Fraction(0), Fraction(0), 1, 1
    while True:
        term = Fraction(sign, odd * inverse**odd)
        below, above = (below, below + term) if sign > 0 else (above + term, above)
        odd, sign = odd + 2, -sign
        if abs(term) < Fraction(1, 10 ** (digits + 2)):
            return below, above


def _rounding(rounded: Fraction, digits: int) -> Fraction:
    """Bound the error of a correctly rounded value: half a unit of its last digit."""
    return abs(rounded) / Fraction(2 * 10 ** (digits - 1))


def _divide(x: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    down, _, up = _contexts(digits)
    top, bottom = Decimal(x.numerator), Decimal(x.denominator)
    return down.divide(top, bottom), up.divide(top, bottom)


@lru_cache(maxsize=64)
def _contexts(digits: int) -> tuple[Context, Context, Context]:
    """Return contexts that round down, to nearest and up, whatever the caller's is."""
    down, nearest, up = (
        Context(
            prec=digits,
            rounding=rounding,
            Emin=MIN_EMIN,
            Emax=MAX_EMAX,
            traps=[InvalidOperation, DivisionByZero, Overflow],
        )
        for rounding in (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING)
    )
    return down, nearest, up
