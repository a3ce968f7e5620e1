"""Populations on which intervals fail first: rare labels, weights by label."""

import math
from dataclasses import dataclass

import numpy as np

from dpratio.simulation.population import HEAVIEST, LIGHTEST, PaperPopulation, People

__all__ = ["RareLabels", "SurprisingLabels"]


@dataclass(frozen=True, slots=True)
class RareLabels:
    """Labels of a small rate p: y ~ Bernoulli(2p·Beta(2, 2)), scores r times the odds.

    Weights are the paper's.
    """

    rate: float = 0.02
    ratio: float = 1.1

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        """Invent people."""
        paper = PaperPopulation(1.0)(rng, repetitions, count)
        chance = 2 * self.rate * paper.score
        label = rng.random(chance.shape, dtype=np.float32) < chance
        score = np.minimum(self.ratio * chance, 1)
        return People(score, label.astype(np.float32), paper.weight)


@dataclass(frozen=True, slots=True)
class SurprisingLabels:
    """The paper's people, where those whose label surprises their score weigh more.

    A label surprises if it is 1 below a score of one half or 0 above it. Exponential
    weights are multiplied by ``factor`` there and divided by it elsewhere, then
    clipped.
    """

    factor: float = 2.0

    @property
    def ratio(self) -> float:
        """The true ratio, E(ws) / E(wy).

        For s ~ Beta(2, 2) and y ~ Bernoulli(s/r), surprised people hold 11/32 − 3/16r
        of the mean score 1/2, and 5/32r of the mean label 1/2r.
        """
        light, heavy = _clipped_mean(1 / self.factor), _clipped_mean(self.factor)
        score = light / 2 + (heavy - light) * (11 / 32 - 3 / 16 / 1.1)
        label = (light / 2 + (heavy - light) * 5 / 32) / 1.1
        return score / label

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        """Invent people."""
        paper = PaperPopulation(1.1)(rng, repetitions, count)
        drawn = rng.standard_exponential(paper.score.shape, dtype=np.float32)
        surprised = (paper.label > 0) != (paper.score > 0.5)  # noqa: PLR2004
        scale = np.where(
            surprised, np.float32(self.factor), np.float32(1 / self.factor)
        )
        weight = np.clip(scale * drawn, np.float32(LIGHTEST), np.float32(HEAVIEST))
        return People(paper.score, paper.label, weight)


def _clipped_mean(scale: float) -> float:
    """Give the mean of an exponential variable clipped to the weights' bounds."""
    low, high = LIGHTEST / scale, HEAVIEST / scale
    return scale * (low + math.exp(-low) - math.exp(-high))
