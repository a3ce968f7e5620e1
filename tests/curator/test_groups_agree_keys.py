"""Keys of one column: read alike, from every source."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from curator.agreement import Alike, require_alike_as_text
from curator.groups_for_tests import DAY, KEYS, TIMES, counts, rows_of
from curator.hostile_tables import TEXT_KEYS
from curator.table_sources import SOURCES, invalid_text, write_csv
from curator.tables_for_tests import ENGINES, ROW, plan_of
from dpratio.terms.groups import Key


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_read_alike_from_every_source(
    kind: str, alike: Alike
) -> None:
    type_, keys, cells = KEYS[kind]
    table = rows_of(region=pa.array(cells, type_))
    plan = plan_of(keys=keys)
    days = kind == "times as dates"
    held = [cell.date() if days and cell is not None else cell for cell in cells]
    expected = [sum(1 for cell in held if cell == key) for key in keys]
    assert counts(table, plan, "python") == expected
    alike(table, plan)


def test_keys_that_mean_something_to_sql_are_keys(alike: Alike) -> None:
    """Each in a row of its own: none is taken for another, whatever the collation."""
    table = rows_of(region=[*TEXT_KEYS, "", "NORTH", None, "a'b"])
    found = alike(table, plan_of(keys=TEXT_KEYS[::-1]))
    wanted = [1 + (key == "a'b") for key in TEXT_KEYS[::-1]]
    assert [row[0] // ROW for row in found] == wanted


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


@pytest.mark.parametrize("engine", ENGINES)
def test_text_that_is_not_utf8_is_a_missing_key(engine: str) -> None:
    table = rows_of(region=invalid_text(b"\xff", b"a", b"b"))
    assert counts(table, plan_of(keys=["a", None]), engine) == [1, 1]


@pytest.mark.parametrize("cells", [1_000, 1_001])
@pytest.mark.parametrize("kind", ["text", "whole", "date"])
@pytest.mark.parametrize("source", ["arrow", "pandas", "csv", "relation", "postgres"])
def test_many_keys_keep_their_order(
    source: str, kind: str, cells: int, folder: Path, request: pytest.FixtureRequest
) -> None:
    """Keys beyond a thousand are handed over as one text."""
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
    elif source == "postgres":
        given_table = request.getfixturevalue("postgres").table(table)
    else:
        given_table = SOURCES[source](table, folder)
    assert counts(given_table, plan_of(keys=keys), "auto") == expected


def test_python_objects_of_other_types_are_other_keys() -> None:
    """In a mapping "1", 1 and True are three keys, and a float is none."""
    cells: list[Any] = ["1", 1, True, 1.0, None, np.int64(1), np.True_, b"1"]
    cells += [
        np.datetime64("2026-01-31"),
        np.datetime64("NaT", "D"),
        DAY,
        TIMES[0],
        pd.NaT,
    ]
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
        assert counts(mapping, plan_of(keys=keys), "auto") == expected


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
        seen: Any = pd.Series(
            [np.datetime64("2026-01-31T12"), np.datetime64("NaT", "h")]
        )
        dtype: Any = (
            f"datetime64[{unit}]" if unit != "date32" else "date32[day][pyarrow]"
        )
        held = seen.dt.date.astype(dtype) if unit == "date32" else seen.astype(dtype)
        dated = pd.DataFrame({"score": 0.5, "label": 1, "region": held})
        for engine in ENGINES:
            assert counts(dated, plan, engine) == [1], (unit, engine)
