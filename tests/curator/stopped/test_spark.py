"""Signals at every stage of a release on Spark: no job runs on, and all is told."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from curator.stopped.stages import STAGES, surroundings
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.release.release import id_of

LONGEST = 300


def is_running(process: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2]
    except OSError:
        return False
    return state.split()[0] != "Z"


@pytest.mark.outside
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_interrupts_cancel_jobs_and_a_killed_driver_leaves_nothing(
    tmp_path: Path,
) -> None:
    """Ctrl-C at every stage in one application, and then SIGTERM while a query runs."""
    command = [sys.executable, "-m", "curator.stopped.on_spark", str(tmp_path)]
    pipe = subprocess.PIPE
    given = surroundings() | {"SPARK_LOCAL_IP": "127.0.0.1"}
    child = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=given)
    assert child.stdout is not None
    lines = []
    for line in child.stdout:
        lines.append(json.loads(line))
        if "java" in lines[-1]:
            break
    *stages, last = lines
    java = last["java"]
    child.send_signal(signal.SIGTERM)
    _, error = child.communicate(timeout=LONGEST)
    begun = time.monotonic()
    while is_running(java) and time.monotonic() - begun < 30:
        time.sleep(0.1)
    assert not is_running(java)
    assert child.returncode == -signal.SIGTERM, error
    assert f"Release {id_of('the last')} stays charged" in error
    assert [each["stage"] for each in stages] == list(STAGES)
    for found, (_, status) in zip(stages, STAGES.values(), strict=True):
        assert found["active"] == 0
        assert len(found["notes"]) == 1
        gone = status == "opened"
        assert found["again"] == ("refused" if gone else "published")
        assert ("stays charged" in found["notes"][0]) == gone
    book = Ledger(tmp_path / "dpratio.db")
    assert book.account().spent.loss == len(STAGES) + 1
    assert not verify_ledger(book).wrong
