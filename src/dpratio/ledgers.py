"""What happens to a ledger beside releases: it is verified, copied or moved."""

from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger

__all__ = [
    "backup_ledger",
    "export_ledger",
    "import_ledger",
    "recover_ledger",
    "verify_ledger",
]
