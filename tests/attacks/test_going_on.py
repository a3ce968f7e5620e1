"""A charge that goes on: once, for who may, and never where something was drawn."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import dpratio as dpr
from dpratio.curator.ledger.account.source import source_of
from dpratio.curator.ledger.spool import Spool
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.ledgers import recover_ledger
from dpratio.release.release import id_of
from planned import plan_scores

PLAN = plan_scores(dpr.Budget(epsilon=1))
TABLE = {"score": [0.2, 0.9] * 50, "label": [0, 1] * 50}
RUN = "a run"
ID = id_of(RUN)


class Unanswered(dpr.Ledger):
    """A ledger that writes `opened`, and whose answer is lost."""

    def _step(
        self,
        release_id: str,
        kind: str,
        event: Mapping[str, str],
        content: bytes | None = None,
    ) -> str:
        head = super()._step(release_id, kind, event, content)
        if kind == "opened":
            raise LedgerFailed("no answer")
        return head


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a ledger whose answer to `opened` was lost."""
    (tmp_path / "own").mkdir()
    book = ledger(tmp_path, Unanswered)
    book.open_scope(dpr.Scope("people", dpr.Budget(epsilon=1)))
    with pytest.raises(LedgerFailed, match="no answer"):
        release(book)
    return tmp_path


def ledger(place: Path, kind: type[dpr.Ledger] = dpr.Ledger) -> dpr.Ledger:
    return kind(place / "own" / "budget.db", anchor=place / "anchor")


def release(book: dpr.Ledger, by: str = "") -> dpr.Release:
    return dpr.release_sums(
        TABLE, PLAN, ledger=book, source="people", release_id=RUN, by=by
    )


def test_31_an_answer_that_was_lost_is_gone_on_with_once(place: Path) -> None:
    """Source: issues of databases whose client does not learn of a commit."""
    first = release(ledger(place))
    assert release(ledger(place)) == first


def test_31_a_restored_copy_draws_nothing_again(place: Path) -> None:
    """The secret lay in the folder that was restored, and the draw was published.

    Source: found by a review of this code, 2026.
    """
    shutil.copytree(place / "own", place / "copy")
    release(ledger(place))
    shutil.rmtree(place / "own")
    shutil.copytree(place / "copy", place / "own")
    recover_ledger(ledger(place), by="olga", why="the disk was lost")
    with pytest.raises(LedgerRefused, match="stopped after data were opened"):
        release(ledger(place))


def test_31_a_secret_that_another_took_is_not_taken_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one lies under its name by then.

    Source: found by a review of this code, 2026.
    """
    spool = ledger(place).spool
    first, opened = spool.claim(ID), Spool._opened
    assert first is not None

    @contextlib.contextmanager
    def others_first(own: Spool) -> Iterator[int]:
        monkeypatch.setattr(Spool, "_opened", opened)
        assert own.take(ID) == first
        assert own.keep(ID, b"another", "claim")
        with opened(own) as folder:
            yield folder

    monkeypatch.setattr(Spool, "_opened", others_first)
    assert spool.take(ID) != first


def test_31_a_damaged_line_may_have_opened_any_release(tmp_path: Path) -> None:
    """It was set aside, and nobody can tell of which release it spoke.

    Source: found by a review of this code, 2026.
    """
    (tmp_path / "own").mkdir()
    book = ledger(tmp_path)
    book.open_scope(dpr.Scope("people", dpr.Budget(epsilon=1)))
    book.charge(ID, PLAN)
    book.open(ID)
    with contextlib.closing(sqlite3.connect(tmp_path / "own" / "budget.db")) as file:
        asked = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = file.execute(asked).fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        edit = "UPDATE entry SET subject = ? WHERE kind = 'opened'"
        file.execute(edit, ("0" * 32,))
        for _, made in triggers:
            file.execute(made)
        file.commit()
    book = ledger(tmp_path)
    book.quarantine([2], why="damaged", by="olga")
    for step in (book.void, book.open):
        with pytest.raises(LedgerRefused):
            step(ID)
    assert book.account().spent.loss == 1


@pytest.mark.parametrize("withdrawn", [True, False])
def test_38_a_charge_goes_on_only_while_its_approval_admits_it(
    tmp_path: Path, *, withdrawn: bool
) -> None:
    """Source: found by a review of this code, 2026."""
    (tmp_path / "own").mkdir()
    book = ledger(tmp_path)
    book.open_scope(
        dpr.Scope(
            "people",
            dpr.Budget(epsilon=3),
            needs_approval=True,
            approvals_by_others=True,
        )
    )
    book.approve(PLAN, source="people", most=1, by="olga")
    read = source_of(TABLE, "people", origin=None)
    book.charge(ID, PLAN, source=read, by="carl")
    if withdrawn:
        book.withdraw(1, by="olga")
    with pytest.raises(LedgerRefused, match="was charged and not begun"):
        release(book, by="olga")
    if withdrawn:
        with pytest.raises(LedgerRefused, match="was withdrawn"):
            release(book, by="carl")
        book.void(ID)
        assert book.account().spent.loss == 0
    else:
        assert release(book, by="carl").id == ID
