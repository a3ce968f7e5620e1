"""Invented people: who is drawn in a simulation, and their true ratio.

A population is a function from a generator and a shape to `People`; the paper's, one
given by its moments, or any function of that form.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require

Reals = NDArray[np.float32] | NDArray[np.float64]

LIGHTEST, HEAVIEST = 1 / 3, 3.0


@dataclass(frozen=True, slots=True)
class People:
    """Columns of invented people, repetitions × people; no weight means weight 1.

    ``cut`` is 1 for whoever a bound has cut, once they were clipped.

    Example:
        >>> import dpratio as dpr, numpy as np
        >>> drawn = dpr.simulation.PaperPopulation()(np.random.default_rng(1), 1, 3)
        >>> drawn.label.shape, drawn.without_weight().weight
        ((1, 3), None)
    """

    score: Reals
    label: Reals
    weight: Reals | None = None
    cut: Reals | None = None

    def first(self, count: int) -> "People":
        """Give the first people of each repetition."""
        weight = None if self.weight is None else self.weight[:, :count]
        return People(self.score[:, :count], self.label[:, :count], weight)

    def in_turn(self, many: int) -> Iterator["People"]:
        """Give the same people a few repetitions at a time, of so many people."""
        repetitions, count = self.score.shape
        step = max(1, many // max(count, 1))
        for start in range(0, repetitions, step):
            rows = slice(start, start + step)
            weight = None if self.weight is None else self.weight[rows]
            cut = None if self.cut is None else self.cut[rows]
            yield People(self.score[rows], self.label[rows], weight, cut)

    def without_weight(self) -> "People":
        """Give the same people with equal weights."""
        return People(self.score, self.label)


DrawPeople = Callable[[np.random.Generator, int, int], People]


@dataclass(frozen=True, slots=True)
class PaperPopulation:
    """The population of Miao & Li (2022), section 3, for any true ratio.

    s ~ Beta(2, 2), y ~ Bernoulli(s / ratio) and w ~ Exponential(1) clipped to
    [1/3, 3]; below a ratio of 1 the scores are scaled down instead.

    Example:
        >>> people = PaperPopulation(1.1)(np.random.default_rng(1), 2, 5)
        >>> people.score.shape
        (2, 5)
    """

    ratio: float = 1.1

    def __post_init__(self) -> None:
        usable = 0.01 <= self.ratio <= 100  # noqa: PLR2004
        require(usable, "the true ratio must lie between 0.01 and 100", self.ratio)

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        """Invent people; uniforms of 32 bits are plenty for sums of thousands."""
        shape = (5, repetitions, count + count % 2)
        words = rng.integers(
            2**64 - 1,
            size=(*shape[:2], shape[2] // 2),
            dtype=np.uint64,
            endpoint=True,
        )
        first, second, third, label, weight = words.view(np.uint32)[:, :, :count]
        # The median of three uniforms is Beta(2, 2). Arrays are used again: making one
        # of this size costs more than the arithmetic, most of all on many cores.
        low = np.minimum(first, second)
        high = np.maximum(first, second, out=first)
        median = np.maximum(low, np.minimum(high, third, out=third), out=third)
        score, chance, logarithm = map(_to_unit, (median, label, weight))
        chance *= np.float32(max(self.ratio, 1.0))
        is_one = chance < score
        score *= np.float32(min(self.ratio, 1.0))
        np.negative(np.log(logarithm, out=logarithm), out=logarithm)
        lightest, heaviest = np.float32(LIGHTEST), np.float32(HEAVIEST)
        return People(
            score,
            is_one.astype(np.float32),
            np.clip(logarithm, lightest, heaviest, out=logarithm),
        )


def _to_unit(words: NDArray[np.uint32]) -> NDArray[np.float32]:
    """Map 32-bit words to (0, 1)."""
    units = words.astype(np.float32)
    units += np.float32(0.5)
    units *= np.float32(2.0**-32)
    return units
