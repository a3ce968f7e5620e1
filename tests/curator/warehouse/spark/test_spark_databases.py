"""Tables of a cluster by its address: of an application that runs, and of our own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.table_sources import write_wrong_statistics
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, LedgerRefused, SchemaRefused
from dpratio.terms.budget import Budget
from dpratio.terms.source import DatabaseTable
from planned import question_text
from spark_cluster import Cluster

CELLS = [[2 << 24, 2 << 24, 5 << 22, 13 << 20, 5 << 22]]

STUDY = """
[data]
url = "{url}"
path = "{path}"
{question}
[privacy]
epsilon = 8
"""


@pytest.fixture(scope="module")
def tables(session: Any) -> Iterator[None]:  # noqa: ANN401
    """A table, a view of it, and a table that only looks like one."""
    session.sql("CREATE SCHEMA a")
    rows = session.createDataFrame(
        [(0.5, 1, "north"), (0.25, 0, "south"), (0.75, 1, "north")],
        "score double, label int, region string",
    )
    rows.write.format("parquet").saveAsTable("a.loans")
    rows.write.format("csv").saveAsTable("a.texts")
    session.sql("CREATE VIEW a.north AS SELECT score, label FROM a.loans")
    yield
    session.sql("DROP SCHEMA a CASCADE")


@pytest.mark.usefixtures("tables")
def test_tables_are_read_and_nothing_else_is(
    spark_cluster: Cluster,
    session: Any,  # noqa: ANN401
) -> None:
    url, before = spark_cluster.url, dict(session.conf.getAll)
    plan = plan_of(keys=["north"])
    assert exact(DatabaseTable(url, table="a.loans"), plan, "auto") == CELLS
    with pytest.raises(SchemaRefused, match="is no table of the database"):
        exact(DatabaseTable(url, table="a.texts"), plan_of(), "auto")
    with pytest.raises(SchemaRefused, match="is a view"):
        exact(DatabaseTable(url, table="a.north"), plan_of(), "auto")
    with pytest.raises(FileRefused, match="there is no table"):
        exact(DatabaseTable(url, table="a.nothing"), plan_of(), "auto")
    with pytest.raises(FileRefused, match="no Parquet files"):
        exact(DatabaseTable(url, path="/no/such/folder"), plan_of(), "auto")
    with pytest.raises(FileRefused, match="no database answers"):
        exact(DatabaseTable("spark://elsewhere:7077", table="a"), plan_of(), "auto")
    # The application is the user's: neither changed nor stopped.
    assert dict(session.conf.getAll) == before
    assert session.sql("SELECT 1").collect()[0][0] == 1


@pytest.mark.usefixtures("session")
def test_a_condition_is_asked_of_rows_and_never_of_statistics(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    """A file whose statistics leave a row out gives that row all the same."""
    path = tmp_path / "wrong.parquet"
    write_wrong_statistics(path, "double", label=[1, 1])
    for where, rows in (
        (["score", ">", 1000000], 1),
        (["score", "<", 1000000], 1),
        (["label", "=", 1], 2),
    ):
        source = DatabaseTable(spark_cluster.url, path=str(path), where=[where])
        assert exact(source, plan_of(), "auto")[0][0] == rows << 24, where


def test_a_study_runs_as_an_application_of_its_own_and_stops_it(
    spark_cluster: Cluster,
    session: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    path = tmp_path / "people"
    rows = [(0.5, 1), (0.25, 0)] * 500
    session.createDataFrame(rows, "score double, label int").write.parquet(str(path))
    here = DatabaseTable(spark_cluster.url, path=str(path))
    assert exact(here, plan_of(), "auto")[0][0] == 1000 << 24
    study = STUDY.format(url=spark_cluster.url, path=path, question=question_text())
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    Ledger(tmp_path / "dpratio.db").open_scope(Scope("people", Budget(9)))
    conf = "--conf spark.executor.memory=512m --conf spark.cores.max=1 pyspark-shell"
    surroundings = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": conf}
    done = subprocess.run(
        [sys.executable, "-m", "dpratio", "release", "study.toml", "-o", "out.json"],
        cwd=tmp_path,
        env={**os.environ, **surroundings},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stderr
    released = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert released
    [held] = Ledger(tmp_path / "dpratio.db").account().releases.values()
    assert held.state == "published"


@pytest.mark.usefixtures("tables")
def test_a_session_and_the_address_of_its_cluster_are_one_place(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    book = Ledger(tmp_path / "budget.db")
    for scope in ("loans", "cards"):
        book.open_scope(Scope(scope, Budget(99)))
    active = DatabaseTable("spark://active", table="a.loans")
    named = DatabaseTable(spark_cluster.url, table="a.loans")
    release_sums(active, plan_of(), ledger=book, scope="loans")
    with pytest.raises(LedgerRefused, match="charged to another scope, 'loans'"):
        release_sums(named, plan_of(), ledger=book, scope="cards")
    release_sums(named, plan_of(), ledger=book, scope="loans")
