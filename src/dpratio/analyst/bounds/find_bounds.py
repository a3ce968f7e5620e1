"""What the histograms of a release propose together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpratio.analyst.bounds.noisy import Noisy, proposed
from dpratio.plan.histogram.group_counts import GroupCounts
from dpratio.plan.histogram.histograms import counted_of, histogram_of
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.terms.bounds import Bounds

__all__ = [
    "FoundBounds",
    "bounding",
    "bounds_by_name",
    "find_bounds",
    "noisy_of",
]


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """What one histogram proposes for the column or total that it counted.

    ``bounds`` are None where too little is known, and where numbers lie beyond the
    outer limits.
    """

    counted: str
    bounds: Bounds | None
    is_beyond: bool


def noisy_of(
    plan: PlanTerms, question: PlannedQuestion, counts: Iterable[int]
) -> Noisy:
    """Give the noisy counts of a question with their ladder and their noise."""
    ladder = histogram_of(plan, question).ladder
    return Noisy(ladder, tuple(counts), question.scales[0])


def bounding(plan: PlanTerms) -> list[PlannedQuestion]:
    """Give the histograms that bounds are proposed from: not those of groups."""
    return [
        each
        for each in plan.questions
        if not isinstance(counted_of(plan, each), GroupCounts)
    ]


def find_bounds(
    plan: PlanTerms, counts: Sequence[Iterable[int]], *, epsilon: float
) -> list[FoundBounds]:
    """Propose bounds from every histogram of a plan.

    Args:
        plan: The plan of the histograms.
        counts: The noisy counts of each, in the order of the plan.
        epsilon: What the sums may cost that will be bounded so.

    Returns:
        One for each histogram that bounds are proposed from, a function of these three
        alone.
    """
    found, kept = [], bounding(plan)
    for question, given in zip(plan.questions, counts, strict=True):
        if question not in kept:
            continue
        noisy = noisy_of(plan, question, given)
        bounds = proposed(noisy, epsilon=epsilon, moved=plan.unit.cells_moved)
        counted = histogram_of(plan, question).name
        found.append(FoundBounds(counted, bounds, noisy.is_beyond))
    return found


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
