"""dpratio beside what one would use instead: the same file, sums, keys and epsilon.

``make bench-peers`` runs it; bench/peers holds one script per tool, and each has a
virtual environment of its own in build/peers. Every release is made in a fresh process,
in turn with one of dpratio's, and the least time counts: ``work`` is from the file to
released numbers, ``start`` is the interpreter, imports and Spark. The noise is
measured too: 1,000 groups give its standard deviation to some 4 %.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figure import Figure

from release import write

BENCH = Path(__file__).parent
PLACES = BENCH.parent / "build" / "peers"
PATIENCE = 900  # Seconds until a release is given up.
FASTER = ">=5"
ROUNDS = 3

Exact = dict[str, tuple[float, float]]  # Both sums without noise, per key.


@dataclass(frozen=True)
class Peer:
    """A tool: its environment, its script, and how often it is asked."""

    name: str
    script: str
    rounds: int

    @property
    def python(self) -> Path:
        """Where its interpreter is, once ``make`` has set it up."""
        return PLACES / self.name / "bin" / "python"


OURS = "ours"
PEERS = (
    Peer("opendp", "opendp_polars", ROUNDS),
    Peer("diffprivlib", "diffprivlib_tools", ROUNDS),
    Peer("tumult", "tumult_spark", 2),
    Peer("smartnoise", "smartnoise_sql", 1),
    Peer("pipelinedp", "pipelinedp_local", 1),
)


class NotRun(Exception):
    """A tool gave no figures; the message says why in one line."""


def figures() -> Iterator[Figure]:
    """Measure all tools in turn; one that cannot be run says why."""
    yield Figure("load_average_before", os.getloadavg()[0], "<=0.5")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "people.parquet"
        write(str(table))
        exact = _exact(table)
        ours = _best([measured(sys.executable, OURS, table) for _ in range(ROUNDS)])
        yield from _figures_of("dpratio", ours, exact)
        for peer in PEERS:
            try:
                yield from _beside(peer, table, exact)
            except NotRun as reason:
                yield Figure(f"{peer.name}_work_s", math.nan, f"not run: {reason}")


def _beside(peer: Peer, table: Path, exact: Exact) -> Iterator[Figure]:
    """Measure a tool, each time right after dpratio: loads come and go."""
    if not (PLACES / peer.name / ".ready").exists():
        raise NotRun("it could not be installed, see build/peers/*.log")
    pairs = [
        (
            measured(sys.executable, OURS, table),
            measured(str(peer.python), peer.script, table),
        )
        for _ in range(peer.rounds)
    ]
    ours, theirs = (_best([pair[at] for pair in pairs]) for at in (0, 1))
    yield from _figures_of(peer.name, theirs, exact)
    for each, target in (("work_s", FASTER), ("cpu_s", "-"), ("total_s", "-")):
        yield Figure(f"{peer.name}_dpratio_{each}", ours[each], "-")
        over = theirs[each] / ours[each]
        yield Figure(f"{peer.name}_{each[:-2]}_over_dpratio", over, target)


def _figures_of(name: str, run: dict[str, Any], exact: Exact) -> Iterator[Figure]:
    for each in ("work_s", "start_s", "cpu_s", "memory_gb"):
        yield Figure(f"{name}_{each}", run[each], "-")
    for stage, seconds in run["stages"].items():
        yield Figure(f"{name}_{stage}", seconds, "-")
    yield Figure(f"{name}_score_noise_sd", run["noise_sd"], "-")
    score, difference = _noise(run, exact)
    yield Figure(f"{name}_score_noise_sd_measured", score, "-")
    yield Figure(f"{name}_score_minus_label_noise_sd_measured", difference, "-")


def measured(python: str, script: str, table: Path) -> dict[str, Any]:
    """Run one release in a fresh process, in the folder of the table."""
    place = table.with_suffix(".json")
    place.unlink(missing_ok=True)
    command = [python, str(BENCH / "peers" / f"{script}.py"), str(table), str(place)]
    try:
        subprocess.run(
            [*command, str(time.monotonic())],
            check=True,
            capture_output=True,
            text=True,
            cwd=table.parent,
            env=_environment(),
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise NotRun(f"it took more than {PATIENCE} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["it stopped without a word"]
        raise NotRun(f"code {error.returncode}, {lines[-1][:200]}") from None
    result: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    result["total_s"] = result["start_s"] + result["work_s"]
    return result


def _environment() -> dict[str, str]:
    """Let Python keep what it compiled, as every installed package has it."""
    unwanted = "PYTHONDONTWRITEBYTECODE"
    return {name: text for name, text in os.environ.items() if name != unwanted}


def _best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return min(runs, key=lambda run: float(run["work_s"]))


def _exact(table: Path) -> Exact:
    import duckdb

    rows = duckdb.execute(
        f"SELECT region, sum(weight * score), sum(weight * label) FROM '{table}' "
        "GROUP BY region"
    ).fetchall()
    return {region: (score, label) for region, score, label in rows}


def _noise(run: dict[str, Any], exact: Exact) -> tuple[float, float]:
    """Measure the noise of Σ weight·score and of Σ weight·(score − label)."""
    if missing := exact.keys() - run["score"].keys():
        raise NotRun(f"it left out {len(missing)} keys")
    errors = [
        (run["score"][key] - score, run["label"][key] - label)
        for key, (score, label) in exact.items()
    ]
    score = math.sqrt(sum(s * s for s, _ in errors) / len(errors))
    difference = math.sqrt(sum((s - y) ** 2 for s, y in errors) / len(errors))
    return score, difference
