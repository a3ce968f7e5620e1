"""Twenty populations of many shapes: ten to tune a rule on, ten that nobody tuned to.

Each is a list of people from whom samples are drawn with replacement, so that its true
ratio is known exactly. Bounds are such as a user declares beforehand: rarely tight.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpratio.simulation.population import People
from dpratio.terms.bounds import Bounds

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from real_people import RealPeople

__all__ = ["PUBLISHED", "TUNED", "new_people"]

Floats = NDArray[np.float64]
Columns = tuple[Floats, ...]
Made = Callable[[np.random.Generator], Columns]

_PEOPLE = 2**20
_BINARY, _UNIT = Bounds.binary(), Bounds(0, 1)


def _poisson(rng: np.random.Generator, mean: float) -> Floats:
    return rng.poisson(mean, _PEOPLE).astype(float)


def _chosen(rng: np.random.Generator, part: float, yes: Floats, no: Floats) -> Floats:
    """Mix two columns; so large a part is of the first."""
    return np.where(rng.random(_PEOPLE) < part, yes, no)


def _follow(rng: np.random.Generator, rate: float, around: float) -> Columns:
    """Amounts that follow a count closely."""
    count = 1 + _poisson(rng, 5)
    return rate * count + rng.normal(0, around, _PEOPLE), count


def _shared(rng: np.random.Generator, mean: float, a: float, b: float) -> Columns:
    """Successes among a count; everybody has a rate of their own."""
    count = _poisson(rng, mean)
    return rng.binomial(count.astype(int), rng.beta(a, b, _PEOPLE)).astype(float), count


def _refunds(rng: np.random.Generator, part: float, size: float) -> Columns:
    """Purchases, some of which are given back."""
    bought = rng.gamma(2, 15, _PEOPLE)
    return _chosen(rng, part, -size * bought, bought), 1 + _poisson(rng, 1.5)


def _humps(rng: np.random.Generator, low: float, high: float) -> Columns:
    """Half of the people near one value, half near another."""
    level = _chosen(rng, 0.5, np.full(_PEOPLE, low), np.full(_PEOPLE, high))
    return level + rng.normal(0, 4, _PEOPLE), rng.uniform(0.5, 1.5, _PEOPLE)


def _ceiling(rng: np.random.Generator, top: float, below: float) -> Columns:
    """Nearly everybody near the top of both ranges."""
    return top - rng.exponential(below, _PEOPLE), 10 - rng.exponential(0.4, _PEOPLE)


def _weighted(rng: np.random.Generator, weights: Floats, bend: float) -> Columns:
    """A score, its label, and weights that go with the label."""
    score = rng.beta(2, 4, _PEOPLE)
    label = (rng.random(_PEOPLE) < score).astype(float)
    return score, label, weights * (1 + bend * label)


def _pareto(rng: np.random.Generator, tail: float) -> Columns:
    return _weighted(rng, 1 + rng.pareto(tail, _PEOPLE), 0.5)


def _lognormal(rng: np.random.Generator, spread: float) -> Columns:
    return _weighted(rng, rng.lognormal(0, spread, _PEOPLE), 0.5)


def _rare(rng: np.random.Generator, a: float, b: float) -> Columns:
    """Scores of an event that few people have."""
    score = rng.beta(a, b, _PEOPLE)
    return score, (rng.random(_PEOPLE) < 0.9 * score).astype(float)


def _faults(rng: np.random.Generator, rate: float) -> Columns:
    """A few faults over much use."""
    used = rng.uniform(20, 80, _PEOPLE)
    return rng.poisson(rate * used).astype(float), used


def _grams(rng: np.random.Generator, each: float) -> Columns:
    """Large amounts per small count."""
    count = _poisson(rng, 2)
    return count * rng.gamma(5, each / 5, _PEOPLE), count


def _losses(rng: np.random.Generator, mean: float) -> Columns:
    """Mostly negative amounts."""
    count = 1 + _poisson(rng, 1)
    return mean * count + rng.normal(0, 12, _PEOPLE), count


def _equal(_: np.random.Generator, s: float, y: float) -> Columns:
    """Everybody alike."""
    return np.full(_PEOPLE, s), np.full(_PEOPLE, y)


def _zeros(rng: np.random.Generator, buyers: float, spread: float) -> Columns:
    """Most people nothing, others with a long tail."""
    bought = rng.lognormal(3, spread, _PEOPLE)
    return _chosen(rng, buyers, bought, np.zeros(_PEOPLE)), 1 + _poisson(rng, 2)


Listed = dict[str, tuple[Made, tuple[Bounds, ...]]]

TUNED: Listed = {
    "costs that follow a count": (
        partial(_follow, rate=12, around=9),
        (Bounds(0, 400), Bounds(0, 20)),
    ),
    "a quarter of a count": (
        partial(_shared, mean=9, a=2, b=6),
        (Bounds(0, 30), Bounds(0, 30)),
    ),
    "many small refunds": (
        partial(_refunds, part=0.25, size=0.5),
        (Bounds(-100, 200), Bounds(0, 8)),
    ),
    "two humps far apart": (
        partial(_humps, low=10, high=85),
        (Bounds(0, 100), Bounds(0, 2)),
    ),
    "close to the top": (
        partial(_ceiling, top=100, below=6),
        (Bounds(0, 100), Bounds(0, 10)),
    ),
    "weights of a Pareto tail, 2.5": (
        partial(_pareto, tail=2.5),
        (_UNIT, _BINARY, Bounds(1, 40)),
    ),
    "an event in 50": (partial(_rare, a=0.6, b=29), (_UNIT, _BINARY)),
    "a thousandth": (partial(_faults, rate=0.001), (Bounds(0, 4), Bounds(0, 100))),
    "negative amounts": (
        partial(_losses, mean=-14),
        (Bounds(-120, 30), Bounds(0, 8)),
    ),
    "everybody equal": (partial(_equal, s=20, y=4), (Bounds(0, 100), Bounds(0, 10))),
}

PUBLISHED: Listed = {
    "amounts that follow a count": (
        partial(_follow, rate=3, around=4),
        (Bounds(0, 150), Bounds(0, 25)),
    ),
    "shares of a count": (
        partial(_shared, mean=7, a=3, b=6),
        (Bounds(0, 20), Bounds(0, 20)),
    ),
    "clustered successes": (
        partial(_shared, mean=18, a=0.5, b=2),
        (Bounds(0, 40), Bounds(0, 40)),
    ),
    "large refunds": (
        partial(_refunds, part=0.15, size=1.5),
        (Bounds(-200, 200), Bounds(0, 10)),
    ),
    "two humps": (partial(_humps, low=20, high=60), (Bounds(0, 100), Bounds(0, 2))),
    "near the top": (
        partial(_ceiling, top=50, below=2),
        (Bounds(0, 50), Bounds(0, 10)),
    ),
    "weights of a Pareto tail": (
        partial(_pareto, tail=1.8),
        (_UNIT, _BINARY, Bounds(1, 50)),
    ),
    "lognormal weights": (
        partial(_lognormal, spread=0.8),
        (_UNIT, _BINARY, Bounds(0.05, 15)),
    ),
    "ratios of a thousand": (
        partial(_grams, each=1_000),
        (Bounds(0, 12_000), Bounds(0, 8)),
    ),
    "nine in ten spend nothing": (
        partial(_zeros, buyers=0.1, spread=0.8),
        (Bounds(0, 150), Bounds(1, 8)),
    ),
}


@cache
def new_people(name: str) -> RealPeople:
    """Make a population: everybody in it, clipped to the bounds."""
    made, bounds = (TUNED | PUBLISHED)[name]
    seed = [*(TUNED | PUBLISHED)].index(name)
    columns = [
        column.clip(each.lower, each.upper)
        for column, each in zip(made(np.random.default_rng(seed)), bounds, strict=True)
    ]

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> People:
        who = rng.integers(0, _PEOPLE, shape)
        return People(*(column[who] for column in columns))

    s, y, *weights = columns
    weight = weights[0] if weights else 1.0
    ratio = float((weight * s).sum() / (weight * y).sum())
    return RealPeople(draw, dict(zip("syw", bounds, strict=False)), ratio, ratio)
