"""A real Spark cluster on loopback: a master and two workers, each a process."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

__all__ = ["Cluster", "cluster"]

_PATIENCE = 120  # seconds


@dataclass(frozen=True)
class Cluster:
    """Where the master listens, and the processes of the workers."""

    url: str
    status_url: str
    workers: tuple[subprocess.Popen[bytes], ...]
    folder: Path

    def workers_alive(self) -> int:
        """Ask the master how many workers it has."""
        import json

        with urllib.request.urlopen(f"{self.status_url}/json/") as answer:  # noqa: S310
            return int(json.load(answer)["aliveworkers"])


@contextmanager
def cluster(folder: Path, *, workers: int = 2, cores: int = 1) -> Iterator[Cluster]:
    """Start a standalone cluster, and stop it again."""
    port, page = _free_port(), _free_port()
    url, status = f"spark://127.0.0.1:{port}", f"http://127.0.0.1:{page}"
    master = _start(
        folder,
        "org.apache.spark.deploy.master.Master",
        *("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page)),
    )
    started = [master]
    try:
        for _ in range(workers):
            options = ("--cores", str(cores), "--memory", "1g", "--host", "127.0.0.1")
            at = ("--webui-port", "0", "--work-dir", str(folder / "work"))
            started.append(
                _start(
                    folder, "org.apache.spark.deploy.worker.Worker", *options, *at, url
                )
            )
        made = Cluster(url, status, tuple(started[1:]), folder)
        _wait_for(made, workers)
        yield made
    finally:
        for process in reversed(started):
            process.kill()
        for process in started:
            process.wait()


def _start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    log = (folder / f"{words[0].rpartition('.')[2]}.log").open("ab")
    surroundings = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_NO_DAEMONIZE": "1",
        "PYSPARK_PYTHON": sys.executable,
    }
    command = [str(home / "bin" / "spark-class"), *words]
    return subprocess.Popen(command, stdout=log, stderr=log, env=surroundings)


def _wait_for(made: Cluster, workers: int) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            if made.workers_alive() == workers:
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise TimeoutError("the Spark cluster did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
