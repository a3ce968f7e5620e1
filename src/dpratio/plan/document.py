"""A plan as a plain document, and back; every refusal names its path.

Floor: plan. Imports: errors, strict, terms, plan, sums.
"""

from typing import Any

from dpratio.plan.calibrate import MECHANISMS
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.plan import Plan
from dpratio.plan.strategy import ANSWERS, STRATEGIES
from dpratio.plan.sums import Summand
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import NEARNESS, Groups, Key, Ratio

__all__ = ["plan_from_document", "plan_to_document"]

UNIT = "row"
NEIGHBOURS = "add-or-remove-one"
FACTORS = ("s", "y", "w", "z", "h")


def plan_to_document(plan: Plan) -> dict[str, Any]:
    """Write a plan as tables, lists, text and numbers."""
    document: dict[str, Any] = {
        "ratio": {
            "numerator": plan.ratio.numerator,
            "per": plan.ratio.per,
            "weight": plan.ratio.weight,
            "guess": plan.ratio.guess,
            "guess_is": plan.ratio.guess_is,
            "residual_bound": plan.ratio.residual_bound,
        },
        "bounds": {
            column: "binary" if each.is_binary else [each.lower, each.upper]
            for column, each in plan.bounds.items()
        },
        "groups": None,
        "privacy": {
            "unit": UNIT,
            "neighbours": NEIGHBOURS,
            "epsilon": str(plan.budget.epsilon),
            "delta": str(plan.budget.delta),
            "strategy": plan.strategy,
            "mechanism": plan.mechanism,
        },
        "answers": list(plan.answers),
        "sums": [_sum_to_document(each) for each in plan.sums],
    }
    if plan.groups is not None:
        keys = list(plan.groups.keys)
        document["groups"] = {"column": plan.groups.column, "keys": keys}
    return document


def plan_from_document(node: Node) -> Plan:
    """Read a plan.

    Raises:
        DocumentRefused: When a field is missing, unknown or breaks a rule.
    """
    fields = node.fields("ratio", "bounds", "groups", "privacy", "answers", "sums")
    privacy = fields["privacy"].fields(
        "unit", "neighbours", "epsilon", "delta", "strategy", "mechanism"
    )
    privacy["unit"].choice([UNIT])
    privacy["neighbours"].choice([NEIGHBOURS])
    epsilon, delta = privacy["epsilon"].fraction(), privacy["delta"].fraction()
    return Plan(
        ratio=_read_ratio(fields["ratio"]),
        bounds={
            column: _read_bounds(each)
            for column, each in fields["bounds"].entries().items()
        },
        groups=_read_groups(fields["groups"]),
        budget=fields["privacy"].make(lambda: Budget(epsilon, delta)),
        strategy=privacy["strategy"].choice(STRATEGIES),
        mechanism=privacy["mechanism"].choice(MECHANISMS),
        answers=tuple(each.choice(ANSWERS) for each in fields["answers"].items()),
        sums=tuple(_read_sum(each) for each in fields["sums"].items()),
    )


def _sum_to_document(each: MeasuredSum) -> dict[str, Any]:
    return {
        "name": each.summand.name,
        "factors": list(each.summand.factors),
        "step": each.step,
        "sensitivity": each.sensitivity,
        "scale": each.scale,
    }


def _read_sum(node: Node) -> MeasuredSum:
    fields = node.fields("name", "factors", "step", "sensitivity", "scale")
    factors = tuple(each.choice(FACTORS) for each in fields["factors"].items())
    return MeasuredSum(
        summand=Summand(fields["name"].text(), factors),
        step=fields["step"].number(),
        sensitivity=fields["sensitivity"].integer(),
        scale=fields["scale"].number(),
    )


def _read_ratio(node: Node) -> Ratio:
    numbers = ("guess", "residual_bound")
    fields = node.fields("numerator", "per", "weight", "guess_is", *numbers)
    weight = None if fields["weight"].value is None else fields["weight"].text()
    numerator, per = fields["numerator"].text(), fields["per"].text()
    guess_is = fields["guess_is"].choice(tuple(NEARNESS))
    given = {name: fields[name].number_or_none() for name in numbers}
    return node.make(
        lambda: Ratio(numerator, per=per, weight=weight, guess_is=guess_is, **given)
    )


def _read_bounds(node: Node) -> Bounds:
    if node.value == "binary":
        return Bounds.binary()
    pair = node.items()
    if len(pair) != 2:  # noqa: PLR2004
        node.refuse("must be [lower, upper] or 'binary'")
    lower, upper = pair[0].number(), pair[1].number()
    return node.make(lambda: Bounds(lower, upper))


def _read_groups(node: Node) -> Groups | None:
    if node.value is None:
        return None
    fields = node.fields("column", "keys")
    keys = [_read_key(each) for each in fields["keys"].items()]
    column = fields["column"].text()
    return node.make(lambda: Groups(column, keys))


def _read_key(node: Node) -> Key:
    if isinstance(node.value, bool | int):
        return node.value
    return node.text()
