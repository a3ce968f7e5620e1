"""The recipe: which sums, how far one unit moves them, how much noise."""
