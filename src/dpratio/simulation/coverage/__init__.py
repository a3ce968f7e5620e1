"""How well intervals cover, on any people, and how near one query's width they come."""
