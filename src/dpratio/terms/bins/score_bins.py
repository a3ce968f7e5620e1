"""Bins of a number column: equal ones, or between edges.

Edges are a promise made before anyone sees the data.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpratio.checks import require
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import require_column_name

__all__ = ["MOST_BINS", "ScoreBins", "require_quantiles"]

MOST_BINS = 1_000
_HUGE = 2**1023  # Beyond it a whole number is no float.
_FEWEST_QUANTILES = 2


@dataclass(frozen=True, slots=True, init=False)
class ScoreBins:
    """Bins of a number column: equal ones over its bounds, or between given edges.

    A value on an edge belongs to the bin above it; the last bin holds its upper edge.
    Values are clipped to their bounds first; beyond the outer edges there is no bin.

    Args:
        column: A column with bounds: the score, or any other.
        bins: How many equal bins, or their edges in increasing order.

    Example:
        >>> ScoreBins("score", [0, 0.5, 1]).values
        ('0 to 0.5', '0.5 to 1')
    """

    column: str
    bins: int | tuple[float, ...]

    def __init__(self, column: str, bins: int | Sequence[float] = 10) -> None:
        require_column_name(column)
        hint = "Give a number of bins, or edges such as [0, 0.2, 0.5, 1]."
        if isinstance(bins, int) and not isinstance(bins, bool):
            counted = 1 <= bins <= MOST_BINS
            require(counted, "there must be 1 to 1,000 bins", bins, hint)
            given: int | tuple[float, ...] = bins
        else:
            given = _read_edges(bins, hint)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "bins", given)

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
