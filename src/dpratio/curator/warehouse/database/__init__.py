"""Tables of databases: connected by address, conditions, what each does."""
