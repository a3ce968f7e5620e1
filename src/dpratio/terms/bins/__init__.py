"""Bins of a number, and where their edges came from."""
