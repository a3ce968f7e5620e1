"""CPU time of processes: on a busy machine wall time says little."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def of_spark() -> float:
    """Give the CPU time of Python and of the driver that it started."""
    return _of(os.getpid()) + of_children(os.getpid())


def of_children(process: int) -> float:
    """Give the CPU time of the children that run."""
    seconds = 0.0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text(encoding="utf-8")
            if stat.rpartition(")")[2].split()[1] == str(process):
                seconds += _of(int(entry.name))
        except OSError:  # It has ended meanwhile.
            continue
    return seconds


def _of(process: int) -> float:
    stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    words = stat.rpartition(")")[2].split()
    return sum(map(int, words[11:13])) / _TICKS
