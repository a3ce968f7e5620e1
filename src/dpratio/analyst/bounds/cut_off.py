"""What bounds cut off a column, at least and at most, as a noisy histogram tells.

A number v that is clipped to [L, U] loses v − clip(v), which never falls as v grows. So
whoever lies in a cell lost no less than at its lower edge, and no more than at its
upper one: counts times these bound what the sum of all lost. docs/methods/bounds.md
derives how intervals take it up.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dpratio.analyst.bounds.propose_bounds import half_width
from dpratio.plan.histogram.propose import Noisy
from dpratio.terms.bounds import Bounds

__all__ = ["NOTHING", "CutOff", "Lost", "Reach", "lost_beyond", "reach_of"]

# Powers of two beyond all that is known; one where the last filled cell holds at most a
# quarter of the one before it. Counts of Pareto 2 fall so from cell to cell.
_STEPS, _FAST = 2, 0.25
# How often noise alone is taken for people beyond the reach, on one side of zero.
_FALSE = 0.025
# Nobody is taken to lie beyond only where noise hides no more than so many of all.
_MANY, _DEVIATIONS = 0.15, 2.0


@dataclass(frozen=True, slots=True)
class CutOff:
    """An estimate of what a sum lost: noisy counts times sizes.

    ``noise`` is the variance of its noise, ``laplace`` the scale of the Laplace noise
    with the same fourth cumulant, and ``sampling`` its variance from sample to sample.
    """

    value: float = 0.0
    noise: float = 0.0
    laplace: float = 0.0
    sampling: float = 0.0

    def less(self, other: "CutOff") -> "CutOff":
        """Take off what something else lost that is subtracted from the same sum."""
        return self.plus(replace(other, value=-other.value))

    def plus(self, other: "CutOff") -> "CutOff":
        """Add what something else lost."""
        return CutOff(
            self.value + other.value,
            self.noise + other.noise,
            (self.laplace**4 + other.laplace**4) ** 0.25,
            # Both may be lost by the same people: deviations add up at worst.
            (math.sqrt(self.sampling) + math.sqrt(other.sampling)) ** 2,
        )


NOTHING = CutOff()


@dataclass(frozen=True, slots=True)
class Reach:
    """How far out a histogram speaks of what was cut off, on both sides of zero.

    ``seen`` are the far edges of the last filled cells. Noise hides who lies further
    out. Up to ``ends`` they are counted all the same, with what noise may hide; beyond
    them nobody is taken to lie. An end is infinite where someone is seen beyond it, or
    many of all may hide there.
    """

    seen: tuple[float, float]
    ends: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Lost:
    """What a column lost at least and at most, where nobody lies beyond a reach.

    ``people`` are those whom the bounds may have cut, as far as the reach.
    """

    least: CutOff
    most: CutOff
    people: CutOff
    reach: Reach

    def opened(self, bounds: Bounds, widest: Bounds | None) -> "Lost":
        """Take the ends away beyond which more people were cut than lie within."""
        low, high = self.reach.ends
        limits = (-math.inf, math.inf)
        if widest is not None:
            limits = (widest.lower, widest.upper)
        ends = (
            -math.inf if limits[0] < low < bounds.lower else low,
            math.inf if bounds.upper < high < limits[1] else high,
        )
        return replace(self, reach=replace(self.reach, ends=ends))


def reach_of(noisy: Noisy, bounds: Bounds, widest: Bounds | None = None) -> Reach:
    """Say how far a histogram speaks: two powers of two beyond all that is known.

    The bound is known, and so are filled cells; it is one power of two where counts
    are seen to fall fast. On a side of zero where nothing is known, it is none.
    """
    limit = (math.inf, math.inf) if widest is None else (-widest.lower, widest.upper)
    below, above = (
        _one_side(noisy, bound, limit[at], is_negative=at == 0)
        for at, bound in enumerate((-bounds.lower, bounds.upper))
    )
    # 0.0 - 0.0 is 0.0, where -0.0 would be another end.
    return Reach((0.0 - below[0], above[0]), (0.0 - below[1], above[1]))


def _one_side(
    noisy: Noisy, bound: float, widest: float, *, is_negative: bool
) -> tuple[float, float]:
    """Give the far edge of the last filled cell, and where the reach ends."""
    lowest, outer = noisy.ladder.lowest, 2.0**noisy.ladder.highest
    counts = noisy.sides()[0 if is_negative else 1]
    filled = noisy.filled(is_negative=is_negative)
    seen = min(2.0 ** (lowest + filled[-1] + 1), outer) if filled else 0.0
    if bound >= widest:
        return seen, bound
    end = known = max(seen, bound, 0.0)
    if 0 < known < outer:
        falls = filled[-2:] and counts[filled[-1]] <= _FAST * counts[filled[-1] - 1]
        steps = 1 if falls else _STEPS
        end = min(2.0 ** (math.ceil(math.log2(known)) + steps), outer)
    last = min(end, outer)
    beyond = [count for at, count in enumerate(counts) if 2.0 ** (lowest + at) >= last]
    # That numbers have no other sign is often known; noise alone does not deny it.
    is_open = _is_someone(beyond, noisy.scale) or (known and _may_hide(noisy, beyond))
    return seen, math.inf if is_open else min(end, widest)


def _may_hide(noisy: Noisy, beyond: Sequence[int]) -> bool:
    """Tell whether many of all people may lie in cells, for all that noise says."""
    hidden = _DEVIATIONS * noisy.scale * math.sqrt(2 * len(beyond))
    return sum(beyond) + hidden > _MANY * noisy.people


def _is_someone(counts: Sequence[int], scale: float) -> bool:
    """Tell whether any run of adjacent cells holds more than noise puts there.

    Few people in each of many cells are seen in none of them, but in all together.
    """
    widths = [2**power for power in range(len(counts).bit_length())]  # None of none.
    runs = sum(len(counts) + 1 - width for width in widths)
    sums = [0, *accumulate(counts)]
    for width in widths:
        chance = _FALSE / runs
        limit = half_width(width, scale, 1 - 2 * chance)
        if width == 1:
            limit = -scale * math.log(2 * chance)
        if any(
            end - start > limit for start, end in zip(sums, sums[width:], strict=False)
        ):
            return True
    return False


def lost_beyond(
    noisy: Noisy,
    bounds: Bounds,
    *,
    widest: Bounds | None = None,
    weights: tuple[float, float] = (1.0, 1.0),
    is_part: bool = False,
) -> Lost:
    """Bound what clipping to bounds took off the sum of a column.

    Args:
        noisy: The histogram of the column.
        bounds: What its numbers were clipped to.
        widest: What its numbers lie within, or are meant to be clipped to at most.
        weights: The least and the largest weight a number may have in the sum.
        is_part: Whether the sum is about some of those who were counted, so that
            all of what was lost, or nothing, may be its own.
    """
    reach = reach_of(noisy, bounds, widest)
    # Of a side without an end no more is counted than is known.
    known = min(reach.seen[0], bounds.lower), max(reach.seen[1], bounds.upper)
    low, high = (
        end if math.isfinite(end) else each
        for end, each in zip(reach.ends, known, strict=True)
    )
    least, most, people = [], [], []
    edges = (-math.inf, *noisy.ladder.edges, math.inf)
    for count, start, end in zip(noisy.counts[:-1], edges[:-1], edges[1:], strict=True):
        if end <= low or start >= high:
            continue
        smallest = _lost(max(start, low), bounds)
        largest = _lost(min(end, high), bounds)
        if smallest or largest:
            people.append((count, 1.0))
        # What lies further than filled cells can only add to what is lost there: of
        # the least that was lost it is left out, and noise with it.
        if smallest < 0 or (end <= reach.seen[1] and not is_part):
            least.append((count, smallest * weights[smallest < 0]))
        if largest > 0 or (start >= reach.seen[0] and not is_part):
            most.append((count, largest * weights[largest > 0]))
    amounts = [_added(each, noisy.scale) for each in (least, most, people)]
    return Lost(amounts[0], amounts[1], amounts[2], reach)


def _lost(number: float, bounds: Bounds) -> float:
    return number - min(max(number, bounds.lower), bounds.upper)


def _added(cells: Iterable[tuple[int, float]], scale: float) -> CutOff:
    """Add up counts times sizes; where noise turns the sign of a side, it is 0."""
    sizes = [(count, size) for count, size in cells if size]
    sides = [
        sum(count * size for count, size in sizes if size < 0),
        sum(count * size for count, size in sizes if size > 0),
    ]
    noise = [scale * abs(size) for _, size in sizes]
    return CutOff(
        value=min(sides[0], 0.0) + max(sides[1], 0.0),
        noise=sum(2 * each * each for each in noise),
        laplace=sum(each**4 for each in noise) ** 0.25,
        # As of counts by chance; where noise hides a count, one scale stands for it.
        sampling=sum((max(count, 0) + scale) * size * size for count, size in sizes),
    )
