"""The conditions of a source over files keep the rows that they keep of tables."""

import datetime as dt
import math
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.oracle import lines_of
from curator.tables_for_tests import exact, plan_of
from curator.warehouse.condition_forms import (
    COLUMNS,
    CONDITIONS,
    REFUSED,
    ROWS,
    rows_kept,
)
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount
from dpratio.errors import SchemaRefused
from dpratio.terms.source import CsvFile, ParquetFiles

_TYPES = (
    *("INTEGER", "SMALLINT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(9, 2)"),
    *("VARCHAR", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"),
)
_IDS = KeyCount("id", "integer", None)


def kept(source: ParquetFiles | CsvFile, asked: KeyCount = _IDS) -> list[Any]:
    """The ids of the rows that are read."""
    return sorted(open_keys(source, asked)())


def refusal(source: ParquetFiles | CsvFile) -> str:
    with pytest.raises(SchemaRefused) as refused:
        kept(source)
    return str(refused.value)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Hostile rows as Parquet, in groups of a few."""
    path = str(tmp_path_factory.mktemp("files") / "people.parquet")
    connection = duckdb.connect()
    kinds = zip(COLUMNS, _TYPES, strict=True)
    columns = ", ".join(f"{column} {kind}" for column, kind in kinds)
    connection.execute(f"CREATE TABLE people (id INTEGER, {columns})")
    for row in ROWS:
        marks = ", ".join(["?"] * len(row))
        connection.execute(f"INSERT INTO people VALUES ({marks})", list(row.values()))  # noqa: S608
    pq.write_table(
        connection.sql("FROM people").to_arrow_table(), path, row_group_size=7
    )
    return path


def test_every_condition_keeps_the_rows_that_it_names(hostile: str) -> None:
    # Every fourth: all of them take a minute, and are asked of a table elsewhere.
    conditions = [each for each in CONDITIONS if each[0] != "price"][::4]
    differ = [
        condition
        for condition in conditions
        if kept(ParquetFiles(hostile, where=[condition])) != rows_kept(condition)
    ]
    assert differ == []


def test_what_is_not_of_the_type_of_its_column_is_refused(hostile: str) -> None:
    for condition in REFUSED:
        said = refusal(ParquetFiles(hostile, where=[condition]))
        assert said.startswith("where ") or "is not in the table" in said, condition
    # Decimals, whose digits a file may break.
    said = refusal(ParquetFiles(hostile, where=[["price", ">", 1.5]]))
    assert "'price' is of type DECIMAL, and the condition is" in said


def test_rows_of_a_group_do_not_decide_about_each_other(tmp_path: Path) -> None:
    """A footer tells the largest number of a group of rows, and nothing of NaN."""
    x = [1.0, math.nan, 9.0, math.nan, math.nan, 0.0]
    table = pa.table({"id": range(6), "x": x})
    for size in (1, 2, 3, 6):
        pq.write_table(table, tmp_path / "x.parquet", row_group_size=size)
        path = tmp_path / "x.parquet"
        assert kept(ParquetFiles(path, where=[["x", ">", 5]])) == [1, 2, 3, 4]


def test_text_that_is_no_text_is_missing_there_too(tmp_path: Path) -> None:
    """DuckDB stops at such a cell; the rows are then read with it left out."""
    text = pa.array([b"a", b"\xff", b"b", None], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": range(4), "t": text}), tmp_path / "t.parquet")
    path = tmp_path / "t.parquet"
    assert kept(ParquetFiles(path, where=[["t", "=", "a"]])) == [0]
    assert kept(ParquetFiles(path, where=[["t", "!=", "a"]])) == [2]
    assert kept(ParquetFiles(path, where=[["t", "is null"]])) == [1, 3]


def test_columns_of_folders_are_compared_by_their_declared_type(tmp_path: Path) -> None:
    for month in ("03", "x", "11"):
        (tmp_path / f"month={month}").mkdir()
        table = pa.table({"id": [int(month) if month != "x" else 0]})
        pq.write_table(table, tmp_path / f"month={month}" / "a.parquet")
    told = {"month": "integer"}

    def ids(*condition: object) -> list[int]:
        where = [["month", *condition]]
        return kept(ParquetFiles(f"{tmp_path}/", partitions=told, where=where))

    assert ids(">=", 4) == [11]
    assert ids("=", 3) == [3]
    assert ids("is null") == [0]


def test_times_that_duckdb_cannot_count_are_refused(tmp_path: Path) -> None:
    """They become days on their way, and a day is no time."""
    times = pa.array([dt.datetime(2026, 1, 1, 9)], pa.timestamp("ms"))  # noqa: DTZ001
    table = pa.table({"id": [1], "seen": times})
    pq.write_table(table, tmp_path / "a.parquet", version="1.0", coerce_timestamps="ms")
    where = [["seen", "=", "2026-01-01 00:00:00"]]
    said = refusal(ParquetFiles(tmp_path / "a.parquet", where=where))
    assert "times in milliseconds or of 96 bits" in said


CELLS = ["north", "North", "north ", " north", "", "ß", "it's", "2026-11-09", "10", "9"]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (["=", "north"], {"north"}),
        (["!=", "north"], set(CELLS) - {"north"}),
        ([">=", "2026-11-09"], set(CELLS) - {"10", "", " north"}),
        (["in", ["", "it's"]], {"", "it's"}),
        ([">", "9"], {"north", "North", "north ", "ß", "it's"}),
    ],
)
def test_cells_of_text_files_are_compared_as_they_are_written(
    condition: list[Any], wanted: set[str], tmp_path: Path
) -> None:
    lines = [f'{at},"{cell}"' for at, cell in enumerate(CELLS)] + ["99", "98,a,b", ""]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id,region", *lines]), encoding="utf-8")
    rows = [list(row.values()) for row in lines_of(CsvFile(path))]
    ids = sorted(row[0] for row in rows if row[1] in wanted)
    asked, where = KeyCount("id", "text", None), [["region", *condition]]
    assert kept(CsvFile(path, where=where), asked) == ids
    as_parquet = pa.table({"id": [row[0] for row in rows], "region": CELLS})
    pq.write_table(as_parquet, tmp_path / "a.parquet", row_group_size=2)
    assert kept(ParquetFiles(tmp_path / "a.parquet", where=where), asked) == ids


def test_a_window_of_files_is_what_is_added_up(tmp_path: Path) -> None:
    days = [dt.date(2026, 11, day) for day in (8, 9, 15, 16)]
    table = pa.table({"score": [0.1, 0.2, 0.3, 0.4], "label": [1] * 4, "day": days})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    week = [["day", ">=", "2026-11-09"], ["day", "<", "2026-11-16"]]
    plan = plan_of()
    source = ParquetFiles(tmp_path / "a.parquet", where=week)
    for engine in ("auto", "duckdb"):
        assert exact(source, plan, engine) == exact(table.slice(1, 2), plan, "python")
