"""Bits that are fixed or written by hand, and the exact tails of both laws."""

import hashlib
from fractions import Fraction
from itertools import count

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.noise.rounded import _SHAPES
from dpratio.plan.laws import GAUSSIAN, LAPLACE

__all__ = [
    "LAWS",
    "SHAPES",
    "SIDES",
    "WORD",
    "Floats",
    "Script",
    "exact_tail",
    "stream",
    "tail_of",
]

Floats = NDArray[np.float64]
LAWS = {"laplace": LAPLACE, "gaussian": GAUSSIAN}
SHAPES = {name: _SHAPES[law.power] for name, law in LAWS.items()}
SIDES = pytest.mark.parametrize("name", LAWS)
WORD = 2**64


def stream(seed: str) -> BitSource:
    """A long, fixed stream of bits: SHAKE-256 in counter mode."""
    blocks = count()

    def bits(size: int) -> bytes:
        return hashlib.shake_256(f"{seed}:{next(blocks)}".encode()).digest(size)

    return bits


class Script:
    """A bit source that hands out the words it was given, and counts the calls."""

    def __init__(self, *words: int) -> None:
        self.words = iter(words)
        self.asked: list[int] = []

    def __call__(self, size: int) -> bytes:
        self.asked.append(size)
        return b"".join(
            next(self.words).to_bytes(8, "little") for _ in range(size // 8)
        )


def exact_tail(name: str, x: mpmath.mpf) -> mpmath.mpf:
    """P(|N| > x) at scale 1."""
    return mpmath.exp(-x) if name == "laplace" else mpmath.erfc(x / mpmath.sqrt(2))


def tail_of(name: str, k: int, scale: float) -> Fraction:
    """P(|N| > k + ½) at a scale, to more digits than any test here needs."""
    with mpmath.workdps(150):
        tail = exact_tail(name, (mpmath.mpf(k) + 0.5) / mpmath.mpf(scale))
        numerator, denominator = mpmath.libmp.to_rational(tail._mpf_)
    return Fraction(int(numerator), int(denominator))
