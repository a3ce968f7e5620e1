"""Promises made before anyone sees data."""
