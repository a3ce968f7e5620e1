"""A plugin of pytest: write the ids of the tests that ran and failed to a file."""

import os
from pathlib import Path

import pytest

_failed: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test whose own code failed: a fixture that fails shows nothing."""
    if report.when == "call" and report.failed:
        _failed.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list, once: workers of xdist report to their controller."""
    if not hasattr(session.config, "workerinput"):
        Path(os.environ["FAILURES"]).write_text("\n".join(_failed), encoding="utf-8")
