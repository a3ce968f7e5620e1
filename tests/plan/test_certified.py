"""Enclosures hold against arbitrary precision, whatever the digits asked for."""

import decimal
import itertools
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import ROUND_UP, Context, Inexact
from fractions import Fraction
from functools import lru_cache

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.plan.certified import (
    BEYOND_FURTHEST,
    FURTHEST,
    _root_bounds,
    _series_bounds,
    exp_bounds,
    log_bounds,
    normal_tail_bounds,
)
from plan.exact_delta import as_mpf
from tiers import quick_first

DIGITS = quick_first([1, 16, 150, 2, 3, 9, 40, 77], 3)
TINY = Fraction(1, 10**300)
# mpmath carries so many more digits than are asked for that its own last digit
# cannot decide a comparison.
ORACLE_DIGITS = 1300


def exact(number: mpmath.mpf) -> Fraction:
    numerator, denominator = mpmath.libmp.to_rational(number._mpf_)
    return Fraction(int(numerator), int(denominator))


@lru_cache(maxsize=4096)
def oracle(name: str, x: Fraction) -> Fraction:
    with mpmath.workdps(ORACLE_DIGITS):
        value = as_mpf(x)
        if name == "exp":
            return exact(mpmath.exp(value))
        if name == "log":
            return exact(mpmath.log(value))
        return exact(mpmath.erfc(value / mpmath.sqrt(2)) / 2)


def relative_width(low: Fraction, high: Fraction) -> Fraction:
    return (high - low) / abs(high)


EXPONENTS = [
    *(Fraction(0), TINY, -TINY, Fraction(1, 10**30), Fraction(-1, 10**30)),
    *(Fraction(1, 3), Fraction(-1, 3), Fraction(1), Fraction(-1)),
    # Next to ln 10, where the result is next to a power of ten.
    Fraction(2302585092994046, 10**15),
    *(Fraction(40), Fraction(-745), Fraction(1800), Fraction(-1800)),
]
LOGARITHMS = [
    *(TINY, Fraction(1, 10**30), Fraction(1, 3), Fraction(9, 10), Fraction(11, 10)),
    *(Fraction(5, 4), Fraction(10), Fraction(5, 4) * 10**100, 1 / TINY),
]
TAIL_POINTS = [
    *(Fraction(0), TINY, Fraction(1, 10**30), Fraction(1, 3), Fraction(1)),
    *(Fraction("1.96"), Fraction(4224679, 10**6), Fraction(8), Fraction("12.5")),
    *(Fraction(30), Fraction("59.9"), Fraction(60)),
]


@pytest.mark.parametrize("digits", DIGITS)
def test_what_is_enclosed_lies_between_its_bounds(digits: int) -> None:
    for x in EXPONENTS:
        low, high = exp_bounds(x, digits)
        assert 0 < low < oracle("exp", x) < high or (x == 0 and low < 1 < high)
    for x in LOGARITHMS if digits > 1 else []:
        low, high = log_bounds(x, digits)
        assert low < oracle("log", x) < high
    for x in TAIL_POINTS:
        low, high = normal_tail_bounds(x, digits)
        assert 0 <= low <= oracle("tail", x) <= high
        low, high = normal_tail_bounds(-x, digits)
        assert 0 <= low <= 1 - oracle("tail", x) <= high <= 1


@pytest.mark.parametrize("digits", DIGITS)
def test_bounds_agree_to_the_digits_asked_for(digits: int) -> None:
    """Not needed for the proof, but calibration would be loose without it."""
    for x in TAIL_POINTS:
        for low, high in (exp_bounds(x, digits), log_bounds(2 + x * x, digits + 2)):
            assert relative_width(low, high) <= Fraction(10) ** (2 - digits) or x == 0
        tail = normal_tail_bounds(x, digits)
        assert relative_width(*tail) <= Fraction(10) ** (1 - digits)
    assert normal_tail_bounds(Fraction(0), digits) == (Fraction(1, 2), Fraction(1, 2))


fractions = st.builds(
    Fraction, st.integers(-(10**18), 10**18), st.integers(1, 10**16)
).filter(lambda x: abs(x) <= 1800)


