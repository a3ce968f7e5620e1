"""What is counted of noise: how far from zero it lies, its low bits, its repeats.

The distances at which it is counted are set by the plan, before anything is drawn.
Counts of releases add up; of the noise itself a few series are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Integers
from dpratio.simulation.audit.repeats import echoes_of, fours_of
from dpratio.simulation.audit.rounded_law import RoundedLaw

# Low bits are counted in two words of twelve.
WORD = 12
_WORDS = 2
# The middle of noise in equal parts, and its tails by chances from 2^-6 on.
_PARTS = 32
_TAILS = (*range(6, 17), 20, 24, 28, 32, 40, 48)
# Nearer than a 64th of a scale it is counted by cells: 0, 1, 3, 7 and so on.
_NEAR = 64


@dataclass(frozen=True, slots=True)
class Marks:
    """Distances from zero, sums × marks, rising: near it, in the middle, far out.

    The first is 0: there noise leaves the exact sum as it is. ``middle`` and ``far``
    are the places of the first mark that is no longer near, and that is far.
    """

    distances: Integers
    middle: int
    far: int

    @property
    def cuts(self) -> Integers:
        """Where noise is cut into bins: it is ≤ a cut, or above."""
        below = -self.distances[:, ::-1] - 1
        return np.concatenate([below, self.distances], axis=1)


def marks_of(laws: Sequence[RoundedLaw]) -> Marks:
    """Choose the distances; the same chances for every sum, but near zero cells."""
    smallest = min(each.scale for each in laws) / _NEAR
    steps = 1 + max(1, int(np.log2(smallest)))
    near = 2 ** np.arange(steps, dtype=np.int64) - 1
    middle = 1 - np.arange(1, _PARTS) / _PARTS
    far = 2.0 ** -np.array(_TAILS)
    chances = np.concatenate([middle, far])
    distances = [np.concatenate([near, each.mark_beyond(chances)]) for each in laws]
    # Noise of a few cells has the same mark more than once: bins that stay empty.
    rising = np.maximum.accumulate(np.stack(distances), axis=1)
    return Marks(rising, steps, steps + len(middle))


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of the noise of each sum, over all releases.

    ``upto`` is how many noises were no larger than each cut, ``words`` how often each
    word of low bits was seen (sums × words × values), ``most`` how often the commonest
    number came in one release, ``fours`` the series that are kept of each release, and
    ``drawn`` how many noises each sum had.
    """

    marks: Marks
    upto: Integers
    words: Integers
    most: Integers
    fours: tuple[Integers, ...]
    drawn: int

    @property
    def echoes(self) -> Integers:
        """How many series of each sum had come before."""
        return echoes_of(self.fours, len(self.most))

    def plus(self, noise: Integers) -> "Tally":
        """Count the noise of one more release, draws × sums."""
        rising = np.sort(noise, axis=0).T
        cuts = self.marks.cuts
        upto = [
            np.searchsorted(each, at, side="right")
            for each, at in zip(rising, cuts, strict=True)
        ]
        words = [[_words(each, at) for at in range(_WORDS)] for each in noise.T]
        most = [_longest_run(each) for each in rising]
        return Tally(
            self.marks,
            self.upto + np.stack(upto),
            self.words + np.array(words),
            np.maximum(self.most, most),
            (*self.fours, fours_of(noise)),
            self.drawn + len(noise),
        )


def no_tally(marks: Marks) -> Tally:
    """Begin to count."""
    sums, cuts = marks.cuts.shape
    return Tally(
        marks,
        np.zeros((sums, cuts), dtype=np.int64),
        np.zeros((sums, _WORDS, 2**WORD), dtype=np.int64),
        np.zeros(sums, dtype=np.int64),
        (),
        0,
    )


def _words(noise: Integers, at: int) -> Integers:
    low = (noise >> (WORD * at)) & (2**WORD - 1)
    return np.bincount(low, minlength=2**WORD)


def _longest_run(rising: Integers) -> int:
    """Count how often the commonest number comes."""
    starts = np.flatnonzero(np.diff(rising)) + 1
    return int(np.diff(starts, prepend=0, append=len(rising)).max())
