"""Time one release in the process that makes it, and write the figures down.

Called as ``SCRIPT TABLE FIGURES MOMENT``: the Parquet file, the JSON file to write,
and the monotonic moment at which the driver started this process.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Ready = TypeVar("Ready")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Released:
    """Noisy sums per key, the noise they are said to carry, and times of stages.

    ``noise_sd`` is that of Σ weight·score, as the tool states it or its documented
    scale implies; it is asked for after the clock has stopped.
    """

    score: dict[str, float]  # Σ weight·score
    label: dict[str, float]  # Σ weight·label
    noise_sd: Callable[[], float]
    stages: dict[str, float] = field(default_factory=dict)


def timed(release: Callable[[str, Ready], Released], ready: Ready) -> None:
    """Release once; ``ready`` is what takes long to start and belongs to no release."""
    table, figures, moment = sys.argv[1:]
    start, cpu = time.monotonic(), _cpu()
    released = release(table, ready)
    measured = {
        "start_s": start - float(moment),
        "work_s": time.monotonic() - start,
        "cpu_s": _cpu() - cpu,
        "memory_gb": sum(_peak(process) for process in _family()) / 2**20,
    }
    told = {
        "score": released.score,
        "label": released.label,
        "noise_sd": released.noise_sd(),
        "stages": released.stages,
    }
    Path(figures).write_text(json.dumps(measured | told), encoding="utf-8")


def _cpu() -> float:
    """Give the CPU seconds of this process, its descendants and those that ended."""
    return sum(sum(_stat(process)[11:15]) for process in _family()) / TICKS


def _family() -> Iterable[int]:
    numbers = [int(each.name) for each in Path("/proc").glob("[0-9]*")]
    parents = {number: (_stat(number) or [0, 0])[1] for number in numbers}
    family = {os.getpid()}
    while more := {n for n in numbers if parents[n] in family} - family:
        family |= more
    return family


def _stat(process: int) -> list[int]:
    """Give the numbers of a process, its state as 0; none where it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return [0, *map(int, text.rpartition(")")[2].split()[1:])]


def _peak(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(s.split()[1]) for s in text.splitlines() if "VmHWM" in s), 0)
