"""Every way in which a study names Spark, as far as it can be gone here.

An application is the only one of its process, so that each has a process of its own.
Neither YARN nor Kubernetes is here: what is tried of them ends in a refusal.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import exact, plan_of
from dpratio.errors import FileRefused
from dpratio.terms.source import DatabaseTable
from planned import question_text
from spark_cluster import surroundings

_STUDY = """
[data]
url = "{url}"
path = "{path}"
{question}
[privacy]
epsilon = 0.5
"""


@pytest.fixture
def rows(tmp_path: Path) -> str:
    """A file of two rows."""
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"score": [0.5, 1.0], "label": [1, 1]}), path)
    return str(path)


def released(url: str, rows: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a study in a process of its own, without a ledger."""
    (folder / "study.toml").write_text(
        _STUDY.format(url=url, path=rows, question=question_text())
    )
    words = ("release", "study.toml", "-o", "r.json", "--no-ledger")
    command = [sys.executable, "-m", "dpratio", *words]
    env = {**surroundings(), "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("url", ["spark://local[*]", "spark://local[2]"])
def test_a_study_runs_on_this_machine(url: str, rows: str, tmp_path: Path) -> None:
    ended = released(url, rows, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("spark://yarn", "HADOOP_CONF_DIR or YARN_CONF_DIR"),
        ("spark://active", "this program has no session of Spark"),
        ("k8s://https://127.0.0.1:1", "spark-defaults.conf"),
    ],
)
def test_a_cluster_that_is_not_there_is_refused_with_what_to_do(
    url: str, said: str, rows: str, tmp_path: Path
) -> None:
    ended = released(url, rows, tmp_path)
    assert ended.returncode not in {0, 1}
    assert said in ended.stderr.replace("\n", " ")
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "r.json").exists()


def test_the_session_that_a_program_has_is_read(session: Any, rows: str) -> None:  # noqa: ANN401
    found = exact(DatabaseTable("spark://active", path=rows), plan_of(), "auto")
    assert found[0][0] == 2 << 24
    assert session.sql("SELECT 1").collect()[0][0] == 1
    with pytest.raises(FileRefused, match="spark://active is the one that is there"):
        exact(DatabaseTable("spark://local[2]", path=rows), plan_of(), "auto")
