"""dpratio beside what one would use instead: the same file, sums, keys and epsilon.

``make bench-peers`` runs it; bench/peers holds one script per tool, and each has a
virtual environment of its own. Every release is made in a fresh process, in turn with
one of dpratio's, and the least CPU counts. ``cpu`` is that of the whole process and
all that it started, a JVM included; ``work_cpu`` is without interpreter, imports and
the start of Spark. A tool that goes beyond a limit is reported so, and is not asked
the same of more groups.
"""

import math
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figure import Figure
from peer_process import OURS, PEERS, BeyondLimit, NotRun, Peer, measured, write_table
from question import TRUE_RATIO, WHOLE

QUESTIONS = ("1_group", "1000_groups", "1000000_groups", "people")
MEASURABLE = "1000_groups"  # Enough groups to measure noise: to some 4 %.

Exact = dict[str, tuple[float, float]]  # Both sums without noise, per key.
Run = dict[str, Any]


def figures() -> Iterator[Figure | str]:
    """Measure all tools in turn; one that cannot be run says why."""
    yield Figure("load_average_before", os.getloadavg()[0], "<=0.5")
    beyond: dict[str, str] = {}
    for question in QUESTIONS:
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "people.parquet"
            write_table(question, table)
            for peer in PEERS:
                name = f"{question}_{peer.name}_cpu_over_dpratio"
                if peer.name in beyond and question != "people":
                    yield Figure(name, math.inf, f"not tried: {beyond[peer.name]}")
                    continue
                try:
                    yield from _beside(peer, question, table)
                except BeyondLimit as reason:
                    beyond[peer.name] = f"{reason}, with fewer groups"
                except NotRun as reason:
                    yield Figure(name, math.nan, f"not run: {reason}")


def _beside(peer: Peer, question: str, table: Path) -> Iterator[Figure | str]:
    """Measure a tool, each time right after dpratio: loads come and go."""
    name = f"{question}_{peer.name}"
    ours, theirs = [], []
    for _ in range(peer.rounds):
        ours.append(measured(OURS, question, table))
        try:
            theirs.append(measured(peer, question, table))
        except BeyondLimit as reason:
            least = reason.cpu / ours[-1]["cpu_s"]
            words = f"at least: it was stopped, {reason}"
            yield Figure(f"{name}_dpratio_cpu_s", ours[-1]["cpu_s"], "-")
            yield Figure(f"{name}_cpu_over_dpratio", least, words)
            raise
    yield f"# {name}: {_versions(theirs[0])}; beside {_versions(ours[0])}"
    for each in ("cpu", "work_cpu"):
        cpu = [min(run[f"{each}_s"] for run in runs) for runs in (ours, theirs)]
        yield Figure(f"{name}_dpratio_{each}_s", cpu[0], "-")
        yield Figure(f"{name}_{each}_over_dpratio", cpu[1] / cpu[0], "-")
    memory = [max(run["memory_gb"] for run in runs) for runs in (ours, theirs)]
    yield Figure(f"{name}_dpratio_memory_gb", memory[0], "-")
    yield Figure(f"{name}_memory_over_dpratio", memory[1] / memory[0], "-")
    for stage in theirs[0]["stages"]:
        least_s = min(run["stages"][stage] for run in theirs)
        yield Figure(f"{name}_{stage}", least_s, "-")
    contrast = [run[0]["contrast_sd"] for run in (ours, theirs)]
    yield Figure(f"{name}_dpratio_contrast_noise_sd", contrast[0], "-")
    over = contrast[1] / contrast[0]
    yield Figure(f"{name}_contrast_noise_over_dpratio", over, "-")
    if question == MEASURABLE:
        exact = exact_sums(table)
        sds = [_noise(run[0], exact) for run in (ours, theirs)]
        yield Figure(f"{name}_dpratio_contrast_noise_sd_measured", sds[0], "-")
        over = sds[1] / sds[0]
        yield Figure(f"{name}_contrast_noise_over_dpratio_measured", over, "-")
    if question == "people":
        lost = 1 - theirs[0]["score"][WHOLE] / ours[0]["score"][WHOLE]
        yield Figure(f"{name}_lost_of_sum", lost, "-")


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {number}" for name, number in run["versions"].items())


def exact_sums(table: Path) -> Exact:
    """Add up both sums of every group without noise."""
    import duckdb

    rows = duckdb.execute(
        f"SELECT region, sum(weight * score), sum(weight * label) FROM '{table}' "
        "GROUP BY region"
    ).fetchall()
    return {region: (score, label) for region, score, label in rows}


def _noise(run: Run, exact: Exact) -> float:
    """Measure the noise of Σ weight·(score − r·label), on which the ratio r rests."""
    if missing := exact.keys() - run["score"].keys():
        raise NotRun(f"it left out {len(missing)} keys")
    errors = [
        run["score"][key] - score - TRUE_RATIO * (run["label"][key] - label)
        for key, (score, label) in exact.items()
    ]
    return math.sqrt(sum(each * each for each in errors) / len(errors))
