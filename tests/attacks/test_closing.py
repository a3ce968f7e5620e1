"""Closing a scope must not give its data a second budget."""

import pytest

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from dpratio.curator.ledger.account.account import subject_of
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget


def test_35_a_scope_that_was_charged_is_not_closed(any_ledger: str) -> None:
    """Who could close it would begin anew, with another cap, on the same data.

    Source: W3C Attribution, issue 17 (a budget that begins anew is none).
    More: tests/curator/ledger/admission/test_opening.py.
    """
    ledger = open_book(any_ledger, Scope("people", Budget("0.2", "1e-6")))
    release_sums(DATA, plan_of("0.1"), ledger=ledger, source="people")
    ledger.charge(name_of(2), plan_of("0.1"))
    ledger.void(name_of(2))
    with pytest.raises(LedgerRefused, match="scope 'people' is in use"):
        ledger.close_scope("people")
    assert ledger.account().seq == 6
    ledger.open_scope(Scope("again", Budget(1, "1e-6")))
    with pytest.raises(LedgerRefused, match="were charged to another scope"):
        release_sums(
            DATA, plan_of("0.1"), ledger=ledger, source="people", scope="again"
        )


def test_35_a_closing_that_was_forged_behind_a_charge_is_noticed(
    any_ledger: str,
) -> None:
    """Whoever writes such a line past the library stops the scope and frees nothing.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    ledger = open_book(any_ledger)
    ledger.charge(name_of(1), plan_of("0.1"))
    before, event = ledger.account(), {"by": "", "why": "opened by mistake"}
    with ledger.watch.store.writing() as tables:
        scope, seq, head, _ = before.last
        entry = link(
            (scope, seq, head, tables.writer),
            time=before.time,
            subject=subject_of(event, 2),
            kind="closed",
            event=event,
        )
        tables.add_entry(entry)
    with pytest.raises(LedgerFailed, match="entry 2 of scope 'loans' does not follow"):
        Ledger(any_ledger).account()


def test_35_a_scope_that_was_closed_is_neither_charged_nor_opened_again(
    any_ledger: str,
) -> None:
    """A closed cap has no budget, and its name brings no other one.

    Source: W3C Attribution, issue 17.
    """
    ledger = open_book(any_ledger)
    ledger.close_scope("loans")
    with pytest.raises(LedgerRefused, match="scope 'loans' was closed"):
        release_sums(DATA, plan_of("0.1"), ledger=ledger, source="loans")
    for scope in (ledger.account().scope, Scope("loans", Budget(5))):
        with pytest.raises(LedgerRefused, match="its name stays taken"):
            ledger.open_scope(scope)
    assert ledger.account().spent.loss == 0
