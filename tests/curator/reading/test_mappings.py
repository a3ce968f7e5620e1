"""Mappings of lists, and what frames and files have in common with them."""

import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.oracle import number_of
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.curator.measure import look_at_schema
from dpratio.curator.reading.frames import _numbers
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError, FileRefused, InvalidInput, SchemaRefused
from dpratio.terms.source import CsvFile


def test_the_columns_of_a_mapping_must_have_one_length() -> None:
    with pytest.raises(SchemaRefused) as refused:
        release_sums(
            {"score": [1, 2], "label": [1], "other": [1]}, plan_of(), ledger=None
        )
    assert str(refused.value) == (
        "the columns of the mapping differ in length. Give each the same length."
    )


def test_a_mapping_without_columns_has_no_column_to_offer() -> None:
    with pytest.raises(SchemaRefused, match="column 'score' is not in the table"):
        release_sums({}, plan_of(), ledger=None)


@pytest.mark.parametrize(
    "column", [7, None, iter([1.0])], ids=["7", "None", "iterator"]
)
def test_a_column_of_a_mapping_that_has_no_length_is_refused(column: object) -> None:
    with pytest.raises((InvalidInput, SchemaRefused)):
        release_sums({"score": column, "label": [1]}, plan_of(), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1junkPAR1", b"score,label\n1,1\n"]
)
def test_a_broken_parquet_footer_is_refused(
    content: bytes, engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(content)
    with pytest.raises(FileRefused) as refused:
        release_with(engine, path, plan_of(), ledger=None)
    assert str(refused.value) == f"the Parquet footer of '{path}' cannot be read."
    assert refused.value.__context__ is None


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "other",
    [
        {"score": pa.array([0.5], pa.float32()), "label": [1]},
        {"score": [0.5], "label": [1], "more": [1]},
        {"label": [1], "score": [0.5]},
        {"score": [0.5]},
    ],
    ids=["type", "more", "order", "fewer"],
)
def test_parquet_files_of_one_glob_must_share_their_schema(
    other: dict[str, Any], engine: str, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"score": [0.5], "label": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table(other), tmp_path / "2.parquet")
    with pytest.raises(SchemaRefused) as refused:
        release_with(engine, tmp_path / "*.parquet", plan_of(), ledger=None)
    assert str(refused.value) == (
        f"the schema of '{tmp_path}/2.parquet' differs from that of "
        f"'{tmp_path}/1.parquet'. Files of one glob must share their columns and types."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_csv_files_of_one_glob_must_share_their_header(
    engine: str, tmp_path: Path
) -> None:
    (tmp_path / "1.csv").write_text("score,label\n1,1\n", encoding="utf-8")
    (tmp_path / "2.csv").write_text("label,score\n1,1\n", encoding="utf-8")
    with pytest.raises(SchemaRefused) as refused:
        release_with(engine, tmp_path / "*.csv", plan_of(), ledger=None)
    assert str(refused.value) == (
        f"the header of '{tmp_path}/2.csv' differs from that of '{tmp_path}/1.csv'. "
        "Files of one glob must share their columns."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_csv_files_of_one_glob_are_one_table(engine: str, tmp_path: Path) -> None:
    for name in ("[1].csv", "2.csv", "3.csv"):
        (tmp_path / name).write_text("score,label\n1,1\n0.5,1", encoding="utf-8")
    (tmp_path / "4.csv").write_text("score,label", encoding="utf-8")
    found = exact(tmp_path / "*.csv", plan_of(), engine)
    assert found[0][:3] == [6 * ROW, 6 * ROW, ROW * 9 // 2]
    headless = CsvFile(tmp_path / "[!1-9]*.csv", columns=["score", "label"])
    assert exact(headless, plan_of(), engine)[0][0] == 2 * ROW


def read_as_number(value: object) -> float | None:
    """The number as which a cell of a list is handed to DuckDB."""
    cells = np.empty(1, dtype=object)
    cells[0] = value
    (number,) = _numbers(cells.tolist())
    return number if math.isfinite(number) else None


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (np.False_, 0.0),
        (3, 3.0),
        (0.5, 0.5),
        (Decimal("0.1"), 0.1),
        (np.float32(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.uint64(2**64 - 1), 2.0**64),
        (10**400, None),
        (Decimal("1e999"), None),
        (Decimal("sNaN"), None),
        (math.nan, None),
        (-math.inf, None),
        (None, None),
        ("0.5", None),
        (b"0.5", None),
        ([0.5], None),
        (1j, None),
        (np.datetime64("2020-01-01"), None),
        (np.array([0.5]), None),
        (pd.NA, None),
        (object(), None),
    ],
    ids=lambda value: repr(value).split(" at ")[0],
)
def test_a_python_value_is_a_number_by_its_type_and_not_by_its_looks(
    value: object, number: float | None
) -> None:
    assert number_of(value) == number
    assert read_as_number(value) == number


@pytest.mark.parametrize(
    "value",
    [
        np.complex128(1 + 2j),
        np.str_("0.5"),
        np.bytes_(b"0.5"),
        np.timedelta64(1, "s"),
        np.timedelta64(1, "D"),
        np.datetime64("NaT", "s"),
    ],
    ids=repr,
)
def test_a_numpy_value_that_is_no_real_number_is_none(value: object) -> None:
    """A complex one would even print a warning: an output that depends on a cell."""
    assert number_of(value) is None
    assert read_as_number(value) is None


def test_a_key_of_a_mapping_counts_for_a_declared_key_of_its_own_type() -> None:
    cells = [1, True, 1.0, "1", np.int64(1), np.True_, None, [1], {}, 2**70, Decimal(1)]
    mapping = {"score": [1.0] * 11, "label": [1] * 11, "region": cells}
    for engine in ("python", "auto"):
        counts = {
            key: exact(mapping, plan_of(keys=[key]), engine)[0][0] // ROW
            for key in (1, "1")
        }
        assert counts == {1: 2, "1": 1}
        assert exact(mapping, plan_of(keys=[True]), engine)[0][0] == 2 * ROW


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_in_text_are_compared_as_they_are_written(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    cells = ["1", "01", "1.0", "+1", " 1", "true", "True", "-3"]
    rows = "".join(f"{cell},1,1\n" for cell in cells)
    path.write_text(f"region,score,label\n{rows}", encoding="utf-8")
    for keys in (plan_of(keys=[1, -3]), plan_of(keys=["1", "-3"])):
        assert [row[0] // ROW for row in exact(path, keys, engine)] == [1, 1]
    truth = exact(path, plan_of(keys=[False, True]), engine)
    assert [row[0] // ROW for row in truth] == [0, 2]


def test_the_schema_of_every_frame_is_read_without_its_cells() -> None:
    numbers = {"a": [1], "b": [0.5], "c": [True], "d": ["x"]}
    kinds = ["integer", "number", "boolean", "text"]
    frames = [pd.DataFrame(numbers), pl.DataFrame(numbers), pa.table(numbers)]
    for frame in frames:
        types = look_at_schema(frame)
        assert [types[name].kind for name in "abcd"] == kinds
    listed = look_at_schema(pa.table({"a": [[1]], "b": [b"x"]}))
    assert [each.kind for each in listed.values()] == ["other", "other"]
    listed = look_at_schema(pl.DataFrame({"a": [[1]], "b": [b"x"]}))
    assert [each.kind for each in listed.values()] == ["other", "other"]
    listed = look_at_schema(pl.DataFrame({"a": ["x"]}, {"a": pl.Categorical}))
    assert listed["a"].kind == "text"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["pandas", "arrow"])
def test_a_column_name_that_occurs_twice_is_refused_where_it_is_asked_for(
    source: str, engine: str
) -> None:
    columns = [pa.array([0.5]), pa.array([1]), pa.array([0])]
    table: object = pa.table(columns, names=["score", "label", "label"])
    if source == "pandas":
        table = pd.DataFrame([[0.5, 1, 0]], columns=["score", "label", "label"])
    with pytest.raises(SchemaRefused, match=r"more than once|different names"):
        release_with(engine, table, plan_of(), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_that_occurs_twice_is_no_obstacle_where_it_is_not_asked_for(
    engine: str, tmp_path: Path
) -> None:
    columns = [pa.array([0.5]), pa.array([1]), pa.array([0]), pa.array([0])]
    table = pa.table(columns, names=["score", "label", "other", "other"])
    pq.write_table(table, tmp_path / "rows.parquet")
    for each in (table, tmp_path / "rows.parquet"):
        assert exact(each, plan_of(), engine)[0][2] == ROW // 2


def test_a_column_of_a_mapping_is_found_by_its_name_as_text() -> None:
    plan = plan_of(names=("score", "1", "weight", "region"))
    assert exact({"score": [0.5], 1: [1]}, plan, "auto")[0][2] == ROW // 2


@pytest.mark.parametrize("make", [tuple, np.array, pd.Series])
def test_a_column_of_a_mapping_may_be_anything_with_a_length(
    make: Callable[[list[float]], Any],
) -> None:
    mapping = {"score": make([0.5, 0.25]), "label": [1, 1]}
    assert exact(mapping, plan_of(), "auto")[0][0] == 2 * ROW


@pytest.mark.parametrize("engine", ENGINES)
def test_a_lazy_frame_that_cannot_tell_its_columns_is_refused_in_our_own_words(
    engine: str,
) -> None:
    lazy = pl.LazyFrame({"score": [0.5], "label": [1]}).select("missing")
    with pytest.raises(DpratioError):
        release_with(engine, lazy, plan_of(), ledger=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pandas_column_is_found_by_its_name_as_text(engine: str) -> None:
    plan = plan_of(names=("score", "1", "weight", "region"))
    frame = pd.DataFrame({"score": [0.5], 1: [1]})
    assert exact(frame, plan, engine)[0][:3] == [ROW, ROW, ROW // 2]
    levels = pd.MultiIndex.from_tuples([("score", "x"), ("label", "x")])
    with pytest.raises(SchemaRefused, match="column 'score' is not in the table"):
        release_with(
            engine,
            pd.DataFrame([[0.5, 1]], columns=levels),
            plan_of(),
            ledger=None,
        )
