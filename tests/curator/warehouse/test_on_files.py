"""The condition of a study over files keeps the rows that the engines' own would."""

import datetime as dt
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import exact, plan_of
from curator.warehouse.condition_forms import COLUMNS, REFUSED, forms_of, rows_for
from dpratio.curator.reading.csv_lines import line_cells
from dpratio.curator.reading.statement import KeyCount
from dpratio.curator.release_sums import release_sums
from dpratio.curator.warehouse.on_files import open_kept
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.source import CsvFile, ParquetFiles

_TYPES = (
    *("INTEGER", "SMALLINT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(9, 2)"),
    *("VARCHAR", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"),
)
_IDS = KeyCount("id", "integer", None)


def kept(source: ParquetFiles | CsvFile, asked: KeyCount = _IDS) -> list[Any]:
    """The ids of the rows that are read."""
    opened = open_kept(source, asked)
    name = opened.columns[asked.column][0]
    return sorted(opened.fetch(f"SELECT {name} FROM {opened.source}", {})[name])  # noqa: S608


def refusal(source: ParquetFiles | CsvFile) -> str:
    with pytest.raises(SchemaRefused) as refused:
        kept(source)
    return str(refused.value)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """Hostile rows as Parquet, in groups of a few, and a table with the same."""
    path = str(tmp_path_factory.mktemp("files") / "people.parquet")
    connection = duckdb.connect()
    kinds = zip(COLUMNS, _TYPES, strict=True)
    columns = ", ".join(f"{column} {kind}" for column, kind in kinds)
    connection.execute(f"CREATE TABLE people (id INTEGER, {columns})")
    for row in rows_for():
        marks = ", ".join(["?"] * len(row))
        connection.execute(f"INSERT INTO people VALUES ({marks})", list(row))  # noqa: S608
    pq.write_table(
        connection.sql("FROM people").to_arrow_table(), path, row_group_size=7
    )
    return path, connection


def test_every_form_keeps_the_rows_that_duckdb_keeps_of_a_table(
    hostile: tuple[str, Any],
) -> None:
    path, connection = hostile
    # Every fifth, with another start for each kind: all of them take a minute.
    forms = [each for each in forms_of("duckdb") if "mood" not in each][::5]
    differ, refused = [], []
    for form in forms:
        own = connection.execute(f"SELECT id FROM people WHERE {form}").fetchall()  # noqa: S608
        try:
            found = kept(ParquetFiles(path, where=form))
        except SchemaRefused:
            refused.append(form)
            continue
        if found != sorted(row[0] for row in own):
            differ.append(form)
    assert differ == []
    # Decimals, whose digits a file may break.
    assert all("price" in each for each in refused)


def test_what_a_condition_may_not_hold_is_refused_of_files_too(
    hostile: tuple[str, Any],
) -> None:
    refused = [each for each in REFUSED["duckdb"] if "seen_ns" not in each]
    for form in (
        *refused,
        "nobody = 5",
        "1 = 1",
        "whole + 1 = 2",
        "upper(region) = 'A'",
    ):
        said = refusal(ParquetFiles(hostile[0], where=form))
        assert said.startswith("where in [data] keeps rows by comparing columns with")
    said = refusal(ParquetFiles(hostile[0], where="price > 1.50"))
    assert "this one holds a comparison of a column of DECIMAL." in said


def test_rows_of_a_group_do_not_decide_about_each_other(tmp_path: Path) -> None:
    """A footer tells the largest number of a group of rows, and nothing of NaN."""
    x = [1.0, math.nan, 9.0, math.nan, math.nan, 0.0]
    table = pa.table({"id": range(6), "x": x})
    for size in (1, 2, 3, 6):
        pq.write_table(table, tmp_path / "x.parquet", row_group_size=size)
        path = tmp_path / "x.parquet"
        assert kept(ParquetFiles(path, where="x > 5")) == [1, 2, 3, 4]
        assert kept(ParquetFiles(path, where="NOT x <= 5")) == [1, 2, 3, 4]


def test_text_that_is_no_text_is_missing_there_too(tmp_path: Path) -> None:
    """DuckDB stops at such a cell; the rows are then read with it left out."""
    text = pa.array([b"a", b"\xff", b"b", None], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"id": range(4), "t": text}), tmp_path / "t.parquet")
    path = tmp_path / "t.parquet"
    assert kept(ParquetFiles(path, where="t = 'a'")) == [0]
    assert kept(ParquetFiles(path, where="t <> 'a'")) == [2]
    assert kept(ParquetFiles(path, where="t IS NULL")) == [1, 3]


