"""People as tables really have them: long tails, zeros, unequal ranges, odd weights."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

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

    def limit(self, n: int, epsilon: float, quantile: float) -> float:
        """Give the width of one query at the whole budget, with Laplace noise."""
        residual, denominator = _moments(self)
        noise = 2 * (self.reach / epsilon) ** 2
        return 2 * quantile * math.sqrt(n * residual + noise) / (n * denominator)


@cache
def _moments(people: RealPeople) -> tuple[float, float]:
    """Give E(w(s − r·y))² and E(w·y), from a large sample of its own."""
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


def _mean_of_gamma(shape: float, scale: float, most: float) -> float:
    """Give E min(G, most) of a gamma variable."""
    from scipy.special import gammainc

    at = most / scale
    below = shape * scale * gammainc(shape + 1, at)
    return float(below + most * (1 - gammainc(shape, at)))


def _mean_of_normal(mean: float, sd: float, low: float, high: float) -> float:
    """Give E clip(N, low, high)."""
    from scipy.special import ndtr

    a, b = (low - mean) / sd, (high - mean) / sd
    density = (math.exp(-a * a / 2) - math.exp(-b * b / 2)) / math.sqrt(2 * math.pi)
    inside = mean * (ndtr(b) - ndtr(a)) + sd * density
    return float(inside + low * ndtr(a) + high * ndtr(-b))


def _mean_of_lognormal(location: float, sd: float, low: float, high: float) -> float:
    """Give E clip(exp N, low, high)."""
    from scipy.special import ndtr

    a, b = (math.log(low) - location) / sd, (math.log(high) - location) / sd
    inside = math.exp(location + sd * sd / 2) * (ndtr(b - sd) - ndtr(a - sd))
    return float(inside + low * ndtr(a) + high * ndtr(-b))


def _minutes_per_trip() -> float:
    late = []
    for trips in range(1, 5):
        root = math.sqrt(trips)
        usual = _mean_of_normal(-3 * root, 8 * root, -30, 180)
        scale = 35 * root
        late.append(
            _ON_TIME * usual + (1 - _ON_TIME) * scale * (1 - math.exp(-180 / scale))
        )
    return float(np.mean(late)) / 2.5


def _grams() -> float:
    means = [_mean_of_gamma(6, 250 / 6 * each, 3000) for each in range(1, 6)]
    return math.fsum(means) / math.fsum(range(6))


def _surveyed() -> float:
    """E(ws)/E(wy) for s ~ Beta(2, 5), y ~ Bernoulli(s) and weights by label."""
    mean, square = 2 / 7, 3 / 28
    light = _mean_of_lognormal(-0.4, 0.9, 0.2, 12)
    heavy = _mean_of_lognormal(-0.4 + math.log(2), 0.9, 0.2, 12)
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
            _BUYERS * _mean_of_gamma(0.7, 30, 150) / 3.5,
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
