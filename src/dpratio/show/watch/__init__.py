"""A ratio over time: its chart, and its place in a report."""
