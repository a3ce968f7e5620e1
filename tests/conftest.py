"""Hypothesis draws the same examples in every run: a red run can be repeated.

Tests in a real browser, of whatever room, find their fixtures in `browser`, those that
need a real PostgreSQL server in `postgres_server`.
"""

from hypothesis import settings

pytest_plugins = ["browser", "postgres_server"]

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
