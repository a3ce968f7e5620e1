"""Fixtures of the curator's tests."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from curator.agreement import Alike, Placed, require_alike, require_alike_on
from curator.ledger.loans import SCOPE
from curator.postgres_host import Postgres
from curator.table_sources import connection_of
from dpratio.curator.ledger.ledger import Ledger


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose files are written over from one example to the next."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module", params=["here", "on postgres"])
def alike(request: pytest.FixtureRequest, folder: Path) -> Alike:
    """Require the integers of the specification of every source of a place."""
    if request.param == "here":
        return lambda table, plan: require_alike(table, plan, folder)
    postgres = request.getfixturevalue("postgres")
    return lambda table, plan: require_alike_on(postgres, table, plan)


@pytest.fixture(scope="module", params=["here", "on postgres"])
def placed(request: pytest.FixtureRequest) -> Placed:
    """Give a table to DuckDB as it is, or to a server."""
    if request.param == "here":
        return lambda table: table
    return request.getfixturevalue("postgres").table  # type: ignore[no-any-return]


@pytest.fixture
def own(tmp_path: Path) -> Ledger:
    """A ledger in a file with one scope, where the store does not matter."""
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(SCOPE)
    return made


@pytest.fixture(scope="session")
def postgres(postgres_server: str) -> Iterator[Postgres]:
    """Tables of PostgreSQL; it stays open to the end."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        yield Postgres(postgres_server, connection)


@pytest.fixture(scope="session", autouse=True)
def _closed_connections() -> Iterator[None]:
    """Leave no connection open: DuckDB would complain of it at the very end."""
    yield
    for threads in range(1, 9):
        connection_of(threads).close()
    connection_of.cache_clear()
