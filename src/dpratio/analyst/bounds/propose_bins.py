"""From a release of a histogram on a fine grid to bins with equal numbers of people."""

from dataclasses import dataclass
from typing import Any

from dpratio.analyst.bounds.find_bins import FoundBins, find_bins
from dpratio.analyst.tables.provenance import stamps
from dpratio.checks import require, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram_plan import HistogramPlan
from dpratio.plan.histogram.plan_bounds import grid_of
from dpratio.release.release import Release
from dpratio.tabular import Tabular
from dpratio.terms.groups import MOST_BINS, ScoreBins


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
        release: A release of `release_bins`.
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
        >>> release = dpr.bounds.release_bins(
        ...     people, study, "score", budget=dpr.Budget("0.1"), cells=16, ledger=None
        ... )
        >>> dpr.bounds.propose_bins(release, 4).bins
        ScoreBins(column='score', bins=(0.0, 0.125, 0.25, 0.375, 1.0))
    """
    require_quantiles(asked)
    rule = "bins are proposed from a release of a histogram on a grid"
    hint = "Make it with release_bins."
    known = isinstance(release, Release) and isinstance(release.plan, HistogramPlan)
    require(known, rule, release, hint)
    grid = grid_of(release.plan)
    require(grid is not None, rule, "other histograms", hint)
    rule = "bins are proposed from one release that was not merged"
    require(not release.sources, rule, "a merged one", "Read each of them by itself.")
    (question,) = release.questions
    counts = question.values[:, 0].tolist()
    scale = question.histogram.scales[0]
    found = find_bins(grid, counts, scale=scale, asked=asked)  # type: ignore[arg-type]
    edges: tuple[float, ...] = grid.edges  # type: ignore[union-attr]  # refused above
    return BinProposal(
        question.name,
        asked,
        found,
        release.is_simulated,
        edges,
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
