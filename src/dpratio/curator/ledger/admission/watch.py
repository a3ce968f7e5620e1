"""An account never goes back behind what was seen of it: here, or in the anchor."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NoReturn

from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.approval import who
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.admission.admit import choose_scope
from dpratio.curator.ledger.admission.anchor import Anchor, Head, SeenAnchor
from dpratio.curator.ledger.admission.lost import current_heads, head_of
from dpratio.curator.ledger.store import clock
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerFailed, LedgerRefused

# So many writers may have committed and not anchored yet, or have been stopped then.
MOST_BEHIND = 64

Store = SqliteStore | PostgresStore


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
                missing = watched.missing.get(account.scope.name, [])
                self._anchor(self.anchor, account, missing)

    def _anchor(self, anchor: Anchor, account: Account, missing: list[Head]) -> None:
        """Anchor the last entry, and those before it that nobody did meanwhile."""
        name = account.scope.name
        there: list[Head] = []
        if missing:
            seen = self.anchored.get(name, SeenAnchor())
            there, _ = anchor.since(seen, name, anchor.mark())
        last = head_of(account)
        late = [head for head in missing if head not in there and head != last]
        anchor.append(*late, last)

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

    def heads(self, mark: int | None = None) -> Sequence[Head]:
        """Read the whole anchor, or what was there before a mark."""
        end = self.mark() if mark is None else mark
        return self.anchor.heads(end) if self.anchor is not None and end else ()


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
    # Heads of each scope that one who stopped after a commit did not anchor.
    missing: dict[str, list[Head]] = field(default_factory=dict)

    def choose(self, scope: str | None) -> str:
        """Give the scope that was named, or the only one that was not a mistake.

        Raises:
            LedgerRefused: When it is not registered, or several are and none was named.
        """
        names = self.tables.scope_names()
        if scope is None and len(names) > 1:
            ended = self.tables.ended_names()
            names = [each for each in names if each not in ended]
        return choose_scope(scope, names)

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

    def follow_behind(self, name: str) -> tuple[Account, list[Head]]:
        """Follow a scope that may be older than its anchor, to recover it.

        Returns:
            The account, and the lines of the anchor that are ahead of it.

        Raises:
            LedgerFailed: When it was edited or damaged, or the anchor is of another.
        """
        account = follow(*self.lines_of(name))
        heads = current_heads(self.watch.heads(self.mark), account)
        ahead = [head for head in heads if head.seq > account.seq]
        if not ahead:
            return self.follow(name), []
        behind = [head for head in heads if head.seq <= account.seq]
        for head in behind:
            if self.hash_at(account, head.seq) != head.hash:
                _refuse_head(head)
        if not behind:
            raise LedgerFailed(
                f"the anchor holds no line that scope '{name}' has as well: it was "
                "cut, or is the anchor of another ledger."
            )
        return replace(account, writer=self.tables.writer), ahead

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

    def write(
        self,
        before: Account,
        kind: str,
        event: Mapping[str, str],
        *,
        time: str = "",
        subject: str = "",
        charge: Charge | None = None,
    ) -> Entry:
        """Write what is said after the last entry of an account, by default now.

        A line that is about no release is named by its content and its number.
        """
        entry = link(
            before.last,
            time=time or clock.time_now(),
            subject=subject or subject_of(event, before.seq + 1),
            kind=kind,
            charge=charge,
            event=event,
        )
        self.append(before, entry)
        return entry

    def append(self, before: Account, entry: Entry) -> None:
        """Write an entry after the last one of an account, if it can be followed."""
        self.require_use(before)
        self.appended.append(follow(before, [entry]))
        self.tables.add_entry(entry)

    @staticmethod
    def require_use(account: Account) -> None:
        """Refuse a scope that was opened by mistake, and closed."""
        if account.ended is not None:
            raise LedgerRefused(f"{describe_end(account.ended)} Name another scope.")

    def append_lines(self, account: Account, entries: Sequence[Entry]) -> None:
        """Write the last entries of an account."""
        for entry in entries:
            self.tables.add_entry(entry)
        self.appended.append(account)
        name = account.scope.name
        late = [Head(name, each.seq, each.hash) for each in entries[:-1]]
        self.missing[name] = [*self.missing.get(name, []), *late]

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
            heads = current_heads([*before.newest, *heads], account)
            newest = max(heads, key=lambda head: head.seq, default=None)
            seen = replace(seen, newest=() if newest is None else (newest,))
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
        for head in heads:
            if head.seq > account.seq:
                _refuse(scope.name)
            if (read.get(head.seq) or self.hash_at(account, head.seq)) != head.hash:
                _refuse_head(head)
        if self.watch.anchored.get(scope.name, before).mark <= seen.mark:
            self.watch.anchored[scope.name] = seen
        (newest,) = seen.newest
        if self.to_write and account.seq - newest.seq <= MOST_BEHIND:
            self.missing[scope.name] = [
                Head(scope.name, seq, self.hash_at(account, seq) or "")
                for seq in range(newest.seq + 1, account.seq + 1)
            ]

    def hash_at(self, account: Account, seq: int) -> str | None:
        """Give the hash of an entry, of the scope itself for number 0."""
        if seq == 0:
            return account.scope.hash
        found = self.tables.hash_at(account.scope.name, seq)
        return found if seq <= account.seq else None


def describe_end(line: Entry) -> str:
    """Say who closed a scope that was opened by mistake, when and why."""
    return (
        f"scope '{line.scope}' was closed on {line.time[:10]} by {who(line)}: "
        f"{line.said['why']}. Nothing was charged to it."
    )


def _refuse(name: str) -> NoReturn:
    raise LedgerFailed(
        f"the ledger of scope '{name}' is older than what was seen of it: an old copy, "
        "or one that was edited. Release nothing; find the newest copy."
    )


def _refuse_head(head: Head) -> NoReturn:
    raise LedgerFailed(
        f"entry {head.seq} of scope '{head.scope}' is not the one in the anchor: one "
        "of them was edited, or is an old copy. Release nothing; find the newest "
        "copies."
    )
