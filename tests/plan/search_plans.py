"""Plans that find bounds, and noisy counts that lead to some."""

from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import Search
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["PERSON", "REGIONS", "counts_at", "search_of", "search_plan"]

REGIONS = Groups("region", ["north", "south"])
PERSON = PrivacyUnit(
    "id", totals={"spent": Bounds.find(0, 4096), "orders": Bounds(0, 20)}, most_groups=2
)


def search_plan(
    ratio: Ratio | None = None,
    bounds: dict[str, Bounds] | None = None,
    **terms: Any,  # noqa: ANN401
) -> Plan:
    given = {"spent": Bounds.find(0, 4096), "orders": Bounds(0, 4), **(bounds or {})}
    if "unit" in terms and not (bounds or {}).get("spent"):
        given["spent"] = Bounds(0, 4096)
    asked = Ratio("spent", per="orders", guess=25) if ratio is None else ratio
    return make_plan(asked, bounds=given, **{"budget": Budget(1), **terms})


def search_of(plan: Plan) -> Search:
    assert plan.search is not None
    return plan.search


def counts_at(plan: Plan, *powers: int, people: int = 5_000) -> Any:  # noqa: ANN401
    """Put people between 2^power and 2^(power + 1), in every histogram."""
    held = search_of(plan).histograms
    cells = [f"2^{power} to 2^{power + 1}" for power in powers]
    return tuple(
        tuple(people * (key in cells) for key in held.partitions[each.partition].keys)
        for each in held.questions
    )
