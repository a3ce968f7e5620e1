"""A request that was made before: the sealed release is given again, for free.

A second draw would cost as much as the first, and nobody runs a notebook again to pay
twice. So a second draw must be asked for.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.source import Source, named_source
from dpratio.curator.ledger.admission.admit import describe_new_draw
from dpratio.curator.ledger.admission.same_request import same_requests
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import GivenAgain, LedgerRefused
from dpratio.plan.price import AnyPlan
from dpratio.release.release import Release

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
    plan: AnyPlan,
    source: Callable[[], Source | None],
    scope: str | None,
) -> Before | None:
    """Find the release of the same plan, source and scope, or give None.

    That is the newest whose bytes were drawn; else the newest that was charged.

    Raises:
        LedgerRefused: When there is one, and the table is in memory and has no name:
            it may be another table.

    Guarantee:
        The data are not looked at. Proof: docs/proofs/ledger.md.
    """
    account = book.account(scope)  # A scope that is not there is told first.
    named = source()
    meant = named_source(account.scope.name) if named is None else named
    found = same_requests(account, plan, meant)
    drawn = [
        (release_id, held)
        for release_id, held in found
        if held.state in _DRAWN or book.spool.kept(release_id) is not None
    ]
    if found and named is None:
        _refuse_unnamed(account, *(drawn or found)[0])
    if drawn:
        release_id, held = drawn[0]
        return Before(release_id, _words(account, release_id, held))
    return Before(found[0][0]) if found else None


def require_same_source(
    book: Ledger, release_id: str, source: Source | None, scope: str | None
) -> None:
    """Refuse an id whose release was drawn from another source than the one given.

    Only descriptions are compared, so it is given again where the data are gone, or
    where a table in memory is not named. Charges of before say less, and are believed.
    """
    held = book.account(scope).releases[release_id]
    written, filled = held.source[0], held.said("charge").get("filled", "")
    if source is None or not written:
        return
    if written != source.written.text or filled not in ("", source.filled):
        raise LedgerRefused(
            f"release {release_id} was drawn from another source. Name that one to get "
            "it again; other data need an id of their own."
        )


def require_same_people(release: Release, *, simulated: bool) -> None:
    """Refuse to give a rehearsal for a release of real people, or the reverse."""
    if release.is_simulated != simulated:
        raise LedgerRefused(
            f"release {release.id} has simulated={release.is_simulated}, and "
            f"simulated={simulated} is asked for. Say simulated={release.is_simulated} "
            "to get it again; for another draw, which is charged, say new_draw=True."
        )


def warn_again(_release_id: str, words: str) -> None:
    """Warn who called `release_sums` that a release is given again, each time.

    Python shows a warning once for each line of code. Without a registry, a loop and a
    process that runs for weeks are told every time.
    """
    if words:
        caller = inspect.stack(0)[2]
        module = caller.frame.f_globals.get("__name__")
        warnings.warn_explicit(
            words, GivenAgain, caller.filename, caller.lineno, module
        )


def _refuse_unnamed(account: Account, release_id: str, held: Held) -> NoReturn:
    """Refuse to take a table without a name for the one that was charged.

    It may be one of another region or another night. Its rows would tell, but who
    compared them would tell by the answer whether they changed.
    """
    raise LedgerRefused(
        "a table in memory without a name may be another one than that of release "
        f"{release_id} of {held.read_on}, which has the same plan. For "
        f"the same rows say release_id='{release_id}', which charges nothing. Give "
        f"other rows a name of their own, not '{account.scope.name}': source='…'. "
        f"{describe_new_draw(account, held.charge)}: new_draw=True."
    )


def _words(account: Account, release_id: str, held: Held) -> str:
    """Say what is given, that no data were looked at, and what a new draw costs."""
    day = held.read_on
    return (
        f"Release {release_id} of {day} is given again, for free: plan, source, scope "
        "and period are the same. The data were not looked at: rows that were added or "
        f"changed since {day} are not in it. "
        f"{describe_new_draw(account, held.charge)}: new_draw=True."
    )
