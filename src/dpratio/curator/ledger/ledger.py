"""The ledger: no release without a charge, no charge lost, one budget per dataset.

Every verb is one transaction: the account is followed to its last entry, a rule is
checked, a line is appended, and the new head is anchored outside.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.approval import limits_of
from dpratio.curator.ledger.account.scope import Scope, require_words
from dpratio.curator.ledger.account.source import Source, meant_source
from dpratio.curator.ledger.admission.admit import require_sealed
from dpratio.curator.ledger.admission.anchor import Anchor
from dpratio.curator.ledger.admission.approving import allow_source, approve, withdraw
from dpratio.curator.ledger.admission.charging import charge, require_scope
from dpratio.curator.ledger.admission.opening import close_scope, open_scope
from dpratio.curator.ledger.admission.quarantine import quarantine
from dpratio.curator.ledger.admission.steps import step
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.claim import is_unbegun, open_once
from dpratio.curator.ledger.history import History
from dpratio.curator.ledger.spool import drawn_for, keep_until, spool_of
from dpratio.curator.ledger.store.address import place_of_anchor, place_of_ledger
from dpratio.curator.ledger.store.patience import patient
from dpratio.curator.ledger.store.postgres import PostgresStore
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.errors import InvalidInput
from dpratio.plan.price import AnyPlan
from dpratio.release.files import plan_hash
from dpratio.release.release import require_id


class Ledger:
    """What has been spent on datasets, in a SQLite file or on a PostgreSQL server.

    Args:
        location: A path, or an address such as ``postgresql://host/database``.
        anchor: A file elsewhere (another disk, a repository) that keeps the heads of
            the ledger, so that nobody can pass off an old copy as the newest.
        spool: Your own folder for what waits while the ledger cannot be reached. By
            default beside its file; of a server ``~/.local/state/dpratio/spool``.

    Example:
        >>> ledger = Ledger("budget.db")  # doctest: +SKIP
        >>> ledger.open_scope(Scope("loans", Budget(3, 1e-5)))  # doctest: +SKIP
    """

    def __init__(
        self,
        location: str | PathLike[str],
        *,
        anchor: str | PathLike[str] | None = None,
        spool: str | PathLike[str] | None = None,
    ) -> None:
        place = place_of_ledger(location)
        outside = None if anchor is None else place_of_anchor(anchor)
        # They may hold a password, and a traceback may show what a name stands for.
        del location, anchor
        if isinstance(place, InvalidInput):
            raise place
        if isinstance(outside, InvalidInput):
            raise outside
        apart = not isinstance(place, Path) or (
            outside is None or outside.absolute() != place.absolute()
        )
        require(apart, "an anchor lies outside of its ledger", str(outside))
        self.watch = Watch(
            SqliteStore(place) if isinstance(place, Path) else PostgresStore(place),
            None if outside is None else Anchor(outside),
        )
        beside = place if isinstance(place, Path) else None
        self.spool = spool_of(spool, beside)

    def __repr__(self) -> str:
        # A traceback may show a ledger whose place was refused.
        store = getattr(getattr(self, "watch", None), "store", None)
        place = store.path if isinstance(store, SqliteStore) else "a PostgreSQL server"
        return f"Ledger({str(place)!r})"

    @patient
    def open_scope(self, scope: Scope) -> Account:
        """Register a dataset and its caps; the same terms again change nothing.

        Raises:
            LedgerRefused: When a scope of this name has other terms, or one looks like
                it.
            LedgerFailed: When the ledger cannot be written.
        """
        open_scope(self.watch, scope)
        return self.account(scope.name)

    @patient
    def close_scope(
        self, scope: str, *, why: str = "opened by mistake", by: str = ""
    ) -> None:
        """Close a scope that was opened by mistake, for good.

        Raises:
            LedgerRefused: When anything was charged, approved or allowed.
        """
        close_scope(self.watch, scope, why=why, by=by)

    def is_at(self, path: str | PathLike[str]) -> bool:
        """Tell whether a file is the ledger's, one that it needs, or its anchor's."""
        store, anchor = self.watch.store, self.watch.anchor
        own = store.files() if isinstance(store, SqliteStore) else []
        own += [anchor.path] if anchor is not None else []
        place = Path(path).resolve()
        spooled = self.spool.folder.resolve() in (place, *place.parents)
        return spooled or place in {each.resolve() for each in own}

    @patient
    def scopes(self) -> list[str]:
        """The names of all scopes."""
        with self.watch.store.reading() as tables:
            return tables.scope_names()

    @patient
    def account(self, scope: str | None = None) -> Account:
        """Follow a scope's entries to the last one.

        Raises:
            LedgerRefused: When there is no such scope.
            LedgerFailed: When the ledger was edited, damaged or rolled back.
        """
        with self.watch.reading() as watched:
            return watched.follow(watched.choose(scope))

    def history(self, scope: str | None = None) -> History:
        """Show what is spent of a scope, what is left, what came when."""
        return History(self.account(scope))

    @patient
    def charge(
        self,
        release_id: str,
        plan: AnyPlan,
        *,
        source: Source | None = None,
        scope: str | None = None,
        by: str = "",
        is_first: bool = False,
    ) -> str:
        """Charge a release to a scope, before anything of the data is read.

        Args:
            release_id: The id of the release.
            plan: What will be measured.
            source: What will be read; by default a table in memory with the name of
                its scope, which no approval covers.
            scope: The dataset's scope; may be left out if there is only one.
            by: Who asks, for the history.
            is_first: Whether to refuse a plan and source that were charged before.

        Returns:
            The salted hash of the source's description, which the release carries.

        Raises:
            LedgerRefused: When it is not admitted; nothing is charged then.
            LedgerFailed: When the ledger cannot be read, written or trusted.

        Guarantee:
            When this returns, the charge is on the disk. Proof: docs/proofs/ledger.md.
        """
        return charge(
            self.watch,
            release_id,
            plan,
            source,
            scope=scope,
            by=by,
            is_first=is_first,
            is_unbegun=lambda held: is_unbegun(held, self.spool, release_id),
        )

    def open(self, release_id: str) -> str:
        """Record that data are opened for a charged release: from now on it is spent.

        Returns:
            The head of the ledger, which the release will carry.
        """
        write = partial(self._step, release_id, "opened")
        return open_once(self.spool, release_id, write)

    def seal(self, release_id: str, content: bytes) -> None:
        """Keep the bytes of a release, once and for all.

        Guarantee:
            The bytes are spooled before they are sealed: whatever stops this, the same
            id seals them later, and nothing is drawn again.
            Proof: docs/proofs/ledger.md.
        """
        event = {"sha256": hashlib.sha256(content).hexdigest(), "format": "json"}
        seal = partial(self._step, release_id, "sealed", event, content)
        keep_until(seal, self.spool, release_id, content)

    def publish(self, release_id: str) -> None:
        """Record that the sealed bytes are published, even if they were before."""
        self._step(release_id, "published", {})

    def void(self, release_id: str, *, by: str = "") -> None:
        """Give back a charge whose data were never opened.

        Raises:
            LedgerRefused: When data were opened: that charge stays.
        """
        require_words(by, "by")
        self._step(release_id, "void", {"by": by})

    @patient
    def approve(
        self,
        plan: AnyPlan,
        *,
        source: object = None,
        most: int | None = None,
        until: str | None = None,
        scope: str | None = None,
        by: str = "",
    ) -> str:
        """Approve a plan and its source, so that a scope that demands it admits them.

        Args:
            plan: What may be measured.
            source: What may be read, as it will be written: a path or pattern, a
                `CsvFile`, a `DatabaseTable`, or the name of a table in memory.
            most: For how many releases; by default for any number.
            until: The last day in UTC, such as ``"2026-12-31"``; by default no end.
            scope: The dataset's scope; may be left out if there is only one.
            by: Who approves.

        Returns:
            The hash of the plan.
        """
        return approve(
            self.watch,
            plan,
            source,
            limits=limits_of(most, until),
            scope=scope,
            by=by,
        )

    @patient
    def withdraw(self, line: int, *, scope: str | None = None, by: str = "") -> None:
        """Withdraw the approval on a line; what was charged under it stays."""
        withdraw(self.watch, line, scope=scope, by=by)

    @patient
    def quarantine(
        self, lines: Iterable[int], *, why: str, scope: str | None = None, by: str = ""
    ) -> list[str]:
        """Set lines aside that nobody can follow; what they may have cost is spent.

        Args:
            lines: The numbers of all such lines, and of no others.
            why: The reason, for the record.
            scope: The dataset's scope; may be left out if there is only one.
            by: Who sets them aside: on a server, only the owner may.

        Returns:
            What was set aside, as sentences.
        """
        return quarantine(self.watch, list(lines), why=why, scope=scope, by=by)

    @patient
    def allow_source(
        self,
        table: object,
        *,
        source: object = None,
        scope: str | None = None,
        by: str = "",
    ) -> None:
        """Allow a source that a scope would refuse, on the record.

        That is one that another scope was charged for, whose columns had other names,
        or that lay elsewhere when it was approved.

        Args:
            table: What may be read: a path or pattern, a `CsvFile`, a
                `DatabaseTable`, or the name of a table in memory.
            source: The source as the study has it, where the table is seen from
                another folder.
            scope: The dataset's scope; may be left out if there is only one.
            by: Who allows it.
        """
        found = meant_source(table, source)
        allow_source(self.watch, found, scope=scope, by=by)

    @patient
    def sealed(
        self, release_id: str, plan: AnyPlan, *, scope: str | None = None
    ) -> bytes | None:
        """Give the bytes of a release that was sealed before.

        Returns:
            None if the id is new, or if nothing was drawn for its charge yet.

        Raises:
            LedgerRefused: When the id belongs to another plan or scope, or was opened
                and not sealed.
        """
        require_id(release_id)
        with self.watch.reading() as watched:
            tables = watched.tables
            account = watched.follow(watched.choose(scope))
            require_scope(tables.scope_of(release_id), account.scope.name, release_id)
            held = account.releases.get(release_id)
            hashed = plan_hash(plan)
            if held is None or (
                held.plan == hashed and is_unbegun(held, self.spool, release_id)
            ):
                return None
            spooled = drawn_for(held, self.spool, release_id, hashed)
            if spooled is None:
                require_sealed(account, release_id, hashed)
                self.spool.drop(release_id)
                return tables.artifact(release_id, held.said("sealed")["sha256"])
        self.seal(release_id, spooled)
        return spooled

    @patient
    def _step(
        self,
        release_id: str,
        kind: str,
        event: Mapping[str, str],
        content: bytes | None = None,
    ) -> str:
        return step(self.watch, release_id, kind, event, content)
