"""Workers that have started, and work that they can import."""

import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from dpratio.simulation.crew import Crew, crew_of


@contextmanager
def started_crew() -> Iterator[Crew]:
    """Two workers that are there; the caller works too until they are."""
    with crew_of(2) as crew:
        for _ in range(1_000):
            if len({*crew.do(doer, range(4), people=math.inf)} - {os.getpid()}) == 2:
                break
        yield crew


def squared(number: float) -> float:
    return number**2


def doer(_task: int) -> int:
    """Say which process does a task that takes a moment."""
    time.sleep(0.05)
    return os.getpid()


class Refusal(Exception):
    """An error that cannot be sent to another process."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


def refuse_three(number: int) -> int:
    if number == 3:
        raise Refusal("three", " is too many")
    return number


def die_unless_in(pid: int, task: int) -> int:
    if os.getpid() != pid:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def nested(_task: int) -> list[int]:
    """Try to have workers in a worker."""
    with crew_of(2) as crew:
        return [*crew.do(doer, range(2), people=math.inf), os.getpid()]


def sleep_and_say(seconds: float) -> None:
    sys.stderr.write(f"{os.getpid()}\n")
    sys.stderr.flush()
    time.sleep(seconds)
