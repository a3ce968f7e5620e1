"""Closing a scope must not give its data a second budget."""

import pytest

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
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
