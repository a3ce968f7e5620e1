"""Other threads see more while a transaction runs; that makes its state no old copy."""

import pytest

from curator.ledger.loans import ID, OTHER, PLAN, SCOPE
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import LedgerFailed


def test_a_state_that_was_true_when_it_was_read_is_not_called_old(
    postgres_url: str,
) -> None:
    """A reader keeps the state it began with, while others charge and see more."""
    ledger = Ledger(postgres_url)
    ledger.open_scope(SCOPE)
    ledger.charge(ID, PLAN)
    with ledger.watch.reading() as watched:
        ledger.charge(OTHER, PLAN)
        assert watched.follow("loans").seq == 1
        assert watched.follow("loans").seq == 1
    assert ledger.watch.seen["loans"].seq == 2
    assert ledger.account().seq == 2


def test_what_was_seen_before_is_held_against_an_old_copy(postgres_url: str) -> None:
    ledger = Ledger(postgres_url)
    ledger.open_scope(SCOPE)
    for release_id in (ID, OTHER):
        ledger.charge(release_id, PLAN)
    with ledger.watch.store.writing() as tables:
        tables.run("ALTER TABLE dpratio.entry DISABLE TRIGGER USER", ())
        tables.run("DELETE FROM dpratio.entry WHERE seq = 2", ())
        tables.run("ALTER TABLE dpratio.entry ENABLE TRIGGER USER", ())
    with pytest.raises(LedgerFailed, match="older than what was seen of it"):
        ledger.account()
