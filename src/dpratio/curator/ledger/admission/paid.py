"""Whether a release was charged what it costs: what was sealed is priced again."""

from dataclasses import dataclass

from dpratio.codec import parse_json
from dpratio.curator.ledger.account.accounting import charge_of
from dpratio.curator.ledger.account.held import Held
from dpratio.errors import DpratioError, LedgerFailed
from dpratio.plan.price import AnyPlan, Cost, price
from dpratio.release.files import checksum, plan_hash, release_from_bytes
from dpratio.strict import Node


@dataclass(frozen=True, slots=True)
class Priced:
    """What the ledger calls a plan, and what it costs."""

    hashed: str
    cost: Cost


def require_paid(
    held: Held,
    release_id: str,
    accounting: str,
    content: bytes,
    known: dict[str, Priced],
) -> None:
    """Refuse sealed bytes of another release or plan, or that cost more than charged.

    Args:
        held: The release as the chain has it.
        release_id: Its id.
        accounting: How its scope adds up.
        content: What was sealed.
        known: Plans that were priced before, by the checksum of how they are written.
    """
    try:
        found, head, priced = _read(content, known)
    except (DpratioError, ValueError, KeyError):
        found, head, priced = "", None, None
    heads = [each.hash for each in held.entries if each.kind == "opened"]
    if priced is None or (found, priced.hashed) != (release_id, held.plan):
        raise LedgerFailed(
            f"what was sealed as release {release_id} is no release, or one of another "
            "id or plan."
        )
    if [head] != heads:
        raise LedgerFailed(
            f"what was sealed as release {release_id} carries another head."
        )
    if not charge_of(priced.cost, accounting).fits(held.charge):
        raise LedgerFailed(f"release {release_id} was charged less than it costs.")


def _read(content: bytes, known: dict[str, Priced]) -> tuple[str, str | None, Priced]:
    """Read id, head and price; a plan that was read before is not priced again.

    What a second stage measured stands outside the plan: all of it is read every time.
    """
    key = ""
    document = Node(parse_json(content.decode())).entries()
    # A second stage is its own release's, and is read again each time.
    if "stage" not in document["plan"].entries():
        key = checksum({"plan": document["plan"].value})
        if key in known:
            head = document.get("ledger_head")
            ledger = None if head is None else head.text()
            return document["id"].text(), ledger, known[key]
    release = release_from_bytes(content)
    plan: AnyPlan = release.plan  # type: ignore[assignment]  # others have no hash
    priced = Priced(plan_hash(plan), price(plan))
    if key:
        known[key] = priced
    return release.id, release.ledger_head, priced
