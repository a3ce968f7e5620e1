"""The artifact: the only thing that leaves the curator."""
