"""An outage at sealing: the same id seals what was drawn, and draws nothing again."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.attacks.test_surroundings import locked
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, TABLE, Untouchable, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import server, sqlite
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.release.files import read_release, release_to_bytes

SEAL = Ledger.seal


@pytest.fixture
def book(any_ledger: str, tmp_path: Path) -> Ledger:
    made = Ledger(any_ledger, spool=tmp_path / "spool")
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def drawn(
    book: Ledger, any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[bytes]:
    """Release while others keep the ledger locked from the draw on: what waits."""

    def seal(ledger: Ledger, *given: object) -> None:
        with locked(any_ledger):
            SEAL(ledger, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "_PATIENCE", 0.05)
        patched.setattr(server, "_PATIENCE", "50ms")
        patched.setattr(Ledger, "seal", seal)
        with pytest.raises(LedgerFailed) as told:
            release_sums(TABLE, PLAN, ledger=book, release_id=ID)
    assert "others have kept it locked" in str(told.value)
    assert str(told.value).endswith(
        f"What was drawn for release {ID} waits in the spool of this machine: ask for "
        "it again by its id."
    )
    assert told.value.__cause__ is None
    assert told.value.__context__ is None
    waits = book.spool.kept(ID)
    assert waits is not None
    assert book.account().releases[ID].state == "opened"
    yield waits
    assert book.account().spent.loss == Fraction(1, 10)


def test_the_same_id_seals_what_was_drawn(
    drawn: bytes, book: Ledger, any_ledger: str, tmp_path: Path
) -> None:
    again = Ledger(any_ledger, spool=tmp_path / "spool")
    out = tmp_path / "r.json"
    release = release_sums(Untouchable(), PLAN, ledger=again, release_id=ID, out=out)
    assert release_to_bytes(release) == drawn == out.read_bytes()
    assert book.account().releases[ID].state == "published"
    assert not (tmp_path / "spool").exists()
    assert release_sums(Untouchable(), PLAN, ledger=book, release_id=ID) == release
    assert read_release(out) == release


def test_looking_the_ledger_over_tells_what_waits(drawn: bytes, book: Ledger) -> None:
    assert drawn
    book.spool.keep("9" * 32, b"of another ledger")
    (note,) = verify_ledger(book).notes
    assert note == (
        f"what was drawn for release {ID} waits in the spool of this machine. Ask for "
        "the release again by its id."
    )
    release_sums(Untouchable(), PLAN, ledger=book, release_id=ID)
    assert verify_ledger(book).notes == ()


def test_another_machine_draws_nothing_and_says_so(
    drawn: bytes, any_ledger: str, tmp_path: Path
) -> None:
    elsewhere = Ledger(any_ledger, spool=tmp_path / "elsewhere")
    with pytest.raises(LedgerRefused, match="its charge is gone"):
        release_sums(Untouchable(), PLAN, ledger=elsewhere, release_id=ID)
    assert drawn


def test_another_plan_gets_nothing_of_it(drawn: bytes, book: Ledger) -> None:
    with pytest.raises(LedgerRefused, match="belongs to another plan"):
        release_sums(Untouchable(), plan_of("0.2"), ledger=book, release_id=ID)
    assert book.spool.kept(ID) == drawn


def test_a_spool_that_was_edited_is_refused(drawn: bytes, book: Ledger) -> None:
    (book.spool.folder / f"{ID}.json").write_bytes(drawn.replace(b"1", b"2"))
    with pytest.raises(LedgerFailed, match="damaged, or was drawn for another release"):
        release_sums(Untouchable(), PLAN, ledger=book, release_id=ID)
    assert book.account().releases[ID].state == "opened"


def test_a_spool_of_another_ledger_is_refused(
    drawn: bytes, book: Ledger, tmp_path: Path
) -> None:
    other = Ledger(tmp_path / "other.db", spool=book.spool.folder)
    other.open_scope(replace(SCOPE, dataset="other loans"))
    other.charge(ID, PLAN)
    other.open(ID)
    with pytest.raises(LedgerFailed, match="plan or ledger"):
        release_sums(Untouchable(), PLAN, ledger=other, release_id=ID)
    assert book.spool.kept(ID) == drawn


def test_a_spool_that_cannot_be_used_is_told_before_the_charge(book: Ledger) -> None:
    book.spool.folder.touch()
    with pytest.raises(LedgerFailed, match=r"the spool '.*' cannot be used"):
        release_sums(TABLE, PLAN, ledger=book)
    assert book.account().seq == 0


def test_a_spool_that_fails_later_does_not_stop_the_seal(
    book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.spool.os.fsync", fail)
    release_sums(TABLE, PLAN, ledger=book, release_id=ID)
    monkeypatch.undo()
    assert book.account().releases[ID].state == "published"
    with pytest.raises(LedgerRefused, match="is not in this ledger") as told:
        book.seal(OTHER, b"bytes")
    assert "waits" not in str(told.value)


def test_without_a_spool_an_outage_says_only_what_it_is(
    book: Ledger, any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.charge(ID, PLAN)
    book.open(ID)
    book.spool.folder.touch()
    monkeypatch.setattr(sqlite, "_PATIENCE", 0.05)
    monkeypatch.setattr(server, "_PATIENCE", "50ms")
    with locked(any_ledger), pytest.raises(LedgerFailed) as told:
        book.seal(ID, b"bytes")
    assert "waits" not in str(told.value)


def fail(*_given: object) -> None:
    raise OSError(28, "No space left on device")
