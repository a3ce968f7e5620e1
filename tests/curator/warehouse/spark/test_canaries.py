"""What a failing task says reaches no screen, no log of ours and no ledger."""

import json
import os
import subprocess
import sys
from pathlib import Path

from curator.warehouse.spark import failing
from curator.warehouse.spark.failing import MARK, WORD
from spark_cluster import Cluster

TESTS = Path(__file__).parents[3]


def test_a_release_that_fails_quotes_no_cell_and_is_charged_once(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    ledger = tmp_path / "budget.db"
    given = os.environ.get("PYTHONPATH")
    search = f"{TESTS}{os.pathsep}{given}" if given else str(TESTS)
    ran = subprocess.run(
        [sys.executable, failing.__file__, spark_cluster.url, str(ledger)],
        env={**os.environ, "PYTHONPATH": search, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=1200,
        check=True,
    )
    said, states, logged = json.loads(ran.stdout.splitlines()[0])
    assert said == [["EngineFailed", False]] * 3
    assert states == ["opened"] * 3
    ours, theirs = ran.stderr.split(MARK)
    assert WORD not in ours
    assert WORD in theirs
    assert WORD not in ran.stdout
    assert not logged
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert ledger in left
    for path in left:
        assert path.suffix == ".log" or WORD.encode() not in path.read_bytes()
