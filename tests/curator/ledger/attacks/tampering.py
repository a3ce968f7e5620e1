"""A ledger with something of everything in it, and a judge of what became of it."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from curator.ledger.attacks.books import (
    DATA,
    accounts_of,
    artifacts_of,
    name_of,
    plan_of,
)
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.entry import entry_from_row
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.sqlite import _KEPT
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.release.files import release_to_bytes
from dpratio.release.release import Release
from dpratio.terms.budget import Budget

__all__ = ["Truth", "fill", "forge", "judge", "link_again", "truth_of"]

COLUMNS = "scope, seq, time, subject, kind, loss, delta, event, previous, hash"


@dataclass(frozen=True)
class Truth:
    """What a ledger said before anyone touched it."""

    accounts: Mapping[str, Account]
    artifacts: Mapping[str, bytes]


def fill(location: str, anchor: Path | None = None) -> list[Release]:
    """Make a ledger of 16 releases in all states and two scopes; give those out."""
    ledger = Ledger(location, anchor=anchor)
    ledger.open_scope(Scope("loans", Budget(100, "1e-3"), dataset="loans of 2024"))
    shops = Scope(
        "shops",
        Budget(3, "1e-5"),
        accounting="zcdp",
        needs_approval=True,
        largest_delta="1e-6",  # type: ignore[arg-type]  # it is read as a decimal
    )
    ledger.open_scope(shops)
    small, gaussian = plan_of("0.1"), plan_of("0.25", "1e-6")
    for plan in (small, gaussian):
        ledger.approve(plan, source="shops", scope="shops", by="officer")
    published = []
    for number in range(16):
        scope = "shops" if number % 3 == 0 else "loans"
        plan = gaussian if number % 2 else small
        name = name_of(number + 1)
        if number % 4 == 3:
            _leave(ledger, name, scope, number // 4)
        else:
            given = release_sums(
                DATA,
                plan,
                ledger=ledger,
                scope=scope,
                source=scope,
                release_id=name,
                by=f"analyst {number}",
            )
            published.append(given)
    return published


def _leave(ledger: Ledger, name: str, scope: str, number: int) -> None:
    """Leave a release unfinished, each in another state."""
    source = named_source(scope)
    ledger.charge(name, plan_of("0.1"), source=source, scope=scope, by="analyst")
    if number == 0:
        ledger.void(name, by="curator")
    if number in {1, 2}:
        head = ledger.open(name)
    if number == 1:
        drawn = release_sums(DATA, plan_of("0.1"), ledger=None)
        sealed = replace(drawn, id=name, ledger_head=head)
        ledger.seal(name, release_to_bytes(sealed))


def truth_of(ledger: Ledger) -> Truth:
    """Write down what a ledger says."""
    return Truth(accounts_of(ledger), artifacts_of(ledger))


def judge(location: str, truth: Truth, anchor: Path | None = None) -> str:
    """Look over a ledger that someone touched.

    Returns:
        "detected"; "harmless", when nothing it says is different; or "UNSEEN".
    """
    try:
        if verify_ledger(Ledger(location, anchor=anchor)).wrong:
            return "detected"
        found = truth_of(Ledger(location, anchor=anchor))
    except (LedgerFailed, LedgerRefused):
        return "detected"
    return "harmless" if found == truth else "UNSEEN"


def forge(path: Path, *statements: tuple[str, tuple[object, ...]]) -> bool:
    """Edit a file as one who may write to it: triggers off, edits, triggers on.

    Returns:
        Whether the database took the edits; it may refuse, two rows of one key for
        instance.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for trigger in _KEPT:
            connection.execute(f"DROP TRIGGER {trigger.split()[2]}")
        try:
            for sql, values in statements:
                connection.execute(sql, values)
        except sqlite3.IntegrityError:
            return False
        for trigger in _KEPT:
            connection.execute(trigger)
        connection.execute("COMMIT")
    return True


def link_again(path: Path, scope: str) -> None:
    """Compute every hash of a scope again, as one who knows how would."""
    with closing(sqlite3.connect(path)) as connection:
        query = f"SELECT {COLUMNS} FROM entry WHERE scope = ? ORDER BY seq"  # noqa: S608
        rows = connection.execute(query, (scope,)).fetchall()
        query = "SELECT hash FROM scope WHERE name = ?"
        ((head,),) = connection.execute(query, (scope,)).fetchall()
    edit = (
        "UPDATE entry SET seq = ?, previous = ?, hash = ? WHERE scope = ? AND seq = ?"
    )
    edits: list[tuple[str, tuple[object, ...]]] = []
    for seq, row in enumerate(rows, start=1):
        old = entry_from_row(row)
        new = replace(old, seq=seq, previous=head)
        head = new.wanted_hash
        edits.append((edit, (seq, new.previous, head, scope, old.seq)))
    assert forge(path, *edits)
