"""Killing a release with SIGKILL at named points; run as a script, which prints JSON.

Every repeat forks a warm child that asks for one release. In odd repeats the child
kills itself at the point; in even ones it says that it is there and runs on, and the
parent kills it a random moment later, so that kills also land between the points. Then
the parent looks over the ledger and asks for the same release again.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import psycopg

from curator.ledger.attacks.books import DATA, artifacts_of, name_of, plan_of
from dpratio.curator import measure
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.anchor import Anchor
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.tables import Tables
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.release import files
from dpratio.terms.budget import Budget

__all__ = ["POINTS"]


@dataclass(frozen=True)
class Point:
    """A place in the code: before or after a call, or in it, for one kind of entry.

    ``state`` is how far the release has come in the ledger for one who looks then.
    """

    owner: Any
    name: str
    when: str
    state: str
    kind: str = ""


POINTS = {
    "before the charge": Point(Ledger, "charge", "before", ""),
    "in the charge, before its commit": Point(
        Tables, "add_entry", "after", "", "charge"
    ),
    "after the charge's commit, before the anchor": Point(
        Anchor, "append", "before", "charge"
    ),
    "after the charge, before opened": Point(Ledger, "open", "before", "charge"),
    "in opened, before its commit": Point(
        Tables, "add_entry", "after", "charge", "opened"
    ),
    "after opened, before noise and data": Point(Ledger, "open", "after", "opened"),
    "after the noise, before data are read": Point(
        measure, "draw_noise", "after", "opened"
    ),
    "after data are read, before they meet the noise": Point(
        ExactSums, "plus", "before", "opened"
    ),
    "after the noisy sums, before sealing": Point(Ledger, "seal", "before", "opened"),
    "in the spool, before its name": Point(os, "link", "before", "opened"),
    "in the spool, after its name": Point(os, "link", "after", "opened"),
    "in sealing, between bytes and entry": Point(
        Tables, "add_artifact", "after", "opened"
    ),
    "in sealing, before its commit": Point(
        Tables, "add_entry", "after", "opened", "sealed"
    ),
    "after sealing, before the file": Point(Ledger, "seal", "after", "sealed"),
    "after the temporary file, before its new name": Point(
        files, "_name_new", "before", "sealed"
    ),
    "after the file, before published": Point(Ledger, "publish", "before", "sealed"),
    "in published, before its commit": Point(
        Tables, "add_entry", "after", "sealed", "published"
    ),
    "after published": Point(Ledger, "publish", "after", "published"),
}
BATCH = 25  # releases in one ledger
LONGEST_DELAY = 0.03  # seconds
COST = Fraction(1, 100)


def kill_at(where: str, point: str, repeats: str) -> Any:  # noqa: ANN401
    """Kill so many releases at a point; count what went wrong."""
    counts = dict.fromkeys(("kills", "hits", "undercounts", "second_draws"), 0)
    counts |= dict.fromkeys(("wrong", "resumed", "refused", "first"), 0)
    chance = random.Random(point)  # noqa: S311 (not for secrets)
    for start in range(0, int(repeats), BATCH):
        with _book(where) as book:
            for number in range(start, min(start + BATCH, int(repeats))):
                _kill_once(book, name_of(number + 1), point, number % 2 == 1, chance)
            for name in counts:
                counts[name] += book.counts.get(name, 0)
    return counts


@dataclass
class Book:
    """A ledger, its folder, and what was counted."""

    location: str
    folder: Path
    counts: dict[str, int]

    def ledger(self) -> Ledger:
        """A fresh look at the ledger."""
        return Ledger(
            self.location, anchor=self.folder / "heads", spool=self.folder / "spool"
        )

    def count(self, what: str, how_many: int = 1) -> None:
        """Count an event."""
        self.counts[what] = self.counts.get(what, 0) + how_many

    def draws(self, name: str) -> int:
        """How often noise was drawn for a release."""
        log = self.folder / "draws"
        return log.read_text().split().count(name) if log.exists() else 0

    def release(self, name: str) -> None:
        """Ask for a release."""
        out = self.folder / f"{name}.json"
        release_sums(
            DATA,
            plan_of("0.01"),
            ledger=self.ledger(),
            release_id=name,
            out=out,
        )


@contextmanager
def _book(where: str) -> Iterator[Book]:
    """Make a ledger: in a new folder, or in a new database of a server."""
    with tempfile.TemporaryDirectory() as folder:
        is_server = where.startswith("postgres")
        location = where if is_server else str(Path(folder) / "budget.db")
        book = Book(location, Path(folder), {})
        if is_server:
            with psycopg.connect(where, autocommit=True) as connection:
                connection.execute("DROP SCHEMA IF EXISTS dpratio CASCADE")
        book.ledger().open_scope(Scope("loans", Budget(1000, "1e-6")))
        yield book


def _kill_once(
    book: Book,
    name: str,
    point: str,
    by_itself: bool,  # noqa: FBT001
    chance: random.Random,
) -> None:
    """Kill a release once, look over what is left, and ask for it again."""
    spent_before = book.ledger().account().spent.loss
    hit = _run_killed(book, name, point, by_itself, chance)
    book.count("kills")
    book.count("hits", hit)
    _settle(book)
    state = _look(book, name, spent_before)
    if by_itself:
        book.count("wrong", state != POINTS[point].state)
    sealed = artifacts_of(book.ledger()).get(name)
    drawn, kept = book.draws(name), book.ledger().spool.kept(name)
    _log_draws(book, name)
    try:
        book.release(name)
        # A charge whose data were never opened goes on, and draws for the first time.
        allowed = state in {"", "charge", "sealed", "published"}
        book.count("first" if state in {"", "charge"} else "resumed")
        # A release that was sealed gives its bytes again, and draws nothing.
        out = (book.folder / f"{name}.json").read_bytes()
        # So does one that was drawn and spooled when it was killed.
        allowed |= state == "opened" and kept == out
        same = sealed in {None, out}
        if sealed is not None or kept is not None:
            same &= drawn == book.draws(name)
        book.count("wrong", not (allowed and same))
    except LedgerRefused:
        book.count("refused")
        book.count("wrong", state != "opened" or kept is not None)
        book.count("second_draws", book.draws(name) - drawn)
    book.count("second_draws", max(book.draws(name) - 1, 0))
    _look(book, name, spent_before)


def _look(book: Book, name: str, spent_before: Fraction) -> str:
    """Look over the ledger after a kill; give how far the release has come."""
    ledger = book.ledger()
    out = book.folder / f"{name}.json"
    book.count("wrong", len(verify_ledger(ledger).wrong))
    account, sealed = ledger.account(), artifacts_of(ledger).get(name)
    held = account.releases.get(name)
    state = "" if held is None else held.state
    charged = COST if held is not None else Fraction(0)
    book.count("undercounts", account.spent.loss != spent_before + charged)
    # Noise that was drawn and bytes that are out are paid for, and the latter kept.
    book.count("undercounts", book.draws(name) > 0 and state in {"", "charge"})
    book.count("undercounts", out.exists() and state not in {"sealed", "published"})
    book.count("wrong", out.exists() and out.read_bytes() != sealed)
    return state


def _run_killed(
    book: Book,
    name: str,
    point: str,
    by_itself: bool,  # noqa: FBT001
    chance: random.Random,
) -> bool:
    """Fork, run, kill; tell whether the point was reached."""
    reading, files = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _log_draws(book, name)
            _patch(POINTS[point], lambda: _hit(files, by_itself))
            book.release(name)
        finally:
            os._exit(0)
    os.close(files)
    reached = os.read(reading, 1) == b"!"
    os.close(reading)
    if not by_itself:
        time.sleep(chance.uniform(0, LONGEST_DELAY))
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return reached and (killed or not by_itself)


def _hit(files: int, by_itself: bool) -> None:  # noqa: FBT001
    os.write(files, b"!")
    if by_itself:
        os.kill(os.getpid(), signal.SIGKILL)


def _patch(point: Point, hit: Callable[[], None]) -> None:
    """Put a hit before or after a function, for entries of one kind where one is."""
    original = getattr(point.owner, point.name)
    hits: list[str] = []

    def patched(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        is_it = not hits and (not point.kind or given[1].kind == point.kind)
        if is_it:
            hits.append(point.name)
        if is_it and point.when == "before":
            hit()
        result = original(*given, **named)
        if is_it and point.when == "after":
            hit()
        return result

    setattr(point.owner, point.name, patched)


_DRAW_NOISE = getattr(measure, "draw_noise")  # noqa: B009 (it is not exported)


def _log_draws(book: Book, name: str) -> None:
    """Write a line before noise is drawn; it outlives the process."""

    def logged(*given: Any) -> Any:  # noqa: ANN401
        with (book.folder / "draws").open("a") as log:
            log.write(f"{name}\n")
        return _DRAW_NOISE(*given)

    setattr(measure, "draw_noise", logged)  # noqa: B010


def _settle(book: Book) -> None:
    """Wait until a server has noticed that its client is gone."""
    if not book.location.startswith("postgres"):
        return
    others = """SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()"""
    with psycopg.connect(book.location, autocommit=True) as connection:
        while connection.execute(others).fetchone() != (0,):
            time.sleep(0.005)


if __name__ == "__main__":
    _, server, times = sys.argv
    # A server holds one ledger at a time; files stand beside each other.
    at_once = 1 if server else len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(at_once, get_context("fork")) as workers:
        many = len(POINTS)
        counted = workers.map(kill_at, [server] * many, POINTS, [times] * many)
        json.dump(dict(zip(POINTS, counted, strict=True)), sys.stdout)
