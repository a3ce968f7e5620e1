"""Copies of the ledger's file during writes: no lock is dropped, no charge is lost."""

import os
import shutil
import sqlite3
import warnings
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from threading import Event, Thread

import pytest

from curator.ledger.attacks.asking import charge
from curator.ledger.attacks.books import name_of, open_book, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget
from soak import IS_SOAK

ATTEMPTS = 1_000 if IS_SOAK else 40  # of each of four who charge
CAP = Fraction(1)


def spend(location: Path, first: int) -> list[str]:
    """Charge until the cap is reached; give what went wrong."""
    ledger, failures = Ledger(location), []
    for number in range(first, first + ATTEMPTS):
        try:
            ledger.charge(name_of(number), plan_of("0.01"))
        except LedgerRefused:
            pass
        except LedgerFailed as error:
            failures.append(str(error))
    return failures


def spend_in_threads(location: Path, number: int) -> list[str]:
    """Charge in two threads while a third copies the file; give what went wrong."""
    done, said = Event(), list[str]()

    def copy() -> None:
        while not done.is_set():
            shutil.copy(location, location.with_name(f"copy-{number}"))

    def work(at: int) -> None:
        said.extend(spend(location, number * 10**6 + at * 10**5))

    copier, *threads = [
        Thread(target=copy),
        *(Thread(target=work, args=(at,)) for at in (1, 2)),
    ]
    for thread in (copier, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    copier.join()
    return said


def test_threads_and_forks_spend_no_more_than_the_cap_while_the_file_is_copied(
    tmp_path: Path,
) -> None:
    """Two threads of two processes charge, while a third of each copies the file."""
    path = tmp_path / "budget.db"
    open_book(str(path), Scope("loans", Budget(CAP)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os._exit(len(spend_in_threads(path, 1)))
    failures = spend_in_threads(path, 2)
    _, status = os.waitpid(child, 0)
    assert (status, failures) == (0, [])
    account = Ledger(path).account()
    assert account.spent.loss == min(CAP, 4 * ATTEMPTS * Fraction(1, 100))
    assert verify_ledger(Ledger(path)).wrong == ()


def test_backups_during_writes_are_sound(tmp_path: Path) -> None:
    ledger = open_book(str(tmp_path / "budget.db"))
    done = Event()

    def work() -> None:
        number = 0
        while not done.is_set():
            number += 1
            charge(ledger, number)

    thread = Thread(target=work)
    thread.start()
    try:
        for number in range(5):
            backup_ledger(Ledger(tmp_path / "budget.db"), tmp_path / f"{number}.db")
    finally:
        done.set()
        thread.join()
    spent = [Ledger(tmp_path / f"{each}.db").account().seq for each in range(5)]
    assert spent == sorted(spent)
    assert spent[-1] <= Ledger(tmp_path / "budget.db").account().seq


def test_a_log_that_others_switched_on_hides_nothing(tmp_path: Path) -> None:
    """A copy of the file alone lacks the last charge; nobody takes it for a ledger."""
    path, copy = tmp_path / "budget.db", tmp_path / "copy.db"
    charge(open_book(str(path)), 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        shutil.copy(path, copy)
        for place in (path, copy):
            with pytest.raises(LedgerFailed, match="write-ahead log"):
                charge(Ledger(place), 2)
            with pytest.raises(LedgerFailed, match="write-ahead log"):
                backup_ledger(Ledger(place), tmp_path / "third.db")
    assert not (tmp_path / "third.db").exists()
