"""Which bound a noisy histogram proposes: a rule on public numbers, without data.

The same counts give the same bound, whoever asks and on every machine: nothing else is
looked at, and all that decides is computed in exact fractions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.histogram.ladder import Ladder
from dpratio.terms.bounds import Bounds

__all__ = ["Candidate", "Noisy", "Side", "candidates_of", "proposed", "side_of"]

# A cell counts as filled where noise alone fills any of all cells once in 1,000.
# Far above where most lie, twice as many must be there: one draw of noise that is taken
# for people would move a bound by many powers of two.
_LN_FALSE = Fraction("6.907755279")
_FAR = 12
# Numbers between 2^k and 2^(k+1) whose logarithm is spread evenly: their mean is
# 1/ln 2 times 2^k.
_MEAN = Fraction("1.442695041")
# The noise of a ratio's sums, over that of its numerator alone: as plans have it.
_SHARED = Fraction("1.75")
_NORMAL = Fraction("1.96")
# A tail that falls slowly, from cell to cell by these factors, is followed further than
# one that ends or falls fast; where no tail is seen, some is taken to be there.
_FAST, _SLOW, _UNSEEN = Fraction("0.3"), Fraction("0.7"), Fraction("0.35")
_FOLLOWED, _FOLLOWED_SLOWLY = 1, 2
_LEAST_BIAS = Fraction("0.15")
# Logarithms of whole numbers, rounded so far that every machine rounds alike.
_ROUNDED = 2**20


@dataclass(frozen=True, slots=True)
class Noisy:
    """A noisy histogram: its counts, its ladder, and the scale of its noise."""

    ladder: Ladder
    counts: tuple[int, ...]
    scale: float

    @property
    def people(self) -> int:
        """About how many were counted, what is not finite left out."""
        return max(sum(self.counts[:-1]), 1)

    @property
    def threshold(self) -> Fraction:
        """Above it a cell is filled: noise alone rarely reaches it in any cell."""
        cells = round(math.log(len(self.counts) / 2) * _ROUNDED)
        return Fraction(self.scale) * (_LN_FALSE + Fraction(cells, _ROUNDED))

    @property
    def middle(self) -> int:
        """The place of the cell around zero."""
        return len(self.counts) // 2 - 1

    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Give the counts below zero and above it, by rising size."""
        middle = self.middle
        return self.counts[:middle][::-1], self.counts[middle + 1 : -1]

    @property
    def peak(self) -> int:
        """The place, by size, of the cell with most in it, on either side of zero."""
        most = [max(pair) for pair in zip(*self.sides(), strict=True)]
        return most.index(max(most))

    def filled(self, *, is_negative: bool) -> list[int]:
        """List the places, by size, of the filled cells on one side of zero."""
        enough, far = self.threshold, self.peak + _FAR
        return [
            at
            for at, count in enumerate(self.sides()[0 if is_negative else 1])
            if count > (2 * enough if at > far else enough)
        ]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of zero: about how many lie in each cell, by rising size.

    ``last`` is the last filled cell, and ``most`` the bound that is furthest out that a
    histogram speaks of, both as powers of two.
    """

    ladder: Ladder
    people: tuple[Fraction, ...]
    last: int
    most: int

    @property
    def is_beyond(self) -> bool:
        """Whether what lies beyond the outer limit is filled."""
        return self.last == self.ladder.highest


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bound, and what it is expected to do to a sum: bias, width of intervals.

    ``is_good`` tells whether the bias is small beside the width, decided exactly.
    """

    bound: float
    people_beyond: float
    bias: float
    width: float
    is_good: bool


