"""Fresh ledgers for tests: a SQLite file, or a database on a real PostgreSQL server."""

import os
from pathlib import Path

import pytest

from curator.ledger.loans import SCOPE
from dpratio.curator.ledger.ledger import Ledger


@pytest.fixture(autouse=True)
def own_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home for the usual spool: also that of servers which cannot be reached."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(params=["sqlite", "postgres"])
def any_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a ledger that is yet to be made."""
    if request.param == "sqlite":
        return os.fspath(tmp_path / "budget.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def ledger(any_ledger: str) -> Ledger:
    """A ledger with one scope; SQLite and PostgreSQL in turn."""
    made = Ledger(any_ledger)
    made.open_scope(SCOPE)
    return made


@pytest.fixture
def file_ledger(tmp_path: Path) -> Ledger:
    """A ledger with one scope in a file, where the store does not matter."""
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(SCOPE)
    return made
