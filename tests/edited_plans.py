"""Plans that were edited by hand, for the door to refuse."""

from dataclasses import replace
from typing import Any

from dpratio.plan.plan import Plan

__all__ = ["with_terms"]


def with_terms(plan: Plan, **terms: Any) -> Plan:  # noqa: ANN401
    """Return a plan with other terms of its study, and the same sums."""
    return replace(plan, study=replace(plan.study, **terms))
