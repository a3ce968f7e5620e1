"""What happens to a ledger beside releases: it is copied, recovered, or it moves."""

from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.recover import recover_ledger

__all__ = ["backup_ledger", "export_ledger", "import_ledger", "recover_ledger"]
