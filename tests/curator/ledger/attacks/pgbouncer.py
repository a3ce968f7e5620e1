"""The real pooler, PgBouncer, in front of a test's PostgreSQL server; also with TLS.

`tools/install_pooler` brings it. The PostgreSQL server of tests is built without TLS,
so connections are encrypted as far as the pooler.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from urllib.parse import parse_qs, unquote, urlsplit

from curator.ledger.attacks.spellings import SECRET

__all__ = ["pgbouncer"]

_PATIENCE = 60  # seconds


@contextmanager
def pgbouncer(
    address: str,
    mode: str,
    *,
    sessions: int = 1,
    people: Sequence[str] = (),
    as_user: str = "",
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Start PgBouncer with a pool mode; give the address to connect to.

    People are let in under their own names, or all as one user; where ``auth_type``
    is ``plain``, only with the password. Sessions stay as they were left.
    """
    parts = urlsplit(address)
    user, name = parts.username or "postgres", unquote(parts.path[1:])
    with tempfile.TemporaryDirectory(prefix="pool-") as named:
        folder, port = Path(named), _free_port()
        folder.chmod(0o755)
        known = "".join(f'"{each}" "{SECRET}"\n' for each in (user, *people))
        (folder / "users").write_text(known)
        chosen = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(port),
            "unix_socket_dir": "",
            "auth_type": "trust",
            "auth_file": str(folder / "users"),
            "pool_mode": mode,
            "default_pool_size": str(sessions),
            "max_client_conn": "500",
            "server_reset_query": "",
        } | dict(settings)
        host = parse_qs(parts.query)["host"][0]
        written = [
            "[databases]",
            f"* = host={host}" + (f" user={as_user}" if as_user else ""),
            "[pgbouncer]",
            *(f"{setting} = {value}" for setting, value in chosen.items()),
        ]
        (folder / "pgbouncer.ini").write_text("\n".join(written) + "\n")
        with (folder / "log").open("wb") as log:
            running = subprocess.Popen(
                [_program(), str(folder / "pgbouncer.ini")],
                stdout=log,
                stderr=log,
                # It refuses to run as root, and must reach the server's folder.
                user=Path(host).stat().st_uid if os.geteuid() == 0 else None,
            )
        try:
            _wait_for(port, running, folder / "log")
            yield f"postgresql://{user}@127.0.0.1:{port}/{name}"
        finally:
            running.terminate()
            running.wait(_PATIENCE)


def _program() -> str:
    # Debian has it where only root looks.
    found = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    assert found, "PgBouncer is missing: run tools/install_pooler"
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def _wait_for(port: int, running: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        assert running.poll() is None, log.read_text()
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.02)
        else:
            return
