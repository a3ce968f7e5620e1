"""An account never goes back behind what was seen of it: here, or in the anchor."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn, Protocol

from dpratio.curator.ledger.account.account import Account, Held, follow, new_account
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.admission.anchor import Anchor, Head, SeenAnchor
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerFailed, LedgerRefused

__all__ = ["MOST_BEHIND", "Store", "Watch", "Watched"]

# So many writers may have committed and not anchored yet, or have been stopped then.
MOST_BEHIND = 64


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
    anchored: dict[str, SeenAnchor] = field(default_factory=dict)

    @contextmanager
    def reading(self) -> Iterator["Watched"]:
        """Read one state of the ledger."""
        known, anchored, mark = dict(self.seen), dict(self.anchored), self.mark()
        with self.store.reading() as tables:
            yield Watched(self, tables, known, anchored, mark, to_write=False)

    @contextmanager
    def writing(self) -> Iterator["Watched"]:
        """Write to the ledger; what was written is seen after the commit."""
        known, anchored, mark = dict(self.seen), dict(self.anchored), self.mark()
        with self.store.writing() as tables:
            watched = Watched(self, tables, known, anchored, mark, to_write=True)
            yield watched
        for account in watched.appended:
            self.see(account)
            if self.anchor is not None and account.scope.is_anchored:
                self._anchor(self.anchor, account, watched.missing)

    def _anchor(self, anchor: Anchor, account: Account, missing: list[Head]) -> None:
        """Anchor the last entry, and those before it that nobody did meanwhile."""
        name = account.scope.name
        there: list[Head] = []
        if missing:
            seen = self.anchored.get(name, SeenAnchor())
            there, _ = anchor.since(seen, name, anchor.mark())
        late = [head for head in missing if head not in there]
        anchor.append(*late, Head(name, account.seq, account.head))

    def mark(self) -> int:
        """Mark the end of the anchor; before the ledger is read.

        What is anchored is committed, so a ledger read later knows all of it.
        """
        return 0 if self.anchor is None else self.anchor.mark()

    def see(self, account: Account) -> None:
        """Remember an account, unless a newer one was seen meanwhile."""
        there = self.seen.get(account.scope.name, account)
        if there.seq <= account.seq:
            self.seen[account.scope.name] = account

    def heads(self) -> Sequence[Head]:
        """Read the whole anchor."""
        mark = self.mark()
        return self.anchor.heads(mark) if self.anchor is not None and mark else ()


@dataclass(frozen=True, slots=True)
class Watched:
    """One transaction on a ledger that is watched.

    ``known`` is what had been seen before it began. Other threads may see more while it
    runs; a state that was true when it began is not held against that.
    """

    watch: Watch
    tables: Tables
    known: dict[str, Account]
    anchored: dict[str, SeenAnchor]
    mark: int
    to_write: bool
    appended: list[Account] = field(default_factory=list)
    # Heads that one who stopped after a commit did not anchor.
    missing: list[Head] = field(default_factory=list)

    def heads(self) -> Sequence[Head]:
        """Read all of the anchor that was there before the transaction."""
        anchor = self.watch.anchor
        return anchor.heads(self.mark) if anchor is not None and self.mark else ()

    def follow(self, name: str) -> Account:
        """Follow a scope from where it was last seen to its last entry.

        Raises:
            LedgerFailed: When it was edited, damaged or rolled back.
        """
        known, entries = self.lines_of(name)
        account = follow(known, entries)
        self.require_anchor(account, {each.seq: each.hash for each in entries})
        # What was read is committed, whatever becomes of this transaction.
        self.known[name] = account
        self.watch.see(account)
        return replace(account, writer=self.tables.writer)

    def lines_of(self, name: str) -> tuple[Account, list[Entry]]:
        """Read a scope as it was last seen, and its lines from there on.

        Raises:
            LedgerFailed: When it is older than what was seen of it.
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
        return known, entries

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

    def append_lines(self, account: Account, entries: Sequence[Entry]) -> None:
        """Write the last entries of an account."""
        for entry in entries:
            self.tables.add_entry(entry)
        self.appended.append(account)
        name = account.scope.name
        self.missing.extend(Head(name, each.seq, each.hash) for each in entries[:-1])

    def require_anchor(self, account: Account, read: Mapping[int, str]) -> None:
        """Refuse a ledger that is older than its anchor, or in conflict with it.

        Every line about the scope is compared once, and the newest each time. A scope
        that the anchor knows is compared even where it says it is not anchored: a
        forger would say so.
        """
        scope, anchor = account.scope, self.watch.anchor
        before = self.anchored.get(scope.name, SeenAnchor())
        heads, seen = list[Head](), before
        if anchor is not None:
            heads, seen = anchor.since(before, scope.name, self.mark)
        if not scope.is_anchored and not seen.newest:
            return
        if anchor is None:
            raise LedgerRefused(
                f"scope '{scope.name}' is anchored: name its anchor with --anchor, or "
                "Ledger(…, anchor=…)."
            )
        if not seen.newest:
            raise LedgerFailed(
                f"the anchor '{anchor.path}' does not know scope '{scope.name}'. Name "
                "the anchor that the scope was opened with."
            )
        for head in (*heads, *seen.newest):
            if head.seq > account.seq:
                _refuse(scope.name)
            if (read.get(head.seq) or self.hash_at(account, head.seq)) != head.hash:
                raise LedgerFailed(
                    f"entry {head.seq} of scope '{scope.name}' is not the one in the "
                    "anchor: one of them was edited, or is an old copy. Release "
                    "nothing; find the newest copies."
                )
        if self.watch.anchored.get(scope.name, before).mark <= seen.mark:
            self.watch.anchored[scope.name] = seen
        (newest,) = seen.newest
        if self.to_write and account.seq - newest.seq <= MOST_BEHIND:
            self.missing[:] = [
                Head(scope.name, seq, self.hash_at(account, seq) or "")
                for seq in range(newest.seq + 1, account.seq + 1)
            ]

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
