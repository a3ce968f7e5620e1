"""Lines of the owner: what was lost is spent, and what is closed stays closed."""

from fractions import Fraction

from curator.ledger.account.test_account import (
    ID,
    NOTHING,
    OTHER,
    SCOPE,
    TENTH,
    after,
    entry,
    forged,
    refusal,
)
from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, exact_text
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.totals import totals_after


def owner_entry(before: Account, kind: str, lost: Charge | None = None) -> Entry:
    event = {"by": "olga", "why": "lost"}
    if kind == "recovered":
        event |= {"lost_seq": "9", "lost_hash": "f" * 64}
    subject = subject_of(event, before.seq + 1)
    return entry(before, kind, subject, event=event, charge=lost)


def test_what_was_lost_is_spent_within_the_cap() -> None:
    before = after("charge")
    tenth = follow(before, [owner_entry(before, "recovered", TENTH)])
    assert tenth.spent == TENTH + TENTH
    assert [each.seq for each in tenth.recovered] == [2]
    assert tenth.releases[ID].state == "stranded"
    whole = follow(before, [owner_entry(before, "recovered", SCOPE.cap)])
    assert whole.left == NOTHING


def test_nothing_comes_back_by_being_lost() -> None:
    before = after("charge")
    free = Charge(-TENTH.loss, Fraction(0))
    assert "entry 2" in refusal(before, owner_entry(before, "recovered", free))
    free = Charge(Fraction(0), -TENTH.delta)
    assert "entry 2" in refusal(before, owner_entry(before, "recovered", free))


def test_nothing_follows_a_line_that_closes() -> None:
    before = new_account(SCOPE)
    closed = follow(before, [owner_entry(before, "closed")])
    assert closed.ended is not None
    for kind in ("closed", "recovered"):
        assert "entry 2" in refusal(closed, owner_entry(closed, kind, NOTHING))
    assert "entry 2" in refusal(closed, entry(closed, "charge"))
    used = after("charge")
    assert "entry 2" in refusal(used, owner_entry(used, "closed"))


def test_a_line_of_an_owner_is_named_by_its_content() -> None:
    before = after("charge")
    for kind in ("recovered", "closed"):
        made = forged(owner_entry(before, kind, NOTHING), subject="0" * 64)
        assert "entry 2" in refusal(before, made)


def test_what_is_spent_after_each_line_is_what_the_account_says() -> None:
    account, entries, totals = new_account(SCOPE), [], []
    for kind, subject in (("charge", ID), ("charge", OTHER), ("void", OTHER)):
        entries.append(entry(account, kind, subject))
        account = follow(account, entries[-1:])
        totals.append((exact_text(account.spent.loss), exact_text(account.spent.delta)))
    for lost in (TENTH, SCOPE.cap):
        entries.append(owner_entry(account, "recovered", lost))
        account = follow(account, entries[-1:])
        totals.append((exact_text(account.spent.loss), exact_text(account.spent.delta)))
    assert list(totals_after(entries, SCOPE.cap)) == totals
