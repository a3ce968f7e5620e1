"""Error bounds of the fast quantiles, and certified tails, in arbitrary precision."""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri

from curator.bits_for_tests import SHAPES, SIDES, Floats, exact_tail


def tail_counts() -> list[int]:
    """Counts all over 2^20..2^63, around u = e^-2, and at both ends."""
    rng = np.random.default_rng(3)
    spread = (2.0 ** rng.uniform(20, 63, 2500)).astype(np.uint64)
    uniform = rng.integers(2**20, 2**63, 1500, np.uint64)
    offsets = rng.integers(-(2**45), 2**45, 1000)
    near = [int(math.exp(-2) * 2**63) + int(offset) for offset in offsets]
    nearer = [int(2 * math.exp(-2) * 2**63) + int(offset) for offset in offsets]
    ends = [2**20 + k for k in range(50)] + [2**63 - 1 - k * 997 for k in range(50)]
    powers = [2**e + d for e in range(21, 63) for d in (-1, 0, 1)]
    return [*spread.tolist(), *uniform.tolist(), *near, *nearer, *ends, *powers]


@SIDES
def test_the_error_bounds_of_the_fast_quantiles_hold(name: str) -> None:
    """For all numbers that begin with the bits, with four units left for rounding."""
    counts = tail_counts()
    size, error = SHAPES[name].quantile(np.array(counts, np.uint64).astype(np.float64))
    units = 2.0**-53 * np.maximum(size, 1.0)
    assert np.all(error >= {"laplace": 8, "gaussian": 64}[name] * units)
    kept = error - 4 * units
    with mpmath.workprec(200):
        unit = mpmath.mpf(2) ** -63
        for tail, middle, reach in zip(counts, size, kept, strict=True):
            centre, width = mpmath.mpf(float(middle)), mpmath.mpf(float(reach))
            assert exact_tail(name, centre + width) <= tail * unit
            inner = centre - width
            assert inner <= 0 or exact_tail(name, inner) >= (tail + 1) * unit


def units_off(values: Floats, exact: Callable[[int], mpmath.mpf]) -> float:
    """The largest error, in units of 2^-53 of the value or of 1 if that is more."""
    with mpmath.workprec(200):
        return max(
            float(abs(mpmath.mpf(value) - exact(at)) / max(1, abs(value)) * 2**53)
            for at, value in enumerate(values.tolist())
        )


def test_the_logarithm_of_numpy_is_as_good_as_assumed() -> None:
    """docs/proofs/rounded_noise.md rests on 4 units; about 1 is seen."""
    points = (np.array(tail_counts(), np.uint64).astype(np.float64) + 0.5) * 2.0**-63
    for batch in (points, points[:3]):  # Vector and scalar loops.
        off = units_off(np.log(batch), lambda at: mpmath.log(points[at]))
        assert off <= 4


def test_the_normal_quantile_of_scipy_is_as_good_as_assumed() -> None:
    """docs/proofs/rounded_noise.md rests on 56 units; about 7 are seen."""
    points = (np.array(tail_counts(), np.uint64).astype(np.float64) + 0.5) * 2.0**-64
    values = np.asarray(ndtri(points))

    def exact(at: int) -> mpmath.mpf:
        """One step of Newton from a double is exact to 100 bits."""
        start = mpmath.mpf(float(values[at]))
        error = mpmath.erfc(-start / mpmath.sqrt(2)) / 2 - mpmath.mpf(float(points[at]))
        slope = mpmath.npdf(start)
        return start - error / slope

    assert units_off(values, exact) <= 56


def test_the_mills_ratio_is_below_the_constant_of_the_error_bound() -> None:
    with mpmath.workprec(100):
        ratios = [
            mpmath.erfc(x / mpmath.sqrt(2)) / 2 / mpmath.npdf(x)
            for x in mpmath.linspace(0, 10, 1001)
        ]
    assert max(ratios) == ratios[0] < 1.2534
    assert ratios == sorted(ratios, reverse=True)


@SIDES
@pytest.mark.parametrize(
    "x", ["0", "0.001", "1", "9", "59", "61", "1999", "2001", "1e9"]
)
def test_tails_are_enclosed_however_far_out(name: str, x: str) -> None:
    low, high = SHAPES[name].tail_bounds(Fraction(x), 30)
    with mpmath.workdps(60):
        true = exact_tail(name, mpmath.mpf(x))
        assert mpmath.mpf(low.numerator) / low.denominator <= true
        assert true <= mpmath.mpf(high.numerator) / high.denominator


@SIDES
def test_the_error_bounds_of_the_fast_quantiles_are_those_of_the_proof(
    name: str,
) -> None:
    """docs/proofs/rounded_noise.md, the table: no less, and no more, which is slow."""
    tails = np.array([2.0**20, 2.0**21 + 1, 2.0**40, 2.0**60, 2.0**62, 2.0**63 - 1024])
    size, error = SHAPES[name].quantile(tails)
    unit = 2.0**-53
    bits = 4 * unit + 1 / (tails + 0.5)
    units, ratio = {"laplace": (8, 1.0), "gaussian": (64, 1.2534)}[name]
    stated = units * unit * np.maximum(size, 1) + ratio * bits
    assert error.tolist() == pytest.approx(stated.tolist(), rel=1e-12, abs=0)
