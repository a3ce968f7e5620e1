"""The rules of declared pairs of groups: where their products are priced and counted.

Proof: docs/proofs/cross_products.md.
"""

from dpratio.checks import require
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.cross_products import PlannedPairs
from dpratio.terms.groups import Groups

__all__ = ["require_pairs"]

_STRATEGIES = ("focused", "joint")
_MOST_PAIRS = 1_000
_LEAVE_OUT = "Leave pairs out: comparisons are then given with a bound."


def require_pairs(plan: PlanTerms) -> None:
    """Refuse pairs that no price is proven for, or that could share nobody.

    Raises:
        InvalidInput: The message says what to do.
    """
    for question in plan.questions:
        if question.pairs is not None:
            _require_terms(plan, question)
            _require_places(plan, question)


def _require_terms(plan: PlanTerms, question: PlannedQuestion) -> None:
    rule = "pairs of groups are measured with strategy 'focused' or 'joint'"
    require(plan.strategy in _STRATEGIES, rule, plan.strategy, _LEAVE_OUT)
    rule = "pairs of groups are not measured in two stages"
    require(plan.stage is None, rule, "a stage", "Leave the stage or pairs out.")
    rule = "pairs of groups need bounds that are declared"
    hint = "Declare the bounds, or leave pairs out."
    require(plan.search is None, rule, "bounds that are to be found", hint)
    rule = "pairs of groups share people only where units have ids"
    hint = "Name the column of ids: PrivacyUnit(…), or [unit] in a study."
    require(plan.unit.column is not None, rule, "rows without ids", hint)
    most = plan.unit_of(question).most_groups
    rule = "pairs of groups share people only where one may be in several groups"
    hint = "Raise most_groups, or leave pairs out: the groups are independent."
    require(most > 1, rule, f"most_groups={most}", hint)


def _require_places(plan: PlanTerms, question: PlannedQuestion) -> None:
    groups, pairs = plan.partitions[question.partition], question.pairs
    rule = "pairs are of groups that are declared"
    require(
        isinstance(groups, Groups), rule, getattr(groups, "columns", None), _LEAVE_OUT
    )
    places = pairs.places if isinstance(pairs, PlannedPairs) else None
    rule = f"there are 1 to {_MOST_PAIRS:,} pairs of groups"
    counted = isinstance(places, tuple) and 0 < len(places) <= _MOST_PAIRS
    require(counted, rule, places)
    rule = "a pair names two different groups"
    two = all(
        isinstance(pair, tuple)
        and [type(at) for at in pair] == [int, int]
        and 0 <= pair[0] < pair[1] < groups.count  # type: ignore[union-attr]
        for pair in places  # type: ignore[union-attr]  # refused above
    )
    require(two, rule, places)
    once = len({*places}) == len(places)  # type: ignore[misc, arg-type]
    require(once, "each pair of groups is named once", places)
