"""What happens to a ledger once in years: it is recovered, or it moves."""

from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.recover import recover_ledger

__all__ = ["export_ledger", "import_ledger", "recover_ledger"]
