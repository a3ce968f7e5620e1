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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
import pytest

__all__ = [
    "Secured",
    "connected",
    "mariadb_secured",
    "mariadb_server",
    "mariadb_url",
    "told",
]

_HERE = "127.0.0.1"
_LONGEST = 120.0
_NEW_KEY = ("-newkey", "rsa:2048", "-nodes")


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
    with _folder() as name, _started(Path(name)) as url:
        yield url


@dataclass(frozen=True)
class Secured:
    """A server with TLS: its address, its authority's file, and another authority's."""

    url: str
    authority: Path
    other: Path


@pytest.fixture(scope="session")
def mariadb_secured() -> Iterator[Secured]:
    """Start a MariaDB server whose certificate is of 127.0.0.1, and of no name."""
    with _folder() as name:
        folder = Path(name)
        authority, other = (_authority(folder, each) for each in ("right", "wrong"))
        given = [f"--ssl-cert={folder / 'server.pem'}"]
        given += [f"--ssl-key={folder / 'server.key'}"]
        _certify(folder)
        with _started(folder, *given) as url:
            told(url, "CREATE USER reader IDENTIFIED BY 'canary'")
            told(url, "CREATE DATABASE loans", "CREATE TABLE loans.loans (s double)")
            told(url, "GRANT SELECT ON loans.* TO reader")
            place = url.partition("@")[2]
            yield Secured(f"mariadb://reader:canary@{place}/loans", authority, other)


@contextmanager
def _started(folder: Path, *more: str) -> Iterator[str]:
    """Start a server in a folder; give its address."""
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
    address += [f"--bind-address={_HERE}", f"--log-error={folder / 'errors'}"]
    for _ in range(5):  # A port that is free may be taken when the server asks for it.
        port = _free_port()
        server = subprocess.Popen([program, *own, *address, f"--port={port}", *more])
        url = f"mariadb://root@{_HERE}:{port}"
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
        found.bind((_HERE, 0))
        return int(found.getsockname()[1])


@pytest.fixture
def mariadb_url(mariadb_server: str) -> Iterator[str]:
    """The address of a fresh, empty database."""
    name = f"test_{uuid.uuid4().hex}"
    told(mariadb_server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    yield f"{mariadb_server}/{name}"
    told(mariadb_server, f"DROP DATABASE {name}")


def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="my-", ignore_cleanup_errors=True)


def _authority(folder: Path, name: str) -> Path:
    """Make an authority that signs certificates."""
    subject = ["-subj", f"/CN={name}", "-days", "30"]
    made = ["req", "-x509", *_NEW_KEY, "-keyout", f"{name}.key", "-out", f"{name}.pem"]
    uses = ["-addext", "keyUsage=critical,keyCertSign"]
    _openssl(folder, *made, *subject, *uses)
    return folder / f"{name}.pem"


def _certify(folder: Path) -> None:
    """Let the right authority sign the certificate of a server."""
    asked = ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server"]
    _openssl(folder, "req", *_NEW_KEY, *asked)
    said = f"subjectAltName=IP:{_HERE}\nauthorityKeyIdentifier=keyid\n"
    (folder / "uses").write_text(said, encoding="utf-8")
    signed = ["-CA", "right.pem", "-CAkey", "right.key", "-CAcreateserial"]
    made = ["-in", "server.csr", "-out", "server.pem", "-days", "30"]
    _openssl(folder, "x509", "-req", *made, *signed, "-extfile", "uses")


def _openssl(folder: Path, *words: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        raise RuntimeError("'openssl' is missing. Run tools/install_mariadb.")
    subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)


def _is_ready(url: str, server: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Wait until a server answers, and is ours; or has ended."""
    end = time.monotonic() + _LONGEST
    while server.poll() is None:
        try:
            with connected(url) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT @@datadir")
                return Path(cursor.fetchone()[0]) == folder / "data"
        except pymysql.Error:
            assert time.monotonic() < end
            time.sleep(0.2)
    return False
