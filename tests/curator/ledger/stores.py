"""What a store of a ledger says when it cannot be used."""

import pytest

from dpratio.curator.ledger.admission.watch import Store
from dpratio.errors import LedgerFailed

__all__ = ["refusal"]


def refusal(store: Store) -> str:
    """Read and write, which must both be refused in the same words: the message."""
    with pytest.raises(LedgerFailed) as refused, store.reading():
        pass
    with pytest.raises(LedgerFailed) as again, store.writing():
        pass
    assert str(again.value) == str(refused.value)
    return str(refused.value)
