"""Counts of a score on a fine grid, from which bins are proposed."""
