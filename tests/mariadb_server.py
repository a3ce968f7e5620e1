"""A real MariaDB server for tests, and fresh databases on it.

A plugin of pytest. Every test session, and so every worker of it, starts a server of
its own in a folder of its own, once a test asks for one.
"""

import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mariadb_process import HERE, connected, started

__all__ = [
    "Secured",
    "connected",
    "mariadb_secured",
    "mariadb_server",
    "mariadb_url",
    "told",
]

_NEW_KEY = ("-newkey", "rsa:2048", "-nodes")


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
    with _folder() as name, started(Path(name)) as url:
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
        with started(folder, *given) as url:
            told(url, "CREATE USER reader IDENTIFIED BY 'canary'")
            told(url, "CREATE DATABASE loans", "CREATE TABLE loans.loans (s double)")
            told(url, "GRANT SELECT ON loans.* TO reader")
            place = url.partition("@")[2]
            yield Secured(f"mariadb://reader:canary@{place}/loans", authority, other)


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
    said = f"subjectAltName=IP:{HERE}\nauthorityKeyIdentifier=keyid\n"
    (folder / "uses").write_text(said, encoding="utf-8")
    signed = ["-CA", "right.pem", "-CAkey", "right.key", "-CAcreateserial"]
    made = ["-in", "server.csr", "-out", "server.pem", "-days", "30"]
    _openssl(folder, "x509", "-req", *made, *signed, "-extfile", "uses")


def _openssl(folder: Path, *words: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        raise RuntimeError("'openssl' is missing. Run tools/install_mariadb.")
    subprocess.run([program, *words], cwd=folder, check=True, capture_output=True)
