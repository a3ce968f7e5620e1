"""A request that was made before: the sealed release is given again, for free.

A second draw would cost as much as the first, and nobody runs a notebook again to pay
twice. So one is drawn only for who asks for it.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from dpratio.curator.ledger.account.account import Account, Held
from dpratio.curator.ledger.account.source import Source, named_source
from dpratio.curator.ledger.admission.admit import describe_new_draw
from dpratio.curator.ledger.admission.same_request import same_requests
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import GivenAgain
from dpratio.plan.plan import Plan

__all__ = ["Before", "asked_before", "warn_again"]

_DRAWN = ("sealed", "published")


@dataclass(frozen=True, slots=True)
class Before:
    """A release that the same request was charged for, and what is to be said of it.

    ``words`` are empty where nothing was drawn for it yet.
    """

    release_id: str
    words: str = ""


def asked_before(
    book: Ledger,
    plan: Plan,
    source: Callable[[], Source | None],
    scope: str | None,
) -> Before | None:
    """Find the release of the same plan, source and scope; None where there is none.

    That is the newest whose bytes were drawn; else the newest that was charged.

    Guarantee:
        The data are not looked at. Proof: docs/proofs/ledger.md.
    """
    account = book.account(scope)  # A scope that is not there is told first.
    named = source()
    meant = named_source(account.scope.name) if named is None else named
    found = same_requests(account, plan, meant)
    for release_id, held in found:
        if held.state in _DRAWN or book.spool.kept(release_id) is not None:
            is_named = named is not None
            words = _words(account, release_id, held, is_named=is_named)
            return Before(release_id, words)
    return Before(found[0][0]) if found else None


def warn_again(_release_id: str, words: str) -> None:
    """Warn who called `release_sums` that a release is given again."""
    if words:
        warnings.warn(words, GivenAgain, stacklevel=3)


def _words(account: Account, release_id: str, held: Held, *, is_named: bool) -> str:
    """Say what is given, that no data were looked at, and what a new draw costs."""
    day = held.entries[0].time[:10]
    other = "" if is_named else " Other rows need a name of their own: source='…'."
    return (
        f"Release {release_id} of {day} is given again, for free: plan, source, scope "
        f"and period are the same. The data were not looked at.{other} "
        f"{describe_new_draw(account, held.charge)}: new_draw=True."
    )
