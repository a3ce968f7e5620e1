"""Bins of a number column."""
