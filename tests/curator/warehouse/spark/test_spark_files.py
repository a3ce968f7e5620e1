"""Spark trusts one file for all: what others say differently is refused beforehand."""

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.errors import SchemaRefused
from dpratio.terms.groups import Groups, Keys

Spark = Any

ENDS = [2**63 - 1, -(2**63), 0, -1, 10**16, -(10**16)]
DAYS = [2**31 - 1, -(2**31), 0, -719_529, 2_932_897, -141_428]
DAY = dt.date(1970, 1, 1)


def write(folder: Path, name: str, **columns: Any) -> None:  # noqa: ANN401
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / f"{name}.parquet")


def test_no_day_or_time_stops_spark(session: Spark, files: Path) -> None:
    """Every physical time at its ends, all in one question: each row has its day."""
    many = len(ENDS)
    cells = {
        "micros": pa.array(ENDS, pa.int64()).view(pa.timestamp("us")),
        "zoned": pa.array(ENDS, pa.int64()).view(pa.timestamp("us", "UTC")),
        "day": pa.array(DAYS, pa.int32()).view(pa.date32()),
    }
    write(files / "ends", "a", score=[0.5] * many, label=[1] * many, **cells)
    frame = session.read.parquet(str(files / "ends"))
    keys = [Keys(name, [DAY, None]) for name in cells]
    plan = plan_of(groups=Groups.cross(*keys))
    counts = [row[0] >> 24 for row in exact(frame, plan, "auto")]
    assert counts[0] == 1  # All three are of the first of January 1970.
    assert counts[-1] == 2  # Two are off the calendar, and three have other keys.
    assert sum(counts) == 3


def test_times_in_milliseconds_are_refused_by_their_type(
    session: Spark, files: Path
) -> None:
    seen = pa.array([0], pa.int64()).view(pa.timestamp("ms"))
    write(files / "millis", "a", score=[0.5], label=[1], seen=seen)
    frame = session.read.parquet(str(files / "millis"))
    assert exact(frame, plan_of(), "auto")[0][0] == 1 << 24
    plan = plan_of(groups=Groups.cross(Keys("seen", [DAY])))
    with pytest.raises(SchemaRefused, match="'seen' is timestamp in milliseconds"):
        open_table(frame, asked(plan), "auto")


def test_files_behind_a_cached_frame_are_looked_at(session: Spark, files: Path) -> None:
    """A far time stops whoever fills the cache, whichever column is asked for."""
    far = pa.array([2**62], pa.int64()).view(pa.timestamp("ms"))
    write(files / "cached", "a", score=[0.5], label=[1], seen=far)
    read = session.read.parquet(str(files / "cached"))
    planned = read.select("score", "label")
    assert exact(planned, plan_of(), "auto")[0][0] == 1 << 24
    try:
        for frame in (read.cache(), read.repartition(2).cache(), planned):
            with pytest.raises(SchemaRefused, match="'score' is cached together with"):
                open_table(frame, asked(plan_of()), "auto")
    finally:
        session.catalog.clearCache()
    kept = read.select("score", "label").cache()
    assert exact(kept, plan_of(), "auto")[0][0] == 1 << 24
    kept.unpersist()


def test_files_are_looked_at_by_either_reader_of_spark(
    session: Spark, files: Path
) -> None:
    seen = pa.array([0], pa.int64()).view(pa.timestamp("ms"))
    write(files / "either", "a", score=[0.5], label=[1], seen=seen)
    newer = session.newSession()
    newer.conf.set("spark.sql.sources.useV1SourceList", "")
    frame = newer.read.parquet(str(files / "either"))
    plan = plan_of(groups=Groups.cross(Keys("seen", [DAY])))
    with pytest.raises(SchemaRefused, match="'seen' is timestamp in milliseconds"):
        open_table(frame, asked(plan), "auto")
    written = newer.createDataFrame([(0.5, 1)], "score double, label int")
    written.write.csv(str(files / "either_csv"), header=True)
    other = newer.read.csv(str(files / "either_csv"), "score double, label int")
    open_table(other, asked(plan_of()), "auto")


@pytest.mark.parametrize("newer", ["renamed", "of another type", "wider"])
def test_a_column_that_differs_between_files_is_refused(
    newer: str, session: Spark, files: Path
) -> None:
    folder = files / newer.replace(" ", "_")
    write(folder, "a", score=[0.5], label=[1], extra=[1], other=[1])
    changed: dict[str, Any] = {
        "renamed": {"points": [0.5]},
        "of another type": {"score": ["0.5"]},
        "wider": {"score": pa.array([0.5], pa.float32())},
    }
    write(folder, "b", label=[1], extra=[1], other=["x"], **changed[newer])
    frame = session.read.parquet(str(folder / "a.parquet"), str(folder / "b.parquet"))
    with pytest.raises(SchemaRefused, match="'score' is missing or of another type"):
        open_table(frame, asked(plan_of()), "auto")
    renamed = frame.selectExpr("score AS mine", "label", "other")
    plan = plan_of(names=("mine", "label", "", ""))
    with pytest.raises(SchemaRefused, match="'mine' is missing or of another type"):
        open_table(renamed, asked(plan), "auto")
    # Columns that are not asked for may differ.
    kept = plan_of(names=("extra", "label", "", ""))
    assert exact(frame, kept, "auto")[0][0] == 2 << 24
