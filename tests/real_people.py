"""People as tables really have them: long tails, zeros, unequal ranges, odd weights."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import expon, gamma, lognorm, norm

from dpratio.simulation.population import People
from dpratio.terms.bounds import Bounds

__all__ = ["RealPeople", "real_people"]

Draw = Callable[[np.random.Generator, tuple[int, int]], People]

_SAMPLE = 2**20
_SEED = 12
_BUYERS, _ON_TIME = 0.1, 0.8


@dataclass(frozen=True, slots=True, eq=False)
class RealPeople:
    """A population, its public bounds, and a guess that a user may have of its ratio.

    ``ratio`` is the true ratio of the clipped columns.
    """

    draw: Draw
    bounds: Mapping[str, Bounds]
    guess: float
    ratio: float

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        """Invent people."""
        return self.draw(rng, (repetitions, count))

    @property
    def reach(self) -> float:
        """How far one person can move Σw(s − r·y) at the true ratio r."""
        s, y = self.bounds["s"], self.bounds["y"]
        ends = [(a, b) for a in (s.lower, s.upper) for b in (y.lower, y.upper)]
        heaviest = self.bounds["w"].upper if "w" in self.bounds else 1.0
        return heaviest * max(abs(a - self.ratio * b) for a, b in ends)

    @property
    def moments(self) -> tuple[float, float]:
        """E(w(s − r·y))² and E(w·y), from a large sample of its own."""
        return _moments(self)

    def one_query_width(self, n: int, epsilon: float, quantile: float) -> float:
        """Give the width of one query at the whole budget, with Laplace noise."""
        residual, denominator = self.moments
        noise = 2 * (self.reach / epsilon) ** 2
        return 2 * quantile * math.sqrt(n * residual + noise) / (n * denominator)


@cache
def _moments(people: RealPeople) -> tuple[float, float]:
    drawn = people(np.random.default_rng(_SEED), 1, _SAMPLE)
    weight = 1.0 if drawn.weight is None else drawn.weight
    residual = weight * (drawn.score - people.ratio * drawn.label)
    return float((residual**2).mean()), float((weight * drawn.label).mean())


def _spend_per_visit(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Nine in ten spend nothing, the others a gamma with a long tail."""
    spent = np.where(rng.random(shape) < _BUYERS, rng.gamma(0.7, 30, shape), 0.0)
    return People(spent.clip(0, 150), rng.integers(1, 7, shape).astype(float))


def _minutes_late_per_trip(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Early or late: negative values and a heavy right tail."""
    trips = rng.integers(1, 5, shape).astype(float)
    usual, late = rng.normal(-3, 8, shape), rng.exponential(35, shape)
    minutes = np.where(rng.random(shape) < _ON_TIME, usual, late) * np.sqrt(trips)
    return People(minutes.clip(-30, 180), trips)


def _claims_per_year(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """A small ratio, and an exposure below one."""
    exposure = rng.beta(4, 2, shape)
    return People(rng.poisson(0.15 * exposure).clip(0, 10).astype(float), exposure)


def _grams_per_serving(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """A large ratio."""
    servings = rng.integers(0, 6, shape).astype(float)
    grams = servings * rng.gamma(6, 250 / 6, shape)
    return People(grams.clip(0, 3000), servings)


def _survey_weights(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """Lognormal weights that go with the label."""
    score = rng.beta(2, 5, shape)
    label = (rng.random(shape) < score).astype(float)
    weight = rng.lognormal(-0.4, 0.9, shape) * (1 + label)
    return People(score, label, weight.clip(0.2, 12))


def _paper(rng: np.random.Generator, shape: tuple[int, int]) -> People:
    """The paper's people, without weights."""
    score = rng.beta(2, 2, shape)
    return People(score, (rng.random(shape) < score / 1.1).astype(float))


def _mean(law: Any, low: float, high: float) -> float:  # noqa: ANN401
    """Give the mean of a variable that is clipped to bounds."""
    return float(law.expect(lambda value: np.clip(value, low, high)))


def _minutes_per_trip() -> float:
    late = [
        _ON_TIME * _mean(norm(-3 * root, 8 * root), -30, 180)
        + (1 - _ON_TIME) * _mean(expon(scale=35 * root), -30, 180)
        for root in map(math.sqrt, range(1, 5))
    ]
    return sum(late) / 4 / 2.5


def _grams() -> float:
    means = [_mean(gamma(6, scale=250 / 6 * each), 0, 3000) for each in range(1, 6)]
    return sum(means) / sum(range(6))


def _surveyed() -> float:
    """E(ws)/E(wy) for s ~ Beta(2, 5), y ~ Bernoulli(s) and weights by label."""
    mean, square = 2 / 7, 3 / 28
    light = _mean(lognorm(0.9, scale=math.exp(-0.4)), 0.2, 12)
    heavy = _mean(lognorm(0.9, scale=2 * math.exp(-0.4)), 0.2, 12)
    return (light * (mean - square) + heavy * square) / (heavy * mean)


def _real(draw: Draw, guess: float, ratio: float, **bounds: Bounds) -> RealPeople:
    return RealPeople(draw, bounds, guess, ratio)


@cache
def real_people() -> dict[str, RealPeople]:
    """Name the populations, each with its bounds."""
    binary, unit = Bounds.binary(), Bounds(0, 1)
    return {
        "spend_per_visit": _real(
            _spend_per_visit,
            0.6,
            _BUYERS * _mean(gamma(0.7, scale=30), 0, 150) / 3.5,
            s=Bounds(0, 150),
            y=Bounds(1, 6),
        ),
        "minutes_late_per_trip": _real(
            _minutes_late_per_trip,
            3.0,
            _minutes_per_trip(),
            s=Bounds(-30, 180),
            y=Bounds(1, 4),
        ),
        "claims_per_year": _real(_claims_per_year, 0.15, 0.15, s=Bounds(0, 10), y=unit),
        "grams_per_serving": _real(
            _grams_per_serving, 250.0, _grams(), s=Bounds(0, 3000), y=Bounds(0, 5)
        ),
        "survey_weights": _real(
            _survey_weights, 1.0, _surveyed(), s=unit, y=binary, w=Bounds(0.2, 12)
        ),
        "paper": _real(_paper, 1.0, 1.1, s=unit, y=binary),
    }
