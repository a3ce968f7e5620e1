"""A ratio over time: its chart."""
