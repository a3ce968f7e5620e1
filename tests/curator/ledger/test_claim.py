"""Who opened a release and was not told goes on, once, and nobody else does."""

import hashlib
import os
from pathlib import Path

import pytest

from curator.ledger.loans import ID, PLAN, SCOPE, TABLE, Untouchable, state
from dpratio.curator.ledger.claim import is_unbegun
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused

STEP = Ledger._step


@pytest.fixture
def book(any_ledger: str, tmp_path: Path) -> Ledger:
    made = Ledger(any_ledger, spool=tmp_path / "spool")
    made.open_scope(SCOPE)
    return made


def lose_the_answer(monkeypatch: pytest.MonkeyPatch, book: Ledger) -> None:
    """Open a release; the line is written, and its answer does not arrive."""

    def deaf(ledger: Ledger, release_id: str, kind: str, *given: object) -> str:
        head = STEP(ledger, release_id, kind, *given)  # type: ignore[arg-type]
        if kind != "opened":
            return head
        message = "the ledger cannot be reached."
        raise LedgerFailed(message)

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "_step", deaf)
        with pytest.raises(LedgerFailed, match="cannot be reached"):
            release_sums(TABLE, PLAN, ledger=book, release_id=ID)


def test_an_answer_that_was_lost_costs_nothing(
    book: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lose_the_answer(monkeypatch, book)
    assert state(book) == "opened"
    (claim,) = (tmp_path / "spool").iterdir()
    assert (claim.name, claim.stat().st_mode & 0o777) == (f"{ID}.claim", 0o600)
    held = book.account().releases[ID]
    # Readers of the ledger see a hash, which is no secret.
    hashed = hashlib.sha256(claim.read_bytes()).hexdigest()
    assert held.said("opened") == {"claim": hashed}
    given = release_sums(TABLE, PLAN, ledger=book, release_id=ID)
    assert given.ledger_head == held.entries[-1].hash
    assert state(book) == "published"
    assert not (tmp_path / "spool").exists()


def test_it_is_finished_once(book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_the_answer(monkeypatch, book)
    book.charge(ID, PLAN)
    assert book.open(ID) == book.account().head
    for _ in range(2):
        with pytest.raises(LedgerRefused, match="its charge is gone"):
            release_sums(Untouchable(), PLAN, ledger=book, release_id=ID)
        with pytest.raises(LedgerRefused, match="so it cannot be opened"):
            book.open(ID)


def test_another_machine_does_not_go_on_with_it(
    book: Ledger, monkeypatch: pytest.MonkeyPatch, any_ledger: str, tmp_path: Path
) -> None:
    lose_the_answer(monkeypatch, book)
    elsewhere = Ledger(any_ledger, spool=tmp_path / "elsewhere")
    hashed = book.account().releases[ID].said("opened")["claim"]
    elsewhere.spool.keep(ID, hashed.encode(), "claim")
    assert not is_unbegun(book.account().releases[ID], elsewhere.spool, ID)
    with pytest.raises(LedgerRefused, match="its charge is gone"):
        release_sums(Untouchable(), PLAN, ledger=elsewhere, release_id=ID)
    with pytest.raises(LedgerRefused, match="so it cannot be opened"):
        elsewhere.open(ID)


def test_of_two_who_try_one_gets_the_secret(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.spool.keep(ID, b"secret", "claim")
    unlink = os.unlink

    def meanwhile(name: str, *, dir_fd: int) -> None:
        unlink(name, dir_fd=dir_fd)  # Another process was faster.
        unlink(name, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        patched.setattr("dpratio.curator.ledger.spool.os.unlink", meanwhile)
        assert book.spool.take(ID) is None


def test_a_line_that_was_not_written_is_written_with_the_same_secret(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_given: object) -> str:
        message = "the ledger cannot be reached."
        raise LedgerFailed(message)

    book.charge(ID, PLAN)
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "_step", stop)
        for _ in range(2):
            with pytest.raises(LedgerFailed):
                book.open(ID)
    secret = book.spool.claim(ID)
    assert secret is not None
    book.open(ID)
    hashed = hashlib.sha256(secret.encode()).hexdigest()
    assert book.account().releases[ID].said("opened") == {"claim": hashed}
    assert book.spool.claim(ID) is None


def test_a_line_whose_answer_was_lost_is_anchored_before_rows_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = tmp_path / "heads"
    book = Ledger(tmp_path / "budget.db", anchor=heads)
    book.open_scope(SCOPE)
    lose_the_answer(monkeypatch, book)
    lines = heads.read_text().splitlines(keepends=True)
    heads.write_text("".join(lines[:-1]))
    again = Ledger(tmp_path / "budget.db", anchor=heads)
    assert again.open(ID) in heads.read_text()
    assert heads.read_text().splitlines(keepends=True) == lines
