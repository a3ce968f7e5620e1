"""The right to draw for a charge, which a lost answer does not take away.

Whoever opens a release writes the hash of a secret into the line. If the ledger does
not answer, nobody knows whether the line was written, and nothing has been drawn. The
secret is then kept in the spool. Whoever takes it from there may go on, once.
"""

import hashlib
from collections.abc import Callable

from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.spool import Spool
from dpratio.curator.noise.entropy import fresh_salt
from dpratio.errors import LedgerFailed


def open_once(
    spool: Spool, release_id: str, opened: Callable[[dict[str, str]], str]
) -> str:
    """Open a release with a secret of this machine, or with the one that waits here.

    Args:
        spool: Where a secret waits for the ledger.
        release_id: The release.
        opened: Writes the line, or finds the one that was written with this secret.

    Returns:
        The hash of the line.

    Guarantee:
        For one charge this returns once, in one process: the line is written once, and
        its secret is in one process or in one file. Proof: docs/proofs/ledger.md.
    """
    secret = spool.take(release_id) or fresh_salt()
    try:
        return opened({"claim": _hash(secret)})
    except LedgerFailed:
        spool.keep(release_id, secret.encode(), "claim")
        raise


def is_unbegun(held: Held, spool: Spool, release_id: str) -> bool:
    """Tell whether nothing was drawn for a charge, and this machine may draw."""
    if held.state != "opened":
        return held.state == "charge"
    if held.lapsed:
        return False
    secret = spool.claim(release_id)
    return secret is not None and held.said("opened") == {"claim": _hash(secret)}


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
