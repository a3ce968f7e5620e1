"""Days from before calendars changed, in files that Spark did not write."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import plan_of
from curator.warehouse.spark.frames_for_tests import Session, require_same

OLD = [
    dt.date(1, 1, 1),
    dt.date(1500, 1, 1),
    dt.date(1582, 10, 4),
    dt.date(1899, 12, 31),
]
DAYS = [*OLD, dt.date(2026, 1, 31)]
NAMES = ("score", "label", "weight", "seen")
SETTINGS = ("datetimeRebaseModeInRead", "int96RebaseModeInRead")


@pytest.mark.parametrize("mode", ["EXCEPTION", "LEGACY", "CORRECTED"])
@pytest.mark.parametrize("kind", ["date", "time", "int96"])
def test_an_old_day_stops_no_query_and_is_no_other_day(
    session: Session, files: Path, kind: str, mode: str
) -> None:
    """A session may be set to stop at old days, or to move them between calendars."""
    days = pa.array(DAYS, pa.date32())
    if kind != "date":
        days = days.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    table = pa.table(
        {"score": [0.5] * len(DAYS), "label": [1] * len(DAYS), "seen": days}
    )
    path = files / f"old-{kind}.parquet"
    pq.write_table(table, path, use_deprecated_int96_timestamps=kind == "int96")
    own = session.newSession()
    for setting in SETTINGS:
        own.conf.set(f"spark.sql.parquet.{setting}", mode)
    frame = own.read.parquet(str(path))
    counted = require_same(frame, table, plan_of(names=NAMES, keys=DAYS))
    assert [row[0] for row in counted] == [1 << 24] * len(DAYS)
