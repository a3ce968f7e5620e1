"""An account never goes back behind what was seen of it: here, or in the anchor."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn, Protocol

from dpratio.curator.ledger.account import Account, Held, follow, new_account
from dpratio.curator.ledger.anchor import Anchor, Head
from dpratio.curator.ledger.entry import Entry
from dpratio.curator.ledger.tables import Tables
from dpratio.errors import LedgerFailed, LedgerRefused

__all__ = ["Store", "Watch", "Watched"]


class Store(Protocol):
    """Where a ledger lies."""

    def create(self) -> None:
        """Make the tables, unless they are there."""

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """Open a transaction that sees one state."""

    @contextmanager
    def writing(self) -> Iterator[Tables]:
        """Open a transaction that nobody else writes beside."""

    def damages(self) -> list[str]:
        """Say what the database itself finds wrong."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A store, its anchor, and the accounts that were seen so far."""

    store: Store
    anchor: Anchor | None
    seen: dict[str, Account] = field(default_factory=dict)

    @contextmanager
    def reading(self) -> Iterator["Watched"]:
        """Read one state of the ledger."""
        known, heads = dict(self.seen), self.heads()
        with self.store.reading() as tables:
            yield Watched(self, tables, heads, known, to_write=False)

    @contextmanager
    def writing(self) -> Iterator["Watched"]:
        """Write to the ledger; what was written is seen after the commit."""
        known, heads = dict(self.seen), self.heads()
        with self.store.writing() as tables:
            watched = Watched(self, tables, heads, known, to_write=True)
            yield watched
        for account in watched.appended:
            self.see(account)
            if self.anchor is not None and account.scope.is_anchored:
                self.anchor.append(Head(account.scope.name, account.seq, account.head))

    def see(self, account: Account) -> None:
        """Remember an account, unless a newer one was seen meanwhile."""
        there = self.seen.get(account.scope.name, account)
        if there.seq <= account.seq:
            self.seen[account.scope.name] = account

    def heads(self) -> Sequence[Head]:
        """Read the anchor; before the ledger, since what it knows is committed."""
        if self.anchor is None or not self.anchor.path.exists():
            return ()
        return self.anchor.heads()


@dataclass(frozen=True, slots=True)
class Watched:
    """One transaction on a ledger that is watched.

    ``known`` is what had been seen before it began. Other threads may see more while it
    runs; a state that was true when it began is not held against that.
    """

    watch: Watch
    tables: Tables
    heads: Sequence[Head]
    known: dict[str, Account]
    to_write: bool
    appended: list[Account] = field(default_factory=list)

    def follow(self, name: str) -> Account:
        """Follow a scope from where it was last seen to its last entry.

        Raises:
            LedgerFailed: When it was edited, damaged or rolled back.
        """
        scope = self.tables.scope(name, to_write=self.to_write)
        if scope is None:
            raise LedgerFailed(f"the terms of scope '{name}' are missing.")
        known = self.known.get(name, new_account(scope))
        if known.scope != scope:
            _refuse(name)
        entries = self.tables.entries(name, known.seq)
        if known.seq and (not entries or entries.pop(0).hash != known.head):
            _refuse(name)
        account = follow(known, entries)
        self._require_anchor(account)
        # What was read is committed, whatever becomes of this transaction.
        self.known[name] = account
        self.watch.see(account)
        return replace(account, writer=self.tables.writer)

    def held(self, release_id: str) -> tuple[Account, Held]:
        """Follow the scope of a release.

        Raises:
            LedgerRefused: When the release is not in this ledger.
        """
        name = self.tables.scope_of(release_id)
        if name is None:
            raise LedgerRefused(f"release {release_id} is not in this ledger.")
        account = self.follow(name)
        return account, account.releases[release_id]

    def append(self, before: Account, entry: Entry) -> None:
        """Write an entry after the last one of an account, if it can be followed."""
        self.appended.append(follow(before, [entry]))
        self.tables.add_entry(entry)

    def _require_anchor(self, account: Account) -> None:
        """Refuse a ledger that is older than its anchor.

        A scope that the anchor knows is compared even where it says it is not anchored:
        a forger would say so.
        """
        scope, anchor = account.scope, self.watch.anchor
        heads = [head for head in self.heads if head.scope == scope.name]
        if not scope.is_anchored and not heads:
            return
        if anchor is None:
            raise LedgerRefused(
                f"scope '{scope.name}' is anchored: name its anchor with --anchor, or "
                "Ledger(…, anchor=…)."
            )
        if not heads:
            raise LedgerFailed(
                f"the anchor '{anchor.path}' does not know scope '{scope.name}'. Name "
                "the anchor that the scope was opened with."
            )
        newest = max(heads, key=lambda head: head.seq)
        if self.hash_at(account, newest.seq) != newest.hash:
            _refuse(scope.name)

    def hash_at(self, account: Account, seq: int) -> str | None:
        """Give the hash of an entry, of the scope itself for number 0."""
        if seq == 0:
            return account.scope.hash
        found = self.tables.hash_at(account.scope.name, seq)
        return found if seq <= account.seq else None


def _refuse(name: str) -> NoReturn:
    raise LedgerFailed(
        f"the ledger of scope '{name}' is older than what was seen of it: an old copy, "
        "or one that was edited. Release nothing; find the newest copy."
    )
