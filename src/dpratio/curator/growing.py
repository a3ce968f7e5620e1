"""The last period of a growing study: fixed by what is public when it is asked.

Whoever asks names it, or it follows from the day; no row is ever looked at. A key that
exists because one person's row is newer than all others would give that person away.
"""

from dpratio.checks import require
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.clock import day_now, read_day
from dpratio.plan.plan import Plan
from dpratio.terms.dimensions import Day

__all__ = ["as_asked", "has_ended_since"]


def as_asked(
    plan: Plan,
    last: Day | None,
    *,
    book: Ledger | None = None,
    scope: str | None = None,
    release_id: str | None = None,
) -> Plan:
    """Fix the last period of a plan that is open; other plans stay as they are.

    Args:
        plan: A plan.
        last: A day of the last period, or its name. None for the newest one that is
            over, by the day in UTC; of a release that was charged before, the same as
            then.
        book: The ledger that would know such a release.
        scope: Its scope.
        release_id: Its id, where one was given.

    Raises:
        InvalidInput: When a last period is named and none is open, when it is before
            the first, or when no period is over yet.

    Guarantee:
        The periods of the plan are a function of its terms, of what who asks has said,
        of the day, and of the ledger. Proof: docs/proofs/release.md.
    """
    if last is not None:
        return plan.until(last)
    if not plan.is_open:
        return plan
    if book is not None and release_id is not None:
        held = book.account(scope).releases.get(release_id)
        charged = None if held is None else held.said("charge").get("last")
        if charged is not None:
            return plan.until(charged)
    periods = plan.open_periods[0]
    whole = periods.newest_whole(day_now())
    hint = "Wait until then, or name a last one that has begun."
    rule = f"the first {periods.every} of a growing study must be over"
    require(periods.first <= whole, rule, str(periods.first), hint)
    return plan.until(whole)


def has_ended_since(plan: Plan, day: str) -> bool:
    """Tell whether a growing study's last period was not over on a day, and is now.

    Guarantee:
        The answer is a function of the plan, of that day and of today.
        Proof: docs/proofs/ledger.md.
    """
    then, today = read_day(day), day_now()
    return any(
        each.last is not None
        and each.newest_whole(then) < each.last <= each.newest_whole(today)
        for each in plan.open_periods
    )
