"""The charge of a release: everything that is checked, and what is written down."""

from collections.abc import Callable

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source, named_source, salted_hash
from dpratio.curator.ledger.admission.admit import admit
from dpratio.curator.ledger.admission.approved import require_still_approved
from dpratio.curator.ledger.admission.bound import (
    is_bound,
    other_accounts,
    require_bound,
)
from dpratio.curator.ledger.admission.same_request import is_charged_for, require_first
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store import clock
from dpratio.curator.ledger.store.tables import Tables
from dpratio.curator.noise.entropy import fresh_salt
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, price
from dpratio.release.files import plan_hash
from dpratio.release.release import require_id

_NO_RELEASE = ""  # stands for an id that is not in the ledger yet


def charge(  # noqa: PLR0913 (what a charge says, and what it is checked with)
    watch: Watch,
    release_id: str,
    plan: AnyPlan,
    source: Source | None,
    *,
    scope: str | None,
    by: str,
    is_first: bool,
    is_unbegun: Callable[[Held], bool],
) -> str:
    """Charge a release to a scope; arguments as for `Ledger.charge`.

    A charge that is there and was not begun, as ``is_unbegun`` tells, is gone on with.

    Returns:
        The salted hash of the source's description.

    Guarantee:
        An id is charged once. One that was charged and never opened goes on with its
        charge, for the same plan and source. Proof: docs/proofs/ledger.md.
    """
    require_words(by, "by")
    require_id(release_id)
    require(isinstance(plan, AnyPlan), "plan must be a Plan", plan)
    hashed = plan_hash(plan)
    salt = fresh_salt()
    with watch.writing() as watched:
        tables = watched.tables
        name = watched.choose(scope)
        read = named_source(name) if source is None else source
        seen = watch.seen.get(name)
        if seen is None or not is_bound(seen, read):
            # A source that may be new is compared with all scopes. They are locked in
            # one order, so that no two charges wait for each other.
            tables.lock_scopes()
        before = watched.follow(name)
        require_scope(tables.scope_of(release_id), name, release_id)
        held = before.releases.get(release_id)
        now = clock.time_now()
        asker = (before.writer, by)
        if held is not None and held.plan == hashed and is_unbegun(held):
            # It was done; perhaps nobody was told.
            watched.require_use(before)
            require_still_approved(before, release_id, held, time=now, asker=asker)
            return _charged_before(held, release_id, read)
        if is_first:
            require_first(before, release_id, plan, read)
        spent, approval = _admitted(
            tables, before, release_id, plan, source, time=now, asker=asker
        )
        event = {
            "plan": hashed,
            "by": by,
            "source": read.written.text,
            "place": read.place.text,
            "salt": salt,
        }
        more = {"approval": approval, "filled": read.filled}
        event |= {name: said for name, said in more.items() if said}
        watched.write(
            before, "charge", event, time=now, subject=release_id, charge=spent
        )
    return salted_hash(read.written, salt)


def rehearse(
    watch: Watch,
    plan: AnyPlan,
    source: Source | None,
    *,
    scope: str | None,
    by: str,
) -> tuple[Account, Charge]:
    """Find out whether a new release would be charged; write nothing.

    Returns:
        The account as it stands, and what the release would cost there.

    Raises:
        LedgerRefused: When a charge would be refused, with the same words.
    """
    with watch.reading() as watched:
        tables = watched.tables
        before = watched.follow(watched.choose(scope))
        watched.require_use(before)
        now, asker = clock.time_now(), (before.writer, by)
        spent, _ = _admitted(
            tables, before, _NO_RELEASE, plan, source, time=now, asker=asker
        )
        return before, spent


def _admitted(
    tables: Tables,
    before: Account,
    release_id: str,
    plan: AnyPlan,
    source: Source | None,
    *,
    time: str,
    asker: tuple[str, str],
) -> tuple[Charge, str | None]:
    """Hold a request to every rule of its scope, and to all other scopes."""
    name = before.scope.name
    written = None if source is None else source.written
    cost = price(plan)
    spent, approval = admit(
        before,
        release_id,
        plan,
        cost,
        plan_hash(plan),
        time=time,
        written=written,
        asker=asker,
    )
    read = named_source(name) if source is None else source
    require_bound(before, other_accounts(tables, name), read)
    return spent, approval


def _charged_before(held: Held, release_id: str, read: Source) -> str:
    """Go on with a charge for the same data; give the salted hash that it holds."""
    if not is_charged_for(held, read):
        raise LedgerRefused(
            f"release {release_id} was charged for other data, and was not begun. "
            "Bring those back; or void it with `dpratio ledger void`, and release "
            "under a new id."
        )
    return salted_hash(read.written, held.said("charge")["salt"])


def require_scope(elsewhere: str | None, name: str, release_id: str) -> None:
    """Refuse an id that was charged to another scope."""
    if elsewhere not in {None, name}:
        raise LedgerRefused(
            f"release {release_id} belongs to another scope. Leave the id out for a "
            "new release."
        )
