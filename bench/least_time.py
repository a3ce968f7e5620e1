"""The least time of a few rounds: what else the machine does only adds to it."""

import time
from collections.abc import Callable


def least_time(
    work: Callable[[], object],
    rounds: int,
    *,
    warm_up: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Do a task so often, after rounds that do not count; give the least time."""
    times = []
    for _ in range(warm_up + rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times[warm_up:])
