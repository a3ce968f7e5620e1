"""The server of the suite, opened once."""

from collections.abc import Iterator

import psycopg
import pytest

from curator.warehouse.postgres_host import Postgres


@pytest.fixture(scope="session")
def postgres(postgres_server: str) -> Iterator[Postgres]:
    """Tables of PostgreSQL; it stays open to the end."""
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        yield Postgres(postgres_server, connection)
