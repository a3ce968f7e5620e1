"""Looks at data past all noise: entered before data are opened, and never forgotten.

A look costs no epsilon, because no noise could pay for it. Plans made after it may
depend on it, so every release that is charged from then on says so.
"""

from collections.abc import Iterable

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.entry import LOOKED, Entry
from dpratio.curator.ledger.account.place import may_meet, place_from_text
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.account.source import Source
from dpratio.curator.ledger.admission.bound import (
    is_bound,
    may_belong,
    other_accounts,
)
from dpratio.curator.ledger.admission.watch import Watched
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.patience import patient
from dpratio.errors import DocumentRefused, LedgerRefused

__all__ = ["enter_look", "is_after_look", "is_looked_at", "require_look"]


def require_look(account: Account) -> None:
    """Refuse a look where only approved studies run: nobody can approve a look.

    Raises:
        LedgerRefused: When the scope demands approval.
    """
    name = account.scope.name
    if account.scope.needs_approval:
        raise LedgerRefused(
            f"scope '{name}' admits approved studies only, and a look is none. Count "
            "with `dpratio check --rows`, which is priced; or look for faults where "
            "the data are made."
        )


@patient
def enter_look(
    ledger: Ledger, source: Source, *, scope: str | None = None, by: str = ""
) -> Account:
    """Enter a look at data, before they are opened.

    Args:
        ledger: The ledger of the data.
        source: What will be looked at.
        scope: The dataset's scope; may be left out if there is only one.
        by: Who looks.

    Returns:
        The account before the line.

    Raises:
        LedgerRefused: When the scope demands approval, or was closed; or when another
            scope that demands approval has the data.
        LedgerFailed: When the ledger cannot be read, written or trusted.

    Guarantee:
        When this returns, the line is on the disk, and every later charge of the scope,
        or of the same data in another one, comes after it.
        Proof: docs/proofs/ledger.md.
    """
    require_words(by, "by")
    event = {"by": by, "source": source.written.text, "place": source.place.text}
    event |= {"filled": source.filled} if source.filled else {}
    with ledger.watch.writing() as watched:
        before = watched.follow(watched.choose(scope))
        require_look(before)
        if not is_bound(before, source):
            _require_unguarded(
                other_accounts(watched.tables, before.scope.name), source
            )
        watched.write(before, LOOKED, event)
    return before


@patient
def is_after_look(ledger: Ledger, release_id: str) -> bool:
    """Tell whether a release was charged after a look that its terms may rest on.

    That is any look for its scope, whatever was looked at, since one file of a dataset
    tells of the others; any look at the same data for another scope; and any line of
    the ledger that was lost or set aside, which may have been one. What the anchor
    knows of another scope and the ledger does not was lost, too.
    """
    with ledger.watch.reading() as watched:
        account, held = watched.held(release_id)
        charge = held.entries[0]
        others = [each for each in watched.tables.looks() if each.scope != charge.scope]
        has_lost = _has_lost(watched, charge.scope)
    read = charge.said.get("filled", held.source[1])
    is_looked = account.is_after_look(charge.seq) or has_lost
    return is_looked or any(_may_be_of(each, read) for each in others)


def is_looked_at(account: Account) -> bool:
    """Tell whether a release that is charged next would come after a look."""
    return account.is_after_look(account.seq + 1)


def _require_unguarded(others: Iterable[Account], source: Source) -> None:
    """Refuse a look for one scope at data of another, where studies are approved."""
    for other in others:
        if other.scope.needs_approval and may_belong(other, source):
            raise LedgerRefused(
                f"the data belong to scope '{other.scope.name}', or overlap with what "
                "does, and it admits approved studies only: a look is none. If they "
                "are others, let the officer allow them for the scope of the look with "
                "`dpratio ledger allow-source`."
            )


def _has_lost(watched: Watched, own: str) -> bool:
    """Tell whether the anchor knows a newest line of another scope that is not there.

    What is anchored was committed, so an old copy of the ledger was restored.
    """
    heads = sorted(watched.watch.heads(watched.mark), key=lambda head: head.seq)
    newest = {head.scope: head for head in heads}
    return any(
        watched.tables.hash_at(name, head.seq) != head.hash
        for name, head in newest.items()
        if name != own and head.seq
    )


def _may_be_of(look: Entry, read: str) -> bool:
    """Tell whether a look may have been at these data; one that cannot be read may.

    So may what was lost or set aside: the line says that there was something.
    """
    if look.kind != LOOKED:
        return True
    try:
        said = look.said
        seen = place_from_text(said.get("filled", said["place"]))
        return may_meet(seen, place_from_text(read))
    except DocumentRefused:
        return True
