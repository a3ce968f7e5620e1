"""From a release of a histogram on a fine grid to bins with equal numbers of people."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpratio.analyst.tables.provenance import stamps
from dpratio.checks import refuse, require, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import HistogramPlan
from dpratio.release.release import Release
from dpratio.tabular import Tabular
from dpratio.terms.groups import MOST_BINS, ScoreBins

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


@dataclass(frozen=True, slots=True)
class BinProposal(Tabular):
    """Bins at quantiles, one row for each; none where too little is known.

    ``people`` are noisy counts of rows, or of people in cells. ``grid`` are the edges
    of the cells in which people were counted, ``counts`` their noisy counts, ``scale``
    that of the noise.
    """

    column: str
    asked: int
    found: FoundBins
    is_simulated: bool
    grid: tuple[float, ...]
    counts: tuple[int, ...]
    scale: float

    @property
    def bins(self) -> ScoreBins | None:
        """The bins, for the groups of a study; None where too little is known."""
        if not self.found.size:
            return None
        return ScoreBins(self.column, self.found.edges)

    def lines(self) -> list[str]:
        """Write the bins as a study file has them."""
        if not self.found.size:
            return []
        return [f"bins = [{', '.join(map(repr, self.found.edges))}]"]

    def columns(self) -> dict[str, list[Any]]:
        """One row per bin."""
        edges, people = self.found.edges, list(self.found.people)
        return {
            "lower": list(edges[:-1]),
            "upper": list(edges[1:]),
            "people": people,
            "share": [each / sum(people) for each in people],
        }

    def notes(self) -> list[str]:
        """Say what is shown, and why there are fewer bins than were asked for."""
        said = f"{self.found.size} bins of {self.column} at quantiles, {self.asked} "
        said += "asked for. Counts are noisy, and so are the quantiles."
        few = "Fewer bins than asked for: noise does not carry more of as many people "
        few += "each, or one cell holds several of them."
        none = "Too little is known for two bins: more people, more epsilon or fewer "
        none += "cells would tell, or edges from outside."
        size = self.found.size
        reasons = [none] if not size else [few] if size < self.asked else []
        return [*stamps(is_simulated=self.is_simulated), said, *reasons]

    def __len__(self) -> int:
        return self.found.size


def propose_bins(release: Release, asked: int = 10) -> BinProposal:
    """Propose bins of as many people each, from a histogram on a fine grid.

    Args:
        release: A release of a plan of `plan_bins`.
        asked: How many bins are wanted.

    Returns:
        A table with one row per bin. Its ``bins`` are for the groups of a study, which
        declares them. There are fewer than asked where noise does not carry as many.

    Raises:
        InvalidInput: When the release holds no such histogram.

    Example:
        >>> import dpratio as dpr, numpy as np
        >>> study = dpr.Study(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget("0.9"),
        ... )
        >>> people = {"score": np.arange(20_000) / 40_000, "label": np.ones(20_000)}
        >>> plan = dpr.bounds.plan_bins(
        ...     study, "score", budget=dpr.Budget("0.1"), cells=16
        ... )
        >>> release = dpr.release_sums(people, plan, ledger=None)
        >>> dpr.bounds.propose_bins(release, 4).bins
        ScoreBins(column='score', bins=(0.0, 0.125, 0.25, 0.375, 1.0))
    """
    require_quantiles(asked)
    rule = "bins are proposed from a release of a histogram on a grid"
    hint = "Release a plan of plan_bins."
    known = isinstance(release, Release) and isinstance(release.plan, HistogramPlan)
    require(known, rule, release, hint)
    grid = release.questions[0].histogram.cells
    if not isinstance(grid, ScoreBins):
        refuse(rule, "other histograms", hint)
    rule = "bins are proposed from one release that was not merged"
    require(not release.sources, rule, "a merged one", "Read each of them by itself.")
    (question,) = release.questions
    counts = question.values[:, 0].tolist()
    scale = question.histogram.scale
    found = find_bins(grid, counts, scale=scale, asked=asked)
    return BinProposal(
        question.name,
        asked,
        found,
        release.is_simulated,
        grid.edges,
        tuple(counts),
        scale,
    )


def require_quantiles(bins: object) -> None:
    """Raise InvalidInput unless `bins` is a number of bins at quantiles."""
    if type(bins) is not int or not 2 <= bins <= MOST_BINS:  # noqa: PLR2004
        raise InvalidInput(
            f"there must be 2 to 1,000 bins at quantiles, got {show_given(bins)}. "
            "Write 10.",
            field="bins",
        )
