"""What a file and a server do alike: made once, and written whole or not at all."""

from pathlib import Path

import pytest

from curator.ledger.loans import SCOPE
from dpratio.curator.ledger.admission.watch import Store
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.sqlite import SqliteStore


@pytest.fixture
def store(any_ledger: str) -> Store:
    """A store that is yet to be made; SQLite and PostgreSQL in turn."""
    if any_ledger.startswith("postgres"):
        return PostgresStore(Address(any_ledger))
    return SqliteStore(Path(any_ledger))


def test_a_ledger_is_made_once(store: Store) -> None:
    store.create()
    with store.writing() as tables:
        tables.add_scope(SCOPE)
    store.create()
    with store.reading() as tables:
        assert tables.scope_names() == ["loans"]
        assert tables.scope("loans") == SCOPE
    assert store.damages() == []


def test_what_was_written_is_kept_at_the_end_alone(store: Store) -> None:
    store.create()

    def stop_halfway() -> None:
        with store.writing() as tables:
            tables.add_scope(SCOPE)
            raise KeyError

    with pytest.raises(KeyError):
        stop_halfway()
    with store.reading() as tables:
        assert tables.scope_names() == []
