"""Plans of score per label, as in the paper or as by default."""

from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

RATIO = Ratio("score", per="label")
WEIGHTED = Ratio("score", per="label", weight="weight")
BINARY = {"score": Bounds(0, 1), "label": Bounds.binary()}
WITH_WEIGHT = {**BINARY, "weight": Bounds(0.5, 3)}


def focused(ratio: Any = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    """Plan as it is done when nothing is said about strategy and mechanism."""
    terms: dict[str, Any] = {
        "bounds": BINARY,
        "budget": Budget(1, "1e-6"),
        "clipping": "unmeasured",
    }
    return make_plan(ratio, **terms | changes)


def plan_of(ratio: Any = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    """Plan as the paper does, unless something else is asked for."""
    return focused(ratio, **{"strategy": "even", "mechanism": "laplace"} | changes)


# Of weighted sums, by region.
GROUPED = plan_of(
    WEIGHTED,
    bounds=WITH_WEIGHT,
    budget=Budget("0.6"),
    groups=Groups("region", ["north", "south"]),
)


def names(plan: Plan) -> list[str]:
    """The names of the sums that are measured."""
    return [each.summand.name for each in plan.measurements[0].sums]
