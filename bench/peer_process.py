"""One release with one tool, in a process of its own and within limits.

``make bench-peers`` sets up a virtual environment for each tool in build/peers. A tool
that needs more CPU or memory than the limits is stopped, with all that it started.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weighted_people import write_people

BENCH = Path(__file__).parent
sys.path.append(str(BENCH / "peers"))
from family import cpu_seconds, family, held_gigabytes  # noqa: E402
from question import MODEST, QUESTIONS  # noqa: E402

PLACES = BENCH.parent / "build" / "peers"
CPU_LIMIT = float(os.environ.get("PEER_CPU_LIMIT", "100"))  # Seconds.
MEMORY_LIMIT = 12.0  # GB
PEOPLE = 2_000_000
LOOK = 0.25  # Seconds between two looks at a process.


@dataclass(frozen=True)
class Peer:
    """A tool: its environment, its script, and how often it is asked."""

    name: str
    script: str
    rounds: int = 1

    @property
    def python(self) -> str:
        """Where its interpreter is, once ``make`` has set it up."""
        if self.name == "dpratio":
            return sys.executable
        return str(PLACES / self.name / "bin" / "python")


OURS = Peer("dpratio", "ours", 3)
PEERS = (
    Peer("opendp", "opendp_polars", 2),
    Peer("diffprivlib", "diffprivlib_tools", 2),
    Peer("tumult", "tumult_spark"),
    Peer("smartnoise", "smartnoise_sql"),
    Peer("pipelinedp", "pipelinedp_local"),
)


class NotRun(Exception):
    """A tool gave no figures; the message says why in one line."""


class BeyondLimit(NotRun):
    """A tool needed more CPU or memory than it may have; what it had by then."""

    def __init__(self, reason: str, cpu: float) -> None:
        super().__init__(reason)
        self.cpu = cpu


def measured(peer: Peer, question: str, table: Path) -> dict[str, Any]:
    """Make one release in a fresh process; give what it wrote down.

    Raises:
        NotRun: When there is no result; the message says why.
    """
    if peer is not OURS and not (PLACES / peer.name / ".ready").exists():
        raise NotRun("it could not be installed, see build/peers/*.log")
    with tempfile.TemporaryDirectory() as folder:
        place, said = Path(folder) / "figures.json", Path(folder) / "said.txt"
        script = BENCH / "peers" / f"{peer.script}.py"
        command = [peer.python, str(script), question, str(table), str(place)]
        with (
            said.open("w", encoding="utf-8") as words,
            subprocess.Popen(
                [*command, str(time.monotonic())],
                stdout=subprocess.DEVNULL,
                stderr=words,
                cwd=folder,
                env=_environment(),
            ) as process,
        ):
            _watch(process)
        if process.returncode:
            lines = said.read_text(encoding="utf-8").strip().splitlines() or ["nothing"]
            raise NotRun(f"code {process.returncode}, it said: {lines[-1][:200]}")
        result: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return result


def _watch(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process, and stop it with all that it started beyond a limit."""
    while process.poll() is None:
        reason, cpu = "", cpu_seconds(process.pid)
        if cpu > CPU_LIMIT:
            reason = f"more than {CPU_LIMIT:.0f} s of CPU"
        elif held_gigabytes(process.pid) > MEMORY_LIMIT:
            reason = f"more than {MEMORY_LIMIT:.0f} GB of memory"
        if reason and process.poll() is None:
            for each in sorted(family(process.pid), reverse=True):
                os.kill(each, signal.SIGKILL)
            process.wait()
            raise BeyondLimit(reason, cpu)
        time.sleep(LOOK)


def _environment() -> dict[str, str]:
    """Let Python keep what it compiled, as every installed package has it."""
    unwanted = "PYTHONDONTWRITEBYTECODE"
    return {name: text for name, text in os.environ.items() if name != unwanted}


def write_table(question: str, path: Path) -> None:
    """Write the people of a question, always the same."""
    asked = QUESTIONS[question]
    region = f"'region ' || (range % {asked.groups})"
    if question in ("modest", "by_hand"):
        region = f"'region ' || ({_modest_number()})"
    more = [f"{region} AS region"]
    if asked.most_rows is not None:
        more = [f"CAST(hash(range) % {PEOPLE} AS INTEGER) AS person"]
    write_people(str(path), asked.rows, ", ".join(more))


def _modest_number() -> str:
    """Number the groups of all sizes, one size after the other, in SQL."""
    row = group = 0
    words = "CASE"
    for groups, rows in MODEST:
        words += f" WHEN range < {row + groups * rows}"
        words += f" THEN {group} + (range - {row}) // {rows}"
        row, group = row + groups * rows, group + groups
    return f"{words} END"
