"""Ratios against each other or against a value: tests and intervals."""
