"""Hypothesis draws the same examples in every run: a red run can be repeated.

Tests in a real browser, of whatever room, find their fixtures in `browser`, those that
need a real PostgreSQL server in `postgres_server`. Tests on a Spark cluster run in one
worker of the test session, so that one cluster is started.
"""

from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = ["browser", "postgres_server"]

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:  # noqa: ANN401
    """Spread single tests over the workers; those on the Spark cluster go to one.

    Marks of groups, which pytest-xdist has for this, do nothing under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneCluster(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "warehouse/spark/" in nodeid else nodeid

    return OneCluster(config, log)
