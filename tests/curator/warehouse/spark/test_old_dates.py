"""Days from before calendars changed, in files that Spark did not write."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import ROW, exact, plan_of
from curator.warehouse.spark.frames_for_tests import Session, Table, require_same
from dpratio.errors import SchemaRefused

OLD = [
    dt.date(1, 1, 1),
    dt.date(1500, 1, 1),
    dt.date(1582, 10, 4),
    dt.date(1899, 12, 31),
]
DAYS = [*OLD, dt.date(2026, 1, 31)]
NAMES = ("score", "label", "weight", "seen")
SETTINGS = ("datetimeRebaseModeInRead", "int96RebaseModeInRead")


def frame_of(session: Session, files: Path, kind: str) -> tuple[object, Table]:
    """A file that Arrow wrote, read by a session; and the table in it."""
    days = pa.array(DAYS, pa.date32())
    if kind != "date":
        days = days.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    many = len(DAYS)
    table = pa.table({"score": [0.5] * many, "label": [1] * many, "seen": days})
    path = files / f"old-{kind}.parquet"
    pq.write_table(table, path, use_deprecated_int96_timestamps=kind == "int96")
    return session.read.parquet(str(path)), table


@pytest.mark.parametrize("kind", ["date", "time", "int96"])
def test_an_old_day_stops_no_query_after_the_charge(
    session: Session, files: Path, kind: str
) -> None:
    """Files are read with the settings of the frame's session, one of which may stop.

    Such a session is refused by its settings, where days are asked for, and not by a
    row. One that moves days between calendars is read as it reads.
    """
    plan = plan_of(names=NAMES, keys=DAYS)
    frame, table = frame_of(session.newSession(), files, kind)
    counted = require_same(frame, table, plan)
    assert [row[0] for row in counted] == [ROW] * len(DAYS)
    for setting in SETTINGS:
        own = session.newSession()
        own.conf.set(f"spark.sql.parquet.{setting}", "EXCEPTION")
        frame, table = frame_of(own, files, kind)
        with pytest.raises(SchemaRefused, match="in a session that stops at old days"):
            exact(frame, plan, "auto")
        require_same(frame, table, plan_of())
        own.conf.set(f"spark.sql.parquet.{setting}", "LEGACY")
        assert exact(frame, plan, "auto")[-1][0] == ROW
