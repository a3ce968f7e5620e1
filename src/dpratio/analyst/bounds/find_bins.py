"""Which edges a noisy histogram on a fine grid proposes.

Whole numbers and fractions alone: the same counts give the same edges on every
machine.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.terms.groups import ScoreBins

# A bin of n/k people must hold twice the standard deviation of the noise of its cells,
# and each that is proposed once: where it is wide, noise is more.
_CARRIED = 2
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class FoundBins:
    """Bins of as many people each, as far as noise lets them be told.

    ``edges`` are empty where not even two bins can be told apart. ``people`` are the
    noisy counts of the bins.
    """

    edges: tuple[float, ...]
    people: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many bins there are."""
        return len(self.people)


def find_bins(
    grid: ScoreBins, counts: Sequence[int], *, scale: float, asked: int
) -> FoundBins:
    """Propose bins of as many people each.

    Args:
        grid: The cells.
        counts: Their noisy counts.
        scale: The scale of their noise.
        asked: How many bins are wanted.

    Returns:
        Bins between edges of the grid, from its first to its last, each with more
        people than noise. There are fewer than asked where noise does not carry as
        many, or one cell holds several of them. A function of these four alone.
    """
    below = [0, *itertools.accumulate(counts)]
    everyone = below[-1]
    variance = 2 * Fraction(scale) ** 2
    most = everyone**2 / (_CARRIED**2 * variance * len(counts))
    carried = min(asked, int(most))
    if everyone <= 0 or carried < _FEWEST:
        return FoundBins((), ())
    # Noise may make counts fall: nobody is taken out again, and nobody added.
    rising = [min(each, everyone) for each in itertools.accumulate(below, max)]

    def is_bin(low: int, high: int) -> bool:
        held = below[high] - below[low]
        return held > 0 and held**2 >= variance * (high - low)

    places = [0]
    for at in range(1, carried):
        place = _nearest(rising, at * everyone, carried)
        if is_bin(places[-1], place) and is_bin(place, len(counts)):
            places.append(place)
    if len(places) < _FEWEST:
        return FoundBins((), ())
    places.append(len(counts))
    people = [below[high] - below[low] for low, high in itertools.pairwise(places)]
    return FoundBins(tuple(grid.edges[at] for at in places), tuple(people))


def _nearest(rising: Sequence[int], wanted: int, times: int) -> int:
    """Give the first place below which, so many times, about as many lie as wanted."""
    return min(range(len(rising)), key=lambda at: abs(times * rising[at] - wanted))
