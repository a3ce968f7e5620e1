"""How far one unit moves the sums, in whole cells of public lattices."""
