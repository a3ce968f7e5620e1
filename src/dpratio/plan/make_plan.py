"""From terms to a plan.

Floor: plan. Imports: terms, checks, and the rest of this room.
"""

from collections.abc import Mapping

from dpratio.checks import require, require_one_of
from dpratio.plan.calibrate import MECHANISMS
from dpratio.plan.plan import Plan
from dpratio.plan.strategy import STRATEGIES, measure_evenly
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

__all__ = ["make_plan"]


def make_plan(
    ratio: Ratio,
    *,
    bounds: Mapping[str, Bounds],
    budget: Budget,
    groups: Groups | None = None,
    strategy: str = "even",
    mechanism: str = "laplace",
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        ratio: What is asked.
        bounds: The public range of each column of the ratio.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer.
        strategy: ``"even"``, which gives each sum the same share of the budget.
        mechanism: ``"laplace"``, ``"analytic_gaussian"`` or ``"classical_gaussian"``.

    Returns:
        A plan that prints itself as a table.

    Raises:
        InvalidInput: When a term breaks a rule, or the mechanism needs more delta.

    Example:
        >>> plan = make_plan(
        ...     Ratio("score", per="label"),
        ...     bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        ...     budget=Budget(epsilon=1),
        ... )
        >>> [each.summand.name for each in plan.sums]
        ['w', 'wy', 'ws', 'wss', 'wys']
    """
    require(isinstance(ratio, Ratio), "ratio must be a Ratio", ratio)
    require(isinstance(budget, Budget), "budget must be a Budget", budget)
    wanted = groups is None or isinstance(groups, Groups)
    require(wanted, "groups must be Groups or None", groups)
    require_one_of(strategy, STRATEGIES, "strategy")
    require_one_of(mechanism, MECHANISMS, "mechanism")
    _require_bounds(ratio, bounds)
    if groups is not None:
        hint = "Group by another column."
        free = groups.column not in ratio.columns
        require(free, "a column of the ratio cannot be its group", groups.column, hint)
    ordered = {column: bounds[column] for column in ratio.columns}
    return Plan(
        ratio=ratio,
        bounds=ordered,
        groups=groups,
        budget=budget,
        strategy=strategy,
        mechanism=mechanism,
        sums=measure_evenly(
            dict(zip("syw", ordered.values(), strict=False)), budget, mechanism
        ),
    )


def _require_bounds(ratio: Ratio, bounds: Mapping[str, Bounds]) -> None:
    valid = isinstance(bounds, Mapping) and all(
        isinstance(each, Bounds) for each in bounds.values()
    )
    hint = "Write {'score': Bounds(0, 1), …}."
    require(valid, "bounds must map column names to Bounds", bounds, hint)
    missing = [column for column in ratio.columns if column not in bounds]
    hint = f"Add bounds for: {', '.join(missing)}."
    require(not missing, "every column of the ratio needs bounds", list(bounds), hint)
    unused = [column for column in bounds if column not in ratio.columns]
    hint = "Remove them, or check the spelling."
    require(not unused, "bounds are given for columns not in the ratio", unused, hint)
    if ratio.weight is not None:
        hint = "Weights count people; they cannot be negative."
        lower = bounds[ratio.weight].lower
        require(
            lower >= 0, "the lower bound of a weight must be at least 0", lower, hint
        )
