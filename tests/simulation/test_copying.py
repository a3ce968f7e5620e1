"""Copies of the caller do our own work, hear no signal of its, and end with it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dpratio.simulation.copying import Way
from dpratio.simulation.worker import Order, Worker, written

SOURCE = Path(__file__).parents[2] / "src"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere workers are fresh processes"
)


def say(script: str) -> list[str]:
    """Run a script in a process that has one thread, as a test may not have."""
    path = os.pathsep.join([str(SOURCE), str(SOURCE.parent / "tests")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


CHOSEN = """
import os, sys, threading, time
from functools import partial
import numpy as np
from crew_tasks import squared
from dpratio.simulation.copying import loading, way_for
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.worker import written

def own(task):
    return task

ours = PaperPopulation()
say = lambda work: print(way_for(written(work).packages).name)
say(ours)
with loading(way_for({"dpratio"})):
    say(ours)  # SciPy is being loaded by a thread.
    assert sys.getswitchinterval() < 0.001
assert sys.getswitchinterval() == 0.005
assert "scipy.special" in sys.modules
say(ours)
say(partial(np.sum, initial=np.float64(1)))
say(partial(map, squared))
say(own)
threading.Thread(target=time.sleep, args=(1,)).start()
say(ours)
"""


@pytest.mark.slow
def test_only_our_own_work_of_a_single_thread_is_given_to_copies() -> None:
    ways = ["BARE_COPY", "FRESH", "COPY", "COPY", *["FRESH"] * 3]
    assert say(CHOSEN) == ways


SHARED = """
import math, os, time
from crew_tasks import doer
from dpratio.simulation.crew import crew_of

def hired(work, task):
    crew.do(work, [task] * 40, people=math.inf)
    return {each.process.pid for each in crew._hired}

with crew_of(2) as crew:
    bare, copies, same = (hired(time.sleep, 0.01) for _ in range(3))
    print(len(bare & copies), len(copies & same))
    print({len(os.listdir(f"/proc/{each}/task")) for each in same})
    fresh = hired(doer, 1)
    print(len(same & fresh), len(fresh & hired(time.sleep, 0.01)))
print(sum(os.path.exists(f"/proc/{each}") for each in bare | same | fresh))
"""


@pytest.mark.slow
def test_workers_are_changed_where_others_are_better_or_safer() -> None:
    """Bare copies give way to full ones, and these to fresh ones for any work."""
    shared = ["0", "2"]
    assert say(SHARED) == [*shared, "{1}", *shared, "0"]


def test_a_copy_does_not_answer_for_its_caller() -> None:
    """The caller's own way with SIGTERM is not the copy's."""
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        worker = Worker.start(Way.COPY)
        assert worker is not None
        order = written(os.readlink)
        assert order is not None
        assert worker.tell(Order(1, order.work))
        assert worker.hear() is not None
        os.kill(worker.process.pid or 0, signal.SIGTERM)
        assert worker.hear() is None
        worker.process.join()
        assert worker.process.exitcode == -signal.SIGTERM
        worker.end()
    finally:
        signal.signal(signal.SIGTERM, before)


SLEEPERS = """
import os
from dpratio.simulation.crew import crew_of

with crew_of(3) as crew:
    crew.do(os.system, ["echo $PPID >&2; sleep 0.1"] * 9999, people=1e9)
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_copies_end_with_their_caller(stop: signal.Signals) -> None:
    """Each would hold the pipes of those before it open, were they not closed."""
    pids: set[int] = set()
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPERS],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as caller:
        assert caller.stderr is not None
        while len(pids - {caller.pid}) < 3:
            pids.add(int(caller.stderr.readline()))
        os.kill(caller.pid, stop)
        caller.communicate(timeout=120)  # What is said ends when all of them have.
