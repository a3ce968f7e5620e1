"""The pivot interval: every ratio that a test does not reject.

T(r) = S − r Y has mean zero at the true ratio. It is normal with variance V(r), known
from noisy second moments, plus the known noise of S and Y; the set of ratios whose T is
not too far out needs no linearisation and stays right where the denominator is weak.

Ratios are points β/α of the projective line: infinity is the point (0, 1).
docs/methods/pivot.md derives all of it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.noisy_tail import noisy_deviate, two_scales
from dpratio.analyst.sums.noise import take
from dpratio.analyst.sums.variance import Second

__all__ = ["Pivot", "TermOfT", "allowance"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

TEMPER = 1.5  # Of the matching prior; docs/methods/pivot.md.


def allowance(spread: Floats, squared: Floats, quantile: float) -> Floats:
    """Say by how much to widen a variance A for the noise in its own estimate.

    A* − A = (k² + 1)/4 · s²/(A + 1.5 s), with s² the noise variance of V: the
    closed form, to second order, of integrating V's noise out under the matching
    prior ∝ V + σ².
    """
    allowed: Floats = (
        (quantile**2 + 1) / 4 * squared / (spread + TEMPER * np.sqrt(squared))
    )
    return allowed


@dataclass(frozen=True, slots=True)
class TermOfT:
    """One independent noise that enters S and Y with these weights.

    Its variance and the scale of its Laplace part are by cell, or one for all.
    """

    variance: Floats
    laplace: Floats
    in_numerator: float
    in_denominator: float

    def only(self, chosen: object) -> "TermOfT":
        """Keep some cells."""
        return replace(
            self,
            variance=take(self.variance, chosen),
            laplace=take(self.laplace, chosen),
        )

    def at(self, alpha: Floats, beta: Floats) -> Floats:
        """Give its weight in αS − βY."""
        weight: Floats = alpha * self.in_numerator - beta * self.in_denominator
        return weight


@dataclass(frozen=True, slots=True)
class Pivot:
    """What the test of a ratio needs, for every cell."""

    numerator: Floats
    denominator: Floats
    terms: tuple[TermOfT, ...]
    second: Second
    quantile: float

    def only(self, chosen: Flags | slice) -> "Pivot":
        """Keep some cells."""
        return Pivot(
            self.numerator[chosen],
            self.denominator[chosen],
            tuple(term.only(chosen) for term in self.terms),
            self.second.only(chosen),
            self.quantile,
        )

    def noise_variance(self, alpha: Floats, beta: Floats) -> Floats:
        """Give the variance that noise adds to αS − βY."""
        total = np.zeros_like(alpha)
        for term in self.terms:
            total += term.at(alpha, beta) ** 2 * term.variance
        return total

    def distance(self, alpha: Floats, beta: Floats) -> Floats:
        """Say how far out T is, as the normal deviate of the same p-value."""
        statistic = np.abs(alpha * self.numerator - beta * self.denominator)
        noise = self.noise_variance(alpha, beta)
        spread = np.maximum(self.second.variance_at(alpha, beta), 0.0) + noise
        spread = spread + self._allowance(alpha, beta, spread)
        if not any(term.laplace.any() for term in self.terms):
            return statistic / np.sqrt(spread)
        scales = two_scales(
            [np.abs(term.at(alpha, beta)) * term.laplace for term in self.terms]
        )
        return noisy_deviate(statistic, spread, scales[0], scales[1])

    def _allowance(self, alpha: Floats, beta: Floats, spread: Floats) -> Floats:
        """Widen the variance for the noise in its own estimate."""
        return allowance(spread, self.second.noise_at(alpha, beta), self.quantile)
