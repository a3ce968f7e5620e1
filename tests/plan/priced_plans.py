"""Plans to be priced, edited by hand, and what the door says of them."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from dpratio.errors import PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan, Cost, price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio

LAWS = list(
    itertools.product(("focused", "joint", "even"), ("laplace", "analytic_gaussian"))
)
KINDS = [*LAWS, ("means", "laplace"), ("means", "analytic_gaussian")]


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A plan of the paper's sums at equal shares, unless changed."""
    terms: dict[str, Any] = {
        "bounds": {
            "score": Bounds(0, 1),
            "label": Bounds(0, 2),
            "weight": Bounds(0.5, 3),
        },
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": mechanism,
        "clipping": "unmeasured",
    } | changes
    return make_plan(Ratio("score", per="label", weight="weight"), **terms)


def focused_plan(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A focused plan; what is said of the ratio may be changed too."""
    about_ratio = ("guess", "guess_is", "residual_bound", "weight")
    asked = {name: changes.pop(name) for name in about_ratio if name in changes}
    terms: dict[str, Any] = {
        "bounds": {
            "score": Bounds(0, 1),
            "label": Bounds.binary(),
            "weight": Bounds(0.5, 3),
        },
        "budget": Budget(1, "1e-6"),
        "mechanism": mechanism,
        "clipping": "unmeasured",
    } | changes
    return make_plan(
        Ratio("score", per="label", **{"weight": "weight"} | asked), **terms
    )


@cache
def planned(strategy: str, mechanism: str) -> Plan:
    """A plan of each kind: by equal shares, joint, focused, or focused with means."""
    if strategy in {"even", "joint"}:
        return plan_of(mechanism, strategy=strategy)
    answers = ("ratio", "means") if strategy == "means" else ("ratio",)
    return focused_plan(mechanism, answers=answers)


def over(
    ratios: Sequence[Ratio], groups: Sequence[Any], shares: Sequence[Any]
) -> list[Question]:
    """Ask every ratio of all groups, with a share for each of the groups."""
    return [
        Question(ratio, groups=part, budget_share=share)
        for part, share in zip(groups, shares, strict=True)
        for ratio in ratios
    ]


def edit(plan: Plan, at: int = 0, **changes: Any) -> Plan:  # noqa: ANN401
    """Change one sum of a plan by hand."""
    sums = list(plan.measurements[0].sums)
    sums[at] = replace(sums[at], **changes)
    return with_sums(plan, tuple(sums))


def scaled(plan: Plan, factor: float, at: int = 0) -> Plan:
    """Multiply all noise of one question by a factor."""
    sums = plan.measurements[at].sums
    return with_sums(
        plan, tuple(replace(each, scale=each.scale * factor) for each in sums), at
    )


def with_sums(plan: Plan, sums: Any, at: int = 0) -> Plan:  # noqa: ANN401
    """Give one part of a plan other sums."""
    return change_question(plan, at, sums=sums)


def ask(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    """Change the ratio of a plan by hand."""
    return change_question(plan, ratio=replace(plan.measurements[0].ratio, **changes))


def change_question(plan: Plan, at: int = 0, **changes: Any) -> Plan:  # noqa: ANN401
    """Change one question of a plan by hand, or its sums."""
    measured = list(plan.measurements)
    own = {name: changes.pop(name) for name in ("sums", "basis") if name in changes}
    question = replace(measured[at].question, **changes)
    measured[at] = replace(measured[at], question=question, **own)
    return plan.measuring(measured)


def regroup(plan: Plan, groups: Any, at: int = 0) -> Plan:  # noqa: ANN401
    """Change one partition of a plan by hand."""
    before = plan.study.partitions[at]
    return plan.measuring(
        [
            replace(item, question=replace(item.question, groups=groups))
            if item.groups == before
            else item
            for item in plan.measurements
        ]
    )


def spent(cost: Cost) -> tuple[Fraction, Fraction]:
    """What a cost says of epsilon and delta."""
    return cost.epsilon, cost.delta


def refuse(plan: AnyPlan, match: str | None = None) -> None:
    """Price the plan, which must be refused."""
    with pytest.raises(PlanRefused, match=match):
        price(plan)
