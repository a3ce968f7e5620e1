"""A ledger of one scope that is watched: ways to charge it, and to look at it."""

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.anchor import Anchor, Head
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.errors import LedgerFailed
from dpratio.terms.budget import Budget

__all__ = [
    "ANCHORED",
    "ID",
    "OLDER",
    "SCOPE",
    "Place",
    "charge",
    "look",
    "refusal",
    "tenth",
]

SCOPE = Scope("loans", Budget(1))
ANCHORED = replace(SCOPE, is_anchored=True)
ID = "0" * 32
OLDER = (
    "the ledger of scope 'loans' is older than what was seen of it: an old copy, or "
    "one that was edited. Release nothing; find the newest copy."
)


class Place:
    """A folder with a ledger of one scope, and perhaps its anchor."""

    def __init__(self, folder: Path, scope: Scope) -> None:
        self.file, self.copy = folder / "budget.db", folder / "copy.db"
        self.anchor = Anchor(folder / "heads")
        self.scope = scope
        self.store = SqliteStore(self.file)
        self.store.create()
        with self.store.writing() as tables:
            tables.add_scope(scope)
        if scope.is_anchored:
            self.anchor.append(Head("loans", 0, scope.hash))

    def watch(self, *, anchored: bool | None = None) -> Watch:
        wanted = self.scope.is_anchored if anchored is None else anchored
        return Watch(self.store, self.anchor if wanted else None)

    def keep(self) -> None:
        shutil.copy(self.file, self.copy)

    def roll_back(self) -> None:
        shutil.copy(self.copy, self.file)


def charge(watch: Watch, subject: str = ID) -> Account:
    """Charge a tenth; give the account as it was seen before."""
    with watch.writing() as watched:
        before = watched.follow("loans")
        watched.append(before, tenth(before, subject))
    return before


def tenth(before: Account, subject: str) -> Entry:
    """The charge of a tenth that comes next."""
    return link(
        before.last,
        time="",
        subject=subject,
        kind="charge",
        charge=Charge(Fraction(1, 10), Fraction(0)),
        event={"plan": "p", "by": ""},
    )


def look(watch: Watch, name: str = "loans") -> Account:
    with watch.reading() as watched:
        return watched.follow(name)


def refusal(watch: Watch, kind: type[Exception] = LedgerFailed) -> str:
    with pytest.raises(kind) as refused:
        look(watch)
    with pytest.raises(kind) as again:
        charge(watch, "f" * 32)
    assert str(again.value) == str(refused.value)
    return str(refused.value)
