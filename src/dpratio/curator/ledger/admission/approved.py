"""Whether a plan and its source were approved, by whom, and within which limits."""

from typing import NoReturn

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.approval import Approval, who
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.source_description import (
    SourceDescription,
    description_from_text,
)
from dpratio.errors import LedgerRefused

_AGAIN = "Ask for a new approval with `dpratio ledger approve`"
_NO_END = "9999-12-31"


def require_approved(
    account: Account,
    plan_hash: str,
    written: SourceDescription | None,
    *,
    time: str,
    asker: tuple[str, str] | None,
) -> str | None:
    """Refuse a plan and a source that were not approved together, or no longer are.

    Args:
        account: The scope that would be charged.
        plan_hash: The hash of the plan, which may have been approved.
        written: The source, as written.
        time: When it is asked. A clock that goes back brings no approval back.
        asker: The user that the server knows and the name that was given; None where
            nobody asks yet.

    Returns:
        The name of the approval in the ledger; None where the scope demands none.

    Raises:
        LedgerRefused: With what to ask for. It names what differs, and no value.

    Guarantee:
        Where a scope demands approval, what runs has the terms and the source, as
        written, of one approval that is open at that time.
        Proof: docs/proofs/ledger.md.
    """
    scope = account.scope
    if not scope.needs_approval:
        return None
    rule = f"scope '{scope.name}' admits approved studies only"
    this = f"this plan, {plan_hash[:12]}…,"
    if written is None:
        _refuse(
            f"{rule}, and an approval is of a plan and its data. Name the table: "
            "release_sums(…, source='…'), with the name that was approved"
        )
    given = account.approved.values()
    of_plan = [each for each in given if each.entry.said.get("plan") == plan_hash]
    fitting = [each for each in of_plan if each.entry.said["source"] == written.text]
    usable = [each for each in fitting if not _obstacle(account, each, time, asker)]
    if usable:
        return min(usable, key=_order).entry.subject
    if fitting:
        newest = fitting[-1]
        met = _obstacle(account, newest, time, asker)
        line = f"line {newest.entry.seq} of the ledger"
        _refuse(f"{rule}; the approval of {this} by {who(newest.entry)}, {line}, {met}")
    if of_plan:
        others = [description_from_text(each.entry.said["source"]) for each in of_plan]
        differ = min((written.differences(each) for each in others), key=len)
        _refuse(
            f"{rule}; {this} was approved for another source, which differs in: "
            f"{', '.join(differ)}. Bring back what was approved, or ask for a new "
            "approval with `dpratio ledger approve`"
        )
    raise LedgerRefused(f"{rule}; {this} is not. Ask for `dpratio ledger approve`.")


def require_still_approved(
    account: Account,
    release_id: str,
    held: Held,
    *,
    time: str,
    asker: tuple[str, str],
) -> None:
    """Refuse to go on with a charge whose approval no longer admits it.

    Raises:
        LedgerRefused: When the approval was withdrawn or has ended, or is by who asks.
    """
    name = held.said("charge").get("approval")
    if name is None:  # Charges of before named none.
        return
    # The charge itself stands under it, and does not count against it here.
    given = account.approved[name].charged(-1)
    met = _obstacle(account, given, time, asker)
    if met:
        _refuse(
            f"release {release_id} was charged and not begun; its approval by "
            f"{who(given.entry)}, line {given.entry.seq} of the ledger, {met}. Or give "
            "the charge back with `dpratio ledger void`"
        )


def _obstacle(
    account: Account,
    given: Approval,
    time: str,
    asker: tuple[str, str] | None,
) -> str:
    """Say why an approval does not admit, and what to do; empty where it does."""
    met = given.limit_met(max(account.time, time))
    if met:
        return f"{met}. {_AGAIN}"
    if not account.scope.approvals_by_others or asker is None:
        return ""
    if given.is_by_other(*asker):
        return ""
    return (
        "must come from another person than the one who asks in this scope. Say who "
        "asks with --by where the ledger is a file, or let another officer approve "
        "with `dpratio ledger approve`"
    )


def _order(given: Approval) -> tuple[bool, str, int]:
    """Use up first what is not counted, then what ends first."""
    return given.most is not None, given.until or _NO_END, given.entry.seq


def _refuse(words: str) -> NoReturn:
    raise LedgerRefused(f"{words}.")
