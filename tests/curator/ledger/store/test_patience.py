"""A verb runs again after a conflict, and not for ever."""

import pytest

from dpratio.curator.ledger.store import patience
from dpratio.curator.ledger.store.address import Address
from dpratio.curator.ledger.store.patience import Conflict, patient
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.errors import LedgerFailed


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_FIRST_PAUSE", 1e-6)
    monkeypatch.setattr(patience, "_LONGEST_PAUSE", 1e-5)


@pytest.mark.parametrize("conflicts", [0, 1, 12])
def test_a_verb_runs_until_there_is_no_conflict(conflicts: int) -> None:
    asked: list[str] = []

    @patient
    def verb(word: str, *, times: int) -> str:
        """Say a word."""
        asked.append(word)
        if len(asked) <= times:
            raise Conflict
        return word

    assert verb("charged", times=conflicts) == "charged"
    assert len(asked) == conflicts + 1
    assert verb.__doc__ == "Say a word."


def test_a_conflict_that_does_not_end_is_told() -> None:
    asked: list[int] = []

    @patient
    def verb() -> None:
        asked.append(1)
        raise Conflict

    with pytest.raises(LedgerFailed):
        verb()
    assert len(asked) == 13


def test_other_failures_are_told_at_once() -> None:
    asked: list[int] = []

    @patient
    def verb() -> None:
        asked.append(1)
        raise LedgerFailed

    with pytest.raises(LedgerFailed):
        verb()
    assert len(asked) == 1


@pytest.mark.parametrize("state", ["40001", "40P01"])
def test_what_a_server_undid_is_a_conflict(state: str, postgres_url: str) -> None:
    store = PostgresStore(Address(postgres_url))
    store.create()
    raised = f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$"
    with pytest.raises(Conflict, match="at the same moment"), store.writing() as tables:
        tables.run(raised, ())
