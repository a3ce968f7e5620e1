"""Frames that read a file or a table more than once are refused, before the charge."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import ROW, asked, exact, plan_of
from curator.warehouse.spark.frames_for_tests import Frame, Session
from dpratio.curator.choose_engine import open_table
from dpratio.curator.sql.spark_frames import frame_reads
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable
from spark_cluster import Cluster

ROWS = pa.table({"score": [0.5, 0.25], "label": [1, 0]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file in two folders' reach, and another one."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        pq.write_table(ROWS, tmp_path / name / "x.parquet")
    return tmp_path


def rows_of(source: Any) -> int:  # noqa: ANN401
    return exact(source, plan_of(), "auto")[0][0] // ROW


def refused(source: Any) -> None:  # noqa: ANN401
    with pytest.raises(SchemaRefused, match="reads a file or a table more than once"):
        open_table(source, asked(plan_of()), "auto")


def test_a_file_that_a_frame_reads_again_is_seen(
    session: Session, folder: Path
) -> None:
    (folder / "latest").symlink_to(folder / "b")
    os.link(folder / "a" / "x.parquet", folder / "a" / "again.parquet")
    read, one = session.read.parquet, f"{folder}/a/x.parquet"
    assert rows_of(read(one)) == 2
    assert rows_of(read(f"{folder}/[ab]/x.parquet")) == 4
    assert rows_of(read(one).union(read(f"{folder}/b/x.parquet"))) == 4
    refused(read(one, one))
    refused(read(one, f"{folder}/{{a,a}}/x.*"))
    refused(read(f"{folder}/*/x.parquet"))
    refused(read(f"{folder}/a"))
    refused(session.read.option("recursiveFileLookup", "true").parquet(str(folder)))
    refused(read(one).union(read(one)))
    refused(read(one).where("score > 0").union(read(f"{folder}/a/*.parquet")))
    refused(read(one).join(read(one).select("score"), "score"))


def test_rows_and_tables_that_a_frame_reads_again_are_seen(
    session: Session, folder: Path
) -> None:
    frames: list[Frame] = [
        session.createDataFrame([(0.5, 1)], "score double, label int"),
        session.sql("SELECT * FROM VALUES (0.5D, 1), (0.5D, 1) AS t (score, label)"),
        session.read.parquet(f"{folder}/a/x.parquet").cache(),
        session.read.text(f"{folder}/a").selectExpr("0.5D AS score", "1 AS label"),
    ]
    session.sql("CREATE TABLE again USING parquet AS SELECT 0.5D AS score, 1 AS label")
    frames.append(session.table("again"))
    frames[-1].createOrReplaceTempView("once")
    for frame in frames:
        open_table(frame, asked(plan_of()), "auto")
        refused(frame.union(frame))
    refused(session.sql("SELECT * FROM once UNION ALL SELECT * FROM again"))
    session.sql("DROP TABLE again")
    made = session.range(3).selectExpr("0.5D AS score", "1 AS label")
    assert list(frame_reads(made.union(made))) == []  # Its rows are about nobody.


def test_what_is_named_once_and_used_again_is_seen(
    session: Session, folder: Path
) -> None:
    """WITH and subqueries stand beside a plan's leaves."""
    session.read.parquet(f"{folder}/a/x.parquet").createOrReplaceTempView("named")
    start = "WITH part AS (SELECT * FROM named) SELECT * FROM part"
    assert rows_of(session.sql(start)) == 2
    for end in (
        "UNION ALL SELECT * FROM part",
        "WHERE score IN (SELECT score FROM part)",
        "WHERE score > (SELECT min(score) FROM named)",
    ):
        refused(session.sql(f"{start} {end}"))


def test_a_path_of_an_address_that_names_a_file_twice_is_refused(
    session: Session, spark_cluster: Cluster, folder: Path
) -> None:
    assert session.sparkContext.master == spark_cluster.url

    def at(path: str) -> DatabaseTable:
        return DatabaseTable(spark_cluster.url, path=f"{folder}/{path}")

    assert rows_of(at("[ab]/x.parquet")) == 4
    (folder / "latest").symlink_to(folder / "b")
    refused(at("*/x.parquet"))
    refused(at("[bl]*/x.parquet"))


def test_functions_of_a_session_do_not_stand_in_for_those_of_spark(
    session: Session,
) -> None:
    """Queries run in a session of our own, which has none."""
    impostor = session.newSession()
    impostor.udf.register("floor", lambda number: number * 1000, "double")
    assert impostor.sql("SELECT floor(0.5D)").head()[0] == 500
    frame = impostor.sql("SELECT 0.5D AS score, 1 AS label")
    assert exact(frame, plan_of(), "auto") == exact(
        {"score": [0.5], "label": [1]}, plan_of(), "python"
    )
