"""Canaries: texts in cells that must never be heard of again."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.table_sources import READABLE, SOURCES, mapping_of, write_csv
from curator.tables_for_tests import ENGINES, plan_of, require_silence, said_by
from dpratio.errors import DpratioError, EngineFailed
from dpratio.release.files import write_release
from dpratio.terms.source import CsvFile

Table = Any
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
    [*READABLE, ("csv", "duckdb"), ("mapping", "duckdb")],
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
    release = release_with(engine, table, plan_of(keys=["a", "b"]), ledger=None)
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
            release_with(engine, table, plan_of(), ledger=None)
        except Exception as error:  # noqa: BLE001 (any error is an output)
            errors.append(error)
    require_silence(capfd, caplog)
    require_no_canary(*map(said_by, errors))
    assert all(isinstance(error, DpratioError) for error in errors)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_stops_says_one_sentence_and_chains_nothing(engine: str) -> None:
    with pytest.raises(EngineFailed) as failed:
        release_with(engine, failing_frame(), plan_of(), ledger=None)
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
        release_with(
            engine,
            CsvFile(path, columns=["score", "label"]),
            plan_of(),
            ledger=None,
        )
