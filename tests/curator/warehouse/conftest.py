"""Hosts of the suite, each opened once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest

from curator.warehouse.hosts import HOSTS, Host


@pytest.fixture(scope="session")
def opened(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Any]]:
    """Open hosts by name; each stays open to the end."""
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(HOSTS[name](request)))


@pytest.fixture(params=sorted(HOSTS))
def host(request: pytest.FixtureRequest, opened: Callable[[str], Any]) -> Host:
    """Every host in turn."""
    found: Host = opened(request.param)
    return found


@pytest.fixture
def duck(opened: Callable[[str], Any]) -> Any:  # noqa: ANN401
    """DuckDB alone, for what only it can hold."""
    return opened("duckdb")


@pytest.fixture
def postgres(opened: Callable[[str], Any]) -> Any:  # noqa: ANN401
    """PostgreSQL alone."""
    return opened("postgres")