def test_columns_of_folders_are_compared_by_their_declared_type(tmp_path: Path) -> None:
    for month in ("03", "x", "11"):
        (tmp_path / f"month={month}").mkdir()
        table = pa.table({"id": [int(month) if month != "x" else 0]})
        pq.write_table(table, tmp_path / f"month={month}" / "a.parquet")
    told = {"month": "integer"}

    def ids(where: str) -> list[int]:
        return kept(ParquetFiles(f"{tmp_path}/", partitions=told, where=where))

    assert ids("month >= 4") == [11]
    assert ids("month = 3") == [3]
    assert ids("month IS NULL") == [0]


def test_times_that_duckdb_cannot_count_are_refused(tmp_path: Path) -> None:
    """They become days on their way, and a day is no time."""
    times = pa.array([dt.datetime(2026, 1, 1, 9)], pa.timestamp("ms"))  # noqa: DTZ001
    table = pa.table({"id": [1], "seen": times})
    pq.write_table(table, tmp_path / "a.parquet", version="1.0", coerce_timestamps="ms")
    where = "seen = '2026-01-01 00:00:00'"
    said = refusal(ParquetFiles(tmp_path / "a.parquet", where=where))
    assert "this one holds times in milliseconds or of 96 bits beside it" in said


CELLS = ["north", "North", "north ", " north", "", "ß", "it's", "2026-11-09", "10", "9"]
CONDITIONS: list[tuple[str, Callable[[str], bool]]] = [
    ("region = 'north'", lambda cell: cell == "north"),
    ("region <> 'north'", lambda cell: cell != "north"),
    ("region >= '2026-11-09'", lambda cell: cell.encode() >= b"2026-11-09"),
    ("region IN ('', 'it''s')", lambda cell: cell in {"", "it's"}),
    ("NOT region BETWEEN '1' AND '2'", lambda cell: not "1" <= cell <= "2"),
    ("region > '9'", lambda cell: cell.encode() > b"9"),
]


@pytest.mark.parametrize(("where", "fits"), CONDITIONS)
def test_cells_of_text_files_are_compared_as_they_are_written(
    where: str,
    fits: Callable[[str], bool],
    tmp_path: Path,
) -> None:
    lines = [f'{at},"{cell}"' for at, cell in enumerate(CELLS)] + ["99", "98,a,b", ""]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["id,region", *lines]), encoding="utf-8")
    rows = list(line_cells(CsvFile(path), str(path)))
    wanted = sorted(row[0] for row in rows if fits(row[1]))
    asked = KeyCount("id", "text", None)
    assert kept(CsvFile(path, where=where), asked) == wanted
    as_parquet = pa.table({"id": [row[0] for row in rows], "region": CELLS})
    pq.write_table(as_parquet, tmp_path / "a.parquet", row_group_size=2)
    assert kept(ParquetFiles(tmp_path / "a.parquet", where=where), asked) == wanted


def test_text_files_hold_neither_numbers_nor_nulls(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,region\n1,a\n", encoding="utf-8")
    said = refusal(CsvFile(path, where="id > 5"))
    assert "a comparison of a column of string with a constant of another" in said
    said = refusal(CsvFile(path, where="region IS NOT NULL"))
    assert "this one holds IS NULL of text files, which have none" in said


def test_a_window_of_files_is_what_is_added_up(tmp_path: Path) -> None:
    days = [dt.date(2026, 11, day) for day in (8, 9, 15, 16)]
    table = pa.table({"score": [0.1, 0.2, 0.3, 0.4], "label": [1] * 4, "day": days})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    pq.write_table(table.slice(1, 2), tmp_path / "week.parquet")
    week = "day >= '2026-11-09' AND day < '2026-11-16'"
    plan = plan_of()
    source = ParquetFiles(tmp_path / "a.parquet", where=week)
    for engine in ("auto", "duckdb"):
        assert exact(source, plan, engine) == exact(
            str(tmp_path / "week.parquet"), plan, "python"
        )
    rule = "engine 'python' keeps no rows by where, got 'where'. Use engine 'duckdb'"
    with pytest.raises(InvalidInput, match=rule):
        release_sums(source, plan, ledger=None, engine="python")
