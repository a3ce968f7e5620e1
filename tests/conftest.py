"""Hypothesis draws the same examples in every run: a red run can be repeated.

Tests in a real browser, of whatever room, find their fixtures in `browser`.
"""

from hypothesis import settings

pytest_plugins = ["browser"]

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
