"""The charge of a release: everything that is checked, and what is written down."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NoReturn

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.place import (
    Place,
    is_same,
    may_meet,
    place_from_text,
)
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source, named_source, salted_hash
from dpratio.curator.ledger.admission.admit import admit
from dpratio.curator.ledger.admission.approved import require_still_approved
from dpratio.curator.ledger.admission.same_request import is_charged_for, require_first
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store import clock
from dpratio.curator.ledger.store.tables import Tables
from dpratio.curator.noise.entropy import fresh_salt
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, price
from dpratio.release.files import plan_hash
from dpratio.release.release import require_id

_ALLOW = "`dpratio ledger allow-source`"


def require_bound(account: Account, others: Iterable[Account], source: Source) -> None:
    """Refuse a source that belongs to another scope, or is not what it was.

    Args:
        account: The scope that would be charged.
        others: All other scopes of the ledger.
        source: What would be read.

    Raises:
        LedgerRefused: When it was charged to another scope, when its columns have
            other names than before, or when an approved source lies elsewhere now.

    Guarantee:
        A source that can be told from its place is spent from one scope, under one
        declaration, unless somebody allowed it by name.
        Proof: docs/proofs/ledger.md.
    """
    if is_bound(account, source):
        return
    name, place = account.scope.name, source.place
    lies = place_from_text(source.filled) if source.filled else place
    for other in others:
        if any(may_meet(each, lies) for each in _read_places(other)):
            _refuse(
                f"the data were charged to another scope, '{other.scope.name}', or "
                f"overlap with what was. Spend from that scope; or, if they are not "
                f"about the same people, let the officer allow them for '{name}' with "
                f"{_ALLOW}"
            )
    if any(_is_redeclared(each, place) for each in _places(account)):
        _refuse(
            f"scope '{name}' was charged for these data with other names of columns, "
            "or another dialect: the ids may be others. Bring back what was declared, "
            f"or let the officer allow it with {_ALLOW}"
        )
    written = source.written.text
    is_elsewhere = (written, place.text) not in account.sources
    is_elsewhere &= any(at[0] == written for at in account.sources)
    if account.scope.needs_approval and is_elsewhere:
        _refuse(
            "the data that were approved lay elsewhere when they were first charged "
            f"to scope '{name}'. Bring them back, or let the officer allow the new "
            f"place with {_ALLOW}"
        )


def is_bound(account: Account, source: Source) -> bool:
    """Tell whether a source was charged to a scope before, or was allowed for it.

    A path with ``{period}`` stands for many: each is bound when it is charged.
    """
    pair = (source.written.text, source.place.text)
    is_known = pair in account.sources
    if source.filled:
        is_known = source.filled in _filled(account, [pair])
    allowed = (place_from_text(at[1]) for at in account.allowed)
    return is_known or any(is_same(at, source.place) for at in allowed)


def other_accounts(tables: Tables, name: str) -> Iterator[Account]:
    """Add up all scopes but one; their anchors are not asked for."""
    for each in tables.scope_names():
        scope = None if each == name else tables.scope(each)
        if scope is not None:
            yield follow(new_account(scope), tables.entries(each, 1))


def _places(account: Account) -> list[Place]:
    return [place_from_text(at) for at in {pair[1] for pair in account.sources}]


def _read_places(account: Account) -> list[Place]:
    """Where the data of a scope lie: of a template, what it was filled with."""
    return [place_from_text(at) for at in _filled(account, account.sources)]


def _filled(account: Account, pairs: Collection[tuple[str, str]]) -> set[str]:
    """What sources stood for; the place of one whose charge says nothing else."""
    return {
        held.said("charge").get("filled", held.source[1])
        for held in account.releases.values()
        if held.source in pairs and held.state != "void"
    }


def _is_redeclared(bound: Place, asked: Place) -> bool:
    return bound.declared != asked.declared and may_meet(bound, asked)


def _refuse(words: str) -> NoReturn:
    raise LedgerRefused(f"{words}.")


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
