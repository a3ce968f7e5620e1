"""What was charged for the same request before: asked again, it is not charged again.

A request is a plan, a source as it is described and where it lies, and a scope. Nothing
here looks at data: neither their content nor the size, the time or the existence of a
file.
"""

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.source import Source
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan
from dpratio.release.files import plan_hash


def is_charged_for(held: Held, source: Source) -> bool:
    """Tell whether a charge is for a source, also where a template was filled in."""
    filled = held.said("charge").get("filled", "")
    read = (source.written.text, source.place.text, source.filled)
    return (*held.source, filled) == read


def same_requests(
    account: Account, plan: AnyPlan, source: Source
) -> list[tuple[str, Held]]:
    """Find all releases that were charged for the same plan and source, newest first.

    A charge that was voided does not count: it was given back.

    Guarantee:
        The answer is a function of the plan, of the source's description and place,
        and of the ledger. Proof: docs/proofs/ledger.md.
    """
    hashed = plan_hash(plan)
    found = [
        (release_id, held)
        for release_id, held in account.releases.items()
        if held.plan == hashed and held.state != "void" and is_charged_for(held, source)
    ]
    return found[::-1]


def require_first(
    account: Account, release_id: str, plan: AnyPlan, source: Source
) -> None:
    """Refuse a second charge for the same request, which nobody asked for."""
    others = [name for name, _ in same_requests(account, plan, source)]
    if any(name != release_id for name in others):
        raise LedgerRefused(
            f"release {others[0]} was charged meanwhile for the same plan and source. "
            "Nothing more was charged: ask again."
        )
