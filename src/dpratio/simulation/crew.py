"""Share the tasks of a simulation between processes.

Threads would wait for the interpreter's lock. Only speed depends on the workers: what
they do not give back is done by the calling process. That may be because they cannot
read the work (a function of a notebook, a lambda), could not be started, or died.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from dpratio.checks import require
from dpratio.simulation.copying import Way, loading, way_for
from dpratio.simulation.worker import Order, Reply, Worker, wait_for, written

__all__ = ["ALONE", "Crew", "crew_of"]

Task = TypeVar("Task")
Done = TypeVar("Done")
# Fewer people are invented before two workers have started.
_WORTH_WORKERS = 2.5e7


class Crew:
    """Up to so many workers, started when they are worth it."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._orders = 0
        self._hired: list[Worker] = []
        self._way = Way.FRESH
        self._have_started = False

    def do(
        self,
        work: Callable[[Task], Done],
        tasks: Sequence[Task],
        *,
        people: float,
        tick: Callable[[], object] = int,
    ) -> list[Done]:
        """Do tasks in any order and give their results in order.

        Args:
            work: What is done with each task.
            tasks: What is handed out.
            people: How many people are invented in all, or could be in that time. A
                few are not worth starting workers.
            tick: Called here after each task, for progress.
        """
        sharing = _Sharing(work, tasks, tick)
        is_large = bool(self._hired) or people >= _WORTH_WORKERS
        order = written(work) if is_large and min(self._count, len(tasks)) > 1 else None
        if order is not None:
            self._hire(min(self._count, len(tasks)), way_for(order.packages))
            self._orders += 1
            given = Order(self._orders, order.work)
            with loading(self._way):
                self._have_started |= sharing.hand_out(
                    self._hired, given, have_started=self._have_started
                )
        return sharing.finish()

    def end(self) -> None:
        """End all workers at once."""
        self._have_started = False
        while self._hired:
            self._hired.pop().end()

    def _hire(self, wanted: int, way: Way) -> None:
        """Have so many workers; fresh ones suit any work, and copies some."""
        if way is not self._way and not (self._hired and self._way is Way.FRESH):
            self.end()
            self._way = way
        while len(self._hired) < wanted:
            worker = Worker.start(self._way)
            if worker is None:
                return
            self._hired.append(worker)


ALONE = Crew(1)


@contextmanager
def crew_of(workers: int | None) -> Iterator[Crew]:
    """Lend so many workers, by default one for each processor that may be used."""
    count = _processors() if workers is None else workers
    require(count >= 1, "workers must be at least 1", workers)
    crew = Crew(count)
    try:
        yield crew
    finally:
        crew.end()


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Sharing(Generic[Task, Done]):
    """Tasks that are left, with a worker, lost with one, or done."""

    def __init__(
        self,
        work: Callable[[Task], Done],
        tasks: Sequence[Task],
        tick: Callable[[], object],
    ) -> None:
        self._work, self._tasks, self._tick = work, tasks, tick
        self._left = deque(range(len(tasks)))
        self._lost: list[int] = []
        self._done: dict[int, Done] = {}
        # The place of the task that a worker does; at first it reads its order.
        self._busy: dict[Worker, int | None] = {}

    def finish(self) -> list[Done]:
        """Do what is left here, and give all results in order."""
        for place in [*self._left, *self._lost]:
            self._do_here(place)
        return [self._done[place] for place in range(len(self._tasks))]

    def hand_out(
        self, workers: list[Worker], order: Order, *, have_started: bool
    ) -> bool:
        """Give tasks to workers until all are done, or no worker can do one.

        As long as none has started the caller does tasks. Returns whether one has.
        """
        for worker in workers:
            if worker.tell(order):
                self._busy[worker] = None
        while self._busy and (self._left or self._is_waiting()):
            ready = wait_for(self._busy, seconds=None if have_started else 0)
            have_started = have_started or bool(ready)
            if not ready:
                self._do_here(self._left.popleft())
            for worker in ready:
                reply = worker.hear()
                # A worker that was still starting answers an order before this one.
                if reply is None or reply.order == order.number:
                    self._settle(worker, reply)
        return have_started

    def _is_waiting(self) -> bool:
        return any(place is not None for place in self._busy.values())

    def _settle(self, worker: Worker, reply: Reply | None) -> None:
        """Keep what a worker gave back, and give it the next task."""
        place = self._busy.pop(worker)
        is_fit = reply is not None and (reply.is_done or place is not None)
        if is_fit and self._left and worker.tell(self._tasks[self._left[0]]):
            self._busy[worker] = self._left.popleft()
        if place is None:
            return
        if reply is None:
            self._lost.append(place)
        elif reply.is_done:
            self._keep(place, reply.result)
        else:  # What fails there fails here too, where its error can be read.
            self._do_here(place)

    def _do_here(self, place: int) -> None:
        self._keep(place, self._work(self._tasks[place]))

    def _keep(self, place: int, result: Done) -> None:
        self._done[place] = result
        self._tick()
