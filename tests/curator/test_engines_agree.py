"""Every engine equals the specification to the last integer, from every source."""

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
from hypothesis import assume, given
from hypothesis import strategies as st

from curator.tables_for_tests import (
    CSV_DIALECTS,
    ENGINES,
    READABLE,
    ROW,
    SOURCES,
    Case,
    cases,
    exact,
    fixed,
    mapping_of,
    plan_of,
    write_csv,
)
from curator.threads_for_tests import relations_by_threads
from dpratio.curator import whole_doubles
from dpratio.curator.choose_engine import open_table
from dpratio.curator.engine import CellSum, Statement
from dpratio.curator.exact import LARGEST_SUM
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Keys


def specified(case: Case) -> list[list[int]]:
    return exact(mapping_of(case.table), case.plan, "python")


@pytest.mark.parametrize(("source", "engine"), READABLE)
@given(case=cases())
@fixed(14)
def test_every_source_gives_the_integers_of_the_specification(
    source: str, engine: str, case: Case, folder: Path
) -> None:
    given_table = SOURCES[source](case.table, folder)
    assert exact(given_table, case.plan, engine) == specified(case)


@pytest.mark.parametrize("dialect", CSV_DIALECTS)
@given(case=cases())
@fixed(12)
def test_every_csv_dialect_gives_the_integers_of_the_specification(
    dialect: str, case: Case, folder: Path
) -> None:
    _, delimiter, quote, *_ = CSV_DIALECTS[dialect]
    columns = case.table.column_names
    unquotable = quote == "" and any(delimiter in name for name in columns)
    assume(not unquotable)
    given_file = write_csv(case.table, folder, dialect)
    for engine in ENGINES:
        assert exact(given_file, case.plan, engine) == specified(case), engine


@given(case=cases(), few=st.integers(1, 2**27))
@fixed(20)
def test_sums_beyond_the_exact_doubles_are_taken_again_in_integers(
    case: Case, few: int, folder: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_doubles, "_EXACT_DOUBLES", float(few))
        found = exact(SOURCES["relation"](case.table, folder), case.plan, "duckdb")
    assert found == specified(case)


