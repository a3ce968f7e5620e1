"""Cells of frames that stop other readers, by both engines."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from curator.frames_at_ends import arrow_columns, object_columns
from curator.groups_for_tests import by, counts, rows_of
from curator.table_sources import invalid_text
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.curator.reading.arrow import arrow_cells, arrow_plain
from dpratio.curator.reading.keys import day_of, key_text
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys
from dpratio.terms.unit import PrivacyUnit

COLUMNS, OBJECTS = arrow_columns(), object_columns()
SEEN = Keys("seen", [dt.date(1970, 1, 1), None])
TOTALS = {"score": Bounds(0, 1), "label": Bounds(0, 1)}


def test_cells_that_are_none_of_their_type_are_missing() -> None:
    assert arrow_cells(invalid_text(b"\xff", b"a")) == [None, "a"]
    decimals = arrow_cells(COLUMNS["decimal128(4, 0)"])
    assert decimals[:2] == [None, None]
    assert "9999" in decimals
    assert arrow_cells(pa.array([1, None])) == [1, None]
    assert arrow_cells(COLUMNS["date32"])[0] is None


def test_duckdb_is_handed_what_it_reads() -> None:
    assert arrow_plain(COLUMNS["timestamp[ns]"]).type == pa.date32()
    assert arrow_plain(COLUMNS["decimal256(76, 0)"]).type == pa.string()
    assert arrow_plain(COLUMNS["float16"]).type == pa.float32()
    assert arrow_plain(COLUMNS["int8"]) is COLUMNS["int8"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["date32", "timestamp[s]", "timestamp[ns]"])
def test_a_pandas_column_of_pyarrow_may_hold_any_day(name: str, engine: str) -> None:
    table = rows_of(seen=COLUMNS[name])
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    assert counts(frame, by(SEEN), engine) == counts(table, by(SEEN), "python")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pandas_column_in_pieces_is_one_column(engine: str) -> None:
    pieces = [pd.Series(["a", None], dtype="string[pyarrow]") for _ in range(2)]
    frame = pd.DataFrame(rows_of(region=[""] * 4).to_pandas())
    frame["region"] = pd.concat(pieces, ignore_index=True)
    assert counts(frame, plan_of(keys=["a", None]), engine) == [2, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_polars_text_that_is_not_unicode_is_missing(engine: str) -> None:
    frame = pl.from_arrow(rows_of(region=invalid_text(b"\xff", b"a", b"b")))
    assert counts(frame, plan_of(keys=["a", "b", None]), engine) == [1, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_polars_numbers_of_128_bits_are_numbers_keys_and_ids(engine: str) -> None:
    wide = pl.Series("region", [2**100, 1, 2**100, None], dtype=pl.Int128)
    frame = pl.DataFrame({"score": [1.0] * 4, "label": [1] * 4, "region": wide})
    assert counts(frame, plan_of(keys=[1, None]), engine) == [1, 1]
    people = plan_of(unit=PrivacyUnit("region", totals=TOTALS))
    assert exact(frame, people, engine)[0][0] == 2 * ROW
    numbers = plan_of(Bounds(0, 2), names=("region", "label", "", ""))
    assert exact(frame, numbers, engine)[0][0] == 3 * ROW


@pytest.mark.parametrize("engine", ENGINES)
def test_polars_decimals_and_halves_are_numbers(engine: str) -> None:
    for dtype in (pl.Decimal(38, 2), pl.Float16):
        score = pl.Series("score", [0.5, None]).cast(dtype)
        frame = pl.DataFrame({"score": score, "label": [1, 1]})
        assert exact(frame, plan_of(), engine)[0][:3] == [ROW, ROW, ROW // 2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["decimal128(5, -3)", "decimal32", "decimal64"])
def test_decimals_that_nobody_can_compare_are_refused(name: str, engine: str) -> None:
    many = len(COLUMNS[name])
    table = pa.table({"score": COLUMNS[name], "label": [1.0] * many})
    with pytest.raises(SchemaRefused, match="column 'score' is decimal"):
        exact(table, plan_of(), engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_too_large_to_be_declared_are_counted_apart(engine: str) -> None:
    from dpratio.curator.choose_engine import open_keys
    from dpratio.curator.reading.statement import KeyCount

    keys = pa.array([2**64 - 1, 2**63, 7], pa.uint64())
    found = open_keys(pa.table({"x": keys}), KeyCount("x", "integer", None), engine)
    assert found() == {7: 1}


def test_a_python_value_that_raises_is_no_day_and_no_key() -> None:
    stopping = next(
        each for each in OBJECTS["others"] if type(each).__name__ == "_Stopping"
    )
    assert key_text(stopping) is None
    assert [day_of(each) for each in OBJECTS["no zones"][1:]] == [None] * 3
    days = [day_of(each) for each in OBJECTS["aware"]]
    assert days[1] == dt.date.min
    assert None in days


def test_times_of_numpy_beyond_the_calendar_are_no_days() -> None:
    far: list[Any] = [np.datetime64(2**62, "s"), np.datetime64(2**60, "W")]
    assert [day_of(each) for each in [*far, np.datetime64("NaT", "s")]] == [None] * 3
    near: list[Any] = [np.datetime64(0, "s"), np.datetime64(0, "M")]
    assert [day_of(each) for each in near] == [dt.date(1970, 1, 1)] * 2
    assert day_of(pd.NaT) is None


@pytest.mark.parametrize(
    ("ticks", "unit", "day"),
    [
        (-(2**63) + 1, "ns", "1677-09-21"),  # Numpy 2.5 overflows.
        (2**63 - 1, "ns", "2262-04-11"),
        (-(2**63) + 1, "as", "1969-12-31"),
        (-1, "s", "1969-12-31"),
        (1_440, "m", "1970-01-02"),
        (47, "h", "1970-01-02"),
        (-1, "W", "1969-12-25"),
        (-1, "M", "1969-12-01"),
        (-1, "Y", "1969-01-01"),
        (13, "M", "1971-02-01"),
        (1, "25h", "1970-01-02"),
    ],
)
def test_the_day_of_a_time_of_numpy(ticks: int, unit: str, day: str) -> None:
    time = np.array(ticks).astype(f"datetime64[{unit}]")[()]
    assert day_of(time) == dt.date.fromisoformat(day)
