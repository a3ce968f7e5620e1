"""The population of the paper: scores, labels and weights of invented people.

Floor: study. Imports: checks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require

__all__ = ["People", "invent_people"]

Floats = NDArray[np.float64]

WEIGHT_RANGE = (1 / 3, 3.0)


@dataclass(frozen=True, slots=True)
class People:
    """Columns of invented people."""

    score: Floats
    label: NDArray[np.int8]
    weight: Floats


def invent_people(count: int, *, ratio: float, rng: np.random.Generator) -> People:
    """Invent people whose scores are ``ratio`` times too high on average.

    Miao & Li (2022), section 3: s ~ Beta(2, 2), y ~ Bernoulli(s / ratio) and
    w ~ Exponential(1) clipped to [1/3, 3].

    Args:
        count: How many.
        ratio: The true ratio, at least 1.
        rng: Source of the invention.
    """
    require(count >= 1, "the number of people must be at least 1", count)
    require(ratio >= 1, "the true ratio must be at least 1", ratio)
    score = rng.beta(2, 2, count)
    label = (rng.random(count) < score / ratio).astype(np.int8)
    weight = np.clip(rng.exponential(size=count), *WEIGHT_RANGE)
    return People(score, label, weight)