@settings(deadline=None, max_examples=150)
@given(x=fractions, power=st.integers(-60, 60), digits=st.integers(1, 60))
@example(x=Fraction(0), power=0, digits=1)
@example(x=Fraction("59.99999"), power=0, digits=5)
def test_any_number_is_enclosed(x: Fraction, power: int, digits: int) -> None:
    low, high = exp_bounds(x, digits)
    assert low <= oracle("exp", x) <= high
    size = abs(x) * Fraction(10) ** power
    if size not in {0, 1}:
        low, high = log_bounds(size)
        assert low <= oracle("log", size) <= high
    place = x if abs(x) <= 62 else x / 29
    low, high = normal_tail_bounds(place, digits)
    assert low <= oracle("tail", place) <= high


NEXT_TO_ONE = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from fractions import Fraction
from dpratio.plan.certified import log_bounds
for digits in (3, 40):
    for x in (1, 1 + Fraction(1, 10**50), 1 - Fraction(1, 10**50)):
        low, high = log_bounds(Fraction(x), digits)
        assert low <= 0 <= high, x
        assert (low <= 1 - 1 / x) and (x - 1 <= high), x
        assert high - low <= Fraction(10) ** (1 - digits), x
"""


def test_the_logarithm_of_one_is_no_number_with_ten_to_the_18_digits() -> None:
    """The decimal next to zero has 10^18 digits; a fraction cannot hold it.

    In a process of its own, because without the guard this takes all memory. It ends
    after some seconds of its own work, however busy the machine is.
    """
    command = [sys.executable, "-c", NEXT_TO_ONE]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "x", [FURTHEST + TINY, Fraction(61), Fraction(10**6), Fraction(10) ** 400]
)
def test_beyond_sixty_deviations_the_tail_is_next_to_nothing(x: Fraction) -> None:
    assert normal_tail_bounds(x) == (Fraction(0), BEYOND_FURTHEST)
    assert normal_tail_bounds(-x) == (1 - BEYOND_FURTHEST, Fraction(1))
    assert oracle("tail", Fraction(FURTHEST)) < BEYOND_FURTHEST


@pytest.mark.parametrize(
    ("x", "digits"),
    [
        *itertools.product((Fraction(1, 1000), 1, 8, 30), (1, 3, 9, 25, 60)),
        (Fraction("1.90921"), 1),
        (Fraction(184, 13), 2),
    ],
)
def test_the_series_is_enclosed_with_few_digits_too(x: Fraction, digits: int) -> None:
    """It grows to e^(x²/2) terms before it shrinks; the loop must not stop there.

    A number with more digits is rounded down for one end and up for the other, before
    it is squared too.
    """
    low, high = _series_bounds(Fraction(x), digits)
    with mpmath.workdps(ORACLE_DIGITS):
        value = as_mpf(x)
        series = exact(mpmath.erf(value / mpmath.sqrt(2)) / 2 / mpmath.npdf(value))
    assert low <= series <= high


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (Fraction(17, 5), Fraction(102, 25)),
        (Fraction(9949, 7), Fraction(59694, 35)),
        (Fraction(7485, 7), Fraction(16467, 14)),
    ],
)
def test_the_roots_of_a_wide_interval_lie_outside_it(
    low: Fraction, high: Fraction
) -> None:
    below, above = _root_bounds(low, high, 1)
    assert below**2 <= low < high <= above**2


@pytest.mark.parametrize(
    "ambient",
    [
        Context(prec=1),
        Context(prec=2),
        Context(prec=9, rounding=ROUND_UP),
        Context(prec=28, traps=[Inexact]),
    ],
    ids=["one digit", "two digits", "rounding up", "inexact trapped"],
)
def test_bounds_do_not_depend_on_the_decimal_context_of_the_caller(
    ambient: Context,
) -> None:
    """A caller may have set decimal.getcontext().prec = 2 for its money."""
    x = Fraction(3) if ambient.prec > 1 else Fraction(1)
    with decimal.localcontext(ambient):
        tail, power = normal_tail_bounds(x), exp_bounds(x)
        logarithm = log_bounds(x + 1)
    assert tail[0] < oracle("tail", x) < tail[1]
    assert power[0] < oracle("exp", x) < power[1]
    assert logarithm[0] < oracle("log", x + 1) < logarithm[1]


def test_threads_that_share_the_contexts_get_the_same_bounds() -> None:
    points = [Fraction(k, 7) for k in range(1, 60)] * 4
    digits = [20 + k % 5 for k in range(len(points))]
    alone = [normal_tail_bounds(x, d) for x, d in zip(points, digits, strict=True)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(normal_tail_bounds, points, digits))
    assert alone == together
