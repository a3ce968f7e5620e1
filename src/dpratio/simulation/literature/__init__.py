"""Published ways to the same answer, beside the default, on the same data."""
