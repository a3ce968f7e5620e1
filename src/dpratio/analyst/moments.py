"""From noisy integers to moments with known noise: floats first appear here.

Floor: analyst. Imports: plan, release.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.plan.calibrate import noise_sd
from dpratio.plan.plan import Plan
from dpratio.plan.strategy import reconstruction
from dpratio.plan.sums import MOMENTS
from dpratio.release.release import Release

__all__ = ["Floats", "Moments", "NoiseTerm", "exact_moments", "moments_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """One independent noise: its law, its scale, and its weight in each moment."""

    law: str
    scale: float
    loading: Floats

    @property
    def variance(self) -> float:
        """The variance of the noise itself."""
        return noise_sd(self.law, self.scale) ** 2


@dataclass(frozen=True, slots=True)
class Moments:
    """Estimated moments, groups × 7 in the order of `MOMENTS`, and their noise."""

    values: Floats
    noise: tuple[NoiseTerm, ...]

    def __getitem__(self, name: str) -> Floats:
        """Give one moment for every group."""
        column: Floats = self.values[:, MOMENTS.index(name)]
        return column

    @property
    def covariance(self) -> Floats:
        """The covariance of the noise in the moments, the same for every group."""
        total = np.zeros((len(MOMENTS), len(MOMENTS)))
        for term in self.noise:
            total += term.variance * np.outer(term.loading, term.loading)
        return total

    def noise_covariance(self, first: str, second: str) -> float:
        """Give the covariance of the noise of two moments."""
        return float(self.covariance[MOMENTS.index(first), MOMENTS.index(second)])


def moments_of(release: Release) -> Moments:
    """Reconstruct the seven moments from the sums that were measured."""
    sums = release.plan.sums
    steps = np.array([each.step for each in sums])
    matrix = _matrix(release.plan)
    law = release.plan.mechanism
    return Moments(
        values=(release.values * steps) @ matrix.T,
        noise=tuple(
            NoiseTerm(law, each.scale * each.step, matrix[:, index])
            for index, each in enumerate(sums)
        ),
    )


def exact_moments(sums: Floats, plan: Plan) -> Moments:
    """Give the moments of sums without noise: public ones, or invented ones."""
    return Moments(values=sums @ _matrix(plan).T, noise=())


def _matrix(plan: Plan) -> Floats:
    return np.array(reconstruction([each.summand.name for each in plan.sums]), float)
