"""How good intervals are: width, coverage and interval score over repetitions."""

import math
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats


@dataclass(frozen=True, slots=True)
class Figures:
    """What one figure was like over the repetitions that have it.

    ``carried_by_few`` is the share of the total that the largest hundredth carries.
    """

    mean: float
    sd: float
    median: float
    largest: float
    carried_by_few: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What many intervals for one truth were like.

    ``undefined`` and ``unbounded`` are shares of all repetitions: an undefined
    interval does not cover, an unbounded one does, and neither has a width or score.
    """

    repetitions: int
    width: Figures
    score: Figures
    coverage: float
    undefined: float
    unbounded: float

    @property
    def coverage_error(self) -> float:
        """Half the width of a 95 % interval for the coverage."""
        spread = self.coverage * (1 - self.coverage)
        return 1.96 * math.sqrt(spread / self.repetitions)


def judge(lower: Floats, upper: Floats, *, truth: float, level: float) -> Judgement:
    """Judge intervals against the truth.

    The interval score is (u − l) + (2/α)(l − x)₊ + (2/α)(x − u)₊: Gneiting & Raftery
    (2007), eq. 43. Smaller is better.
    """
    undefined = np.isnan(lower) | np.isnan(upper)
    unbounded = ~undefined & ~(np.isfinite(lower) & np.isfinite(upper))
    with np.errstate(invalid="ignore"):
        covered = (lower <= truth) & (truth <= upper)
    finite = ~undefined & ~unbounded
    low, high = lower[finite], upper[finite]
    width = high - low
    missed = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    score = width + 2 / (1 - level) * missed
    return Judgement(
        repetitions=len(lower),
        width=_figures(width),
        score=_figures(score),
        coverage=float(covered.mean()),
        undefined=float(undefined.mean()),
        unbounded=float(unbounded.mean()),
    )


def _figures(values: Floats) -> Figures:
    if not len(values):
        return Figures(*[math.nan] * 5)
    few = max(1, len(values) // 100)
    largest = np.partition(values, len(values) - few)[len(values) - few :]
    return Figures(
        mean=float(values.mean()),
        sd=float(values.std()),
        median=float(np.median(values)),
        largest=float(largest.max()),
        carried_by_few=float(largest.sum() / max(values.sum(), math.ulp(0))),
    )
