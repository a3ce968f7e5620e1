"""Plans in two stages, over scores and labels of any range."""

from typing import Any

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

BOUNDS = {"spend": Bounds(0, 100), "visits": Bounds(0, 20)}
GROUPS = Groups("region", ["north", "south", "west"])


def staged_plan(ratio: Any = None, **terms: Any) -> Plan:  # noqa: ANN401
    """A plan whose first stage gets a fifth of epsilon 1, or whatever is said."""
    wanted: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1),
        "stage": 0.2,
        **terms,
    }
    return make_plan(ratio or Ratio("spend", per="visits"), **wanted)


def cells_for(plan: Plan, top: float, bottom: float, *, at: int = 0) -> tuple[int, ...]:
    """Totals of a first stage, in the units of the data, as lattice cells."""
    assert plan.stage is not None
    return tuple(
        round(total / each.step)
        for total, each in zip((top, bottom), plan.stage.firsts[at], strict=True)
    )
