"""Declared pairs of groups that share people, and where they may be asked for."""
