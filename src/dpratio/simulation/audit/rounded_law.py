"""The law of noise as planned: exact chances of Laplace or Gaussian noise, rounded.

Noise is round(scale · N) for an ideal real N, so every chance is a difference of tails
of N at halves. Written apart from the sampler; docs/methods/audit.md derives it.
"""

from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.plan import Plan

# Between these, differences of erf and of erfc are equally good.
_NEAR = 0.5
# Residues of Gaussian noise are uniform but for e^(−2π²·16), which no double holds.
_TURNS = 4


@dataclass(frozen=True, slots=True)
class RoundedLaw:
    """round(scale · N), for N of the standard Laplace or normal law.

    Example:
        >>> round(float(RoundedLaw(LAPLACE, 10.0).within(np.array(0))), 6)
        0.048771
    """

    law: NoiseLaw
    scale: float

    def above(self, mark: Integers) -> Floats:
        """Give P(noise > mark), which is P(noise < −mark), for whole marks from 0."""
        return self._half_tail(self._end_of(mark))

    def within(self, mark: Integers) -> Floats:
        """Give P(|noise| ≤ mark), with every digit where it is small."""
        return np.asarray(2 * self._half_centre(self._end_of(mark)))

    def between(self, above: Integers, upto: Integers) -> Floats:
        """Give P(above < noise ≤ upto), for whole marks from 0."""
        start, end = self._end_of(above), self._end_of(upto)
        if self._is_laplace:
            return np.asarray(np.exp(-start) * -np.expm1(start - end) / 2)
        near = self._half_centre(end) - self._half_centre(start)
        far = self._half_tail(start) - self._half_tail(end)
        return np.where(start < _NEAR, near, far)

    def mark_beyond(self, chance: Floats) -> Integers:
        """Give marks that noise exceeds in size with nearly these chances."""
        from scipy.special import ndtri

        far = -np.log(chance) if self._is_laplace else -ndtri(chance / 2)
        return np.asarray(np.rint(far * self.scale), dtype=np.int64)

    def residues(self, modulus: int) -> Floats:
        """Give P(noise ≡ r) for every r below the modulus, at most a quarter scale."""
        if not self._is_laplace:
            return np.full(modulus, 1 / modulus)
        step = 1 / self.scale
        turn = np.sinh(modulus * step / 2)
        # Two geometric series, of noise above zero and of noise below it.
        away = (modulus / 2 - np.arange(modulus)) * step
        chances = np.sinh(step / 2) * np.cosh(away) / turn
        wound = np.sinh(step / 2) * np.exp(-modulus * step / 2) / turn
        chances[0] = -np.expm1(-step / 2) + wound
        return np.asarray(chances)

    def bits_set(self, bits: int) -> Floats:
        """Give P(bit i of the noise is set), in two's complement, for the lowest."""
        if not self._is_laplace:
            return np.full(bits, 0.5)
        half = 2.0 ** np.arange(bits) / (2 * self.scale)
        # The residues of a bit that is set, added up.
        return np.asarray(np.cosh(half - 1 / (2 * self.scale)) / np.cosh(half) / 2)

    @property
    def uniform_bits(self) -> int:
        """How many low bits are uniform: those below a quarter of the scale."""
        return max(0, int(np.log2(self.scale / _TURNS)))

    @property
    def _is_laplace(self) -> bool:
        return self.law == LAPLACE

    def _end_of(self, mark: Integers) -> Floats:
        """Give where N is rounded up from a mark, in scales."""
        return np.asarray((mark + 0.5) / self.scale, dtype=np.float64)

    def _half_tail(self, x: Floats) -> Floats:
        from scipy.special import ndtr

        return np.asarray(np.exp(-x) / 2 if self._is_laplace else ndtr(-x))

    def _half_centre(self, x: Floats) -> Floats:
        from scipy.special import erf

        centre = -np.expm1(-x) if self._is_laplace else erf(x / np.sqrt(2.0))
        return np.asarray(centre / 2)


def laws_of(plan: Plan) -> list[RoundedLaw]:
    """Give the law that a plan states for each of its sums."""
    (question,) = plan.measurements
    return [RoundedLaw(plan.law, each.scale) for each in question.sums]


def names_of(plan: Plan) -> list[str]:
    """Give the names of the sums."""
    (question,) = plan.measurements
    return [each.summand.name for each in question.sums]
