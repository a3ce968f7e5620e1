"""What happens to a ledger beside releases: it is verified, backed up or recovered."""

from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger

__all__ = [
    "backup_ledger",
    "recover_ledger",
    "verify_ledger",
]
