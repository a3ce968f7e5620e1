"""Times of every unit and zone find the same period everywhere."""

import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.agreement import Alike, Placed, require_alike, require_alike_as_text
from curator.groups_for_tests import (
    DAY,
    FAR,
    NORTH,
    TIMES,
    UTC,
    ZONES,
    by,
    counts,
    rows_of,
)
from curator.table_sources import SOURCES, invalid_text
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.terms.groups import Groups, Periods


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("every", "unit"),
    [
        *itertools.product(["day"], ["s", "ms", "us", "ns"]),
        ("week", "s"),
        ("month", "ns"),
    ],
)
def test_times_of_every_unit_and_zone_find_the_same_period(
    every: str, unit: str, zone: str | None, placed: Placed, folder: Path
) -> None:
    given_times = TIMES if unit in {"us", "ns"} else TIMES[1:3] + TIMES[4:]
    seen = pa.array([*given_times, None], pa.timestamp("us"))
    seen = seen.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    plan = by(Periods("seen", every, "2025-12-01", "2026-02-28"))
    table = rows_of(seen=seen)
    expected = exact(
        rows_of(seen=pa.array(given_times, pa.timestamp("us"))), plan, "python"
    )
    if placed(table) is not table:
        assert exact(placed(table), plan, "auto") == expected
        return
    for source, make in SOURCES.items():
        given_table = make(table, folder) if source != "pandas" else table.to_pandas()
        assert exact(given_table, plan, "auto") == expected, source


