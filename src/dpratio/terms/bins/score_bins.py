"""Bins of a number column: equal, between edges, or at quantiles that a release found.

Edges are a promise made before anyone sees the data. Those at quantiles say which
release of a noisy histogram proposed them, and what it cost.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpratio.checks import require
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.ratio import require_column_name

__all__ = ["MOST_BINS", "ProposedBins", "ScoreBins", "require_quantiles"]

MOST_BINS = 1_000
_HUGE = 2**1023  # Beyond it a whole number is no float.
_FEWEST_QUANTILES = 2


@dataclass(frozen=True, slots=True)
class ProposedBins(Proposed):
    """Where the edges of bins came from: a release of a histogram on a fine grid.

    Args:
        release_id: The id of the release.
        epsilon: What it cost, as it was written.
        asked: How many bins of as many people each were asked for.

    Example:
        >>> str(ProposedBins("0123456789abcdef0123456789abcdef", Fraction(1, 20), 10))
        'proposed by release 0123456789abcdef0123456789abcdef at epsilon 0.05'
    """

    asked: int

    def __post_init__(self) -> None:
        Proposed.__post_init__(self)
        require_quantiles(self.asked)


@dataclass(frozen=True, slots=True, init=False)
class ScoreBins:
    """Bins of a number column: equal ones over its bounds, or between given edges.

    A value on an edge belongs to the bin above it; the last bin holds its upper edge.
    Values are clipped to their bounds first; beyond the outer edges there is no bin.

    Args:
        column: A column with bounds: the score, or any other.
        bins: How many equal bins, or their edges in increasing order.
        proposed: The release that proposed the edges, where one did. The ledger admits
            them only if that release proposes exactly these.

    Example:
        >>> ScoreBins("score", [0, 0.5, 1]).values
        ('0 to 0.5', '0.5 to 1')
    """

    column: str
    bins: int | tuple[float, ...]
    proposed: ProposedBins | None

    def __init__(
        self,
        column: str,
        bins: int | Sequence[float] = 10,
        *,
        proposed: ProposedBins | None = None,
    ) -> None:
        require_column_name(column)
        hint = "Give a number of bins, or edges such as [0, 0.2, 0.5, 1]."
        if isinstance(bins, int) and not isinstance(bins, bool):
            counted = 1 <= bins <= MOST_BINS
            require(counted, "there must be 1 to 1,000 bins", bins, hint)
            given: int | tuple[float, ...] = bins
        else:
            given = _read_edges(bins, hint)
        found = isinstance(proposed, ProposedBins) and not isinstance(given, int)
        rule = "proposed bins have edges, and name their release"
        require(found or proposed is None, rule, proposed)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bins", given)
        object.__setattr__(self, "proposed", proposed)

    @classmethod
    def quantiles(
        cls,
        column: str,
        asked: int,
        edges: Sequence[float],
        *,
        by: str,
        epsilon: float | str | Fraction,
    ) -> "ScoreBins":
        """Take bins at quantiles, as `propose_bins` gives them and a study writes them.

        Args:
            column: The column whose histogram was released.
            asked: How many bins were asked for.
            edges: What was proposed; the ledger refuses any other.
            by: The id of the release.
            epsilon: What the release cost.

        Example:
            >>> bins = ScoreBins.quantiles(
            ...     "score", 2, [0, 0.25, 1], by="0" * 32, epsilon="0.1"
            ... )
            >>> bins.values, bins.proposed.asked
            (('0 to 0.25', '0.25 to 1'), 2)
        """
        origin = ProposedBins(by, epsilon, asked)  # type: ignore[arg-type]  # as a budget
        return cls(column, edges, proposed=origin)

    def __repr__(self) -> str:
        # Ids of merged releases are made of it: what was before stays as it was.
        origin = "" if self.proposed is None else f", proposed={self.proposed!r}"
        return f"ScoreBins(column={self.column!r}, bins={self.bins!r}{origin})"

    def within(self, bounds: Bounds) -> "ScoreBins":
        """Settle equal bins into edges over the bounds of their column."""
        if isinstance(self.bins, int):
            width = bounds.upper - bounds.lower
            inner = [bounds.lower + width * at / self.bins for at in range(self.bins)]
            return ScoreBins(self.column, [*inner, bounds.upper])
        inside = bounds.lower <= self.bins[0] and self.bins[-1] <= bounds.upper
        rule = f"edges of bins must lie within the bounds of '{self.column}'"
        require(inside, rule, [self.bins[0], self.bins[-1]])
        return self

    def by_hand(self) -> "ScoreBins":
        """Give the same bins without the release that proposed them."""
        return self if self.proposed is None else ScoreBins(self.column, self.edges)

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges; equal bins have none before `within`."""
        return () if isinstance(self.bins, int) else self.bins

    @property
    def size(self) -> int:
        """How many bins there are; none before `within`."""
        return max(len(self.edges) - 1, 0)

    @property
    def values(self) -> tuple[str, ...]:
        """The bins, as text."""
        short = [f"{edge:g}" for edge in self.edges]
        if len(set(short)) != len(short):
            short = [repr(edge) for edge in self.edges]
        return tuple(f"{low} to {high}" for low, high in itertools.pairwise(short))


def require_quantiles(asked: object) -> None:
    """Refuse what is no number of bins at quantiles."""
    counted = type(asked) is int and _FEWEST_QUANTILES <= asked <= MOST_BINS
    rule = "there must be 2 to 1,000 bins at quantiles"
    require(counted, rule, asked, "Write 10.")


def _read_edges(bins: Any, hint: str) -> tuple[float, ...]:  # noqa: ANN401 (checked here)
    arrays = hasattr(bins, "tolist") and hasattr(bins, "dtype")
    listed = arrays or isinstance(bins, list | tuple | range)
    require(listed, "bins must be a number or a list of edges", bins, hint)
    numbers = bins.tolist() if arrays else bins
    real = all(
        isinstance(edge, float)
        or (isinstance(edge, int) and not isinstance(edge, bool) and abs(edge) < _HUGE)
        for edge in numbers
    )
    require(real, "edges must be numbers", list(numbers), hint)
    given = tuple(float(edge) for edge in numbers)
    enough = 1 < len(given) <= MOST_BINS + 1
    require(enough, "bins need two edges or more", list(given), hint)
    rising = all(
        math.isfinite(low) and low < high
        for low, high in itertools.pairwise((*given, math.inf))
    )
    require(rising, "edges must rise: bins may not overlap", list(given), hint)
    return given
