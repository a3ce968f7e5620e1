"""People with scores and labels that no choice in the library was made on.

bench/curve_statuses.py draws calibration curves of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import dpratio as dpr
from dpratio.simulation.population import People

Floats = NDArray[np.float64]
Shape = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """Scores, how often each has its label, and weights within bounds, if any."""

    score: Callable[[np.random.Generator, Shape], Floats]
    chance: Callable[[Floats], Floats]
    weight: Callable[[np.random.Generator, Floats], Floats] | None = None
    bounds: dpr.Bounds | None = None

    def draw(self, rng: np.random.Generator, shape: Shape) -> People:
        """Draw people whose label is the chance that it is 1."""
        score = self.score(rng, shape)
        weight = None if self.weight is None else self.weight(rng, score)
        return People(score, np.clip(self.chance(score), 0, 1), weight)


def _skewed(rng: np.random.Generator, shape: Shape) -> Floats:
    return rng.beta(0.5, 5, shape)


ASKED = {
    # Calibrated, most scores near 0.
    "clicks": Asked(_skewed, lambda s: s),
    # Labels of 2 %, rarer than scores say.
    "frauds": Asked(
        lambda rng, shape: 1 / (1 + np.exp(rng.normal(3.8, 1.1, shape))),
        lambda s: 0.6 * s,
    ),
    # Scores too near 0 and 1.
    "rain": Asked(
        lambda rng, shape: rng.beta(0.8, 1.2, shape), lambda s: 0.2 + 0.6 * s
    ),
    # Calibrated, with weights that say nothing of the score.
    "survey": Asked(
        lambda rng, shape: rng.beta(3, 3, shape),
        lambda s: s,
        lambda rng, s: rng.gamma(2, 0.6, s.shape),
        dpr.Bounds(0.1, 4),
    ),
    # Most scores near 0, labels too frequent, weights that grow with the score.
    "claims": Asked(
        _skewed,
        lambda s: 1.4 * s,
        lambda rng, s: rng.lognormal(-0.2, 0.6, s.shape) * (0.8 + 2 * s),
        dpr.Bounds(0.2, 5),
    ),
    # Two clusters, weights of 1, 2 and 5 that fall with the score.
    "wards": Asked(
        lambda rng, shape: np.where(
            rng.random(shape) < 0.6,  # noqa: PLR2004
            rng.beta(3, 12, shape),
            rng.beta(9, 4, shape),
        ),
        lambda s: s**1.2,
        lambda rng, s: np.array([5.0, 2, 1])[rng.binomial(2, 0.3 + 0.5 * s)],
        dpr.Bounds(1, 5),
    ),
}
