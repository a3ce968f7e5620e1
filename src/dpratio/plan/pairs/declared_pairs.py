"""Pairs of groups as they were declared: found by their keys, and said in words."""

from dpratio.checks import require
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.sensitivity.cross_products import PlannedPairs
from dpratio.terms.dimensions import Cell
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question

__all__ = ["describe_pairs", "places_of"]

_PAIRS_SHOWN = 3


def places_of(question: Question) -> PlannedPairs | None:
    """Find the groups of declared pairs, the earlier one first."""
    if not question.pairs:
        return None
    rule = "pairs are of groups that are declared"
    groups = question.groups
    require(
        isinstance(groups, Groups),
        rule,
        getattr(groups, "columns", None),
        "Declare the groups.",
    )
    places = [
        sorted(groups.place_of(key) for key in pair)  # type: ignore[union-attr]
        for pair in question.pairs
    ]
    return PlannedPairs(tuple((first, second) for first, second in places))


def describe_pairs(plan: PlanTerms) -> list[str]:
    """Say which groups are compared although they share people, and at what price."""
    said = []
    for keys in filter(None, map(plan.paired_keys, plan.questions)):
        shown = keys[:_PAIRS_SHOWN]
        named = [f"{_key(first)} with {_key(second)}" for first, second in shown]
        more = len(keys) - len(named)
        rest = f" and {more:,} more" if more else ""
        said.append(
            f"Pairs of groups: {', '.join(named)}{rest}. Of whoever is in both, "
            "products of what they did in the one and in the other are measured too, "
            "for a tenth of what the question spends, so that comparisons know how far "
            "the same people do alike."
        )
    return said


def _key(key: Cell) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
