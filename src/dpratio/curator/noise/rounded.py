"""Laplace and Gaussian noise, correctly rounded to integers.

The integer drawn is round(N) for the *ideal real-valued* N of the given scale, so
adding it to an integer sum is post-processing of the textbook mechanism. Each draw
takes 64 bits: a sign and 63 bits of tail probability. The quantile is evaluated in
doubles with an error bound. If the bound leaves one integer, that is the draw.
Otherwise bits are appended and the boundary is compared in certified arithmetic. Proof:
docs/proofs/rounded_noise.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpratio.arrays import Floats
from dpratio.curator.noise.entropy import BitSource
from dpratio.plan.certified import Interval, exp_bounds, normal_tail_bounds
from dpratio.plan.laws import LAPLACE, NoiseLaw, threshold_of
from dpratio.terms.groups import Groups, Key, PrivateKeys
from dpratio.terms.unit import PrivacyUnit

TAIL_BITS = 63
_CHUNK = 2**17
_UNIT = 2.0**-53
# Below this tail count the unknown lower bits are worth more than the first-order
# bound allows for; such draws (one in 2^43) go to certified arithmetic.
_SMALLEST_FAST = 2**20


@dataclass(frozen=True, slots=True)
class _Shape:
    """Symmetric noise of scale 1, by its two-sided tail P(|N| > x).

    ``quantile`` maps tail counts to |N| and an error bound, both in doubles;
    ``tail_bounds`` encloses the tail in exact arithmetic, to a number of digits.
    """

    quantile: Callable[[Floats], tuple[Floats, Floats]]
    tail_bounds: Callable[[Fraction, int], Interval]


def draw_noise(
    law: NoiseLaw, scales: Sequence[float], cells: int, bits: BitSource
) -> NDArray[np.int64]:
    """Draw independent noise, cells × sums, in whole lattice cells of each sum."""
    drawn = [draw_rounded(law, scale, cells, bits) for scale in scales]
    return np.stack(drawn, axis=1)


def name_keys(
    counts: Mapping[Key, int], keys: PrivateKeys, unit: PrivacyUnit, bits: BitSource
) -> Groups:
    """Put noise on the counts of units and name the keys that reach the threshold.

    Keys are named in an order of their own, whatever the order of rows.

    Guarantee:
        The named keys are (ε, δ)-private at the budget of ``keys``.
        Proof: docs/proofs/key_selection.md.
    """
    threshold = threshold_of(keys, unit)
    ordered = sorted(counts, key=_order)
    noise = draw_rounded(LAPLACE, threshold.scale, len(ordered), bits)
    noisy = np.array([counts[key] for key in ordered], dtype=np.int64) + noise
    named = [
        key
        for key, count in zip(ordered, noisy, strict=True)
        if count >= threshold.least
    ]
    return keys.groups_of(named)


def _order(key: Key) -> tuple[int, bytes]:
    """Order whole numbers by size, text by its bytes, dates by day."""
    if isinstance(key, int):
        return int(key), b""
    return 0, str(key).encode()


def draw_rounded(
    law: NoiseLaw, scale: float, count: int, bits: BitSource
) -> NDArray[np.int64]:
    """Draw correctly rounded noise.

    Args:
        law: The law of the noise.
        scale: Laplace scale or Gaussian standard deviation, in cells.
        count: How many draws.
        bits: Where the bits come from.

    Guarantee:
        If the bits are uniform and independent, each draw has exactly the
        distribution of round(scale · N). Proof: docs/proofs/rounded_noise.md.
    """
    shape = _SHAPES[law.power]
    drawn = np.empty(count, dtype=np.int64)
    for start in range(0, count, _CHUNK):
        drawn[start : start + _CHUNK] = _draw_chunk(
            shape, scale, min(_CHUNK, count - start), bits
        )
    return drawn


def _draw_chunk(
    shape: _Shape, scale: float, count: int, bits: BitSource
) -> NDArray[np.int64]:
    words = np.frombuffer(bits(8 * count), dtype=np.uint64)
    tails = words >> np.uint64(1)
    size, error = shape.quantile(tails.astype(np.float64))
    size *= scale
    error *= scale
    low, high = np.floor(size - error + 0.5), np.floor(size + error + 0.5)
    rounded = high.astype(np.int64)
    unsure = (low != high) | (tails < _SMALLEST_FAST)
    for index in np.flatnonzero(unsure):
        guess = int(rounded[index])
        rounded[index] = _round_certified(shape, scale, int(tails[index]), guess, bits)
    return np.where(words & np.uint64(1), -rounded, rounded)


def _round_certified(
    shape: _Shape, scale: float, tail: int, guess: int, bits: BitSource
) -> int:
    """Find the integer k with |N| between k − ½ and k + ½.

    The guess says where to look first and never what to find.
    """
    uniform = _Uniform(tail, TAIL_BITS)
    exact_scale = Fraction(scale)

    def exceeds(k: int) -> bool:
        """Whether |N| > k + ½, that is, the tail drawn lies below the tail there."""
        boundary = (k + Fraction(1, 2)) / exact_scale
        digits = 40
        while k >= 0:
            low, high = shape.tail_bounds(boundary, digits)
            if uniform.high <= low:
                return True
            if uniform.low >= high:
                return False
            uniform.refine(bits)
            digits += 20
        return True

    above, below, step = guess, guess - 1, 1
    while exceeds(above):
        above, below, step = above + step, above, 2 * step
    while not exceeds(below):
        above, below, step = below, below - step, 2 * step
    while above - below > 1:
        middle = (above + below) // 2
        below, above = (middle, above) if exceeds(middle) else (below, middle)
    return above


class _Uniform:
    """A uniform number of which only the leading bits have been drawn."""

    __slots__ = ("_bits", "_value")

    def __init__(self, value: int, bits: int) -> None:
        self._value, self._bits = value, bits

    @property
    def low(self) -> Fraction:
        return Fraction(self._value, 2**self._bits)

    @property
    def high(self) -> Fraction:
        return Fraction(self._value + 1, 2**self._bits)

    def refine(self, bits: BitSource) -> None:
        self._value = (self._value << 64) | int.from_bytes(bits(8), "little")
        self._bits += 64


def _laplace_quantile(tails: Floats) -> tuple[Floats, Floats]:
    """−ln u. Error: conversion of u, its unknown bits, and 8 units of the logarithm."""
    centre = tails + 0.5
    size = -np.log(centre * 2.0**-TAIL_BITS)
    error = (8 * _UNIT) * np.maximum(size, 1.0) + 4 * _UNIT + 1.0 / centre
    return size, error


def _gaussian_quantile(tails: Floats) -> tuple[Floats, Floats]:
    """−Φ⁻¹(u/2). The Mills ratio, at most 1.2534, carries errors of u over."""
    from scipy.special import ndtri

    centre = tails + 0.5
    size = -ndtri(centre * 2.0 ** -(TAIL_BITS + 1))
    error = (64 * _UNIT) * np.maximum(size, 1.0)
    error += 1.2534 * (4 * _UNIT + 1.0 / centre)
    return size, error


def _laplace_tail(x: Fraction, digits: int) -> Interval:
    if x > 2000:  # noqa: PLR2004 (e^-2000 < 1e-860; a fraction that small is long)
        return Fraction(0), Fraction(1, 10**860)
    return exp_bounds(-x, digits)


def _gaussian_tail(x: Fraction, digits: int) -> Interval:
    low, high = normal_tail_bounds(x, digits)
    return 2 * low, 2 * high


# By the power of a law, which tells Laplace from Gaussian noise.
_SHAPES = {
    1: _Shape(_laplace_quantile, _laplace_tail),
    2: _Shape(_gaussian_quantile, _gaussian_tail),
}
