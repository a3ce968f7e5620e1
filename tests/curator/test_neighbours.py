"""One row more or less: what it may move, and what it may never change.

Grey box: the integers before noise are compared on pairs of neighbouring tables.
"""

import gzip
import math
from collections.abc import Callable
from decimal import Decimal
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

from curator.moves_for_tests import require_close
from curator.tables_for_tests import (
    CSV_DIALECTS,
    ENGINES,
    HOSTILE_NUMBERS,
    READABLE,
    SOURCES,
    Case,
    cases,
    exact,
    fixed,
    mapping_of,
    plan_of,
    said_by,
    shape_of,
    write_csv,
)
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError, EngineFailed
from dpratio.release.files import write_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.source import CsvFile

Table = Any


def require_neighbours_close(case: Case, data: st.DataObject, folder: Path) -> None:
    neighbour = case.without(data.draw(st.integers(0, case.table.num_rows - 1)))
    source = data.draw(st.sampled_from(["relation"] * 25 + sorted(SOURCES)))
    pairs = [("python", mapping_of), ("duckdb", lambda t: SOURCES[source](t, folder))]
    for engine, make in pairs:
        table, less = (
            exact(make(each.table), each.plan, engine) for each in (case, neighbour)
        )
        require_close(case.plan, table, less)


