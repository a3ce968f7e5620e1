"""Lines of an anchor whose entries were lost, and written off since."""

from collections.abc import Sequence

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.entry import exact_text
from dpratio.curator.ledger.admission.anchor import Head


def head_of(account: Account) -> Head:
    """Give the line of an anchor about the last entry of an account."""
    spent = account.spent
    return Head(
        account.scope.name,
        account.seq,
        account.head,
        exact_text(spent.loss),
        exact_text(spent.delta),
    )


def current_heads(heads: Sequence[Head], account: Account) -> list[Head]:
    """Leave out the lines about entries that were lost and written off.

    A line that writes off names the newest line that was lost. Of the lines before its
    own in the anchor, those with its number or a later one were lost with it; where the
    newest of them is another one, none is left out, and they conflict with the chain.

    Args:
        heads: Lines in the order they were written.
        account: The account that they are about.

    Returns:
        The lines about the scope that the chain must agree with.
    """
    current = [head for head in heads if head.scope == account.scope.name]
    for entry in account.recovered:
        said = entry.said
        own = Head(entry.scope, entry.seq, entry.hash)
        at = current.index(own) if own in current else len(current)
        lost = [head for head in current[:at] if head.seq >= entry.seq]
        newest = max(lost, key=lambda head: head.seq, default=own)
        if (str(newest.seq), newest.hash) == (said["lost_seq"], said["lost_hash"]):
            kept = [head for head in current[:at] if head.seq < entry.seq]
            current = kept + current[at:]
    return current
