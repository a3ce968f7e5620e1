"""dpratio beside what one would use instead: the same file, sums, keys and epsilon.

``make bench-peers`` runs it; bench/peers holds one script per tool, and each has a
virtual environment of its own in build/peers. Every release is made in a fresh process,
in turn with one of dpratio's, and the least time counts: ``work`` is from the file to
released numbers, ``start`` is the interpreter, imports and Spark. The noise is
measured too: 1,000 groups give its standard deviation to some 4 %.
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figure import Figure

from release import ROWS, write

BENCH = Path(__file__).parent
PLACES = BENCH.parent / "build" / "peers"
PATIENCE = 900  # Seconds until a release is given up.
FASTER = ">=5"


@dataclass(frozen=True)
class Peer:
    """A tool: its environment, its script, and how often it is asked."""

    name: str
    script: str
    rounds: int
    rows: int = ROWS

    @property
    def python(self) -> Path:
        """Where its interpreter is, once ``make`` has set it up."""
        return PLACES / self.name / "bin" / "python"


OURS = "ours"
PEERS = (
    Peer("opendp", "opendp_polars", 3),
    Peer("diffprivlib", "diffprivlib_tools", 3),
    Peer("tumult", "tumult_spark", 2),
    Peer("smartnoise", "smartnoise_sql", 1),
    Peer("pipelinedp", "pipelinedp_local", 1),
)


class NotRun(Exception):
    """A tool gave no figures; the message says why in one line."""


def figures() -> Iterator[Figure]:
    """Measure all tools in turn; one that cannot be run says why."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / f"{ROWS}.parquet"
        write(str(whole))
        measured(sys.executable, OURS, whole)  # Warms the file cache.
        for peer in PEERS:
            table = whole if peer.rows == ROWS else _head(whole, peer.rows)
            try:
                yield from _beside(peer, table)
            except NotRun as reason:
                yield Figure(f"{peer.name}_work_s", math.nan, f"not run: {reason}")


def _beside(peer: Peer, table: Path) -> Iterator[Figure]:
    if not (PLACES / peer.name / ".ready").exists():
        raise NotRun("it could not be installed, see build/peers/*.log")
    pairs = [
        (
            measured(sys.executable, OURS, table),
            measured(str(peer.python), peer.script, table),
        )
        for _ in range(peer.rounds)
    ]
    exact = _exact(table)
    ours, theirs = (_best([pair[at] for pair in pairs]) for at in (0, 1))
    for name, run in ((f"{peer.name}_dpratio", ours), (peer.name, theirs)):
        yield Figure(f"{name}_rows", peer.rows, "-")
        for each in ("work_s", "start_s", "cpu_s", "memory_gb"):
            yield Figure(f"{name}_{each}", run[each], "-")
        for stage, seconds in run["stages"].items():
            yield Figure(f"{name}_{stage}", seconds, "-")
        yield Figure(f"{name}_noise_sd", run["noise_sd"], "-")
        score, residual = _noise(run, exact)
        yield Figure(f"{name}_noise_sd_measured", score, "-")
        yield Figure(f"{name}_residual_noise_sd_measured", residual, "-")
    work = theirs["work_s"] / ours["work_s"]
    yield Figure(f"{peer.name}_work_over_dpratio", work, FASTER)
    cpu = theirs["cpu_s"] / ours["cpu_s"]
    yield Figure(f"{peer.name}_cpu_over_dpratio", cpu, "-")
    total = _total(theirs) / _total(ours)
    yield Figure(f"{peer.name}_work_and_start_over_dpratio", total, "-")


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
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        raise NotRun(f"it took more than {PATIENCE} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["it stopped without a word"]
        raise NotRun(f"code {error.returncode}, {lines[-1][:200]}") from None
    result: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return result


def _best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return min(runs, key=lambda run: float(run["work_s"]))


def _total(run: dict[str, Any]) -> float:
    return float(run["work_s"] + run["start_s"])


def _head(whole: Path, rows: int) -> Path:
    """Write the first rows into a file of their own."""
    import duckdb

    part = whole.with_name(f"{rows}.parquet")
    duckdb.execute(
        f"COPY (SELECT * FROM '{whole}' LIMIT {rows}) TO '{part}' (FORMAT parquet)"
    )
    return part


def _exact(table: Path) -> dict[str, tuple[float, float]]:
    """Give both sums without noise, per key."""
    import duckdb

    rows = duckdb.execute(
        f"SELECT region, sum(weight * score), sum(weight * label) FROM '{table}' "
        "GROUP BY region"
    ).fetchall()
    return {region: (score, label) for region, score, label in rows}


def _noise(
    run: dict[str, Any], exact: dict[str, tuple[float, float]]
) -> tuple[float, float]:
    """Measure the noise of Σ weight·score and of Σ weight·(score − label)."""
    errors = [
        (run["score"][key] - score, run["label"][key] - label)
        for key, (score, label) in exact.items()
    ]
    score = math.sqrt(sum(s * s for s, _ in errors) / len(errors))
    residual = math.sqrt(sum((s - y) ** 2 for s, y in errors) / len(errors))
    return score, residual
