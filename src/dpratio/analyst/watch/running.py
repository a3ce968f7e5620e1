"""The running ratio: T(r) = S − rY of all periods so far, and the ratios it allows.

Sums of periods add, and so do their variances, where nobody is in two periods. All of
them are polynomials in r, so a look adds coefficients and solves one quadratic.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial.polynomial import polyval

from dpratio.analyst.ratio.statistic import Statistic
from dpratio.analyst.watch.boundary import Boundary
from dpratio.arrays import Floats

_MOST = 0.9  # Of 1, where the cumulant of Laplace noise has its pole.


@dataclass(frozen=True, slots=True)
class Sequence:
    """The running ratio at one look and the ends of its confidence sequence."""

    ratio: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True)
class Running:
    """All periods so far, for every group.

    ``sampling`` and ``noise`` hold the coefficients of V and N (3 × groups), ``doubt``
    and ``laplace`` those of the variance of V's own noise and of Σb⁴ (5 × groups).
    ``first`` holds V, N and doubt of the first period, ``heaviest`` the largest b² so
    far.
    """

    numerator: Floats
    denominator: Floats
    sampling: Floats
    noise: Floats
    doubt: Floats
    laplace: Floats
    first: tuple[Floats, Floats, Floats]
    heaviest: Floats
    lowest: float

    @classmethod
    def of(cls, statistic: Statistic) -> "Running":
        """Begin with the first period."""
        sampling, noise, doubt, laplace = _coefficients(statistic)
        begun = cls(
            statistic.numerator,
            statistic.denominator,
            sampling,
            noise,
            doubt,
            laplace,
            (sampling, noise, doubt),
            np.zeros_like(statistic.numerator),
            statistic.lowest,
        )
        return replace(begun, heaviest=begun.heaviest_with(statistic))

    def plus(self, statistic: Statistic) -> "Running":
        """Add a period."""
        sampling, noise, doubt, laplace = _coefficients(statistic)
        longer = replace(
            self,
            numerator=self.numerator + statistic.numerator,
            denominator=self.denominator + statistic.denominator,
            sampling=self.sampling + sampling,
            noise=self.noise + noise,
            doubt=self.doubt + doubt,
            laplace=self.laplace + laplace,
            lowest=min(self.lowest, statistic.lowest),
        )
        return replace(longer, heaviest=longer.heaviest_with(statistic))

    @property
    def ratio(self) -> Floats:
        """The ratio of all periods; NaN where the denominator is not above 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.maximum(self.numerator / self.denominator, self.lowest)
        return np.where(self.denominator > 0, ratio, np.nan)

    def variance(self, ratio: Floats) -> Floats:
        """Give A = max(V, 0) + N at a ratio."""
        total: Floats = _positive(self.sampling, ratio) + _at(self.noise, ratio)
        return total

    def sequence(self, boundary: Boundary) -> Sequence:
        """Give the ratios that the boundary allows: a quadratic around the estimate."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            estimate = self.numerator / self.denominator
            variance = self.variance(estimate)
            allowed = self._squared_boundary(boundary, estimate, variance) / variance
            seen = np.where(_at(self.sampling, estimate) > 0, self.sampling, 0.0)
            square = allowed * (np.maximum(seen[2], 0.0) + self.noise[2])
            slope = allowed * (
                seen[1] + self.noise[1] + 2 * estimate * (seen[2] + self.noise[2])
            )
            # (r̂ − r)²Y² = q²A(r), a quadratic in r − r̂; bounded where Y is told from 0.
            leading = self.denominator**2 - square
            root = np.sqrt(slope**2 + 4 * leading * allowed * variance)
            lower = estimate + (slope - root) / (2 * leading)
            upper = estimate + (slope + root) / (2 * leading)
        told = (leading > 0) & (self.denominator > 0) & np.isfinite(root)
        return Sequence(
            self.ratio,
            np.where(told, np.maximum(lower, self.lowest), self.lowest),
            np.where(told, np.maximum(upper, self.lowest), np.inf),
        )

    def heaviest_with(self, statistic: Statistic) -> Floats:
        """Give the largest b² of Laplace noise, with that of one more period."""
        ratio = np.nan_to_num(self.ratio)
        scales = statistic.laplace((np.ones_like(ratio), ratio))
        heaviest: Floats = np.maximum.reduce(
            [self.heaviest, *(each**2 for each in scales)]
        )
        return heaviest

    def _squared_boundary(
        self, boundary: Boundary, ratio: Floats, variance: Floats
    ) -> Floats:
        """Give the squared boundary of T, with what the normal law leaves out.

        log E exp(λT) of Laplace noise is −log(1 − λ²b²), and a variance that is too
        small by a normal error of variance s² costs λ⁴s²/8: docs/methods/watching.md.
        """
        first = self._first_variance(ratio)
        slope = boundary.slope(variance, first) ** 2
        near = 1 - np.minimum(slope * self.heaviest, _MOST)
        more = _positive(self.doubt, ratio) / 4 + _positive(self.laplace, ratio) / near
        whole = variance + slope * more
        squared: Floats = boundary.quantile(whole, first) ** 2 * whole
        return squared

    def _first_variance(self, ratio: Floats) -> Floats:
        """Give A of the first period, which sets the scale of the boundary.

        A V that noise drowns is taken as smaller: the scale need not be right, but it
        should not be far off.
        """
        sampling, noise, doubt = self.first
        seen = _positive(sampling, ratio)
        least = np.finfo(np.float64).tiny
        trusted = seen**2 / (seen**2 + _positive(doubt, ratio) + least)
        whole: Floats = trusted * seen + _at(noise, ratio)
        return whole


def _coefficients(statistic: Statistic) -> tuple[Floats, Floats, Floats, Floats]:
    """Write V, N, V's doubt and Σb⁴ as polynomials in r, lowest power first."""
    groups = len(statistic.numerator)
    above, both, below = statistic.sampling.values
    noise, laplace = np.zeros((3, groups)), np.zeros((5, groups))
    for term in statistic.noise:
        # A ratio of sums has one weight for all groups.
        top, bottom = np.asarray(term.in_numerator), np.asarray(term.in_denominator)
        noise += np.outer([top**2, -2 * top * bottom, bottom**2], term.variance)
        weights = [
            top**4,
            -4 * top**3 * bottom,
            6 * top**2 * bottom**2,
            -4 * top * bottom**3,
            bottom**4,
        ]
        laplace += np.outer(weights, term.laplace**4)
    known = statistic.sampling.noise
    doubt = np.broadcast_to(
        [
            known[:, 0, 0],
            -4 * known[:, 0, 1],
            4 * known[:, 1, 1] + 2 * known[:, 0, 2],
            -4 * known[:, 1, 2],
            known[:, 2, 2],
        ],
        (5, groups),
    )
    return np.stack([above, -2 * both, below]), noise, doubt, laplace


def _at(coefficients: Floats, ratio: Floats) -> Floats:
    """Evaluate polynomials, one for each group."""
    return polyval(ratio, coefficients, tensor=False).astype(np.float64, copy=False)


def _positive(coefficients: Floats, ratio: Floats) -> Floats:
    return np.maximum(_at(coefficients, ratio), 0.0)