def side_of(noisy: Noisy, *, is_negative: bool) -> Side | None:
    """Say where numbers of one sign lie; None where no cell of theirs is filled."""
    ladder, counts = noisy.ladder, noisy.sides()[0 if is_negative else 1]
    filled = noisy.filled(is_negative=is_negative)
    if not filled:
        return None
    first, last = filled[0], filled[-1]
    people = [
        Fraction(max(count, 0) if first <= at <= last else 0)
        for at, count in enumerate(counts)
    ]
    before = people[last - 1] if last else Fraction(0)
    falls = people[last] < _SLOW * before
    slope = people[last] / before if falls else _UNSEEN
    reach = _FOLLOWED_SLOWLY if falls and slope > _FAST else _FOLLOWED
    # What is not filled may still hold some: as the tail falls, or as noise allows.
    for at in range(last + 1, min(last + reach + 2, len(people))):
        # Noise may hide the next step of a tail that is seen to fall.
        hidden = Fraction(noisy.scale if falls and at == last + 1 else 0)
        seen = max(counts[at] + hidden, Fraction(0))
        people[at] = min(slope * people[at - 1], seen)
    lowest = ladder.lowest
    most = min(lowest + last + 1 + reach, ladder.highest)
    return Side(ladder, tuple(people), lowest + last, most)


def candidates_of(
    noisy: Noisy, side: Side, *, epsilon: float, moved: int
) -> list[Candidate]:
    """List bounds around the last filled cell with what they do to a sum.

    Args:
        noisy: The histogram.
        side: The side of zero that is bounded.
        epsilon: What the sums may cost that will be bounded so.
        moved: In how many groups one unit counts, twice that where it is changed.
    """
    ladder = side.ladder
    first = max(side.last - 3, ladder.lowest)
    powers = range(ladder.lowest, ladder.highest + 1)
    sizes = [_MEAN * Fraction(2) ** at for at in powers]
    found = []
    for power in range(first, side.most + 1):
        bound = Fraction(2) ** power
        within = [min(size, bound) for size in sizes]
        pairs = list(zip(side.people, sizes, within, strict=True))
        bias = sum((count * (size - kept) for count, size, kept in pairs), Fraction(0))
        once = sum((count * kept for count, _, kept in pairs), Fraction(0))
        twice = sum((count * kept * kept for count, _, kept in pairs), Fraction(0))
        sampling = max(twice - once * once / noisy.people, Fraction(0))
        noise = _SHARED * moved * bound / Fraction(epsilon)
        # Its square, so that no root is rounded.
        width = (2 * _NORMAL) ** 2 * (sampling + 2 * noise * noise)
        above = sum(side.people[power - ladder.lowest :])
        found.append(
            Candidate(
                bound=float(bound),
                people_beyond=float(above),
                bias=float(bias),
                width=math.sqrt(width),
                is_good=bias * bias <= _LEAST_BIAS**2 * width,
            )
        )
    return found


def proposed(noisy: Noisy, *, epsilon: float, moved: int) -> Bounds | None:
    """Propose bounds; None where too little is known, or numbers reach beyond.

    On each side it is the smallest power of two above the last filled cell whose bias
    is small beside the width, as far as the tail is followed. Too little is known where
    half of the people may lie beyond.
    """
    ends = []
    for is_negative in (True, False):
        side = side_of(noisy, is_negative=is_negative)
        if side is None:
            ends.append(0.0)
            continue
        if side.is_beyond:
            return None
        listed = candidates_of(noisy, side, epsilon=epsilon, moved=moved)
        above = [each for each in listed if each.bound > 2.0**side.last]
        good = [each for each in above if each.is_good]
        ends.append((good or above[-1:])[0].bound)
    if not any(ends) or _may_be_half(noisy, ends):
        return None
    # 0.0 - 0.0 is 0.0, where -0.0 would be another end.
    return Bounds(0.0 - ends[0], ends[1])


def _may_be_half(noisy: Noisy, ends: Sequence[float]) -> bool:
    """Tell whether half of the people may lie beyond, by two deviations of noise."""
    beyond = [
        count
        for side, end in zip(noisy.sides(), ends, strict=True)
        for at, count in enumerate(side)
        if 2.0 ** (noisy.ladder.lowest + at) >= end
    ]
    left = Fraction(noisy.people, 2) - sum(beyond)
    # Laplace noise of scale b has variance 2b².
    return left < 0 or left**2 < 4 * 2 * len(beyond) * Fraction(noisy.scale) ** 2