@given(case=cases(least_rows=2), data=st.data())
@fixed(20)
def test_the_order_of_rows_does_not_change_the_integers(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    order = data.draw(st.permutations(range(case.table.num_rows)))
    shuffled = Case(case.plan, case.table.take(pa.array(order)))
    assert specified(shuffled) == specified(case)
    found = exact(SOURCES["relation"](shuffled.table, folder), case.plan, "duckdb")
    assert found == specified(case)


def test_threads_and_the_order_of_many_rows_do_not_change_the_integers(
    folder: Path,
) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    score = chance.normal(0, 1, many) * 10.0 ** chance.integers(-30, 30, many)
    score[chance.integers(0, many, 999)] = np.nan
    region = chance.choice(np.array(["north", "south", "west"]), many)
    label, weight = chance.random(many), chance.exponential(1, many)
    given_columns = (score, label, weight, region)
    plan = plan_of(
        Bounds(-0.7, 1.9), Bounds(0, 0.9), Bounds(1 / 3, 3), keys=["south", "north"]
    )
    names = ("score", "label", "weight", "region")
    table = pa.table([pa.array(column) for column in given_columns], names=names)
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_the_integers_are_those_worked_out_by_hand(engine: str) -> None:
    """Score clipped to [-1, 2], label binary, weight clipped to [0, 4]."""
    plan = plan_of(Bounds(-1, 2), Bounds.binary(), Bounds(0, 4), keys=["b", "a", "c"])
    rows = [
        (0.5, 1, 2, "a"),
        (-9.0, 0.7, 0.25, "a"),
        (9.0, 0.2, 9, "b"),
        (1.0, 1, -1, "b"),
        (1.0, 1, 1, "undeclared"),
        (1.0, 1, 1, None),
        (None, 1, 1, "a"),
        (float("nan"), 1, 1, "a"),
        (1.0, float("inf"), 1, "a"),
        (1.0, 1, None, "a"),
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["score", "label", "weight", "region"])
    # Sums w, wy, ws, ww, wss, wys; reaches 4, 4, 8, 16, 16, 8: one is 2^24 over them.
    assert exact(table, plan, engine) == [
        [4 * 2**22, 0, 8 * 2**21, 16 * 2**20, 16 * 2**20, 0],
        [
            int(2.25 * 2**22),
            int(2.25 * 2**22),
            int(0.75 * 2**21),
            int(4.0625 * 2**20),
            int(0.75 * 2**20),
            int(0.75 * 2**21),
        ],
        [0] * 6,
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_is_rounded_to_the_nearest_cell_and_ties_go_up(engine: str) -> None:
    plan, cell = plan_of(Bounds(-1, 1), Bounds(-1, 1)), 2.0**-24
    scores = [1.5, 1.4999999, -1.5, -0.5, 0.5, -0.50001]
    for score, expected in zip(scores, [2, 1, -1, 0, 1, -1], strict=True):
        table = pa.table({"score": [score * cell], "label": [0.0]})
        assert exact(table, plan, engine)[0][2] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_single_precision_is_widened_before_it_is_counted(engine: str) -> None:
    table = pa.table({"score": pa.array([0.1], pa.float32()), "label": [True]})
    cell = int(np.floor(float(np.float32(0.1)) * ROW + 0.5))
    assert exact(table, plan_of(), engine)[0][2] == cell
    assert cell == 1677722
    squared = int(np.floor(float(np.float32(0.1)) ** 2 * ROW + 0.5))
    assert exact(table, plan_of(), engine)[0][3] == squared


@pytest.mark.parametrize("engine", ENGINES)
def test_declared_keys_are_answered_in_their_order_whether_present_or_not(
    engine: str,
) -> None:
    plan = plan_of(keys=["z", "a", "m"])
    rows = {"score": [1.0] * 4, "label": [1] * 4, "region": ["a", "q", "a", "z"]}
    counts = [row[0] for row in exact(pa.table(rows), plan, engine)]
    assert counts == [ROW, 2 * ROW, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_without_rows_has_sums_of_zero(engine: str) -> None:
    columns = {"score": pa.float64(), "label": pa.int8(), "region": pa.string()}
    table = pa.schema(list(columns.items())).empty_table()
    assert exact(table, plan_of(), engine) == [[0] * 5]
    assert exact(table, plan_of(keys=["a", "b"]), engine) == [[0] * 5] * 2


def statement_with(step: float, largest: int) -> Statement:
    """One sum of a column x between ±1, counted on a lattice of one's choice."""
    return Statement(
        factor_columns={"s": "x"},
        factor_bounds={"s": Bounds(-1, 1)},
        dimensions=(Keys("g", ["a", "b", "c"]),),
        listed=None,
        unit=None,
        sums=(CellSum(("s",), step, largest),),
    )


def both_sums(table: Any, statement: Statement) -> list[list[int]]:  # noqa: ANN401
    nothing = np.zeros((3, 1), dtype=np.int64)
    asked = [open_table(table, statement, engine)() for engine in ENGINES]
    return [sums.plus(nothing)[:, 0].tolist() for sums in asked]


def test_sums_are_clamped_to_62_bits() -> None:
    x = [1.0] * 9 + [-1.0] * 9 + [1.0, -0.5]
    table = pa.table({"x": x, "g": ["a"] * 9 + ["b"] * 9 + ["c"] * 2})
    expected = [LARGEST_SUM, -LARGEST_SUM, 2**60 - 2**59]
    statement = statement_with(2.0**-60, 2**60)
    assert both_sums(table, statement) == [expected, expected]


def test_odd_sums_beyond_the_exact_doubles_keep_their_last_bit() -> None:
    step = 2.0**-53
    x = [1.0, 1.0, step, -1.0, -1.0, -step, 1.0]
    table = pa.table({"x": x, "g": ["a"] * 3 + ["b"] * 3 + ["c"]})
    expected = [2**54 + 1, -(2**54) - 1, 2**53]
    assert both_sums(table, statement_with(step, 2**53)) == [expected, expected]


def test_128_bit_whole_numbers_count_as_their_nearest_double() -> None:
    plan = plan_of(Bounds(-(2.0**100), 2.0**100), Bounds(0, 1))
    numbers = [2**127 - 1, -(2**127), 2**53 + 1, 2**90 + 2**37 + 1, 3, 2**128 - 1]
    plain = {"score": numbers, "label": [1] * len(numbers)}
    values = ", ".join(f"('{n}'::HUGEINT, 1)" for n in numbers[:-1])
    huge = duckdb.connect().sql(f"FROM (VALUES {values}) t(score, label)")
    unsigned = duckdb.connect().sql(f"SELECT '{numbers[-1]}'::UHUGEINT score, 1 label")
    found = [exact(each, plan, "duckdb")[0] for each in (huge, unsigned)]
    total = [sum(pair) for pair in zip(*found, strict=True)]
    assert [total] == exact(plain, plan, "python")


def test_a_duckdb_relation_may_group_by_an_enum_or_a_wide_whole_number() -> None:
    enum = "SELECT 0.5 score, true label, 'a'::ENUM('a', 'b') region"
    plan = plan_of(keys=["b", "a"])
    found = exact(duckdb.connect().sql(enum), plan, "duckdb")
    assert [row[0] for row in found] == [0, ROW]
    wide = (
        "SELECT 0.5 score, true label, unnest([5::HUGEINT, -2, 170141183460469231731])"
        " AS region"
    )
    found = exact(duckdb.connect().sql(wide), plan_of(keys=[-2, 5]), "duckdb")
    assert [row[0] for row in found] == [ROW, ROW]


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


WRONG = {"double": ("<d", pa.float64()), "float": ("<f", pa.float32())}


@pytest.mark.parametrize("kind", [*WRONG, "whole"])
def test_a_relation_whose_statistics_are_wrong_is_clipped_all_the_same(
    kind: str, tmp_path: Path
) -> None:
    """Whatever the optimizer of the connection makes of a file's statistics."""
    path, (letter, arrow_type) = (
        tmp_path / "rows.parquet",
        WRONG.get(kind, ("<q", pa.int64())),
    )
    size, few = struct.calcsize(letter), [0, 1] if kind == "whole" else [0.0, 0.125]
    table = pa.table({"score": pa.array(few, arrow_type), "label": [1, 1]})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    written = bytearray(path.read_bytes())
    at = written.index(struct.pack(letter, few[0]) + struct.pack(letter, few[1])) + size
    written[at : at + size] = struct.pack(letter, 10**15)
    path.write_bytes(written)
    relation = duckdb.connect().sql(f"FROM read_parquet('{path}')")
    plan = plan_of(Bounds(-3, 5))
    assert exact(relation, plan, "duckdb")[0][2] == 5 * 2**22


def exact_or_refused(table: object, engine: str) -> int | None:
    """The sum of scores, or None where the engine refuses the schema by its rules."""
    try:
        return exact(table, plan_of(), engine)[0][2]
    except SchemaRefused:
        return None


@pytest.mark.parametrize("collation", ["column", "connection"])
def test_a_row_counts_for_one_key_under_any_collation(collation: str) -> None:
    """A row in two groups would move twice what is paid for."""
    connection = duckdb.connect()
    collate = "COLLATE NOCASE" if collation == "column" else ""
    if collation == "connection":
        connection.execute("SET default_collation = 'nocase'")
    connection.execute(f"CREATE TABLE t (score REAL, label INT, region TEXT {collate})")
    connection.execute("INSERT INTO t VALUES (0.5, 1, 'north')")
    found = exact(connection.table("t"), plan_of(keys=["north", "NORTH"]), "duckdb")
    assert [row[0] for row in found] == [ROW, 0]


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
    assert exact_or_refused(given_table, "python") == ROW // 2
    assert exact_or_refused(given_table, "duckdb") in {ROW // 2, None}


def test_a_text_key_of_a_class_of_its_own_counts_the_same_everywhere() -> None:
    class Region(str):
        __slots__ = ()

    cells = pd.Series([Region("a"), np.str_("a"), "a"], dtype=object)
    frame = pd.DataFrame({"score": 0.5, "label": 1, "region": cells})
    plan = plan_of(keys=["a"])
    assert exact(frame, plan, "duckdb") == exact(frame, plan, "python")


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