@pytest.mark.parametrize("every", ["day", "week", "month", "quarter"])
def test_dates_and_text_find_the_period_of_a_plain_loop(
    every: str, alike: Alike, folder: Path
) -> None:
    days = [DAY + dt.timedelta(days=at) for at in range(-120, 120, 7)]
    plan = by(Periods("seen", every, days[4], days[-4]))
    groups = plan.measurements[0].groups
    assert isinstance(groups, Groups)
    starts = [*groups.keys, dt.date(2030, 1, 1)]
    starters: dict[str, Any] = {
        "day": lambda day: day,
        "week": lambda day: day - dt.timedelta(days=day.weekday()),
        "month": lambda day: day.replace(day=1),
        "quarter": lambda day: dt.date(day.year, (day.month - 1) // 3 * 3 + 1, 1),
    }
    start_of = starters[every]
    expected = [sum(start_of(day) == key for day in days) for key in starts[:-1]]
    table = rows_of(seen=days)
    for engine in ENGINES:
        assert counts(table, plan, engine) == expected
    found = require_alike_as_text(table, plan, folder)
    assert [row[0] // ROW for row in found] == expected
    alike(table, plan)


# What texts of frames say, and whether January or February counts them.
ISO_TEXTS = {
    "2026-01-31": 0,
    "2026-02-01": 1,
    "2026-01-31T23:59:59-12:00": 0,  # What is behind the day is not looked at.
    "2026-02-28 a\nb\x00": 1,
    "2026-02-30": None,
    "2026-1-31": None,
    "20260131": None,
    "31.01.2026": None,
    " 2026-01-31": None,
    "2026-01-31\n": None,
    "٢٠٢٦-01-31": None,
    "0000-01-31": None,
    "": None,
}
IN_TWO_MONTHS = by(Periods("seen", "month", "2026-01-01", "2026-02-28"))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), "a dictionary"])
def test_iso_dates_in_text_are_read_in_frames_as_in_files_of_text(
    kind: Any,  # noqa: ANN401
    folder: Path,
) -> None:
    texts = pa.array([*ISO_TEXTS, None], pa.string())
    is_plain = not isinstance(kind, str)
    table = rows_of(seen=texts.cast(kind) if is_plain else texts.dictionary_encode())
    found = require_alike(table, IN_TWO_MONTHS, folder)
    wanted = [list(ISO_TEXTS.values()).count(month) for month in (0, 1)]
    assert [row[0] // ROW for row in found] == wanted
    lines = rows_of(seen=[text for text in ISO_TEXTS if "\n" not in text])
    in_text = require_alike_as_text(lines, IN_TWO_MONTHS, folder)
    assert [row[0] // ROW for row in in_text] == [wanted[0], wanted[1] - 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["pandas", "polars"])
def test_dates_times_and_text_of_python_may_stand_side_by_side(
    source: str, engine: str
) -> None:
    cells = [DAY, dt.datetime(2026, 2, 1, 5, tzinfo=UTC), "2026-02-02", 5, None, b"x"]
    rows = {"score": [0.5] * len(cells), "label": [1] * len(cells)}
    frame: object = (
        pd.DataFrame({**rows, "seen": pd.Series(cells, dtype=object)})
        if source == "pandas"
        else pl.DataFrame({**rows, "seen": pl.Series(cells, dtype=pl.Object)})
    )
    assert counts(frame, IN_TWO_MONTHS, engine) == [1, 2]
    assert counts({**rows, "seen": cells}, IN_TWO_MONTHS, "python") == [1, 2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["arrow", "polars", "parquet"])
def test_text_that_is_no_utf8_is_no_day_and_stops_nothing(
    source: str, engine: str, folder: Path
) -> None:
    broken = invalid_text(b"2026-01-31 \xff", b"\xff", b"2026-01-31")
    table = SOURCES[source](rows_of(seen=broken), folder)
    assert counts(table, IN_TWO_MONTHS, engine) == [1, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_time_is_taken_in_utc(engine: str) -> None:
    late = dt.datetime(2026, 2, 1, 8, 59, tzinfo=NORTH)  # Still January in UTC.
    table = rows_of(seen=[late, late + dt.timedelta(minutes=1)])
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(table, plan, engine) == [1, 1]


# A time that no calendar knows drops its row, and nothing else.


@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("source", ["arrow", "polars", "parquet", "postgres"])
def test_a_time_beyond_the_calendar_drops_its_row_and_nothing_else(
    source: str, kind: str, folder: Path, request: pytest.FixtureRequest
) -> None:
    table = rows_of(seen=FAR[kind])
    if source == "postgres":
        table = request.getfixturevalue("postgres").table(table)
    else:
        table = SOURCES[source](table, folder)
    for every in ("day", "week", "month", "quarter"):
        plan = by(Periods("seen", every, "1970-01-01", "1970-01-01"))
        assert counts(table, plan, "auto") == [1]
    ends = plan_of(groups=Groups("seen", [dt.date.max, dt.date(1970, 1, 1)]))
    assert counts(table, ends, "auto") == [0, 1]


def test_periods_reach_both_ends_of_the_calendar(alike: Alike) -> None:
    days = [dt.date.min, dt.date(1, 1, 31), dt.date(9999, 12, 1), dt.date.max]
    table = rows_of(seen=pa.array(days, pa.date32()))
    for first, last in [("0001-01-01", "0001-02-01"), ("9999-11-01", "9999-12-31")]:
        for every in ("month", "quarter"):
            alike(table, by(Periods("seen", every, first, last)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pandas_time_beyond_the_calendar_drops_its_row(engine: str) -> None:
    seen = np.array([2**60, 0, -(2**60)], "datetime64[s]")
    frame = pd.DataFrame({"score": [0.5] * 3, "label": [1] * 3, "seen": seen})
    plan = by(Periods("seen", "day", "1970-01-01", "1970-01-01"))
    assert counts(frame, plan, engine) == [1]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("source", ["arrow", "polars", "parquet"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_nanosecond_before_midnight_is_the_day_before(
    engine: str, source: str, zone: str | None, folder: Path
) -> None:
    table = rows_of(seen=pa.array([-1, 0], pa.timestamp("ns", zone)))
    plan = by(Periods("seen", "day", "1969-12-31", "1970-01-01"))
    assert counts(SOURCES[source](table, folder), plan, engine) == [1, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_parquet_file_holds_zoned_times(engine: str, tmp_path: Path) -> None:
    seen = pa.array([dt.datetime(2026, 1, 31, 23, tzinfo=UTC), None])
    pq.write_table(rows_of(seen=seen), tmp_path / "rows.parquet")
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(tmp_path / "rows.parquet", plan, engine) == [1, 0]
