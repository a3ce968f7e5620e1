"""A MariaDB server in a folder of its own, for as long as it is needed."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pymysql

__all__ = ["HERE", "connected", "started"]

HERE = "127.0.0.1"
_LONGEST = 120.0


def connected(url: str) -> Any:  # noqa: ANN401 (PyMySQL is not typed)
    """Connect to the database of an address as one who may do everything."""
    place = urlsplit(url)
    return pymysql.connect(
        host=HERE,
        port=place.port or 0,
        user="root",
        database=place.path.strip("/") or None,
        autocommit=True,
    )


@contextmanager
def started(folder: Path, *more: str) -> Iterator[str]:
    """Start a server in a folder; give its address, without a database."""
    search = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    program = shutil.which("mariadbd", path=search)
    install = shutil.which("mariadb-install-db", path=search)
    if program is None or install is None:
        raise RuntimeError("'mariadbd' is missing. Run tools/install_mariadb.")
    own = ["--no-defaults", f"--datadir={folder / 'data'}"]
    own += ["--user=root"] if os.getuid() == 0 else []
    made = [install, *own, "--auth-root-authentication-method=normal"]
    subprocess.run([*made, "--skip-test-db"], check=True, capture_output=True)
    address = [f"--socket={folder / 'socket'}", f"--pid-file={folder / 'pid'}"]
    address += [f"--bind-address={HERE}", f"--log-error={folder / 'errors'}"]
    for _ in range(5):  # A port that is free may be taken when the server asks for it.
        port = _free_port()
        server = subprocess.Popen([program, *own, *address, f"--port={port}", *more])
        url = f"mariadb://root@{HERE}:{port}"
        try:
            if _is_ready(url, server, folder):
                yield url
                return
        finally:
            server.terminate()
            server.wait(_LONGEST)
    raise RuntimeError((folder / "errors").read_text(encoding="utf-8"))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HERE, 0))
        return int(found.getsockname()[1])


def _is_ready(url: str, server: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Wait until a server answers, and is ours; or has ended."""
    end = time.monotonic() + _LONGEST
    while server.poll() is None:
        try:
            with connected(url) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT @@datadir")
                return Path(cursor.fetchone()[0]) == folder / "data"
        except pymysql.Error:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
    return False
