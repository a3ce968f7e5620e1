"""CPU time of processes: on a busy machine wall time says little."""

import os
import statistics
from collections.abc import Callable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def run_pairs(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    clock: Callable[[], float],
    *,
    warm_up: int,
    pairs: int,
) -> tuple[float, float]:
    """Do two tasks in turn, after runs of each that do not count.

    Returns:
        The median time of ours, and the median of the ratios of neighbouring runs.
    """
    times, ratios = [], []
    for _ in range(warm_up + pairs):
        start = clock()
        ours()
        between = clock()
        theirs()
        times.append(between - start)
        ratios.append(times[-1] / (clock() - between))
    return statistics.median(times[warm_up:]), statistics.median(ratios[warm_up:])


def of_spark() -> float:
    """Give the CPU time of Python and of the driver that it started."""
    return _of(os.getpid()) + of_children(os.getpid())


def of_all(process: int) -> float:
    """Give the CPU time of a process and of all that it started and that run."""
    return _of(process) + sum(map(of_all, _children(process)))


def of_children(process: int) -> float:
    """Give the CPU time of the children that run."""
    return sum(map(_of, _children(process)))


def _children(process: int) -> list[int]:
    running = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
    return [each for each in running if _words(each)[1:2] == [str(process)]]


def _of(process: int) -> float:
    return sum(map(int, _words(process)[11:13])) / _TICKS


def _words(process: int) -> list[str]:
    """Give what the kernel says behind the name; nothing of one that has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()
