"""A plan as the JSON that it is written as, and back."""

from typing import Any

from dpratio.codec import canonical, parse_json
from dpratio.plan.document import PLAN
from dpratio.plan.plan import Plan
from dpratio.strict import Node

__all__ = ["plan_from_document", "plan_to_document"]


def plan_to_document(plan: Plan) -> dict[str, Any]:
    """The tables of a plan, as a reader finds them."""
    document: dict[str, Any] = parse_json(canonical(PLAN.write(plan)).decode())
    return document


def plan_from_document(node: Node) -> Plan:
    """The plan of a document."""
    plan: Plan = PLAN.read(node.value, node.path)
    return plan
