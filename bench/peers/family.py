"""CPU time and memory of a process and of all that it started, a JVM included."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process: int | None = None) -> float:
    """Give the CPU seconds of a process, its descendants and those that ended."""
    return sum(sum(_stat(each)[11:15]) for each in family(process)) / _TICKS


def peak_gigabytes() -> float:
    """Give the most memory that this process and its descendants have held."""
    return sum(_status(each, "VmHWM") for each in family()) / 2**20


def held_gigabytes(process: int) -> float:
    """Give the memory that a process and its descendants hold now."""
    return sum(_status(each, "VmRSS") for each in family(process)) / 2**20


def family(process: int | None = None) -> set[int]:
    """Give a process, this one unless told, and its descendants that run."""
    numbers = [int(each.name) for each in Path("/proc").glob("[0-9]*")]
    parents = {number: (_stat(number) or [0, 0])[1] for number in numbers}
    found = {os.getpid() if process is None else process}
    while more := {n for n in numbers if parents[n] in found} - found:
        found |= more
    return found


def _stat(process: int) -> list[int]:
    """Give the numbers of a process, its state as 0; none where it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return [0, *map(int, text.rpartition(")")[2].split()[1:])]


def _status(process: int, name: str) -> int:
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(s.split()[1]) for s in text.splitlines() if name in s), 0)
