"""A server that speaks just enough of PostgreSQL's protocol to ask for a password."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field

__all__ = ["HostileServer", "hostile_server"]

_REFUSED = b"N"  # The answer to an offer of encryption.
_ASK_IN_CLEAR = b"R\x00\x00\x00\x08\x00\x00\x00\x03"
_OFFERS = (80877103, 80877104)  # Of TLS, of GSSAPI.


@dataclass
class HostileServer:
    """Where it listens, and what it heard: whether anybody came, and what they said."""

    port: int
    visits: int = 0
    heard: list[bytes] = field(default_factory=list)


@contextmanager
def hostile_server() -> Iterator[HostileServer]:
    """Listen on this machine until the block ends."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        server = HostileServer(listener.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(listener, server))
        thread.start()
        try:
            yield server
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listener: socket.socket, server: HostileServer) -> None:
    with suppress(OSError):
        while True:
            visitor, _ = listener.accept()
            server.visits += 1
            with visitor, suppress(OSError):
                _ask(visitor, server)


def _ask(visitor: socket.socket, server: HostileServer) -> None:
    start = visitor.recv(4096)
    while int.from_bytes(start[4:8], "big") in _OFFERS:
        visitor.sendall(_REFUSED)
        start = visitor.recv(4096)
    visitor.sendall(_ASK_IN_CLEAR)
    server.heard.append(visitor.recv(4096))
