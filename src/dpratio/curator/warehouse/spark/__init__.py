"""Spark: frames opened in a session of our own, and queries that are watched."""
