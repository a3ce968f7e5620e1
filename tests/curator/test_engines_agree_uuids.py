"""UUIDs and labels as ids and keys: one text and one integer from every source."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.holders_for_tests import found_by, rule_of
from curator.people_for_tests import people
from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.curator.reading.statement import KeyCount
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable

Table = Any

NAMES = [
    *("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    *("8a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9", None),
    *("80000000-0000-0000-0000-000000000001", "8a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9"),
]
UUIDS = [None if each is None else uuid.UUID(each) for each in NAMES]
WORDS = ["b", "a", "b", "c", None, "é"]
PLAIN = {"score": [0.5] * 6, "label": [1.0] * 6, "region": WORDS, "id": NAMES}
KEYS = ["a", "b", "c", "é", None]


def arrow_table(*, days: bool = False) -> Table:
    """UUIDs of Arrow; days in milliseconds, where DuckDB does not read the file."""
    cells = [None if each is None else each.bytes for each in UUIDS]
    columns = {**PLAIN, "id": pa.array([bytes(16), *cells], pa.uuid())[1:]}
    if days:
        columns["label"] = pa.array([True] * 6)
        columns["day"] = pa.array([0] * 6, pa.timestamp("ms"))
    return pa.table(columns)


def parquet(folder: Path) -> Table:
    pq.write_table(arrow_table(), folder / "people.parquet")
    return str(folder / "people.parquet")


def relation(folder: Path) -> Table:
    connection = duckdb.connect(str(folder / "people.duckdb"))
    connection.execute("CREATE TYPE word AS ENUM ('z', 'é', 'c', 'b', 'a')")
    connection.execute(
        "CREATE TABLE people (score DOUBLE, label INT, region word, id UUID)"
    )
    for row in zip(*PLAIN.values(), strict=True):
        connection.execute("INSERT INTO people VALUES (?, ?, ?, ?)", row)
    return connection.table("people")


def in_duckdb(folder: Path) -> DatabaseTable:
    relation(folder)
    return DatabaseTable(f"duckdb:///{folder / 'people.duckdb'}", table="people")


def pandas_frame(**columns: Table) -> Table:
    return pd.DataFrame({**PLAIN, **columns})


def polars_frame(words: Table) -> Table:
    objects = pl.Series("id", UUIDS, pl.Object)
    return pl.DataFrame(
        {**PLAIN, "id": objects, "region": pl.Series("region", WORDS, words)}
    )


SOURCES: dict[str, tuple[Callable[[Path], Table], tuple[str, ...]]] = {
    "lists": (lambda _: {**PLAIN, "id": UUIDS}, ("python", "duckdb")),
    "Arrow": (lambda _: arrow_table(), ENGINES),
    "pandas": (lambda _: pandas_frame(id=UUIDS), ENGINES),
    "pandas, both": (
        lambda _: pandas_frame(id=[*NAMES[:3], *UUIDS[3:]]),
        ENGINES,
    ),
    "pandas, categories": (
        lambda _: pandas_frame(
            id=pd.Series(UUIDS).astype("category"),
            region=pd.Series(WORDS).astype("category"),
        ),
        ENGINES,
    ),
    "pandas, Arrow": (
        lambda _: arrow_table().to_pandas(types_mapper=pd.ArrowDtype),
        ENGINES,
    ),
    "Polars": (lambda _: polars_frame(pl.Categorical), ENGINES),
    "Polars, Enum": (
        lambda _: polars_frame(pl.Enum(["é", "c", "b", "a", "z"])).lazy(),
        ENGINES,
    ),
    "Parquet": (parquet, ENGINES),
    "relation": (relation, ("duckdb",)),
    "DuckDB": (in_duckdb, ("ibis",)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_uuids_and_labels_are_the_same_ids_and_keys_everywhere(
    name: str, tmp_path: Path
) -> None:
    """As ids, as declared keys, and as keys that are found, in small letters."""
    make, engines = SOURCES[name]
    table = make(tmp_path)
    by_word = people(weighted=False, keys=KEYS)
    by_id = plan_of(keys=[*NAMES[:4], NAMES[4]], names=("score", "label", "", "id"))
    found = KeyCount("id", "text", None)
    for engine in engines:
        assert exact(table, by_word, engine) == exact(PLAIN, by_word, "python")
        assert exact(table, by_id, engine) == exact(PLAIN, by_id, "python")
        assert found_by(table, found, engine) == found_by(PLAIN, found, "python")
        counted = KeyCount("region", "text", rule_of(1))
        assert found_by(table, counted, engine) == found_by(PLAIN, counted, "python")


def test_uuids_of_a_file_that_pyarrow_reads_are_the_same(tmp_path: Path) -> None:
    pq.write_table(arrow_table(days=True), tmp_path / "people.parquet")
    plan = plan_of(keys=NAMES[:5], names=("score", "label", "", "id"))
    from_arrow = people(weighted=False, keys=KEYS)
    path = str(tmp_path / "people.parquet")
    days = {**PLAIN, "day": [None] * 6}
    for engine in ENGINES:
        assert exact(path, plan, engine) == exact(days, plan, "python")
        assert exact(path, from_arrow, engine) == exact(days, from_arrow, "python")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_uuid_is_no_number(engine: str) -> None:
    plan = plan_of(names=("id", "label", "", "region"))
    with pytest.raises(SchemaRefused, match="'id' is extension; a number column"):
        exact(arrow_table(), plan, engine)
