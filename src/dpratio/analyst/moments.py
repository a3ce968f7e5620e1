"""From noisy integers to moments with known noise: floats first appear here.

Moments are named by their factors: ``ws``, ``wy``, ``wss`` …; ``a`` stands for w·s and
``b`` for w·y, so that ``ab`` is Σ (ws)(wy).
Floor: analyst. Imports: checks, plan, release.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require
from dpratio.plan.calibrate import noise_sd
from dpratio.plan.plan import Plan
from dpratio.plan.strategy import reconstruction
from dpratio.release.release import Release

__all__ = ["Floats", "Moments", "NoiseTerm", "exact_moments", "moments_of"]

Floats = NDArray[np.float64]

_PLAN_FOR = {
    "w": "answers=('ratio', 'means')",
    "ww": "strategy='joint'",
    "wyy": "strategy='joint'",
    "wss": "strategy='joint'",
    "wys": "strategy='joint'",
    "wa": "answers=('ratio', 'means')",
    "wb": "answers=('ratio', 'means')",
    "aa": "strategy='focused'",
    "ab": "strategy='focused'",
    "bb": "strategy='focused'",
}


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
    """Estimated moments, groups × names, and their noise."""

    names: tuple[str, ...]
    values: Floats
    noise: tuple[NoiseTerm, ...]

    def __getitem__(self, name: str) -> Floats:
        """Give one moment for every group.

        Raises:
            InvalidInput: When the release does not hold it.
        """
        self.require(name)
        column: Floats = self.values[:, self.names.index(name)]
        return column

    def require(self, *names: str) -> None:
        """Refuse what the release does not hold, and name the plan that would.

        Raises:
            InvalidInput: When a moment was not measured.
        """
        for name in names:
            rule = f"this release does not hold the sum {name}, which this answer needs"
            hint = f"Make the plan with {_PLAN_FOR.get(name, 'strategy even')}."
            require(name in self.names, rule, list(self.names[:2]), hint)

    def loadings(self, *names: str) -> list[Floats]:
        """Give each noise's weights in some moments."""
        self.require(*names)
        places = [self.names.index(name) for name in names]
        return [term.loading[places] for term in self.noise]

    def noise_covariance(self, first: str, second: str) -> float:
        """Give the covariance of the noise of two moments, the same in every group."""
        pairs = zip(self.noise, self.loadings(first, second), strict=True)
        return float(sum(term.variance * pair[0] * pair[1] for term, pair in pairs))


def moments_of(release: Release) -> Moments:
    """Reconstruct moments from the sums that were measured."""
    sums = release.plan.sums
    steps = np.array([each.step for each in sums])
    names, matrix = _matrix(release.plan)
    law = release.plan.mechanism
    return Moments(
        names=names,
        values=(release.values * steps) @ matrix.T,
        noise=tuple(
            NoiseTerm(law, each.scale * each.step, matrix[:, index])
            for index, each in enumerate(sums)
        ),
    )


def exact_moments(sums: Floats, plan: Plan) -> Moments:
    """Give the moments of sums without noise: public ones, or invented ones."""
    names, matrix = _matrix(plan)
    return Moments(names=names, values=sums @ matrix.T, noise=())


def _matrix(plan: Plan) -> tuple[tuple[str, ...], Floats]:
    rows = reconstruction([each.summand for each in plan.sums], plan.contrast)
    return tuple(rows), np.array(list(rows.values()))
