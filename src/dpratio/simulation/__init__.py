"""Invented people: the same path on data that protect nobody."""
