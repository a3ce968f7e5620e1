"""Fresh ledgers for tests: a SQLite file, or a database on a real PostgreSQL server."""

import os
from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def any_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a ledger that is yet to be made."""
    if request.param == "sqlite":
        return os.fspath(tmp_path / "budget.db")
    return str(request.getfixturevalue("postgres_url"))
