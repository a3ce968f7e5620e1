"""A real Spark cluster on loopback: a master and two workers, each a process.

Workers lead process groups of their own, so that one can be killed together with its
executors, and so that none of them is left when the cluster is.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["SETTINGS", "Cluster", "cluster", "require_java", "wait_until"]

_PATIENCE = 600.0  # seconds: a slow machine takes minutes to start a worker
_HERE = "127.0.0.1"

# These machines live for minutes: the slow compiler would not pay.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# One application takes one core of each worker, and leaves one for another.
SETTINGS: dict[str, Any] = {
    "spark.cores.max": "2",
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": _SHORT_LIVED,
    "spark.executor.extraJavaOptions": _SHORT_LIVED,
    "spark.driver.host": _HERE,
    "spark.driver.bindAddress": _HERE,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.python.worker.reuse": "true",
}


@dataclass
class Cluster:
    """Where the master listens, and the processes of the workers."""

    url: str
    status_url: str
    folder: Path
    memory: str = "1g"
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: int = 0

    def workers_alive(self) -> int:
        """Ask the master how many workers it has."""
        try:
            with urllib.request.urlopen(f"{self.status_url}/json/") as answer:  # noqa: S310
                return int(json.load(answer)["aliveworkers"])
        except OSError:
            return -1

    def add_worker(self) -> None:
        """Start one more worker, in a process group of its own."""
        options = ("--cores", "2", "--memory", self.memory, "--host", _HERE)
        self.started += 1
        folder = self.folder / f"worker{self.started}"
        folder.mkdir()
        at = ("--webui-port", "0", "--work-dir", str(folder))
        main = "org.apache.spark.deploy.worker.Worker"
        self.workers.append(_start(self.folder, main, *options, *at, self.url))

    def kill_worker(self) -> None:
        """Kill the last worker with its executors, as a power cut would."""
        _kill(self.workers.pop())

    def have_workers(self, count: int) -> None:
        """Start workers until there are so many, and wait for them."""
        while len(self.workers) < count:
            self.add_worker()
        wait_until(lambda: self.workers_alive() == count, "the workers to start")


@contextlib.contextmanager
def cluster(folder: Path, *, workers: int = 2, memory: str = "1g") -> Iterator[Cluster]:
    """Start a standalone cluster, and stop it again."""
    require_java()
    port, page = _free_port(), _free_port()
    made = Cluster(f"spark://{_HERE}:{port}", f"http://{_HERE}:{page}", folder, memory)
    master = _start(
        folder,
        "org.apache.spark.deploy.master.Master",
        *("--host", _HERE, "--port", str(port), "--webui-port", str(page)),
    )
    try:
        made.have_workers(workers)
        yield made
    finally:
        for process in (*made.workers, master):
            _kill(process)


def require_java() -> None:
    """Fail with what to do where there is no Java; such tests are never skipped."""
    if shutil.which("java") is None:
        raise RuntimeError(
            "'java' is missing, and the tests run on a real Spark cluster. "
            "Run tools/install_java; on Debian: sudo apt-get install "
            "default-jre-headless"
        )


def wait_until(
    test: Callable[[], bool], what: str, *, patience: float = _PATIENCE
) -> None:
    """Wait until something is so."""
    end = time.monotonic() + patience
    while not test():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {patience:g} seconds for {what}")
        time.sleep(0.05)


def surroundings() -> Mapping[str, str]:
    """The environment of every process of the cluster."""
    import pyspark

    return {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_LOCAL_IP": _HERE,
        "SPARK_DAEMON_MEMORY": "128m",
        "SPARK_DAEMON_JAVA_OPTS": _SHORT_LIVED,
        "SPARK_NO_DAEMONIZE": "1",
        "PYSPARK_PYTHON": sys.executable,
    }


def _start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    around = surroundings()
    command = [f"{around['SPARK_HOME']}/bin/spark-class", *words]
    options: Any = {"env": around, "start_new_session": True}
    with (folder / f"{words[0].rpartition('.')[2]}.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, **options)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HERE, 0))
        return int(probe.getsockname()[1])
