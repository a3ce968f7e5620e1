"""What an officer writes into a ledger: approvals, and sources that are allowed."""

from collections.abc import Callable, Mapping

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account, subject_of
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source, written_source
from dpratio.curator.ledger.admission.admit import choose_scope
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.plan_file import plan_hash

__all__ = ["allow_source", "approve"]


def approve(
    watch: Watch,
    plan: Plan,
    source: object,
    *,
    scope: str | None,
    by: str,
    time: Callable[[], str],
) -> str:
    """Approve a plan together with a source; arguments as for `Ledger.approve`.

    Returns:
        The hash of the plan.
    """
    require_words(by, "by")
    require(isinstance(plan, Plan), "plan must be a Plan", plan)
    price(plan)
    written = written_source(source)
    event = {"by": by, "plan": plan_hash(plan), "source": written.text}
    with watch.writing() as watched:
        before = watched.follow(choose_scope(scope, watched.tables.scope_names()))
        known = [_what(each.said) for each in before.approved.values()]
        if _what(event) not in known:
            watched.append(before, _entry(before, "approved", event, time()))
    return event["plan"]


def allow_source(
    watch: Watch, source: Source, *, scope: str | None, by: str, time: Callable[[], str]
) -> None:
    """Allow a source for a scope, whatever it was charged to before."""
    require_words(by, "by")
    event = {"by": by, "source": source.written.text, "place": source.place.text}
    with watch.writing() as watched:
        before = watched.follow(choose_scope(scope, watched.tables.scope_names()))
        if (event["source"], event["place"]) not in before.allowed:
            watched.append(before, _entry(before, "allowed", event, time()))


def _entry(before: Account, kind: str, event: Mapping[str, str], time: str) -> Entry:
    """Make the entry that comes next, named by its content and its number."""
    subject = subject_of(event, before.seq + 1)
    return link(before.last, time=time, subject=subject, kind=kind, event=event)


def _what(event: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Say which plan and which source an approval is of."""
    return event.get("plan"), event.get("source")
