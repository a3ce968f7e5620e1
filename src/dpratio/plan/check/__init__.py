"""Counts that tell whether data are written as a study says."""
