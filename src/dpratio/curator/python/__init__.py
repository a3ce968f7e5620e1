"""The specification: every rule in plain loops over rows of Python values."""
