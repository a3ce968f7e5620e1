"""What a method takes: CPU seconds beside its intervals."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from dpratio.simulation.literature.interval import Interval

__all__ = ["Found", "join", "timed"]


@dataclass(frozen=True, slots=True)
class Found:
    """Intervals of some repetitions, and the CPU seconds that they took."""

    interval: Interval
    seconds: float


def timed(answer: Callable[[], Interval]) -> Found:
    """Answer, and say what it took."""
    start = time.process_time()
    interval = answer()
    return Found(interval, time.process_time() - start)


def join(parts: Sequence[Found]) -> Found:
    """Put answers behind each other."""
    columns = (
        np.concatenate([getattr(part.interval, each.name) for part in parts])
        for each in fields(Interval)
    )
    return Found(Interval(*columns), sum(part.seconds for part in parts))
