"""A disk that is full, at any step: refused in one line, and nothing is lost."""

import resource
import signal
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from curator.ledger.attacks.asking import COST, charge, refusal, released
from curator.ledger.attacks.books import in_child, is_plain, name_of, open_book
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused


def stopped(step: Callable[[], object]) -> Exception | None:
    """Run a step that may be refused, if so then plainly; give what it was."""
    refused = None
    try:
        step()
    except (LedgerFailed, LedgerRefused) as error:
        refused = error
    assert refused is None or is_plain(refused), str(refused)
    return refused


def limited(size: int, step: Callable[[], object]) -> str:
    """Run a step where no file may grow beyond a size, as on a full disk."""

    def full() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        refused = stopped(step)
        return "" if refused is None else str(refused)

    return in_child(full)


@pytest.mark.parametrize("missing", [-99_999_999, -20_000, -4096, 0])
def test_a_disk_that_is_full_at_the_charge_charges_nothing(
    tmp_path: Path, missing: int
) -> None:
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    accepted = []
    for number in range(1, 20):
        size = max(path.stat().st_size + missing, 0)
        said = limited(size, partial(charge, ledger, number))
        accepted += [] if said else [name_of(number)]
        assert not said or "full" in said
        # What was said to be charged is charged, and what was refused is not.
        assert list(Ledger(path).account().releases) == accepted
    assert len(accepted) < 19
    assert verify_ledger(Ledger(path)).wrong == ()
    charge(ledger, 99)


def test_a_disk_that_is_full_at_the_seal_keeps_the_charge_and_what_was_drawn(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "budget.db", tmp_path / "out.json"
    ledger = open_book(str(path))
    released(ledger, 1)
    states = set()
    for number in range(2, 12):
        size = path.stat().st_size
        said = limited(size, partial(released, ledger, number, out))
        held = Ledger(path).account().releases.get(name_of(number))
        states.add(held.state if held else "")
        assert "full" in said
        assert not out.exists()
        if held and held.state == "opened":
            waits = Ledger(path).spool.kept(name_of(number))
            assert waits is not None
            assert "waits in the spool" in said
            released(Ledger(path), number, out)  # There is room again.
            assert out.read_bytes() == waits
            out.unlink()
    assert "opened" in states
    assert verify_ledger(Ledger(path)).wrong == ()
    released(ledger, 99, out)


def test_a_database_that_may_not_grow_keeps_what_was_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "budget.db", tmp_path / "out.json"
    ledger = open_book(str(path))
    released(ledger, 1)
    connect = sqlite3.connect

    def small(*given: object, **named: object) -> sqlite3.Connection:
        connection = connect(*given, **named)  # type: ignore[call-overload]
        assert isinstance(connection, sqlite3.Connection)
        connection.execute("PRAGMA max_page_count = 1")  # No page more than there are.
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", small)
        assert "full" in refusal(partial(released, ledger, 2, out))
        accepted = 0
        for number in range(10, 60):
            refused = stopped(partial(charge, ledger, number))
            accepted += refused is None
            assert refused is None or "full" in str(refused)
        assert accepted < 50
    assert not out.exists()
    account = Ledger(path).account()
    assert account.releases[name_of(2)].state in {"charge", "opened"}
    assert account.spent.loss == (2 + accepted) * COST
    assert verify_ledger(Ledger(path)).wrong == ()


def test_an_anchor_that_cannot_be_written_stops_the_release_and_keeps_the_charge(
    tmp_path: Path,
) -> None:
    path, anchor, out = (
        tmp_path / "budget.db",
        tmp_path / "heads",
        tmp_path / "out.json",
    )
    ledger = open_book(str(path), anchor=anchor)
    released(ledger, 1)

    def blocked() -> None:
        from dpratio.curator.ledger.admission import anchor as anchor_module

        def refuse(*_: object) -> int:
            raise OSError(28, "No space left on device")

        anchor_module.os.write = refuse  # type: ignore[attr-defined]
        released(ledger, 2, out)

    assert "No space left" in limited(10**9, blocked)
    assert not out.exists()
    account = Ledger(path, anchor=anchor).account()
    assert account.releases[name_of(2)].state == "charge"
    assert verify_ledger(Ledger(path, anchor=anchor)).wrong == ()
    released(Ledger(path, anchor=anchor), 2, out)
    assert out.exists()
    released(Ledger(path, anchor=anchor), 3)
