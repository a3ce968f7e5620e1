"""Where a ledger lies: one SQLite file, or a PostgreSQL server."""