@given(case=cases(least_rows=1), data=st.data())
@fixed(90)
def test_one_row_moves_one_group_by_no_more_than_the_sensitivity(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases("focused", least_rows=1), data=st.data())
@fixed(40)
def test_one_row_pays_for_all_sums_of_z_and_h_no_more_than_their_joint_price(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases("joint", least_rows=1), data=st.data())
@fixed(20)
def test_one_row_pays_for_all_sums_of_the_paper_no_more_than_their_joint_price(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    require_neighbours_close(case, data, folder)


@given(case=cases(least_rows=1), data=st.data())
@fixed(25)
def test_one_line_of_text_moves_one_group_by_no_more_than_the_sensitivity(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    neighbour = case.without(data.draw(st.integers(0, case.table.num_rows - 1)))
    dialects = [name for name in sorted(CSV_DIALECTS) if name != "no_quote"]
    dialect = data.draw(st.sampled_from(dialects))
    for engine in ENGINES:
        table, less = (
            exact(write_csv(each.table, folder, dialect), each.plan, engine)
            for each in (case, neighbour)
        )
        require_close(case.plan, table, less)


NUMBERS = st.sampled_from([*HOSTILE_NUMBERS, 10**400, -(10**40), Decimal("1e-400")])
OBJECTS = [None, "text", b"1", True, [1], {}, Decimal("NaN"), np.float32(0.1), object()]


@given(
    rows=st.lists(
        st.tuples(
            *[NUMBERS | st.sampled_from(OBJECTS)] * 3,
            st.sampled_from(["a", "b", 1, None]),
        ),
        min_size=1,
        max_size=6,
    )
)
@pytest.mark.parametrize("strategy", ["even", "focused"])
@fixed(40)
def test_one_row_of_any_python_objects_moves_no_more(
    strategy: str, rows: list[tuple[Any, ...]]
) -> None:
    bounds = (Bounds(-0.7, 1.3), Bounds(-5, -1), Bounds(0, 1e9))
    guess = 1 / 3 if strategy == "focused" else None
    plan = plan_of(*bounds, keys=["a", "b"], strategy=strategy, guess=guess)
    names = ("score", "label", "weight", "region")

    def sums(some: list[tuple[Any, ...]]) -> list[list[int]]:
        columns = {name: [row[at] for row in some] for at, name in enumerate(names)}
        return exact(columns, plan, "python")

    require_close(plan, sums(rows), sums(rows[1:]))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "score", [Bounds(-3, 1), Bounds(0.1, 0.3), Bounds(-(2.0**100), -1), Bounds.binary()]
)
@pytest.mark.parametrize("label", [Bounds(-0.3, 0.2), Bounds.binary()])
def test_a_row_at_the_bounds_reaches_the_sensitivity_and_an_outlier_no_more(
    score: Bounds, label: Bounds, engine: str
) -> None:
    plan = plan_of(score, label, Bounds(0, 7.7))
    largest = [each.sensitivity for each in plan.sums]

    def row(factor: float) -> Table:
        ends = {"score": furthest(score), "label": furthest(label), "weight": 7.7}
        return pa.table({name: [factor * end] for name, end in ends.items()})

    at_the_bounds = [abs(each) for each in exact(row(1), plan, engine)[0]]
    outlier = [abs(each) for each in exact(row(1e200), plan, engine)[0]]
    assert at_the_bounds == outlier == largest


def furthest(bounds: Bounds) -> float:
    """The end of a range that is further from zero."""
    return max(bounds.lower, bounds.upper, key=abs)


def test_a_key_that_one_row_brings_changes_no_answer() -> None:
    plan, names = plan_of(keys=["b", "a"]), ["a", "b", "a", "someone"]
    table = pa.table({"score": [0.5] * 4, "label": [1] * 4, "region": names})
    for engine in ENGINES:
        assert exact(table, plan, engine) == exact(table.slice(0, 3), plan, engine)


# One bad cell: the release looks the same, and nothing is said.

CELLS: dict[str, tuple[Any, Any]] = {
    "missing": (None, None),
    "not a number": (pa.float64(), math.nan),
    "infinite": (pa.float64(), math.inf),
    "minus infinite": (pa.float64(), -math.inf),
    "minus zero": (pa.float64(), -0.0),
    "subnormal": (pa.float64(), 5e-324),
    "largest": (pa.float64(), 1.7976931348623157e308),
    "single infinite": (pa.float32(), math.inf),
    "single largest": (pa.float32(), 3.4028234663852886e38),
    "largest whole": (pa.uint64(), 2**64 - 1),
    "smallest whole": (pa.int64(), -(2**63)),
    "largest decimal": (pa.decimal128(38, 0), Decimal(10**38 - 1)),
    "smallest decimal": (pa.decimal128(38, 37), Decimal("1e-37")),
}


def require_silence(
    capfd: pytest.CaptureFixture[str], log: pytest.LogCaptureFixture
) -> None:
    printed = capfd.readouterr()
    assert (printed.out, printed.err, log.text) == ("", "", "")


@pytest.mark.parametrize("cell", CELLS)
def test_a_bad_cell_changes_neither_the_shape_of_a_release_nor_what_is_said(
    cell: str,
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    kind, value = CELLS[cell]
    plan = plan_of(weight=Bounds(0, 3), keys=["a", "b"])
    bad, good = pa.array([1, value], kind or pa.float64()), pa.array([1.0, 0.5])
    capfd.readouterr()
    for column in ("score", "label", "weight"):
        columns = {"score": good, "label": good, "weight": good, column: bad}
        table = pa.table({**columns, "region": ["a", "b"]})
        relation = SOURCES["relation"](table, folder)
        assert shape_of(release_sums(relation, plan, ledger=None)) == (2, 6)
    for source, engine in READABLE:
        release = release_sums(
            SOURCES[source](table, folder), plan, engine=engine, ledger=None
        )
        assert shape_of(release) == (2, 6)
    for engine in ENGINES:
        release = release_sums(
            write_csv(table, folder, "plain"), plan, engine=engine, ledger=None
        )
        assert shape_of(release) == (2, 6)
    require_silence(capfd, caplog)


def invalid_text(*cells: bytes) -> object:
    """A text column of Arrow whose bytes nobody has looked at."""
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(pa.string(), len(cells), buffers)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["arrow", "parquet", "pandas"])
def test_a_key_that_is_not_valid_text_drops_its_row_and_nothing_else(
    source: str, engine: str, tmp_path: Path
) -> None:
    plan = plan_of(keys=["a", "b"])
    rows = {"score": [0.5] * 3, "label": [1] * 3}
    whole = exact(pa.table({**rows, "region": ["x", "a", "b"]}), plan, "python")
    table: object = pa.table({**rows, "region": invalid_text(b"\xff", b"a", b"b")})
    if source == "parquet":
        pq.write_table(table, tmp_path / "rows.parquet")
        table = tmp_path / "rows.parquet"
    if source == "pandas":
        cells = pd.Series(["\ud800", "a", "b"], dtype=object)
        table = pd.DataFrame({**rows, "region": cells})
    if (source, engine) == ("parquet", "duckdb"):
        # Such a file breaks its own format, and DuckDB reads none of it: SECURITY.md.
        with pytest.raises(EngineFailed, match="the engine stopped"):
            release_sums(table, plan, engine=engine, ledger=None)
    else:
        assert exact(table, plan, engine) == whole


def test_a_cell_that_numpy_warns_of_prints_no_warning() -> None:
    """Warnings are errors here, and at the door errors are failures of the engine."""
    mapping = {"score": [0.5, np.complex128(1 + 2j)], "label": [1, 1]}
    assert shape_of(release_sums(mapping, plan_of(), ledger=None)) == (1, 5)
    long = np.array(["0.5", "1e4000"], dtype=np.longdouble)
    frame = pd.DataFrame({"score": long, "label": [1, 1]})
    for engine in ENGINES:
        assert shape_of(release_sums(frame, plan_of(), engine=engine, ledger=None)) == (
            1,
            5,
        )


# Canaries: texts in cells that must never be heard of again.

CANARIES = [f"canary-{number:04}-{number * 7919 % 1000:03}" for number in range(1000)]
SCORES = np.linspace(-1, 2, len(CANARIES))
WITH_CANARIES = pa.table(
    {
        "score": SCORES,
        "label": np.arange(len(CANARIES)) % 2,
        "region": CANARIES,
        "note": CANARIES,
    }
)
AS_NUMBER = WITH_CANARIES.select(["label", "region"]).append_column(
    "score", WITH_CANARIES["note"]
)


def require_no_canary(*texts: str) -> None:
    heard = [len(text) for text in texts if "canary" in text]
    assert heard == []  # Their lengths only: a failure would show them all.


@pytest.mark.parametrize(
    ("source", "engine"),
    [*READABLE, ("csv", "python"), ("csv", "duckdb"), ("mapping", "python")],
)
def test_no_cell_is_heard_of_in_a_release(
    source: str,
    engine: str,
    folder: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    makers: dict[str, Callable[[Table, Path], object]] = {
        **SOURCES,
        "csv": lambda table, into: write_csv(table, into, "plain"),
        "mapping": lambda table, _: mapping_of(table),
    }
    table = makers[source](WITH_CANARIES, folder)
    capfd.readouterr()
    release = release_sums(table, plan_of(keys=["a", "b"]), engine=engine, ledger=None)
    write_release(release, tmp_path / "release.json")
    written = (tmp_path / "release.json").read_text(encoding="utf-8")
    require_no_canary(str(release), repr(release), written)
    require_silence(capfd, caplog)


def failing_relation() -> object:
    connection = duckdb.connect()
    connection.register("rows", AS_NUMBER)
    return connection.sql("SELECT CAST(score AS DOUBLE) AS score, label FROM rows")


def failing_parquet(folder: Path) -> object:
    path = folder / "broken.parquet"
    table = WITH_CANARIES.append_column(
        "more", pa.array(np.random.default_rng(1).random(1000))
    )
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    broken = bytearray(path.read_bytes())
    broken[4:2000] = b"canary" * 332 + b"bird"
    path.write_bytes(broken)
    return path


def failing_frame() -> object:
    frame = pl.from_arrow(AS_NUMBER)
    assert isinstance(frame, pl.DataFrame)
    return frame.lazy().with_columns(pl.col("score").cast(pl.Float64))


FAILING: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "text as numbers in pandas": (
        lambda folder: SOURCES["pandas"](AS_NUMBER, folder),
        ENGINES,
    ),
    "text as numbers in polars": (
        lambda folder: SOURCES["polars"](AS_NUMBER, folder),
        ENGINES,
    ),
    "text as numbers in arrow": (lambda _: AS_NUMBER, ENGINES),
    "text as numbers in parquet": (
        lambda folder: SOURCES["parquet"](AS_NUMBER, folder),
        ENGINES,
    ),
    "text as numbers in a relation": (
        lambda folder: SOURCES["relation"](AS_NUMBER, folder),
        ("duckdb",),
    ),
    "categories as numbers in pandas": (
        lambda _: pd.DataFrame({"score": pd.Categorical(CANARIES), "label": 1}),
        ENGINES,
    ),
    "categories as numbers in a relation": (
        lambda _: duckdb.connect().from_df(
            pd.DataFrame({"score": pd.Categorical(CANARIES), "label": 1})
        ),
        ("duckdb",),
    ),
    "categories as numbers in polars": (
        lambda _: pl.DataFrame(
            {"score": pl.Series(CANARIES, dtype=pl.Enum(CANARIES)), "label": 1}
        ),
        ENGINES,
    ),
    "a relation that fails at a cell": (lambda _: failing_relation(), ("duckdb",)),
    "a lazy frame that fails at a cell": (lambda _: failing_frame(), ENGINES),
    "a Parquet page that cannot be read": (failing_parquet, ENGINES),
    "a text that cannot be written as UTF-8": (
        lambda _: pd.DataFrame(
            {
                "score": 0.5,
                "label": 1,
                "note": pd.Series(["canary\ud800"], dtype=object),
            }
        ),
        ("duckdb",),
    ),
}


@pytest.mark.parametrize("what", FAILING)
def test_no_cell_is_heard_of_in_a_failure(
    what: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    make, engines = FAILING[what]
    table = make(tmp_path)
    capfd.readouterr()
    errors = []
    for engine in engines:
        try:
            release_sums(table, plan_of(), engine=engine, ledger=None)
        except Exception as error:  # noqa: BLE001 (any error is an output)
            errors.append(error)
    require_silence(capfd, caplog)
    require_no_canary(*map(said_by, errors))
    assert all(isinstance(error, DpratioError) for error in errors)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_stops_says_one_sentence_and_chains_nothing(engine: str) -> None:
    with pytest.raises(EngineFailed) as failed:
        release_sums(failing_frame(), plan_of(), engine=engine, ledger=None)
    assert str(failed.value) == (
        "the engine stopped while it read the table. Check that the files are "
        "whole and that memory suffices."
    )
    assert failed.value.__context__ is None
    assert failed.value.__cause__ is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_breaks_off_after_its_header_stops_the_engine(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv.gz"
    whole = gzip.compress(b"0.5,1\n" * 10**5 + bytes(range(256)) * 99)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(EngineFailed):
        release_sums(
            CsvFile(path, columns=["score", "label"]),
            plan_of(),
            engine=engine,
            ledger=None,
        )
