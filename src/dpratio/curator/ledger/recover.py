"""Going on with a ledger that lost its last lines: what they spent is written off.

A replica that lagged or a backup that was restored is older than its anchor. What the
anchor proves was spent by then is entered as spent. If the anchor cannot tell, the
whole cap is entered as spent.
"""

from fractions import Fraction

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import Charge, short, to_enter
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.admission.anchor import Head
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.patience import patient
from dpratio.errors import LedgerRefused


@patient
def recover_ledger(
    ledger: Ledger,
    *,
    by: str,
    why: str,
    scope: str | None = None,
    everything: bool = False,
) -> Account:
    """Write off what a ledger lost, so that it can be used again.

    Releases that were charged and not begun stay charged, because the lost lines may
    have opened them; approvals from before must be given again.

    Args:
        ledger: The ledger that is older than its anchor, with the anchor.
        by: Who recovers it.
        why: What happened.
        scope: The dataset's scope; may be left out if there is only one.
        everything: Write off all that is left, whatever the anchor proves: for a
            ledger without an anchor, or with one that was lost too.

    Returns:
        The account afterwards.

    Raises:
        LedgerRefused: When the anchor is not ahead of the ledger.
        LedgerFailed: When the ledger was edited, or the anchor is of another.

    Guarantee:
        What is left afterwards is at most what was left after the newest line of the
        anchor, and at most what was left before. Proof: docs/proofs/ledger.md.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     ledger = dpr.Ledger(f"{folder}/budget.db")
        ...     _ = ledger.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     dpr.ledgers.recover_ledger(
        ...         ledger, by="olga", why="the disk was lost", everything=True
        ...     )
        Account('people', epsilon 3 of 3 spent, releases: 0)
    """
    require(isinstance(ledger, Ledger), "ledger must be a Ledger", ledger)
    for name, given in (("by", by), ("why", why)):
        require_words(given, name)
        require(bool(given.strip()), f"{name} must be said", given)
    require(
        isinstance(everything, bool), "everything must be true or false", everything
    )
    # What this process saw before may be what was lost.
    with Watch(ledger.watch.store, ledger.watch.anchor).writing() as watched:
        name = watched.choose(scope)
        before, ahead = watched.follow_behind(name)
        if not ahead and not everything:
            raise LedgerRefused(
                f"scope '{name}' is as new as its anchor, so there is nothing to "
                "recover. Where lines were lost and the anchor as well, write off all "
                "that is left with --everything."
            )
        newest = max(ahead, key=lambda head: head.seq, default=None)
        event = {
            "by": by,
            "why": why,
            "lost_seq": "" if newest is None else str(newest.seq),
            "lost_hash": "" if newest is None else newest.hash,
        }
        tells = newest is not None and newest.loss
        lost = before.scope.cap if everything or not tells else _lost(before, ahead)
        watched.write(before, "recovered", event, charge=lost)
    ledger.watch.seen.pop(name, None)
    ledger.watch.anchored.pop(name, None)
    return ledger.account(name)


def _lost(before: Account, ahead: list[Head]) -> Charge:
    """Give what was spent in the lines that were lost, at least.

    That is the most that any of them tells: a line that tells less may be from before,
    or may have been edited.
    """
    told = [head for head in ahead if head.loss]
    spent = before.spent
    loss = max(Fraction(head.loss) for head in told) - spent.loss
    delta = max(Fraction(head.delta) for head in told) - spent.delta
    lost = Charge(max(loss, Fraction(0)), max(delta, Fraction(0)))
    return to_enter(short(lost), spent)
