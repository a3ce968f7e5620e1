"""Groups of every kind: both engines place every row alike, from every source."""

import datetime as dt
import itertools
import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.groups_for_tests import (
    ABC,
    CODE,
    DAY,
    FAR,
    KEYS,
    LISTED,
    MANY,
    MONTHS,
    NORTH,
    SEX,
    TIMES,
    UTC,
    ZONES,
    by,
    counts,
    grouped,
    rows_of,
)
from curator.tables_for_tests import (
    ENGINES,
    READABLE,
    ROW,
    SOURCES,
    asked,
    exact,
    fixed,
    mapping_of,
    plan_of,
    write_csv,
)
from curator.threads_for_tests import relations_by_threads
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Dimension, Key, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups


def require_alike(table: Any, plan: Plan, folder: Path) -> list[list[int]]:  # noqa: ANN401
    """Every source and engine gives the integers of the specification."""
    expected = exact(mapping_of(table), plan, "python")
    for source, engine in READABLE:
        found = exact(SOURCES[source](table, folder), plan, engine)
        assert found == expected, (source, engine)
    return expected


def require_alike_as_text(table: Any, plan: Plan, folder: Path) -> list[list[int]]:  # noqa: ANN401
    """Both engines read a file of text alike."""
    file = write_csv(table, folder, "plain")
    found = [exact(file, plan, engine) for engine in ENGINES]
    assert found[0] == found[1]
    return found[0]


