"""Broken files, locks and clocks: refused in one line, and nothing is lost."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.asking import COST, charge, refusal, released, verbs
from curator.ledger.attacks.books import in_child, name_of, open_book, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock, server, sqlite
from dpratio.curator.ledger.verify import verify_ledger


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


def make_text(path: Path) -> None:
    path.write_text("epsilon,delta\n1,0\n" * 500)


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.commit()


def make_zeros(path: Path) -> None:
    path.write_bytes(bytes(20_000))


def make_half(path: Path) -> None:
    open_book(str(path)).charge(name_of(1), plan_of("0.1"))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def make_scrambled(path: Path) -> None:
    open_book(str(path)).charge(name_of(1), plan_of("0.1"))
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(9000) + content[9100:])


def make_folder(path: Path) -> None:
    path.mkdir()


def make_nothing(path: Path) -> None:
    """There is no file."""
    assert not path.exists()


WRONG_FILES = [
    make_empty,
    make_text,
    make_foreign,
    make_zeros,
    make_half,
    make_scrambled,
    make_folder,
    make_nothing,
]


@pytest.mark.parametrize("make", WRONG_FILES)
def test_what_is_not_a_ledger_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "budget.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    for verb in verbs(path):
        refusal(verb)
    assert (path.read_bytes() if path.is_file() else None) == before
    if make not in {make_empty, make_nothing}:  # These become a new ledger.
        refusal(partial(open_book, str(path)))
        assert (path.read_bytes() if path.is_file() else None) == before


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "budget.db"
    refusal(partial(open_book, str(path)))
    for verb in verbs(path):
        refusal(verb)
    assert not path.parent.exists()


@pytest.mark.parametrize("mode", [0o400, 0o444, 0o000])
def test_a_file_that_may_not_be_written_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "budget.db"
    charge(open_book(str(path)), 1)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != folder.parent:
            folder.chmod(folder.stat().st_mode | 0o055)
    path.chmod(mode)

    def as_nobody() -> list[str]:
        if os.geteuid() == 0:  # Root may write everywhere; others need not change.
            os.setgid(65534)
            os.setuid(65534)
        ledger = Ledger(path)
        writing: list[Callable[[], object]] = [
            partial(charge, ledger, 2),
            partial(released, ledger, 3),
            partial(ledger.open, name_of(1)),
            partial(ledger.void, name_of(1)),
        ]
        return [refusal(verb) for verb in writing]

    for said in in_child(as_nobody):
        assert any(each in said for each in ("read-only", "cannot be opened", "spool"))
    path.chmod(0o600)
    assert list(Ledger(path).account().releases) == [name_of(1)]


@contextmanager
def locked(location: str) -> Iterator[None]:
    """Keep a ledger locked, as another process would."""
    if location.startswith("postgres"):
        with psycopg.connect(location) as connection:
            connection.execute("SELECT * FROM dpratio.scope FOR UPDATE")
            yield
    else:
        with closing(sqlite3.connect(location, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            yield


def test_a_ledger_that_others_keep_locked_is_refused_after_a_while(
    any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_book(any_ledger)
    charge(ledger, 1)
    monkeypatch.setattr(sqlite, "_PATIENCE", 0.2)
    monkeypatch.setattr(server, "_PATIENCE", "200ms")
    with locked(any_ledger):
        for verb in (
            partial(charge, ledger, 2),
            partial(released, ledger, 3),
            partial(ledger.open, name_of(1)),
        ):
            assert "locked" in refusal(verb)
    assert list(Ledger(any_ledger).account().releases) == [name_of(1)]
    charge(ledger, 2)
    assert Ledger(any_ledger).account().spent.loss == 2 * COST


def test_a_clock_that_goes_back_is_noted_and_changes_nothing(
    any_ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_book(any_ledger)
    for number, time in enumerate(
        ("2030-01-01", "1970-01-01", "2029-12-31", "0001"), 1
    ):
        monkeypatch.setattr(clock, "time_now", lambda time=time: f"{time}T00:00:00Z")
        charge(ledger, number)
    for book in (ledger, Ledger(any_ledger)):
        account = book.account()
        assert account.steps_back == (2, 3, 4)
        assert account.spent.loss == 4 * COST
        assert list(account.releases) == [name_of(number) for number in (1, 2, 3, 4)]
    findings = verify_ledger(Ledger(any_ledger))
    assert findings.wrong == ()
    assert len(findings.notes) == 3
