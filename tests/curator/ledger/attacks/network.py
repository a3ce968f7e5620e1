"""A network between a client and a server that can be broken, and mended again.

``cut``: connections are reset and new ones closed. ``silent``: nothing passes any more,
and nobody is told. ``late``: the same, but what the client sent arrives once the
network is back, as a retransmission would. ``deaf``: what the client sends arrives, and
no answer comes back: the worst moment is the answer to a commit.
"""

import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

__all__ = ["BREAKS", "Network", "network"]

BREAKS = ("cut", "silent", "late", "deaf")
_RESET = struct.pack("ii", 1, 0)  # closing sends a reset, not a goodbye


class Network:
    """All links between clients and one server, and what became of them."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.broken = ""
        self._links: list[_Link] = []
        self._guard = threading.Lock()

    def break_down(self, how: str) -> None:
        """Break every link, and those that are yet to come."""
        with self._guard:
            self.broken = how
            if how == "cut":
                for link in self._links:
                    link.reset()

    def mend(self) -> None:
        """Let new links pass; the old ones end, after what arrives late."""
        with self._guard:
            is_late, self.broken = self.broken == "late", ""
            for link in self._links:
                link.end(is_late=is_late)
            self._links.clear()

    def join(self, client: socket.socket) -> None:
        """Link a client to the server."""
        with self._guard:
            link = None if self.broken == "cut" else _Link(self, client)
            if link is None or not link.is_there():
                client.close()
                return
            self._links.append(link)
        threading.Thread(target=link.carry, daemon=True).start()


class _Link:
    """One connection: the client's side, the server's, and what was held back."""

    def __init__(self, over: Network, client: socket.socket) -> None:
        self.over, self.client = over, client
        self.server = socket.socket(socket.AF_UNIX)
        self.held = b""
        self.is_over = False

    def is_there(self) -> bool:
        """Reach for the server, which may be down."""
        try:
            self.server.connect(self.over.place)
        except OSError:
            self.server.close()
            return False
        return True

    def carry(self) -> None:
        """Carry bytes to and fro, as the network lets them."""
        with suppress(OSError, ValueError):
            while not self.is_over:
                ready, _, _ = select.select([self.client, self.server], [], [], 0.02)
                for side in ready:
                    said = side.recv(65536)
                    if side is self.client:
                        self._to_server(said)
                    else:
                        self._to_client(said)
        self.end(is_late=False)

    def _to_server(self, said: bytes) -> None:
        broken = self.over.broken
        if broken in {"silent", "late"}:
            self.held += said
            if not said:
                self._wait()
        elif said:
            self.server.sendall(said)
        else:
            self.is_over = True

    def _to_client(self, said: bytes) -> None:
        if not said:
            self.is_over = True
        elif not self.over.broken:
            self.client.sendall(said)

    def _wait(self) -> None:
        """Keep from the server that its client is gone, until the network is back."""
        while not self.is_over:
            threading.Event().wait(0.01)

    def end(self, *, is_late: bool) -> None:
        """Deliver what is late, and close both sides."""
        self.is_over = True
        with suppress(OSError):
            if is_late and self.held:
                self.server.sendall(self.held)
                self.held = b""
                # The server answers nobody.
                threading.Event().wait(0.2)
        for side in (self.client, self.server):
            with suppress(OSError):
                side.close()

    def reset(self) -> None:
        """End the connection for both at once."""
        self.is_over = True
        with suppress(OSError):
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        for side in (self.client, self.server):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        self.end(is_late=False)


@contextmanager
def network(address: str) -> Iterator[tuple[str, Network]]:
    """Put a network in front of a server; give the address to connect to, and it."""
    parts = urlsplit(address)
    folder = parse_qs(parts.query)["host"][0]
    user, name = parts.username or "postgres", unquote(parts.path[1:])
    (place,) = [
        path for path in Path(folder).glob(".s.PGSQL.*") if path.suffix != ".lock"
    ]
    between = Network(str(place))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as door:
        port = door.getsockname()[1]
        threading.Thread(target=_serve, args=(door, between), daemon=True).start()
        try:
            yield (
                f"postgresql://{user}@127.0.0.1:{port}/{name}?sslmode=disable",
                between,
            )
        finally:
            with suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            between.mend()


def _serve(door: socket.socket, between: Network) -> None:
    with suppress(OSError):
        while True:
            client, _ = door.accept()
            between.join(client)