# Keys of one column.


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_read_alike_from_every_source(
    kind: str, folder: Path
) -> None:
    type_, keys, cells = KEYS[kind]
    table = rows_of(region=pa.array(cells, type_))
    plan = plan_of(keys=keys)
    days = kind == "times as dates"
    held = [cell.date() if days and cell is not None else cell for cell in cells]
    expected = [sum(1 for cell in held if cell == key) for key in keys]
    assert counts(table, plan, "python") == expected
    if kind == "long dates":
        for engine in ENGINES:
            assert counts(table, plan, engine) == expected
        return
    require_alike(table, plan, folder)


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_read_alike_from_text(kind: str, folder: Path) -> None:
    type_, keys, cells = KEYS[kind]
    table = rows_of(region=pa.array(cells, type_))
    written = [str(cell) if cell is not None else "" for cell in cells]
    wanted = ["" if key is None else str(key) for key in keys]
    if kind == "times as dates":
        written = [each[:10] for each in written]
    found = require_alike_as_text(table, plan_of(keys=keys), folder)
    assert [row[0] // ROW for row in found] == [written.count(key) for key in wanted]


ODD_TEXT: dict[str, tuple[list[Key], list[str]]] = {
    "whole": ([1, 0, -7, None], ["1", "01", "+1", " 1", "1.0", "-0", "-7", "", "x"]),
    "truth": ([True, None], ["true", "TRUE", "True", "1", "t", "false", "", "truE "]),
    "date": (
        [DAY, None],
        [
            "2026-01-31",
            "2026-01-31 23:59:59",
            "2026-01-31T23:59:59+09:00",
            "2026-01-31x",
            "2026-1-31",
            "2026-02-30",
            "31.01.2026",
            " 2026-01-31",
            "",
            "2026-01-31 \u0301",
            "12026-01-31",
            "٢٠٢٦-01-31",
        ],
    ),
    "text": (["a", "A", None], ["a", "A", " a", "", "NULL", "None", "a\t"]),
}


@pytest.mark.parametrize("kind", ODD_TEXT)
def test_odd_text_is_read_as_a_key_alike(kind: str, folder: Path) -> None:
    keys, cells = ODD_TEXT[kind]
    with_none, without = plan_of(keys=keys), plan_of(keys=keys[:-1])
    for plan in (with_none, without):
        found = require_alike_as_text(rows_of(region=cells), plan, folder)
        assert found[0][0] > 0


def test_a_date_before_year_one_is_no_key_in_any_engine(folder: Path) -> None:
    """Python has no year 0; DuckDB has."""
    table = rows_of(region=["0000-05-05", "2026-01-31", "0001-01-01"])
    plan = plan_of(keys=[DAY, dt.date(1, 1, 1), None])
    found = require_alike_as_text(table, plan, folder)
    assert [row[0] // ROW for row in found] == [1, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_whole_number_beyond_64_bits_is_another_key_and_not_a_missing_one(
    engine: str,
) -> None:
    table = rows_of(region=pa.array([2**64 - 1, 1, None], pa.uint64()))
    assert counts(table, plan_of(keys=[1, None]), engine) == [1, 1]


def invalid_text(*cells: bytes) -> object:
    """A text column of Arrow whose bytes nobody has looked at."""
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(pa.string(), len(cells), buffers)


@pytest.mark.parametrize("engine", ENGINES)
def test_text_that_is_not_utf8_is_a_missing_key(engine: str) -> None:
    table = rows_of(region=invalid_text(b"\xff", b"a", b"b"))
    assert counts(table, plan_of(keys=["a", None]), engine) == [1, 1]


@pytest.mark.parametrize("cells", [1_000, 1_001, 3_000])
@pytest.mark.parametrize("kind", ["text", "whole", "date"])
@pytest.mark.parametrize(
    ("source", "engine"),
    [
        *itertools.product(["arrow", "pandas", "csv"], ENGINES),
        ("relation", "duckdb"),  # Plain loops read no relation.
    ],
)
def test_many_keys_keep_their_order(
    source: str, kind: str, cells: int, engine: str, folder: Path
) -> None:
    """Keys beyond a thousand are handed over as a table, not as text."""
    chance = np.random.default_rng(cells)
    numbers = chance.permutation(cells * 3)[:cells].tolist()
    make: dict[str, Any] = {
        "text": lambda at: f"k'{at}",
        "whole": lambda at: at,
        "date": lambda at: DAY + dt.timedelta(days=at),
    }
    keys = [make[kind](at) for at in numbers]
    rows = chance.integers(0, cells * 3, 2_000).tolist()
    table = rows_of(region=[make[kind](at) for at in rows])
    expected = [rows.count(at) for at in numbers]
    if source == "csv":
        given_table: object = write_csv(table, folder, "plain")
    elif (source, kind) == ("pandas", "date"):
        given_table = table.to_pandas().astype({"region": "datetime64[us]"})
    else:
        given_table = SOURCES[source](table, folder)
    assert counts(given_table, plan_of(keys=keys), engine) == expected


# Several columns, crossed and listed.


@pytest.mark.parametrize(
    "dimensions",
    [
        (ABC,),
        (ABC, SEX),
        (SEX, ABC),
        (CODE, ABC, SEX),
        (ABC, MONTHS),
        (ScoreBins("score", [0, 0.25, 0.5, 0.75]), ABC),
        (MONTHS, ScoreBins("score", 3), SEX),
    ],
    ids=lambda each: "×".join(one.column for one in each),
)
def test_crossed_columns_are_read_alike_from_every_source(
    dimensions: tuple[Dimension, ...], folder: Path
) -> None:
    found = require_alike(MANY, by(*dimensions), folder)
    assert len(found) == asked(by(*dimensions)).cells
    require_alike_as_text(MANY, by(*dimensions), folder)


def test_crossed_cells_are_those_worked_out_by_hand() -> None:
    plan = by(ABC, SEX)
    for engine in ENGINES:
        # b true, b false, a true, a false, missing true, missing false.
        assert counts(MANY, plan, engine) == [0, 2, 2, 1, 1, 0]


@pytest.mark.parametrize(("columns", "cells"), LISTED, ids=lambda each: str(each[0]))
def test_listed_cells_are_read_alike_and_answered_in_their_order(
    columns: list[str], cells: list[tuple[Key, ...]], folder: Path
) -> None:
    plan = plan_of(groups=Groups(columns, cells))
    found = require_alike(MANY, plan, folder)
    rows = list(zip(*(MANY[name].to_pylist() for name in columns), strict=True))
    assert [row[0] // ROW for row in found] == [rows.count(cell) for cell in cells]
    require_alike_as_text(MANY, plan, folder)


@pytest.mark.parametrize(
    ("source", "engine"),
    [*itertools.product(["arrow"], ENGINES), ("relation", "duckdb")],
)
def test_many_listed_cells_keep_their_order(
    source: str, engine: str, folder: Path
) -> None:
    chance = np.random.default_rng(3)
    pairs = [(int(at) // 60, int(at) % 60) for at in chance.permutation(3600)[:1500]]
    rows = chance.integers(0, 60, (4000, 2))
    table = rows_of(a=rows[:, 0], b=rows[:, 1])
    held = [tuple(row) for row in rows.tolist()]
    plan = plan_of(groups=Groups(["a", "b"], pairs))
    given_table = SOURCES[source](table, folder)
    assert counts(given_table, plan, engine) == [held.count(pair) for pair in pairs]


@pytest.mark.parametrize("engine", ENGINES)
def test_cells_without_rows_are_answered_and_undeclared_keys_change_nothing(
    engine: str,
) -> None:
    plan = by(ABC, MONTHS)
    alone = {"region": ["someone"], "seen": [DAY], "sex": [True], "code": [1]}
    one = rows_of(**alone).select(MANY.column_names).cast(MANY.schema)
    table = pa.concat_tables([MANY, one])
    assert exact(table, plan, engine) == exact(MANY, plan, engine)
    assert exact(MANY.slice(0, 0), plan, engine) == [[0] * 5] * 9


# Bins.


def edge_numbers(edges: list[float]) -> list[float]:
    beside = [math.nextafter(edge, way) for edge in edges for way in (-1e9, 1e9)]
    return [*edges, *beside, -1e300, 1e300, math.nan, math.inf, -0.0, 0.1 + 0.2]


@pytest.mark.parametrize(
    "bins", [1, 3, 7, [0.1, 0.3], [0, 0.1, 0.2, 0.30000000000000004, 1], [0.0, 1.0]]
)
def test_numbers_on_edges_beside_and_beyond_them_find_the_same_bin(
    bins: int | list[float], folder: Path
) -> None:
    plan = by(ScoreBins("score", bins), label=Bounds(0, 1))
    groups = plan.groups
    assert isinstance(groups, Groups)
    (settled,) = groups.dimensions
    assert isinstance(settled, ScoreBins)
    edges = list(settled.edges)
    table = pa.table({"score": edge_numbers(edges)}).append_column(
        "label", pa.array([1.0] * len(edge_numbers(edges)))
    )
    require_alike(table, plan, folder)
    require_alike_as_text(table, plan, folder)
    on = pa.table({"score": edges, "label": [1.0] * len(edges)})
    for engine in ENGINES:
        # Each bin holds its lower edge; the last one both.
        assert counts(on, plan, engine) == [1] * (len(edges) - 2) + [2]


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_clipped_before_they_are_binned_and_beyond_edges_is_no_bin(
    engine: str,
) -> None:
    table = pa.table({"score": [-9.0, 9.0, 0.5, 0.1], "label": [1] * 4})
    assert counts(table, by(ScoreBins("score", 2)), engine) == [2, 2]
    inner = by(ScoreBins("score", [0.2, 0.4, 0.6]))
    assert counts(table, inner, engine) == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_beside_the_ratio_may_be_binned(engine: str) -> None:
    table = rows_of(age=[17, 18, 64, 65, 200, None])
    plan = by(ScoreBins("age", [0, 18, 65, 120]), bounds={"age": Bounds(0, 120)})
    assert counts(table, plan, engine) == [1, 2, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_binary_column_is_rounded_before_it_is_binned(engine: str) -> None:
    table = pa.table({"score": [0.5] * 3, "label": [0.4, 0.5, 7.0]})
    assert counts(table, by(ScoreBins("label", 2)), engine) == [1, 2]


# Periods.


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("every", ["day", "week", "month"])
def test_times_of_every_unit_and_zone_find_the_same_period(
    every: str, unit: str, zone: str | None, folder: Path
) -> None:
    given_times = TIMES if unit in {"us", "ns"} else TIMES[1:3] + TIMES[4:]
    seen = pa.array([*given_times, None], pa.timestamp("us"))
    seen = seen.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    plan = by(Periods("seen", every, "2025-12-01", "2026-02-28"))
    table = rows_of(seen=seen)
    expected = exact(
        rows_of(seen=pa.array(given_times, pa.timestamp("us"))), plan, "python"
    )
    for source, engine in READABLE:
        if source == "pandas":
            continue
        given_table = SOURCES[source](table, folder)
        assert exact(given_table, plan, engine) == expected, (source, engine)
    frame = table.to_pandas()
    for engine in ENGINES:
        assert exact(frame, plan, engine) == expected, engine


@pytest.mark.parametrize("every", ["day", "week", "month"])
def test_dates_and_text_find_the_period_of_a_plain_loop(
    every: str, folder: Path
) -> None:
    days = [DAY + dt.timedelta(days=at) for at in range(-120, 120, 7)]
    plan = by(Periods("seen", every, days[4], days[-4]))
    groups = plan.groups
    assert isinstance(groups, Groups)
    starts = [*groups.keys, dt.date(2030, 1, 1)]
    starters: dict[str, Any] = {
        "day": lambda day: day,
        "week": lambda day: day - dt.timedelta(days=day.weekday()),
        "month": lambda day: day.replace(day=1),
    }
    start_of = starters[every]
    expected = [sum(start_of(day) == key for day in days) for key in starts[:-1]]
    table = rows_of(seen=days)
    for engine in ENGINES:
        assert counts(table, plan, engine) == expected
    found = require_alike_as_text(table, plan, folder)
    assert [row[0] // ROW for row in found] == expected
    require_alike(table, plan, folder)


@pytest.mark.parametrize("engine", ENGINES)
def test_time_is_taken_in_utc(engine: str) -> None:
    late = dt.datetime(2026, 2, 1, 8, 59, tzinfo=NORTH)  # Still January in UTC.
    table = rows_of(seen=[late, late + dt.timedelta(minutes=1)])
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(table, plan, engine) == [1, 1]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_zone_of_a_connection_does_not_matter(zone: str) -> None:
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{zone}'")
    relation = connection.sql(
        "SELECT 0.5 AS score, 1 AS label, "
        "TIMESTAMPTZ '2026-01-31 23:59:59+00' AS seen UNION ALL "
        "SELECT 0.5, 1, TIMESTAMPTZ '2026-02-01 00:00:00+00'"
    )
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(relation, plan, "duckdb") == [1, 1]


# A time that no calendar knows drops its row, and nothing else.


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("source", ["arrow", "polars", "parquet"])
def test_a_time_beyond_the_calendar_drops_its_row_and_nothing_else(
    source: str, kind: str, engine: str, folder: Path
) -> None:
    table = SOURCES[source](rows_of(seen=FAR[kind]), folder)
    for every in ("day", "week", "month"):
        plan = by(Periods("seen", every, "1970-01-01", "1970-01-01"))
        assert counts(table, plan, engine) == [1]


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


# Any groups over any rows.


@given(case=grouped(), data=st.data())
@fixed(40)
def test_any_groups_over_any_rows_are_read_alike_in_any_order(
    case: tuple[Plan, Any], data: st.DataObject, folder: Path
) -> None:
    plan, table = case
    expected = exact(mapping_of(table), plan, "python")
    source = data.draw(st.sampled_from(sorted(SOURCES)))
    assert exact(SOURCES[source](table, folder), plan, "duckdb") == expected
    order = data.draw(st.permutations(range(table.num_rows)))
    shuffled = table.take(pa.array(order, pa.int64()))
    assert exact(SOURCES["relation"](shuffled, folder), plan, "duckdb") == expected
    require_alike_as_text(table, plan, folder)


def test_threads_and_the_order_of_many_rows_do_not_matter(folder: Path) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    table = pa.table(
        {
            "score": chance.uniform(-1, 2, many),
            "label": chance.random(many),
            "region": chance.choice(np.array(["a", "b", "z"]), many),
            "seen": pa.array(chance.integers(20_400, 20_600, many), pa.int32()).cast(
                pa.date32()
            ),
        }
    )
    groups = Groups.cross(
        Keys("region", ["b", "a"]),
        Periods("seen", "week", "2026-01-01", "2026-04-01"),
        ScoreBins("score", 4),
    )
    plan = plan_of(groups=groups, label=Bounds(0, 1))
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected


def test_python_objects_of_other_types_are_other_keys() -> None:
    """In a mapping "1", 1 and True are three keys, and a float is none."""
    cells: list[Any] = ["1", 1, True, 1.0, None, np.int64(1), np.True_, b"1"]
    cells += [np.datetime64("2026-01-31"), np.datetime64("NaT"), DAY, TIMES[0], pd.NaT]
    many = len(cells)
    mapping = {"score": [1.0] * many, "label": [1] * many, "region": cells}
    cases: list[tuple[list[Key], list[int]]] = [
        (["1"], [1]),
        ([1], [2]),
        ([True], [2]),
        ([DAY], [3]),
        ([1, None], [2, many - 2]),
    ]
    for keys, expected in cases:
        assert counts(mapping, plan_of(keys=keys), "python") == expected


def test_categories_and_enums_hold_keys_and_dates_of_pandas_come_in_any_unit() -> None:
    cells = pd.Categorical(["a", "b", None, "a"])
    frame = pd.DataFrame({"score": 0.5, "label": 1, "region": cells})
    enum = pl.DataFrame({"score": 0.5, "label": 1, "region": ["a", "b", None, "a"]})
    enum = enum.with_columns(pl.col("region").cast(pl.Enum(["b", "a"])))
    for table in (frame, enum):
        for engine in ENGINES:
            assert counts(table, plan_of(keys=["a", None]), engine) == [2, 1]
    plan = plan_of(keys=[DAY])
    for unit in ("s", "ns", "date32"):
        seen: Any = pd.Series([np.datetime64("2026-01-31T12"), np.datetime64("NaT")])
        dtype: Any = (
            f"datetime64[{unit}]" if unit != "date32" else "date32[day][pyarrow]"
        )
        held = seen.dt.date.astype(dtype) if unit == "date32" else seen.astype(dtype)
        dated = pd.DataFrame({"score": 0.5, "label": 1, "region": held})
        for engine in ENGINES:
            assert counts(dated, plan, engine) == [1], (unit, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_parquet_file_holds_zoned_times(engine: str, tmp_path: Path) -> None:
    seen = pa.array([dt.datetime(2026, 1, 31, 23, tzinfo=UTC), None])
    pq.write_table(rows_of(seen=seen), tmp_path / "rows.parquet")
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(tmp_path / "rows.parquet", plan, engine) == [1, 0]
