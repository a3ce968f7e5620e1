"""Whatever a document holds, reading it gives a value or a documented error.

Each reader runs in processes of its own (`fuzz.child`), under limits of memory and time
and with an ear for anything that would be executed, sent or written. A few hundred
inputs here; 100,000 for each reader under ``make soak``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from soak import IS_SOAK

TESTS = Path(__file__).parent.parent

# Inputs of each reader now; and of a family of readers in a soak.
READERS = {
    "release_json": (150, 100_000),
    "plan_file": (125, 100_000),
    "study_file": (150, 100_000),
    "ledger_file": (100, 60_000),
    "anchor_file": (100, 40_000),
    "commands": (60, 20_000),
}
MOST_AT_ONCE = 2_500  # Hypothesis remembers what it tried, and memory is limited.


def run_child(*words: str) -> subprocess.CompletedProcess[str]:
    search = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": search, "OMP_NUM_THREADS": "1"},
        cwd=TESTS,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )


@pytest.mark.parametrize("reader", READERS)
def test_no_input_crashes_a_reader_holds_it_up_or_runs_anything(reader: str) -> None:
    wanted = READERS[reader][IS_SOAK]
    read = 0
    for start in range(0, wanted, MOST_AT_ONCE):
        few = min(MOST_AT_ONCE, wanted - start)
        done = run_child("-m", "fuzz.child", reader, str(few), str(start))
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"[-6000:]
        tried, accepted = map(int, done.stdout.split())
        assert 0 < accepted <= tried
        read += tried
    assert read >= wanted


RUN_BY_A_READER = {
    "a compiled text": "compile('1', 'x', 'eval')",
    "an evaluated text": "eval('1')",
    "an imported module": "import wave",
    "a process": "import subprocess; subprocess.run(['true'])",
    "a command": "import os; os.system('true')",
    "a socket": "import socket; socket.socket()",
    "a file that is written": "open(os.devnull, 'w')",
    "a pickle": "import pickle; pickle.loads(pickle.dumps(os.getcwd))",
}


@pytest.mark.parametrize("what", RUN_BY_A_READER)
def test_what_a_reader_may_not_do_is_heard(what: str) -> None:
    script = f"""
import os
from fuzz.audit import DangerousEvent, audited
try:
    with audited():
        {RUN_BY_A_READER[what]}
except DangerousEvent:
    print("heard")
"""
    assert run_child("-c", script).stdout == "heard\n"


LIMITS = {
    "memory": ("child.limit_memory(); bytearray(2 * 2**30)", "MemoryError"),
    "time": ("child.SECONDS = 0.2\n    while True: pass", "TooSlow"),
}


@pytest.mark.parametrize("what", LIMITS)
def test_a_reader_that_takes_too_much_is_stopped(what: str) -> None:
    body, error = LIMITS[what]
    script = f"""
import signal
from fuzz import child
signal.signal(signal.SIGPROF, child._too_slow)
child.SECONDS = 0.5
with child.limited_time():
    {body}
"""
    assert error in run_child("-c", script).stderr
