"""What the test of a ratio needs, cell by cell: two sums and quadratics in the ratio.

At the ratio β/α the statistic is T = αS − βY. Its variance is A = max(V, 0) + N: V from
noisy second moments, N from the noise of S and Y. All are quadratics in (α, β).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.pivot import Pivot
from dpratio.analyst.ratio.pivot_of import pivot_of
from dpratio.analyst.ratio.tail import Standardised
from dpratio.analyst.ratio.wald import normal_quantile
from dpratio.analyst.sums.moments import Floats, Moments
from dpratio.analyst.sums.variance import Second, weights_are_lost

__all__ = ["Cells", "Scored", "cells_of"]

Places = NDArray[np.int64]
Point = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True)
class Scored:
    """T, its variance A and A's parts V and N at a ratio, and how sharply T falls.

    ``slope`` is −√A times the derivative of T/√A along a path of ratios.
    """

    value: Floats
    variance: Floats
    sampling: Floats
    noise: Floats
    slope: Floats

    @property
    def squared(self) -> Floats:
        """T²/A."""
        ratio: Floats = self.value * self.value / self.variance
        return ratio

    @property
    def information(self) -> Floats:
        """How sharply the ratio is told here."""
        told: Floats = self.slope * self.slope / self.variance
        return told


@dataclass(frozen=True, slots=True)
class Cells:
    """The tests of many cells.

    ``sampling`` and ``noise`` are 3 × cells: the coefficients of α², −2αβ and β².
    ``lowest`` is the smallest ratio there can be: 0 or −∞.
    """

    pivot: Pivot
    sampling: Floats
    noise: Floats
    lowest: float

    @property
    def numerator(self) -> Floats:
        """S."""
        return self.pivot.numerator

    @property
    def denominator(self) -> Floats:
        """Y."""
        return self.pivot.denominator

    def only(self, chosen: Places | slice | NDArray[np.bool_]) -> "Cells":
        """Keep some cells, perhaps repeatedly."""
        return Cells(
            self.pivot.only(chosen),  # type: ignore[arg-type]  # places work as well
            self.sampling[:, chosen],
            self.noise[:, chosen],
            self.lowest,
        )

    def score(self, at: Point, along: Point) -> Scored:
        """Score a ratio; ``along`` is the derivative of the path through it."""
        (alpha, beta), (alpha_step, beta_step) = at, along
        sampled = _quadratic(self.sampling, alpha, beta)
        noise = _quadratic(self.noise, alpha, beta)
        variance = np.maximum(sampled, 0.0) + noise
        moved = np.where(sampled > 0, _moved(self.sampling, at, along), 0.0)
        moved = moved + _moved(self.noise, at, along)
        variance = np.maximum(variance, np.finfo(np.float64).tiny)
        value = alpha * self.numerator - beta * self.denominator
        own = alpha_step * self.numerator - beta_step * self.denominator
        # Kleibergen (2002): the slope without what it shares with the value itself.
        slope = 0.5 * value * moved / variance - own
        return Scored(value, variance, sampled, noise, slope)

    def wobble(self, at: Point, variance: Floats) -> Floats:
        """Give the noise sd of the estimated variance, per variance."""
        sd = np.sqrt(self.pivot.second.noise_at(*at))
        relative: Floats = sd / variance
        return relative

    def laplace(self, at: Point, variance: Floats) -> tuple[Floats, Floats]:
        """Give the Laplace scales within T/√A."""
        root = np.sqrt(variance)
        scales = [np.abs(term.at(*at)) * term.laplace for term in self.pivot.terms]
        return scales[0] / root, scales[1] / root

    def standardised(self, ratio: float) -> tuple[Floats, Standardised]:
        """Test one ratio in every cell: signs, and sizes of the statistic."""
        one = np.ones_like(self.numerator)
        at = (one, ratio * one)
        scored = self.score(at, (0 * one, one))
        size = np.abs(scored.value) / np.sqrt(scored.variance)
        made = Standardised(
            size,
            self.wobble(at, scored.variance),
            *self.laplace(at, scored.variance),
        )
        return np.sign(scored.value), made


def cells_of(moments: Moments, variance: str, *, level: float, lowest: float) -> Cells:
    """Give the tests of all cells of some moments.

    A cell whose weights are lost in noise (kish divides by them) says nothing: its
    sums are taken as 0.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        pivot = pivot_of(moments, normal_quantile(level), variance)
    lost = weights_are_lost(moments, variance)
    if lost.any():
        pivot = _silenced(pivot, lost)
    noise = np.zeros((3, len(pivot.numerator)))
    for term in pivot.terms:
        own = (term.in_numerator, term.in_denominator)
        for at, loading in enumerate((own[0] ** 2, own[0] * own[1], own[1] ** 2)):
            noise[at] += term.variance * loading
    return Cells(pivot, np.ascontiguousarray(pivot.second.values.T), noise, lowest)


def _silenced(pivot: Pivot, lost: NDArray[np.bool_]) -> Pivot:
    second = Second(
        np.where(lost[:, None], 0.0, pivot.second.values),
        np.where(lost[:, None, None], 0.0, pivot.second.noise),
    )
    return replace(
        pivot,
        numerator=np.where(lost, 0.0, pivot.numerator),
        denominator=np.where(lost, 0.0, pivot.denominator),
        second=second,
    )


def _quadratic(of: Floats, alpha: Floats, beta: Floats) -> Floats:
    value: Floats = alpha * (alpha * of[0] - 2 * beta * of[1]) + (beta * beta * of[2])
    return value


def _moved(of: Floats, at: Point, along: Point) -> Floats:
    """Give the derivative of a quadratic along a path."""
    (alpha, beta), (alpha_step, beta_step) = at, along
    first = alpha_step * (alpha * of[0] - beta * of[1])
    second = beta_step * (beta * of[2] - alpha * of[1])
    moved: Floats = 2 * (first + second)
    return moved
