"""Hypothesis draws the same examples in every run: a red run can be repeated.

Coverage is traced where a test mirrors a room whose branches must all be covered: each
room by its own tests. Attacks, fuzzing and examples that Hypothesis draws call the same
lines too often for a tracer.

Tests in a real browser, of whatever room, find their fixtures in `browser`, those that
need a real PostgreSQL server in `postgres_server`. Tests on a Spark cluster run in one
worker of the test session, so that one cluster is started; and so do those of the
documentation's site, so that it is built once.
"""

from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = ["browser", "postgres_server"]

_SHARED = ("warehouse/spark/", "docs/test_site.py")
_COVERING = ("tests/terms/", "tests/plan/", "tests/release/", "tests/curator/")
_MANY_TIMES = ("curator/fuzz/", "curator/ledger/attacks/")

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Trace coverage in the tests that must cover, as tracing doubles their time."""
    for item in items:
        often = any(each in item.nodeid for each in _MANY_TIMES)
        often |= getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if often or not item.nodeid.startswith(_COVERING):
            item.add_marker(pytest.mark.no_cover)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:  # noqa: ANN401
    """Spread single tests over the workers; those that share a fixture go to one.

    Marks of groups, which pytest-xdist has for this, do nothing under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class OneOfEach(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            shared = [each for each in _SHARED if each in nodeid]
            return shared[0] if shared else nodeid

    return OneOfEach(config, log)
