"""What one row may move: each sum, and all sums together."""

from fractions import Fraction

from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import joint_ratio

__all__ = ["require_close", "require_paid"]


def require_close(plan: Plan, first: list[list[int]], second: list[list[int]]) -> None:
    """At most one group moved, by no more than each sensitivity and the joint price."""
    moved = [
        [abs(one - other) for one, other in zip(*pair, strict=True)]
        for pair in zip(first, second, strict=True)
    ]
    rows = [row for row in moved if any(row)]
    assert len(rows) <= 1
    require_paid(plan, rows)


def require_paid(plan: Plan, rows: list[list[int]]) -> None:
    """No row moved a sum beyond its sensitivity, or all beyond the joint price."""
    for row in rows:
        for distance, measured in zip(row, plan.measurements[0].sums, strict=True):
            assert distance <= measured.sensitivity, measured
    if rows and plan.study.strategy != "even":
        assert max(_cost_of(plan, row) for row in rows) <= _joint_price(plan)


def _cost_of(plan: Plan, row: list[int]) -> Fraction:
    """What a row pays, in units of noise: added up, or squares added up."""
    moves = [
        Fraction(distance) / Fraction(each.scale)
        for distance, each in zip(row, plan.measurements[0].sums, strict=True)
    ]
    return plan.law.total(moves)


def _joint_price(plan: Plan) -> Fraction:
    """What the plan says that any row pays at most, and that its budget affords."""
    question = plan.measurements[0]
    most = joint_ratio(plan.law, plan.layout(question).grid, question.scales)
    assert plan.law.affords(most, epsilon=plan.epsilon, delta=plan.delta)
    return most**plan.law.power
