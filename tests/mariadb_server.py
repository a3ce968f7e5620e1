"""A real MariaDB server for tests, and fresh databases on it.

A plugin of pytest. Every test session, and so every worker of it, starts a server of
its own in a folder of its own, once a test asks for one.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
import pytest

__all__ = ["connected", "mariadb_server", "mariadb_url", "told"]

_HERE = "127.0.0.1"
_LONGEST = 120.0


def connected(url: str) -> Any:  # noqa: ANN401 (PyMySQL is not typed)
    """Connect to the database of an address as one who may do everything."""
    place, _, database = url.removeprefix("mariadb://").partition("/")
    port = int(place.rpartition(":")[2])
    return pymysql.connect(
        host=_HERE, port=port, user="root", database=database or None, autocommit=True
    )


def told(url: str, *statements: str, rows: Any = None) -> None:  # noqa: ANN401
    """Run statements; the last one with rows, where some are given."""
    with connected(url) as connection, connection.cursor() as cursor:
        for statement in statements[: len(statements) - (rows is not None)]:
            cursor.execute(statement)
        if rows is not None:
            cursor.executemany(statements[-1], rows)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[str]:
    """Start a MariaDB server; give its address, without a database."""
    search = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    program = shutil.which("mariadbd", path=search)
    install = shutil.which("mariadb-install-db", path=search)
    if program is None or install is None:
        raise RuntimeError("'mariadbd' is missing. Run tools/install_mariadb.")
    with tempfile.TemporaryDirectory(prefix="my-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        own = ["--no-defaults", f"--datadir={folder / 'data'}"]
        own += ["--user=root"] if os.getuid() == 0 else []
        made = [install, *own, "--auth-root-authentication-method=normal"]
        subprocess.run([*made, "--skip-test-db"], check=True, capture_output=True)
        with socket.socket() as found:
            found.bind((_HERE, 0))
            port = found.getsockname()[1]
        address = [f"--port={port}", f"--bind-address={_HERE}"]
        address += [f"--socket={folder / 'socket'}", f"--pid-file={folder / 'pid'}"]
        said = f"--log-error={folder / 'errors'}"
        server = subprocess.Popen([program, *own, *address, said])
        url = f"mariadb://root@{_HERE}:{port}"
        try:
            _wait_for(url)
            yield url
        finally:
            server.terminate()
            server.wait(_LONGEST)


@pytest.fixture
def mariadb_url(mariadb_server: str) -> Iterator[str]:
    """The address of a fresh, empty database."""
    name = f"test_{uuid.uuid4().hex}"
    told(mariadb_server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    yield f"{mariadb_server}/{name}"
    told(mariadb_server, f"DROP DATABASE {name}")


def _wait_for(url: str) -> None:
    end = time.monotonic() + _LONGEST
    while True:
        try:
            told(url, "SELECT 1")
        except pymysql.Error:
            assert time.monotonic() < end
            time.sleep(0.2)
        else:
            return
