"""What is measured after bounds were looked for: a function of noisy counts alone.

Nothing else reaches it: no exact count, no row, no clock. Whatever the counts are, it
gives a plan that is priced at what the search has left, and stops at nothing.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from dpratio.checks import require
from dpratio.errors import DpratioError, InvalidInput
from dpratio.plan.histogram.found_bounds import bounds_by_name, find_bounds
from dpratio.plan.histogram.require_search import open_names
from dpratio.plan.make_plan import measure_terms
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import Search
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.price import price
from dpratio.plan.require_terms import LARGEST_ROW, settle_guess
from dpratio.plan.sensitivity.box import row_box
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import Budget

__all__ = [
    "Searched",
    "describe_unfound",
    "found_within",
    "is_searched",
    "measured_within",
    "plan_within",
    "realise_bounds",
]

Counts = tuple[tuple[int, ...], ...]
_MOST = 2**63


@dataclass(frozen=True, slots=True)
class Searched:
    """The noisy counts of a search, and whether the bounds that they find were taken.

    They are not taken where none is found, and where no plan can be made within them.
    """

    counts: Counts
    is_taken: bool

    def __post_init__(self) -> None:
        lists = isinstance(self.counts, tuple) and all(
            isinstance(each, tuple) for each in self.counts
        )
        whole = lists and all(
            type(one) is int and abs(one) < _MOST
            for each in self.counts
            for one in each
        )
        require(whole, "the counts of a search are whole numbers", self.counts)
        flagged = isinstance(self.is_taken, bool)
        require(flagged, "is_taken must be true or false", self.is_taken)


def realise_bounds(plan: Plan, counts: Counts) -> tuple[Plan, Searched]:
    """Decide what is measured, and within which bounds.

    Args:
        plan: A plan with a search that `price` accepts.
        counts: The noisy counts of each of its histograms.

    Returns:
        A plan in one stage that costs what the search has left of the budget, and what
        it came from. Where nothing is found it is the one that was declared.

    Guarantee:
        For all whole numbers it gives a plan that `price` accepts at that cost, and it
        depends on its arguments alone. Proof: docs/proofs/search.md.
    """
    second = _planned(plan, found_within(plan, counts))
    if second is None:
        return plan_within(plan, {}), Searched(counts, is_taken=False)
    return second, Searched(counts, is_taken=True)


def plan_within(plan: Plan, found: Mapping[str, Bounds]) -> Plan:
    """Give the plan that is measured within bounds: the declared one without any."""
    second = _planned(plan, found)
    return _second(plan, {}, plan.questions) if second is None else second


def _planned(plan: Plan, found: Mapping[str, Bounds]) -> Plan | None:
    """Plan what is left of the budget within bounds; None where that cannot be."""
    search = _search_of(plan)
    # A guess that does not fit the bounds is only a guess.
    for guess in (search.guess, None) if found else ():
        try:
            with np.errstate(all="ignore"):
                terms = _second(plan, found, _unsettled(plan))
                second = measure_terms(terms, search.people, guess)
                price(second)
        except Exception:  # noqa: BLE001, S112 (what cannot be planned is not taken)
            continue
        return second
    return None


def is_searched(
    plan: Plan, asked: Sequence[PlannedQuestion], searched: Searched | None
) -> bool:
    """Tell whether questions are what these counts lead to, and are priced.

    Noise is held to its price and not to how it was shared.
    """
    held = _search_of(plan).histograms
    cells = [held.partitions[each.partition].count for each in held.questions]
    if searched is None or [len(each) for each in searched.counts] != cells:
        return False
    if not searched.is_taken:
        return tuple(asked) == plan.questions
    found = found_within(plan, searched.counts)
    if not found or len(asked) != len(plan.questions):
        return False
    terms = _second(plan, found, _unsettled(plan))
    fits = all(
        replace(one, sums=(), basis="sum") == _settled(terms, each)
        for one, each in zip(asked, terms.questions, strict=True)
    )
    try:
        price(_second(plan, found, tuple(asked)))
    except DpratioError:
        return False
    return fits


def measured_within(
    plan: Plan,
    asked: tuple[PlannedQuestion, ...],
    searched: Searched,
    release_id: str,
) -> Plan:
    """Give the plan as it was measured: in one stage, at the cost of everything.

    Bounds that were found name the release that found them.
    """
    found = found_within(plan, searched.counts) if searched.is_taken else {}
    origin = Proposed(release_id, _search_of(plan).epsilon)
    told = {name: replace(each, proposed=origin) for name, each in found.items()}
    return replace(_second(plan, told, asked), budget=plan.budget)


def describe_unfound(plan: Plan, searched: Searched | None) -> list[str]:
    """Say what no bounds were found for, so that the widest ones were used."""
    if searched is None:
        return []
    found = found_within(plan, searched.counts) if searched.is_taken else {}
    names = [*open_names(plan.bounds), *open_names(plan.unit.totals)]
    missing = " and ".join(name for name in names if name not in found)
    said = f"No bounds of {missing} could be found: the widest ones were used."
    return [said] if missing else []


def _search_of(plan: Plan) -> Search:
    search = plan.search
    require(search is not None, "a plan without a search finds no bounds", None)
    return search  # type: ignore[return-value]  # refused above


def found_within(plan: Plan, counts: Counts) -> dict[str, Bounds]:
    """Give the bounds that counts propose, no wider than those that were declared."""
    epsilon = float(plan.for_sums[0])
    rows = find_bounds(_search_of(plan).histograms, counts, epsilon=epsilon)
    declared = {**plan.bounds, **plan.unit.totals}
    kept = {}
    for name, each in bounds_by_name(rows, None).items():
        low, high = _at_least(each, _least_of(plan, name))
        lower = max(low, declared[name].lower)
        upper = min(high, declared[name].upper)
        # Cut to a declared end that is tiny, they may be no bounds at all.
        with suppress(InvalidInput):
            kept[name] = Bounds(lower, upper)
    return kept


def _least_of(plan: Plan, name: str) -> float:
    """Give the least total that rows as large as the plan lets them be may have."""
    if plan.unit.column is None:
        return 0.0
    boxes = [(each, row_box(each.ratio, plan.bounds)) for each in plan.questions]
    rows = [
        box[letter].reach * (box["w"].reach if "w" in box else 1.0)
        for each, box in boxes
        for letter, total in zip("sy", each.ratio.totals, strict=True)
        if total == name and name not in each.totals
    ]
    return max(rows, default=0.0) / LARGEST_ROW


def _at_least(found: Bounds, least: float) -> tuple[float, float]:
    """Widen bounds on their larger side until they reach so far."""
    if found.upper >= -found.lower:
        return found.lower, max(found.upper, least)
    return min(found.lower, -least), found.upper


def _second(
    plan: Plan, found: Mapping[str, Bounds], questions: tuple[PlannedQuestion, ...]
) -> Plan:
    """Put bounds in the place of those to be found, at what is left of the budget."""
    within = _within(plan.bounds, {} if plan.unit.column else found)
    return replace(
        plan,
        bounds=within,
        unit=replace(plan.unit, totals=_within(plan.unit.totals, found)),
        questions=questions,
        search=None,
        budget=Budget(plan.for_sums[0], plan.budget.delta),
    )


def _within(
    declared: Mapping[str, Bounds], found: Mapping[str, Bounds]
) -> dict[str, Bounds]:
    return {
        name: replace(found.get(name, each), to_find=False) if each.to_find else each
        for name, each in declared.items()
    }


def _unsettled(plan: Plan) -> tuple[PlannedQuestion, ...]:
    """Take back guesses that followed from the bounds; no question has sums yet."""
    return tuple(
        replace(
            question,
            sums=(),
            basis="sum",
            ratio=question.ratio
            if guessed
            else replace(question.ratio, guess=None, guess_is="close"),
        )
        for question, guessed in zip(
            plan.questions, _search_of(plan).guessed, strict=True
        )
    )


def _settled(terms: Plan, question: PlannedQuestion) -> PlannedQuestion:
    return replace(question, ratio=settle_guess(question, terms))
