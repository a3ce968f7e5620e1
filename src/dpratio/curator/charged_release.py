"""A release that a ledger keeps account of: searched, charged, opened, sealed.

A second draw would cost as much as the first, and nobody runs a notebook again to pay
twice. So the same request gives the sealed release again, for free, and a second draw
must be asked for. Nothing here looks at the data.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.source import Source, named_source, source_of
from dpratio.curator.ledger.admission.admit import describe_new_draw
from dpratio.curator.ledger.admission.same_request import same_requests
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.standing import standing_of
from dpratio.curator.sql.table import origin_of
from dpratio.errors import InvalidInput, LedgerRefused
from dpratio.plan.price import AnyPlan
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.release import Release

_DRAWN = ("sealed", "published")


@dataclass(frozen=True, slots=True)
class ChargedRelease:
    """One release in a ledger, and its steps there.

    ``is_first`` refuses a plan and source that were charged before. ``notice`` is what
    to know of a release that is given again; empty where nothing was drawn for it yet,
    or where its id was named.
    """

    ledger: Ledger
    plan: AnyPlan
    release_id: str
    scope: str | None = None
    by: str = ""
    is_first: bool = False
    notice: str = ""

    @property
    def status(self) -> str:
        """Where the release stands and what to do, in sentences."""
        return standing_of(self.ledger, self.release_id).words

    def check_place(self, path: Any) -> None:  # noqa: ANN401 (whatever names a file)
        """Raise InvalidInput where a release would be written over its ledger."""
        if self.ledger.is_at(path):
            raise InvalidInput(
                f"a release is not written over its ledger, got {str(path)!r}.",
                field="out",
            )

    def source_of(self, table: object, opened: object, named: object) -> Source | None:
        """Return what the ledger calls a table; None for one in memory without a name.

        Args:
            table: The table as `release_sums` takes it.
            opened: The table, or the connection to it: a database knows its origin.
            named: The source as the study has it.
        """
        source = source_of(table, named, origin=origin_of(opened))
        if source is None and len(self.ledger.scopes()) > 1:
            raise LedgerRefused(
                "the ledger has several scopes, and a table in memory could belong to "
                "any. Name it, the same for the same rows: release_sums(…, source='…')."
            )
        return source

    def searched(self, source: Callable[[], Source | None]) -> Self:
        """Return the release of the same plan, source and scope, if there is one.

        That is the newest whose bytes were drawn; else the newest that was charged.
        Where an id was named, or a new draw, it is this one.

        Raises:
            LedgerRefused: When there is one, and the table is in memory and has no
                name: it may be another table.

        Guarantee:
            The data are not looked at. Proof: docs/proofs/ledger.md.
        """
        if not self.is_first:
            return self
        account = self.ledger.account(self.scope)  # Names an unknown scope first.
        named = source()
        meant = named_source(account.scope.name) if named is None else named
        charged = same_requests(account, self.plan, meant)
        drawn = [
            (release_id, entry)
            for release_id, entry in charged
            if entry.state in _DRAWN or self.ledger.spool.kept(release_id) is not None
        ]
        if not charged:
            return self
        release_id, entry = (drawn or charged)[0]
        if named is None:
            _refuse_unnamed(account, release_id, entry)
        notice = _notice(account, release_id, entry) if drawn else ""
        return replace(self, release_id=release_id, notice=notice)

    def sealed(
        self, table: object, named: object, *, simulated: bool
    ) -> tuple[Release, bytes] | None:
        """Return the release and its bytes if it was sealed before.

        Raises:
            LedgerRefused: When it was drawn from another source, or was a rehearsal
                where a release is asked for, or the reverse.
        """
        content = self.ledger.sealed(self.release_id, self.plan, scope=self.scope)
        if content is None:
            return None
        if not self.is_first:
            self._require_same_source(source_of(table, named))
        release = release_from_bytes(content)
        if release.is_simulated != simulated:
            raise LedgerRefused(
                f"release {release.id} has simulated={release.is_simulated}, and "
                f"simulated={simulated} is asked for. Say "
                f"simulated={release.is_simulated} to get it again; for another draw, "
                "which is charged, say new_draw=True."
            )
        return release, content

    def _require_same_source(self, source: Source | None) -> None:
        """Raise LedgerRefused if the release was drawn from another source than this.

        Only descriptions are compared, so it is given again where the data are gone, or
        where a table in memory is not named.
        """
        charged = self.ledger.account(self.scope).releases[self.release_id]
        written, filled = charged.source[0], charged.said("charge").get("filled", "")
        if source is not None and (
            written != source.written.text or filled not in ("", source.filled)
        ):
            raise LedgerRefused(
                f"release {self.release_id} was drawn from another source. Name that "
                "one to get it again; other data need an id of their own."
            )

    def charge(self, source: Source | None) -> str:
        """Charge the release, if what is drawn could wait here for the ledger.

        Returns:
            The salted hash of its source.
        """
        self.ledger.spool.require_usable()
        return self.ledger.charge(
            self.release_id,
            self.plan,
            source=source,
            scope=self.scope,
            by=self.by,
            is_first=self.is_first,
        )

    def open(self) -> str:
        """Record that data are opened; return the head of the ledger."""
        return self.ledger.open(self.release_id)

    def seal(self, release: Release) -> bytes:
        """Keep the bytes of the release, once and for all, and return them."""
        content = release_to_bytes(release)
        self.ledger.seal(self.release_id, content)
        return content

    def publish(self) -> None:
        """Record that the sealed bytes are published."""
        self.ledger.publish(self.release_id)


def _refuse_unnamed(account: Account, release_id: str, charged: Held) -> NoReturn:
    """Refuse to take a table without a name for the one that was charged.

    It may be one of another region or another night. Its rows could decide that, but
    the answer would say whether they changed.
    """
    raise LedgerRefused(
        "a table in memory without a name may be another one than that of release "
        f"{release_id} of {charged.read_on}, which has the same plan. For "
        f"the same rows say release_id='{release_id}', which charges nothing. Give "
        f"other rows a name of their own, not '{account.scope.name}': source='…'. "
        f"{describe_new_draw(account, charged.charge)}: new_draw=True."
    )


def _notice(account: Account, release_id: str, charged: Held) -> str:
    """Return what is given again, and what a new draw costs."""
    day = charged.read_on
    return (
        f"Release {release_id} of {day} is given again, for free: plan, source, scope "
        "and period are the same. The data were not looked at: rows that were added or "
        f"changed since {day} are not in it. "
        f"{describe_new_draw(account, charged.charge)}: new_draw=True."
    )
