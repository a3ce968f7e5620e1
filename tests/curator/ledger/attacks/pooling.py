"""A pooler: clients come and go, and the sessions on the server stay as they were left.

It speaks PostgreSQL's protocol as session poolers do, and resets nothing between two
clients: the worst that one may be given.
"""

import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from urllib.parse import parse_qs, unquote, urlsplit

__all__ = ["pooler"]

_VERSION = 196608  # 3.0
_PLAIN = {80877103, 80877104}  # asks for encryption


@contextmanager
def pooler(address: str, sessions: int = 1) -> Iterator[str]:
    """Put a pooler in front of a server; give the address to connect to."""
    parts = urlsplit(address)
    folder = parse_qs(parts.query)["host"][0]
    user, name = parts.username or "postgres", unquote(parts.path[1:])
    free: Queue[_Session] = Queue()
    kept = [_Session(folder, user, name) for _ in range(sessions)]
    for each in kept:
        free.put(each)
    with socket.create_server(("127.0.0.1", 0), backlog=256) as door:
        port = door.getsockname()[1]
        threading.Thread(target=_serve, args=(door, free), daemon=True).start()
        try:
            yield f"postgresql://{user}@127.0.0.1:{port}/{name}?sslmode=disable"
        finally:
            # A thread that waits in accept() is not woken by close().
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            for each in kept:
                each.server.close()


class _Session:
    """One session on the server, and what it said when it began."""

    def __init__(self, folder: str, user: str, name: str) -> None:
        (place,) = [
            path for path in Path(folder).glob(".s.PGSQL.*") if path.suffix != ".lock"
        ]
        self.server = socket.socket(socket.AF_UNIX)
        self.server.connect(str(place))
        words = f"user\0{user}\0database\0{name}\0\0".encode()
        self.server.sendall(struct.pack("!ii", len(words) + 8, _VERSION) + words)
        self.greeting = b""
        kind = b""
        while kind != b"Z":
            kind, said = _message(self.server)
            assert kind != b"E", said
            self.greeting += said

    def lend(self, client: socket.socket) -> None:
        """Carry messages to and fro until the client says goodbye or is gone."""
        client.sendall(self.greeting)
        while True:
            ready, _, _ = select.select([client, self.server], [], [])
            if self.server in ready:
                client.sendall(self.server.recv(65536))
            if client in ready:
                kind, said = _message(client)
                if kind in {b"X", b""}:
                    return
                self.server.sendall(said)


def _serve(door: socket.socket, free: "Queue[_Session]") -> None:
    with suppress(OSError):
        while True:
            client, _ = door.accept()
            threading.Thread(target=_lend, args=(client, free), daemon=True).start()


def _lend(client: socket.socket, free: "Queue[_Session]") -> None:
    # A session that is closed has no number any more.
    with client, suppress(OSError, ValueError):
        (wanted,) = struct.unpack("!i", _exactly(client, 4))
        while struct.unpack("!i", _exactly(client, 4))[0] in _PLAIN:
            client.sendall(b"N")
            (wanted,) = struct.unpack("!i", _exactly(client, 4))
        _exactly(client, wanted - 8)
        session = free.get()
        try:
            session.lend(client)
        finally:
            free.put(session)


def _message(link: socket.socket) -> tuple[bytes, bytes]:
    kind = link.recv(1)
    if not kind:
        return b"", b""
    size = _exactly(link, 4)
    return kind, kind + size + _exactly(link, struct.unpack("!i", size)[0] - 4)


def _exactly(link: socket.socket, count: int) -> bytes:
    content = b""
    while len(content) < count:
        more = link.recv(count - len(content))
        if not more:
            raise OSError
        content += more
    return content
