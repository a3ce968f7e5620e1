"""Fixtures of the curator's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.table_sources import connection_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose files are written over from one example to the next."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session", autouse=True)
def _closed_connections() -> Iterator[None]:
    """Leave no connection open: DuckDB would complain of it at the very end."""
    yield
    for threads in range(1, 9):
        connection_of(threads).close()
    connection_of.cache_clear()
