"""What releases cost together: epsilon and delta add up, whoever is in them."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys

__all__ = ["added_up", "dearest"]


def added_up(plans: Sequence[Plan]) -> Plan:
    """Give a plan that states what somebody pays who is in all of the releases.

    Its noise is that of one of them; the epsilon and delta of the others come on top,
    and so do the keys that they found.

    Raises:
        InvalidInput: When the costs are too large together to be stated.

    Guarantee:
        Epsilon and delta of the result are at least the sums of those of the plans,
        however the plans were added up before. Proof: docs/proofs/derived.md.
    """
    # Chosen by what adding leaves alone, so that the order does not matter.
    first = max(plans, key=_rank)
    epsilon = sum((plan.epsilon for plan in plans), Fraction(0))
    delta = sum((plan.delta for plan in plans), Fraction(0))
    # Keys were found for each release, and paid for each time.
    found = [each for plan in plans for each in plan.private_keys]
    for each in first.partitions:
        if isinstance(each, PrivateKeys):
            found.remove(each)
    named = {plan.title for plan in plans}
    mechanism = first.mechanism
    if mechanism == "laplace":
        # A delta that was allowed and not needed is not spent, and stays allowed.
        delta = max(delta, *(plan.budget.delta for plan in plans))
    else:
        # The classical formula ends at epsilon 1. The law of the noise is the same.
        mechanism = "analytic_gaussian"
    return replace(
        first,
        title=first.title if len(named) == 1 else None,
        mechanism=mechanism,
        budget=Budget(epsilon, delta),
        found=tuple(sorted(found, key=repr)),
    )


def dearest(releases: Sequence[Release]) -> Budget:
    """Give the largest epsilon and delta that somebody pays who is in one of them."""
    costs = [each.cost_if_disjoint or each.cost for each in releases]
    epsilon = max(each.epsilon for each in costs)
    return Budget(epsilon, max(each.delta for each in costs))


def _rank(plan: Plan) -> tuple[bool, str]:
    lasting = (plan.questions, plan.partitions, plan.stage)
    return plan.mechanism != "laplace", repr(lasting)
