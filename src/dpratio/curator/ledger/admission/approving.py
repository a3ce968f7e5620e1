"""What an officer writes into a ledger: approvals, withdrawals, allowed sources."""

from collections.abc import Mapping

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.approval import Approval
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source, written_source
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store import clock
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, price
from dpratio.release.files import plan_hash

_TERMS = ("plan", "source", "most", "until")


def approve(
    watch: Watch,
    plan: AnyPlan,
    source: object,
    *,
    limits: Mapping[str, str],
    scope: str | None,
    by: str,
) -> str:
    """Approve a plan together with a source; arguments as for `Ledger.approve`.

    Returns:
        The hash of the plan.
    """
    require_words(by, "by")
    require(isinstance(plan, AnyPlan), "plan must be a Plan", plan)
    price(plan)
    written = written_source(source)
    event = {"by": by, "plan": plan_hash(plan), "source": written.text, **limits}
    with watch.writing() as watched:
        before = watched.follow(watched.choose(scope))
        _require_name(before, by)
        now = clock.time_now()
        given = before.approved.values()
        if not any(_is_again(before, each, event, now) for each in given):
            watched.write(before, "approved", event, time=now)
    return event["plan"]


def withdraw(watch: Watch, line: int, *, scope: str | None, by: str) -> None:
    """Withdraw the approval on a line of a scope; again, it changes nothing.

    Raises:
        LedgerRefused: When there is no approval on that line.
    """
    require_words(by, "by")
    with watch.writing() as watched:
        before = watched.follow(watched.choose(scope))
        lines = {each.entry.seq: each for each in before.approved.values()}
        if line not in lines:
            raise LedgerRefused(
                f"there is no approval on line {line} of scope '{before.scope.name}'. "
                "`dpratio ledger show` lists them with their lines."
            )
        if lines[line].withdrawal is None:
            subject = lines[line].entry.subject
            watched.write(before, "withdrawn", {"by": by}, subject=subject)


def allow_source(watch: Watch, source: Source, *, scope: str | None, by: str) -> None:
    """Allow a source for a scope, whatever it was charged to before."""
    require_words(by, "by")
    event = {"by": by, "source": source.written.text, "place": source.place.text}
    with watch.writing() as watched:
        before = watched.follow(watched.choose(scope))
        if (event["source"], event["place"]) not in before.allowed:
            watched.write(before, "allowed", event)


def _is_again(
    account: Account, given: Approval, event: Mapping[str, str], time: str
) -> bool:
    """Tell whether an approval says the same as one that nobody has used up yet."""
    said = given.entry.said
    if any(said.get(name) != event.get(name) for name in _TERMS):
        return False
    is_begun = bool(given.used) and given.most is not None
    if given.limit_met(max(account.time, time)) or is_begun:
        return False
    # Where approvals come from others, it matters whose they are.
    mine = (given.entry.session, said["by"]) == (account.writer, event["by"])
    return mine or not account.scope.approvals_by_others


def _require_name(account: Account, by: str) -> None:
    """Refuse an approval by nobody, where it matters by whom it is."""
    named = account.writer or by.strip() or not account.scope.approvals_by_others
    rule = f"scope '{account.scope.name}' needs to know who approves"
    require(named, rule, by, "Give your name with --by, or by='…'.")
