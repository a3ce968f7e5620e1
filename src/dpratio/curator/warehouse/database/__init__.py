"""Tables of databases: connected by address, views written anew, what each does."""
