"""The charge of a release: everything that is checked, and what is written down."""

from collections.abc import Callable

from dpratio.checks import require
from dpratio.curator.ledger.account.entry import link
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source, named_source, salted_hash
from dpratio.curator.ledger.admission.admit import admit, choose_scope
from dpratio.curator.ledger.admission.bound import (
    is_bound,
    other_accounts,
    require_bound,
)
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.noise.entropy import fresh_salt
from dpratio.errors import LedgerRefused
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.plan_file import plan_hash
from dpratio.release.release import require_id

__all__ = ["charge", "require_scope"]


def charge(
    watch: Watch,
    release_id: str,
    plan: Plan,
    source: Source | None,
    *,
    scope: str | None,
    by: str,
    time: Callable[[], str],
) -> str:
    """Charge a release to a scope; arguments as for `Ledger.charge`.

    Returns:
        The salted hash of the source's description.
    """
    require_words(by, "by")
    require_id(release_id)
    require(isinstance(plan, Plan), "plan must be a Plan", plan)
    cost, hashed = price(plan), plan_hash(plan)
    salt = fresh_salt()
    with watch.writing() as watched:
        tables = watched.tables
        name = choose_scope(scope, tables.scope_names())
        read = named_source(name) if source is None else source
        seen = watch.seen.get(name)
        if seen is None or not is_bound(seen, read):
            # A source that may be new is compared with all scopes. They are locked in
            # one order, so that no two charges wait for each other.
            tables.lock_scopes()
        before = watched.follow(name)
        require_scope(tables.scope_of(release_id), name, release_id)
        written = None if source is None else source.written
        spent = admit(before, release_id, plan, cost, hashed, written=written)
        require_bound(before, other_accounts(tables, name), read)
        event = {
            "plan": hashed,
            "by": by,
            "source": read.written.text,
            "place": read.place.text,
            "salt": salt,
        }
        entry = link(
            before.last,
            time=time(),
            subject=release_id,
            kind="charge",
            charge=spent,
            event=event,
        )
        watched.append(before, entry)
    return salted_hash(read.written, salt)


def require_scope(elsewhere: str | None, name: str, release_id: str) -> None:
    """Refuse an id that was charged to another scope.

    Raises:
        LedgerRefused: When it was.
    """
    if elsewhere not in {None, name}:
        raise LedgerRefused(
            f"release {release_id} belongs to another scope. Leave the id out for a "
            "new release."
        )
