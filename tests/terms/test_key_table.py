"""Public tables of keys: files, frames and mappings."""

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dpratio.errors import FileRefused, InvalidInput
from dpratio.terms.key_table import groups_from

ROWS: dict[str, list[Any]] = {
    "state": ["CA", "NY", None],
    "age": [30, 40, 30],
    "day": [dt.date(2026, 1, 1), dt.date(2026, 2, 1), dt.date(2026, 1, 1)],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_every_kind_of_table_gives_the_same_cells(make: Any) -> None:  # noqa: ANN401
    groups = groups_from(make(ROWS), ["state", "age"])
    assert groups.keys == (("CA", 30), ("NY", 40), (None, 30))
    assert groups_from(make(ROWS), "state").keys == ("CA", "NY", None)


def test_dates_are_dates_in_every_frame() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(ROWS["day"][:2])})
    for table in (frame, pl.from_pandas(frame), pa.table({"day": ROWS["day"][:2]})):
        assert groups_from(table, ["day"]).keys == tuple(ROWS["day"][:2])


def test_a_csv_file_says_what_its_keys_are(tmp_path: Path) -> None:
    file = tmp_path / "keys.csv"
    file.write_text("state,age,new,day\nCA,30,true,2026-01-01\n,40,False,2026-02-01\n")
    kinds = {"age": "integer", "new": "boolean", "day": "date"}
    groups = groups_from(file, ["state", "age", "new", "day"], kinds=kinds)
    assert groups.keys == (
        ("CA", 30, True, dt.date(2026, 1, 1)),
        (None, 40, False, dt.date(2026, 2, 1)),
    )
    assert groups_from(file, ["age"]).keys == ("30", "40")


def test_a_parquet_file_keeps_its_types(tmp_path: Path) -> None:
    file = tmp_path / "keys.parquet"
    pl.DataFrame(ROWS).write_parquet(file)
    assert groups_from(file, ["state", "age"]).keys[1] == ("NY", 40)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"age": "integer"}, "a key of 'age' is no integer, got 'old'"),
        ({"age": "boolean"}, "a key of 'age' is no boolean"),
        ({"age": "date"}, "a key of 'age' is no date"),
        ({"age": "number"}, "unknown kind of key"),
    ],
)
def test_a_key_of_another_kind_is_refused(
    tmp_path: Path, kinds: dict[str, str], message: str
) -> None:
    file = tmp_path / "keys.csv"
    file.write_text("age\nold\n")
    with pytest.raises(InvalidInput, match=message):
        groups_from(file, ["age"], kinds=kinds)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="cannot be read"):
        groups_from(tmp_path / "none.csv", ["age"])
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1")
    with pytest.raises(FileRefused, match="cannot be read"):
        groups_from(broken, ["age"])
    with pytest.raises(InvalidInput, match="CSV or Parquet"):
        groups_from(tmp_path / "keys.txt", ["age"])
    empty = tmp_path / "empty.csv"
    empty.write_text("age\n")
    with pytest.raises(InvalidInput, match="column of keys is missing"):
        groups_from(empty, ["age"])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"got 'sate'\. The table has: state, age"):
        groups_from(ROWS, ["sate"])
    with pytest.raises(InvalidInput, match="name the columns"):
        groups_from(ROWS, [])


def test_a_cell_that_is_too_long_for_a_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "keys.csv"
    file.write_text(f"age\n{'x' * 200_000}\n")
    with pytest.raises(FileRefused, match="cannot be read"):
        groups_from(file, ["age"])
