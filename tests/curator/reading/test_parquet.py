"""Parquet files whose cells stop other readers, by both engines."""

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.groups_for_tests import by, counts
from curator.parquet_at_ends import parquet_columns
from curator.plain_parquet import PlainColumn, logical, write_plain_parquet
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.curator.reading.parquet import is_whole_decimal
from dpratio.errors import EngineFailed, SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys, Periods

COLUMNS = parquet_columns()
FAR = [0, 10**17, -(10**17), 86_400_000, None]
SEEN = Keys("seen", [dt.date(1970, 1, 1), dt.date(1970, 1, 2), None])


def write_rows(path: Path, **columns: PlainColumn) -> None:
    """Write columns beside numbers that count."""
    many = len(next(iter(columns.values())).cells)
    ones = {
        name: PlainColumn("DOUBLE", [1.0] * many)
        for name in ("score", "label")
        if name not in columns
    }
    write_plain_parquet(path, {**ones, **columns})


@pytest.mark.parametrize("engine", ENGINES)
def test_times_in_milliseconds_beyond_any_calendar_are_missing(
    engine: str, tmp_path: Path
) -> None:
    column = PlainColumn("INT64", FAR, {10: logical("TIMESTAMP", "MILLIS", "UTC")})
    for name in ("1.parquet", "2.parquet"):
        write_rows(tmp_path / name, seen=column)
    assert counts(tmp_path / "1.parquet", by(SEEN), engine) == [1, 1, 3]
    assert counts(tmp_path / "*.parquet", by(SEEN), engine) == [2, 2, 6]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_of_times_without_rows_is_answered(engine: str, tmp_path: Path) -> None:
    seen = pa.array([], pa.timestamp("ms"))
    table = pa.table({"score": [], "label": [], "seen": seen})
    table = table.set_column(0, "score", pa.array([], pa.float64()))
    table = table.set_column(1, "label", pa.array([], pa.float64()))
    pq.write_table(table, tmp_path / "rows.parquet")
    plan = by(Periods("seen", "day", "1970-01-01", "1970-01-02"))
    assert counts(tmp_path / "rows.parquet", plan, engine) == [0, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "old"), [("STRING", 0), ("ENUM", 4)])
def test_text_that_is_not_unicode_is_missing(
    name: str, old: int, engine: str, tmp_path: Path
) -> None:
    cells = [b"a", b"a\xff", b"?", b"\xff", None, "é".encode()]
    column = PlainColumn("BYTE_ARRAY", cells, {6: (5, old), 10: logical(name)})
    write_rows(tmp_path / "rows.parquet", region=column)
    plan = plan_of(keys=["a", "?", "", "é", None])
    assert counts(tmp_path / "rows.parquet", plan, engine) == [1, 1, 0, 1, 3]


def test_a_file_that_is_cut_still_stops_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    column = PlainColumn("BYTE_ARRAY", [b"a"] * 2, {6: (5, 0)})
    write_rows(path, region=column)
    written = path.read_bytes()
    path.write_bytes(written.replace(b"\x01\x00\x00\x00a", b"\xff\xff\xff\x7fa"))
    with pytest.raises(EngineFailed, match="the engine stopped"):
        release_with("duckdb", path, plan_of(keys=["a"]), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "name",
    [
        "BYTE_ARRAY DECIMAL(18, 2)",
        "FIXED(17) DECIMAL(38, 0)",
        "FIXED(32) DECIMAL(76, 0)",
        "FIXED STRING",
        "JSON",
        "BSON",
    ],
)
def test_what_a_cell_could_stop_is_refused_by_how_it_is_stored(
    name: str, engine: str, tmp_path: Path
) -> None:
    column = COLUMNS[name]
    write_rows(tmp_path / "rows.parquet", region=column)
    plan = plan_of(keys=["a"])
    if "DECIMAL" in name:
        plan = plan_of(Bounds(0, 1), names=("region", "label", "", ""))
    with pytest.raises(Exception, match=r"Cast it|footer of") as refused:
        exact(tmp_path / "rows.parquet", plan, engine)
    assert refused.type.__name__ in {"SchemaRefused", "FileRefused"}


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_that_nobody_asked_for_are_not_read(
    engine: str, tmp_path: Path
) -> None:
    """Parts of nested columns are no columns, and a broken decimal stops nothing."""
    path = tmp_path / "rows.parquet"
    write_rows(path, other=COLUMNS["BYTE_ARRAY DECIMAL(18, 2)"])
    many = len(COLUMNS["BYTE_ARRAY DECIMAL(18, 2)"].cells)
    assert exact(path, plan_of(), engine)[0][0] == many * ROW
    nested = {"a": {"score": 5, "b": [1, 2]}, "m": [("k", 1)]}
    columns: dict[str, Any] = {
        "nested": pa.array([nested["a"]]),
        "score": [1.0],
        "pairs": pa.array([nested["m"]], pa.map_(pa.string(), pa.int64())),
        "label": [1.0],
    }
    pq.write_table(pa.table(columns), path)
    assert exact(path, plan_of(), engine)[0][0] == ROW


def test_a_name_that_occurs_twice_keeps_its_own_refusal(tmp_path: Path) -> None:
    twice = [pa.array(["a"]), pa.array(["b"]), pa.array([0.5])]
    table = pa.table(twice, names=["score", "score", "label"])
    pq.write_table(table, tmp_path / "rows.parquet")
    with pytest.raises(SchemaRefused, match="'score' occurs more than once"):
        exact(tmp_path / "rows.parquet", plan_of(), "auto")


def test_decimals_are_whole_where_every_cell_has_one_length() -> None:
    assert is_whole_decimal("FIXED_LEN_BYTE_ARRAY", 16, 38)
    assert not is_whole_decimal("FIXED_LEN_BYTE_ARRAY", 17, 38)
    assert not is_whole_decimal("INT64", 0, 39)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_decimal_beyond_its_precision_drops_its_row(
    engine: str, tmp_path: Path
) -> None:
    column = COLUMNS["FIXED(16) DECIMAL(38, 0)"]
    write_rows(tmp_path / "rows.parquet", score=column)
    found = exact(tmp_path / "rows.parquet", plan_of(Bounds(-1, 1)), engine)
    assert found[0][0] == 4 * ROW  # 0, -1, 1 and 0.99e38


def test_a_relation_of_decimals_is_read_within_its_precision() -> None:
    with duckdb.connect() as connection:
        rows = "SELECT 0.5::DECIMAL(2, 2) AS score, 1 AS label UNION ALL SELECT NULL, 1"
        found = exact(connection.sql(rows), plan_of(), "duckdb")
    assert found[0][:3] == [ROW, ROW, ROW // 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_files_of_one_glob_are_stored_alike(engine: str, tmp_path: Path) -> None:
    unit = {10: logical("TIMESTAMP", "MILLIS", "UTC")}
    write_rows(tmp_path / "1.parquet", seen=PlainColumn("INT64", [0], unit))
    unit = {10: logical("TIMESTAMP", "MICROS", "UTC")}
    write_rows(tmp_path / "2.parquet", seen=PlainColumn("INT64", [0], unit))
    with pytest.raises(SchemaRefused, match="differs from that of"):
        exact(tmp_path / "*.parquet", by(SEEN), engine)
