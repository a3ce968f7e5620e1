"""What the histograms of a release propose together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpratio.analyst.bounds.noisy import Noisy, proposed
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.terms.bounds import Bounds

if TYPE_CHECKING:
    from dpratio.plan.ladder import Ladder


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """What one histogram proposes for the column or total that it counted.

    ``bounds`` are None where too little is known, and where numbers lie beyond the
    outer limits.
    """

    counted: str
    bounds: Bounds | None
    is_beyond: bool


def noisy_of(histogram: Histogram, counts: Iterable[int]) -> Noisy:
    """Return the noisy counts of a histogram with their ladder and their noise."""
    ladder: Ladder = histogram.cells  # type: ignore[assignment]  # never bins here
    return Noisy(ladder, tuple(counts), histogram.scale)


def find_bounds(
    plan: HistogramPlan, counts: Sequence[Iterable[int]], *, epsilon: float
) -> list[FoundBounds]:
    """Propose bounds from every histogram of a plan that counts numbers.

    Args:
        plan: The plan of the histograms.
        counts: The noisy counts of each, in the order of the plan.
        epsilon: What the sums may cost that will be bounded so.

    Returns:
        One for each histogram that bounds are proposed from, a function of these three
        alone.
    """
    proposals = []
    for histogram, cells in zip(plan.measurements, counts, strict=True):
        if histogram.counts_numbers:
            noisy = noisy_of(histogram, cells)
            bounds = proposed(noisy, epsilon=epsilon, moved=plan.unit.cells_moved)
            counted = str(histogram.column)
            proposals.append(FoundBounds(counted, bounds, noisy.is_beyond))
    return proposals


def bounds_by_name(found: Iterable[FoundBounds]) -> dict[str, Bounds]:
    """Give the bounds by column or total.

    A total with several histograms gets bounds that hold those of all of them, and none
    where one of them reaches beyond its limits.
    """
    rows = list(found)
    beyond = {each.counted for each in rows if each.is_beyond}
    together: dict[str, Bounds] = {}
    for each in rows:
        if each.bounds is not None and each.counted not in beyond:
            held = together.get(each.counted, each.bounds)
            lower = min(held.lower, each.bounds.lower)
            upper = max(held.upper, each.bounds.upper)
            together[each.counted] = Bounds(lower, upper)
    return together
