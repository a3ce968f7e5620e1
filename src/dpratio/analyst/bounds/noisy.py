"""Which bound a noisy histogram proposes: a rule on public numbers, without data.

The same counts give the same bound, whoever asks and on every machine: nothing else is
looked at, and sums are exact fractions that are rounded once.
"""

import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.ladder import Ladder
from dpratio.terms.bounds import Bounds

# A cell counts as filled where noise alone fills any of all cells once in 1,000.
# Far above where most lie, twice as many must be there: one draw of noise that is taken
# for people would move a bound by many powers of two.
_LN_FALSE = Fraction("6.907755279")
# Four draws together exceed so many scales more as rarely as one exceeds the threshold:
# 5.34 with the most cells that there may be, less with fewer.
_POOLED = Fraction("5.34")
_FAR = 12
# The noise of a ratio's sums, over that of its numerator alone: as plans have it.
_SHARED = Fraction("1.75")
_NORMAL = Fraction("1.96")
# A tail is followed for so many powers of two, where more of it is there than 2.5
# deviations of noise. Each may fall at most twice as fast as the one before.
_FOLLOWED = 4
_BEYOND_NOISE, _BENT, _ONE = Fraction("2.5"), Fraction("0.5"), Fraction(1)
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
        """List the places, by size, where people of one sign are seen.

        In the cell itself, or in it and the next ones up to its double together.
        """
        counts, steps = self.sides()[0 if is_negative else 1], self.ladder.steps
        one, far = self.threshold, self.peak + _FAR * steps
        pooled = one + _POOLED * Fraction(self.scale)
        return [
            at
            for at, count in enumerate(counts)
            for times in (2 if at > far else 1,)
            if count > 0
            and (count > times * one or sum(counts[at:][:steps]) > times * pooled)
        ]

    @property
    def is_beyond(self) -> bool:
        """Whether people are seen beyond an outer limit."""
        sides, last = (True, False), len(self.ladder.sizes) - 1
        return any(last in self.filled(is_negative=each) for each in sides)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bound, and what it is expected to do to a sum: bias, width of intervals."""

    bound: float
    people_beyond: float
    bias: float
    width: float

    @property
    def together(self) -> float:
        """How wide an interval is that bears the bias, on both of its sides."""
        return self.width + 2 * self.bias


def people_of(noisy: Noisy, *, is_negative: bool) -> list[Fraction]:
    """Say how many of one sign lie in each cell, by rising size, and in their tail.

    Nobody is listed where no cell is filled.
    """
    counts = noisy.sides()[0 if is_negative else 1]
    filled = noisy.filled(is_negative=is_negative)
    if not filled:
        return []
    first, last = filled[0], filled[-1]
    seen = [max(count, 0) for count in counts[first : last + 1]]
    people = [*map(Fraction, [0] * first + seen)]
    # Of the cell beyond the outer limit nothing is foreseen.
    beyond = counts[last + 1 : -1]
    tail = _tail(people, noisy.ladder.steps)[: len(beyond)]
    squares = sum(each * each for each in tail)
    # How much of the tail is there, by least squares: none where values end.
    met = sum(each * count for each, count in zip(tail, beyond, strict=False))
    noise = _BEYOND_NOISE * Fraction(noisy.scale)
    is_seen = met > 0 and met * met > 2 * noise * noise * squares
    part = min(Fraction(met / squares), _ONE) if is_seen else Fraction(0)
    return [*people, *(each * part for each in tail)]


def _tail(people: Sequence[Fraction], steps: int) -> list[Fraction]:
    """Foresee who lies beyond: a power of two falls to the next as it did before."""
    known = [*[Fraction(0)] * 3 * steps, *people][-3 * steps :]
    before, there, here = (sum(known[at * steps :][:steps]) for at in range(3))
    fall = min(here / there, _ONE) if there else _ONE
    bend = min(max(fall * before / there, _BENT), _ONE) if there and before else _ONE
    for _ in range(_FOLLOWED):
        fall *= bend
        known += [fall * each for each in known[-steps:]]
    return known[3 * steps :]


def candidates_of(
    noisy: Noisy, *, is_negative: bool, epsilon: float, moved: int
) -> list[Candidate]:
    """List the edges from the first filled cell on with what they do to a sum.

    Args:
        noisy: The histogram.
        is_negative: Which side of zero is bounded.
        epsilon: What the sums may cost that will be bounded so.
        moved: In how many groups one unit counts, twice that where it is changed.
    """
    people = people_of(noisy, is_negative=is_negative)
    edges = [Fraction(each) for each in noisy.ladder.sizes]
    pairs = itertools.pairwise([*edges, 2 * edges[-1]])
    middles = [(low + high) / 2 for low, high in pairs]
    above, rest = sum(people), sum(map(operator.mul, people, middles))
    once = twice = Fraction(0)
    found = []
    for bound, size, count in zip(edges[1:], middles, people, strict=False):
        once, twice = once + count * size, twice + count * size * size
        above, rest = above - count, rest - count * size
        kept = once + above * bound
        sampling = twice + above * bound * bound - kept * kept / noisy.people
        noise = _SHARED * moved * bound / Fraction(epsilon)
        square = (2 * _NORMAL) ** 2 * (max(sampling, Fraction(0)) + 2 * noise**2)
        bias, width = float(rest - above * bound), math.sqrt(square)
        if once:
            found.append(Candidate(float(bound), float(above), bias, width))
    return found


def proposed(noisy: Noisy, *, epsilon: float, moved: int) -> Bounds | None:
    """Propose bounds; None where too little is known, or numbers reach beyond.

    On each side it is the edge at which an interval that bears the bias is narrowest.
    Too little is known where half of the people may lie beyond.
    """
    ends = []
    for each in (True, False):
        listed = candidates_of(noisy, is_negative=each, epsilon=epsilon, moved=moved)
        found = min(listed, key=lambda one: one.together, default=None)
        ends.append(0.0 if found is None else found.bound)
    if noisy.is_beyond or not any(ends) or _may_be_half(noisy, ends):
        return None
    # 0.0 - 0.0 is 0.0, where -0.0 would be another end.
    return Bounds(0.0 - ends[0], ends[1])


def _may_be_half(noisy: Noisy, ends: Sequence[float]) -> bool:
    """Tell whether half of the people may lie beyond, by two deviations of noise.

    So many people who are far from where most lie would fill a cell.
    """
    far = _FAR * noisy.ladder.steps
    near = slice(max(noisy.peak - far, 0), noisy.peak + far)
    beyond = [
        count
        for side, end in zip(noisy.sides(), ends, strict=True)
        for size, count in zip(noisy.ladder.sizes[near], side[near], strict=True)
        if size >= end
    ]
    left = Fraction(noisy.people, 2) - sum(beyond)
    # Laplace noise of scale b has variance 2b².
    return left < 0 or left**2 < 4 * 2 * len(beyond) * Fraction(noisy.scale) ** 2
