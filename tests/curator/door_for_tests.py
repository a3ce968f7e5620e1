"""Plans and tables to bring to the door of the curator."""

from collections.abc import Mapping
from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = ["BOUNDS", "EMPTY", "MISSING", "Table", "focused_plan_of", "plan_of"]

Table = Mapping[str, list[Any]]
MISSING = "no/such/file.parquet"
EMPTY: Table = {"s": [], "y": [], "w": [], "k": []}
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)}


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A plan of the paper's sums, unless another strategy is asked for."""
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": mechanism,
        "clipping": "unmeasured",
    } | changes
    return make_plan(Ratio("s", per="y", weight="w"), **terms)


def focused_plan_of(**changes: Any) -> Plan:  # noqa: ANN401
    """A plan as it is made by default."""
    terms = {"bounds": BOUNDS, "budget": Budget(1, "1e-6"), **changes}
    return make_plan(Ratio("s", per="y", weight="w"), **terms)
