"""Commands of who holds the data: plans, releases, the ledger."""
