"""Whether a source may be read for a scope: what was bound, and what was allowed.

This finds mistakes, not malice: whoever holds the data can give them any name.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NoReturn

from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.place import (
    Place,
    is_same,
    may_meet,
    place_from_text,
)
from dpratio.curator.ledger.account.source import Source
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import LedgerRefused

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
