"""Odd types, files and frames: read alike by every engine, or refused."""

import math
import struct
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.table_sources import (
    SOURCES,
    mapping_of,
    write_csv,
)
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_with_a_repeated_index_keeps_its_rows(engine: str) -> None:
    columns = {"score": [0.5, 0.25], "label": [1, 0], "region": ["a", "b"]}
    frame = pd.DataFrame(columns, index=[7, 7])
    found = exact(frame, plan_of(keys=["a", "b"]), engine)
    assert [row[2] for row in found] == [ROW // 2, ROW // 4]


NAN_FILES = {
    "double": pa.array([0.5, math.nan, 0.25]),
    "float": pa.array([0.5, math.nan, 0.25], pa.float32()),
    "half": pa.array(np.array([0.5, math.nan, 0.25], np.float16)),
}


@pytest.mark.parametrize("kind", NAN_FILES)
@pytest.mark.parametrize("column", ["score", "label", "weight"])
def test_a_parquet_file_whose_statistics_know_no_nan_drops_it_all_the_same(
    kind: str, column: str, tmp_path: Path
) -> None:
    """Writers leave NaN out of a column's minimum and maximum, as Parquet demands."""
    path = tmp_path / "rows.parquet"
    columns = {name: pa.array([1.0, 1.0, 0.5]) for name in ("score", "label", "weight")}
    table = pa.table({**columns, column: NAN_FILES[kind]})
    plan = plan_of(label=Bounds(0, 1), weight=Bounds(0, 1))
    expected = exact(mapping_of(table.take(pa.array([0, 2]))), plan, "python")
    pq.write_table(table, path)
    for engine in ENGINES:
        assert exact(path, plan, engine) == expected, engine
    connection = duckdb.connect()
    relation = connection.sql(f"FROM read_parquet('{path}')")
    assert exact(relation, plan, "duckdb") == expected
    pl.read_parquet(path).write_parquet(path)
    assert exact(path, plan, "duckdb") == expected


@pytest.mark.parametrize("kind", ["<d", "<f"])
def test_a_parquet_file_whose_statistics_are_wrong_is_clipped_all_the_same(
    kind: str, tmp_path: Path
) -> None:
    path, size = tmp_path / "rows.parquet", struct.calcsize(kind)
    score = pa.array([0.5, 0.75], pa.float64() if kind == "<d" else pa.float32())
    table = pa.table({"score": score, "label": [1, 1]})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    written = bytearray(path.read_bytes())
    at = written.index(struct.pack(kind, 0.5) + struct.pack(kind, 0.75)) + size
    written[at : at + size] = struct.pack(kind, 1e30)
    path.write_bytes(written)
    for engine in ENGINES:
        assert exact(path, plan_of(), engine)[0][2] == ROW * 3 // 2, engine


def exact_or_refused(table: object, engine: str) -> int | None:
    """The sum of scores, or None where the engine refuses the schema by its rules."""
    try:
        return exact(table, plan_of(), engine)[0][2]
    except SchemaRefused:
        return None


@pytest.mark.parametrize("source", ["pandas", "polars", "arrow", "parquet", "csv"])
def test_names_that_differ_in_case_are_never_taken_for_each_other(
    source: str, folder: Path
) -> None:
    table = pa.table({"Score": [0.25], "score": [0.5], "label": [1]})
    given_table = (
        write_csv(table, folder, "plain")
        if source == "csv"
        else SOURCES[source](table, folder)
    )
    assert exact_or_refused(given_table, "duckdb") in {ROW // 2, None}


def test_a_text_key_of_a_class_of_its_own_counts_the_same_everywhere() -> None:
    class Region(str):
        __slots__ = ()

    cells = pd.Series([Region("a"), np.str_("a"), "a"], dtype=object)
    frame = pd.DataFrame({"score": 0.5, "label": 1, "region": cells})
    plan = plan_of(keys=["a"])
    half, quarter = 3 * ROW // 2, 3 * ROW // 4
    expected = [[3 * ROW, 3 * ROW, half, quarter, half]]
    assert exact(frame, plan, "duckdb") == expected


@pytest.mark.parametrize(
    "kind",
    [pa.string_view(), pa.dictionary(pa.int32(), pa.large_string())],
    ids=["string_view", "dictionary"],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_text_type_of_arrow_may_hold_keys(kind: Any, engine: str) -> None:  # noqa: ANN401
    cells = pa.array(["a", None, "b"], kind)
    table = pa.table({"score": [0.5] * 3, "label": [1] * 3, "region": cells})
    found = exact(table, plan_of(keys=["b", "c", "a"]), engine)
    assert [row[0] for row in found] == [ROW, 0, ROW]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "keys", [(3, 4, 5), (None, 3, 4), (3, None, 4), (5, 3, 4), (None, 0, 1), (0, 1)]
)
def test_whole_number_keys_may_stand_in_any_order_beside_a_missing_one(
    keys: tuple[int | None, ...], engine: str
) -> None:
    cells = [None, None, None, 3, 3, 4, 5, 5, 5, 5, 0]
    table = pa.table({"score": [0.5] * 11, "label": [1] * 11, "region": cells})
    found = exact(table, plan_of(keys=keys), engine)
    assert [row[0] for row in found] == [ROW * cells.count(key) for key in keys]


ASKED: dict[Any, Any] = {"score": [0.5, 0.25], "label": [1, 0]}
NOT_ASKED: dict[Any, Any] = {
    "pandas_number_name": pd.DataFrame({**ASKED, 0: [1, 2]}),
    "pandas_longdouble": pd.DataFrame({**ASKED, "z": np.ones(2, np.longdouble)}),
    "pandas_object": pd.DataFrame({**ASKED, "z": [object(), "\ud800"]}),
    "polars_int128": pl.DataFrame({**ASKED, "z": pl.Series([1, 2], dtype=pl.Int128)}),
    "polars_object": pl.DataFrame(
        {**ASKED, "z": pl.Series([{1}, {2}], dtype=pl.Object)}
    ),
    "arrow_half": pa.table({**ASKED, "z": pa.array(np.ones(2, np.float16))}),
    "arrow_decimal256": pa.table({**ASKED, "z": pa.array([1, 2], pa.decimal256(50))}),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", NOT_ASKED)
def test_a_column_that_is_not_asked_for_may_be_of_any_type(
    kind: str, engine: str
) -> None:
    assert exact(NOT_ASKED[kind], plan_of(), engine)[0][2] == ROW * 3 // 4


RARE: dict[str, Any] = {
    "pandas_big_endian": pd.DataFrame({**ASKED, "score": np.array([0.5, 0.25], ">f8")}),
    "pandas_longdouble": pd.DataFrame(ASKED).astype({"score": np.longdouble}),
    "pandas_half": pd.DataFrame(ASKED).astype({"score": np.float16}),
    "pandas_sparse": pd.DataFrame(ASKED).astype({"score": "Sparse[float64]"}),
    "pandas_arrow": pd.DataFrame(ASKED).astype({"score": "double[pyarrow]"}),
    "polars_half": pl.DataFrame(ASKED).cast({"score": pl.Float16}),
    "polars_int128": pl.DataFrame(ASKED).cast({"label": pl.Int128}),
    "arrow_half": pa.table(
        {**ASKED, "score": pa.array(np.array([0.5, 0.25], np.float16))}
    ),
    "arrow_decimal256": pa.table(
        {**ASKED, "label": pa.array([1, 0], pa.decimal256(50))}
    ),
    "arrow_negative_scale": pa.table(
        {**ASKED, "label": pa.array([100, 0], pa.decimal128(9, -2))}
    ),
    "arrow_dictionary": pa.table(
        {**ASKED, "score": pa.array([0.5, 0.25]).dictionary_encode()}
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", RARE)
def test_a_rare_number_type_is_read_rightly_or_refused_by_the_schema(
    kind: str, engine: str
) -> None:
    assert exact_or_refused(RARE[kind], engine) in {ROW * 3 // 4, None}
