"""Populations on which intervals fail first, and tables as people really have them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpratio.simulation.population import HEAVIEST, LIGHTEST, PaperPopulation, People
from dpratio.terms.bounds import Bounds

Rng = np.random.Generator
Shape = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Invented:
    """A population; its true ratio is that of millions of its people."""

    draw: Callable[[Rng, Shape], People]
    bounds: Mapping[str, Bounds] = field(default_factory=dict)

    def __call__(self, rng: Rng, repetitions: int, count: int) -> People:
        return self.draw(rng, (repetitions, count))

    @cached_property
    def ratio(self) -> float:
        people = self.draw(np.random.default_rng(1), (1, 2**22))
        weight = np.ones(1) if people.weight is None else people.weight
        return float((weight * people.score).sum() / (weight * people.label).sum())


def _rare_labels(rng: Rng, shape: Shape) -> People:
    paper = PaperPopulation(1.0)(rng, *shape)
    chance = 0.04 * paper.score
    label = (rng.random(shape) < chance).astype(float)
    return People(1.1 * chance, label, paper.weight)


def _surprising_labels(rng: Rng, shape: Shape) -> People:
    """Whose label surprises their score weighs four times as much as others."""
    paper = PaperPopulation(1.1)(rng, *shape)
    surprised = (paper.label > 0) != (paper.score > 0.5)
    weight = np.where(surprised, 2, 0.5) * rng.standard_exponential(shape)
    return People(paper.score, paper.label, weight.clip(LIGHTEST, HEAVIEST))


def _spend_per_visit(rng: Rng, shape: Shape) -> People:
    """Nine in ten spend nothing, the others a gamma with a long tail."""
    spent = np.where(rng.random(shape) < 0.1, rng.gamma(0.7, 30, shape), 0.0)
    return People(spent.clip(0, 150), rng.integers(1, 7, shape).astype(float))


def _minutes_late_per_trip(rng: Rng, shape: Shape) -> People:
    """Negative values and a heavy right tail."""
    trips = rng.integers(1, 5, shape).astype(float)
    usual, late = rng.normal(-3, 8, shape), rng.exponential(35, shape)
    minutes = np.where(rng.random(shape) < 0.8, usual, late) * np.sqrt(trips)
    return People(minutes.clip(-30, 180), trips)


def _grams_per_serving(rng: Rng, shape: Shape) -> People:
    """A large ratio, which a guess of 1 is far from."""
    servings = rng.integers(0, 6, shape).astype(float)
    grams = servings * rng.gamma(6, 250 / 6, shape)
    return People(grams.clip(0, 3000), servings)


def _survey_weights(rng: Rng, shape: Shape) -> People:
    """Lognormal weights that go with the label."""
    score = rng.beta(2, 5, shape)
    label = (rng.random(shape) < score).astype(float)
    weight = rng.lognormal(-0.4, 0.9, shape) * (1 + label)
    return People(score, label, weight.clip(0.2, 12))


RARE_LABELS = Invented(_rare_labels)
SURPRISING_LABELS = Invented(_surprising_labels)
_LABELS = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0.2, 12)}
REAL_PEOPLE = {
    "grams_per_serving": Invented(
        _grams_per_serving, {"s": Bounds(0, 3000), "y": Bounds(0, 5)}
    ),
    "minutes_late_per_trip": Invented(
        _minutes_late_per_trip, {"s": Bounds(-30, 180), "y": Bounds(1, 4)}
    ),
    "spend_per_visit": Invented(
        _spend_per_visit, {"s": Bounds(0, 150), "y": Bounds(1, 6)}
    ),
    "survey_weights": Invented(_survey_weights, _LABELS),
}
