"""Processes share the work, change nothing but speed, and end with their caller."""

import math
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from crew_tasks import (
    Refusal,
    die_unless_in,
    doer,
    nested,
    refuse_three,
    squared,
    started_crew,
)
from dpratio.errors import InvalidInput
from dpratio.simulation.crew import ALONE, crew_of

TESTS = Path(__file__).parents[1]
LARGE = math.inf


def test_results_come_in_the_order_of_the_tasks() -> None:
    told: list[int] = []
    with crew_of(3) as crew:
        first = crew.do(squared, range(50), people=LARGE, tick=lambda: told.append(1))
        second = crew.do(math.sqrt, first, people=0)
    assert second == list(range(50))
    assert len(told) == 50


def test_workers_do_the_tasks_of_large_work() -> None:
    with started_crew() as crew:
        done = set(crew.do(doer, range(12), people=0))
    assert len(done) <= 2  # A busy machine may let one of them do everything.
    assert os.getpid() not in done


@pytest.mark.parametrize("workers", [1, 4])
def test_small_work_and_one_worker_start_nothing(workers: int) -> None:
    with crew_of(workers) as crew:
        small = crew.do(doer, range(3), people=0 if workers > 1 else LARGE)
    assert set(small) == {os.getpid()}
    assert set(ALONE.do(doer, range(2), people=LARGE)) == {os.getpid()}


def test_work_that_cannot_be_sent_is_done_by_the_caller() -> None:
    with crew_of(2) as crew:
        assert set(crew.do(lambda _: os.getpid(), range(5), people=LARGE)) == {
            os.getpid()
        }


def test_an_error_is_raised_as_it_is() -> None:
    with started_crew() as crew, pytest.raises(Refusal, match="three is too many"):
        crew.do(refuse_three, range(400), people=LARGE)


def test_what_dead_workers_had_is_done_by_the_caller() -> None:
    work = partial(die_unless_in, os.getpid())
    with started_crew() as crew:
        assert crew.do(work, range(9), people=LARGE) == list(range(9))
        assert crew.do(squared, range(9), people=LARGE) == [n**2 for n in range(9)]


def test_a_worker_has_no_workers_of_its_own() -> None:
    with started_crew() as crew:
        for done_by in crew.do(nested, range(4), people=LARGE):
            assert len(set(done_by)) == 1


def test_no_workers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="workers must be at least 1, got 0"):
        crew_of(0).__enter__()


SCRIPT = """
import os
from dpratio.simulation.crew import crew_of
from crew_tasks import doer

def own(task):
    return os.getpid()

print("started")
with crew_of(2) as crew:
    assert set(crew.do(own, range(200), people=1e9)) == {os.getpid()}
    while len({*crew.do(doer, range(4), people=1e9)} - {os.getpid()}) < 2:
        pass
print("ended")
"""


@pytest.mark.parametrize("is_file", [True, False])
def test_a_script_without_a_guard_runs_once(tmp_path: Path, *, is_file: bool) -> None:
    """Its own functions cannot be imported by workers, and what it imports can."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script) if is_file else "-"],
        input=None if is_file else SCRIPT,
        env=os.environ | {"PYTHONPATH": path_for_workers()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["started", "ended"]
    assert done.stderr == ""


SLEEPERS = """
from dpratio.simulation.crew import crew_of
from crew_tasks import sleep_and_say

with crew_of(2) as crew:
    crew.do(sleep_and_say, [0.1] * 9999, people=1e9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it sends POSIX signals")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_caller(stop: signal.Signals) -> None:
    """Ctrl-C goes to the whole group; a kill to the caller alone."""
    pids: set[int] = set()
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPERS],
        env=os.environ | {"PYTHONPATH": path_for_workers()},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as caller:
        assert caller.stderr is not None
        while len(pids - {caller.pid}) < 2:
            pids.add(int(caller.stderr.readline()))
        if stop == signal.SIGINT:
            os.killpg(caller.pid, stop)
        else:
            caller.kill()
        said = caller.stderr.read()
    assert said.count("Traceback") == (stop == signal.SIGINT)
    for pid in pids:
        wait_until_gone(pid)


def wait_until_gone(pid: int) -> None:
    for _ in range(1_200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} is still there")


def path_for_workers() -> str:
    return os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
