"""Hypothesis draws the same examples in every run: a red run can be repeated.

Tests in a real browser, of whatever room, find their fixtures in `browser`, those that
need a real PostgreSQL server in `postgres_server`. The tests of a file run in one
worker of the test session, so that what they share is made once; and so do all those
on a Spark cluster. In a soak a test takes minutes, and each goes where there is room.

What needs a server, a browser, a JVM or a package of its own is marked ``outside``, and
``make test`` leaves it to ``make test-all``. So it does with what takes long, ``slow``:
laws of coverage, long simulations, fuzzing, races and audits. Of other laws it tries a
fifth of the examples, and of rules in many cases those that `tiers.quick_first` leaves
to it.
"""

import gc
import signal
from functools import cache
from types import MethodType
from typing import Any

import pytest
import typer.main
from hypothesis import settings

from soak import IS_SOAK

pytest_plugins = ["browser", "postgres_server"]

_SPARK = "tests/curator/warehouse/spark"
_PACKAGES = "tests/package"
_SERVERS = {
    *("chromium", "visit", "postgres", "postgres_server", "postgres_url"),
}
_SLOW = (
    "tests/curator/duckdb/test_given.py",
    "tests/curator/fuzz/",
    "tests/curator/ledger/attacks/",
    "tests/curator/sql/",
    "tests/curator/warehouse/",
    "tests/fuzz/",
    "tests/guides/",
    "tests/laws/",
    "tests/simulation/audit/",
    "tests/simulation/coverage/",
    "tests/attacks/test_readers.py",
    "tests/curator/noise/test_rounded",
    "tests/curator/noise/test_select_keys.py",
    "tests/curator/test_contrast",
    "tests/curator/test_engines_agree",
    "tests/curator/test_groups_agree",
    "tests/curator/test_neighbours.py",
    "tests/curator/test_units",
    "tests/docs/test_pages.py",
    "tests/docs/test_site.py",
)

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

# The command line is put together once, and not for each command that a test runs.
typer.main.get_command = cache(typer.main.get_command)

# A shell starts what runs in its background with Ctrl-C ignored, and so would be tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is collected stays to the end: nothing is gained by looking for garbage in it.
gc.disable()


@pytest.fixture
def fixed_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same noise in every run, where one draw in a hundred would fail."""
    from simulation.audit.faults import fix_bits

    fix_bits(monkeypatch, seed=1)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Mark the tiers."""
    is_quick = "not slow" in str(config.option.markexpr)
    for item in items:
        if _is_outside(item):
            item.add_marker(pytest.mark.outside)
        if item.nodeid.startswith(_SLOW):
            item.add_marker(pytest.mark.slow)
        if is_quick:
            _try_fewer(item)


def _try_fewer(item: pytest.Item) -> None:
    law = getattr(item, "obj", None)
    own = getattr(law, "_hypothesis_internal_use_settings", None)
    if own is not None and not isinstance(law, MethodType):
        fifth = max(5, own.max_examples // 5)
        fewer = settings(own, max_examples=min(fifth, own.max_examples))
        law._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def _is_outside(item: pytest.Item) -> bool:
    started = _SERVERS & set(getattr(item, "fixturenames", ()))
    given = getattr(getattr(item, "callspec", None), "params", {}).values()
    texts = [each.lower() for each in given if isinstance(each, str)]
    named = any(word in each for each in texts for word in ("postgres", "spark"))
    return bool(named or started or item.nodeid.startswith((_SPARK, _PACKAGES)))


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> None:
    """Refuse to start a server in the quick tier: its test was not marked."""
    is_quick = "not outside" in str(request.config.option.markexpr)
    if is_quick and fixturedef.argname in _SERVERS:
        pytest.fail("a test that starts a server or a browser is marked outside")


def pytest_collection_finish() -> None:
    """Look for garbage again, but not in what was collected."""
    gc.enable()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let go of what was collected: DuckDB complains of what is left at the exit."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:  # noqa: ANN401
    """Spread files over the workers, or tests in a soak; a cluster has one worker.

    Marks of groups, which pytest-xdist has for this, do nothing under pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(_SPARK):
                return _SPARK
            return nodeid if IS_SOAK else nodeid.partition("::")[0]

    config.option.loadscopereorder = False  # Files of few tests are the slow ones.
    return ByFile(config, log)
