"""Everything that speaks to DuckDB."""

import contextlib
import datetime as dt
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.door_for_tests import release_with
from curator.table_sources import connection_of
from curator.tables_for_tests import (
    ENGINES,
    ROW,
    asked,
    exact,
    fixed,
    plan_of,
)
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.table import identifier, literal, write_parquet
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, InvalidInput, MissingExtra, SchemaRefused
from tiers import quick_first

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1
)


@given(text=TEXT)
@fixed(30)
def test_a_quoted_text_or_name_means_itself_whatever_it_holds(text: str) -> None:
    relation = connection_of(1).sql(f"SELECT {literal(text)} AS {identifier(text)}")
    assert relation.columns == [text]
    assert relation.fetchall() == [(text,)]


def test_a_frame_that_needs_a_missing_package_says_which(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pl.DataFrame({"score": [0.5], "label": [1]})
    for module in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as refused:
        release_with("duckdb", pl.DataFrame(frame), plan_of(), ledger=None)
    assert "Install it with: pip install '.[arrow]'" in str(refused.value)


TYPES = {
    "1::UBIGINT": "integer",
    "1::DECIMAL(9, 2)": "number",
    "true": "boolean",
    "'a'::ENUM('a', 'b')": "text",
    "['a']": "other",
    "DATE '2020-01-01'": "date",
    # The others are slow.
    "1::TINYINT": "integer",
    "1::UINTEGER": "integer",
    "1::HUGEINT": "integer",
    "1::UHUGEINT": "integer",
    "1::FLOAT": "number",
    "1::DOUBLE": "number",
    "'a'": "text",
    "['a'::ENUM('a')]": "other",
    "[1]": "other",
    "{'a': 1}": "other",
    "TIMESTAMP '2020-01-01 12:00:00'": "date",
    "TIMESTAMPTZ '2020-01-01 12:00:00+00'": "date",
    "TIMESTAMP_NS '2020-01-01 12:00:00'": "date",
    "TIME '12:00:00'": "other",
    "'a'::BLOB": "other",
    "'{}'::JSON": "other",
    "uuid()": "text",
    "INTERVAL 1 DAY": "other",
}


@pytest.mark.parametrize(("sql", "kind"), quick_first(TYPES.items(), 6))
def test_a_column_of_a_relation_is_of_use_by_its_type(sql: str, kind: str) -> None:
    relation = duckdb.connect().sql(f"SELECT {sql} AS x, 1 AS a, 1 AS b")
    as_keys = ("a", "b", "weight", "x")
    plans = {
        "number": plan_of(names=("x", "a", "weight", "region")),
        "text keys": plan_of(keys=["a"], names=as_keys),
        "integer keys": plan_of(keys=[1], names=as_keys),
        "boolean keys": plan_of(keys=[True], names=as_keys),
        "date keys": plan_of(keys=[dt.date(2020, 1, 1)], names=as_keys),
    }
    uses = set()
    for use, plan in plans.items():
        with contextlib.suppress(SchemaRefused):
            open_table(relation, asked(plan), "duckdb")
            uses.add(use)
    number = {"number"} if kind in {"integer", "number", "boolean"} else set()
    days = {"date keys"} if kind == "text" and sql != "uuid()" else set()
    assert uses == number | days | ({f"{kind} keys"} & set(plans))


def test_invented_columns_are_written_as_parquet(tmp_path: Path) -> None:
    path = tmp_path / "it's [1].parquet"
    write_parquet(str(path), {"score": np.array([0.5, 1.0]), "label": np.array([1, 0])})
    table = pq.read_table(path)
    assert table.to_pydict() == {"score": [0.5, 1.0], "label": [1, 0]}
    assert exact(path, plan_of(), "duckdb") == exact(table, plan_of(), "python")


def test_a_relation_is_read_on_its_own_connection_and_leaves_nothing_there() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT 0.5 AS score, 1 AS label")
    before = connection.sql("SHOW ALL TABLES").fetchall()
    assert exact(connection.table("rows"), plan_of(), "duckdb")[0][2] == ROW // 2
    assert connection.sql("SHOW ALL TABLES").fetchall() == before


@pytest.mark.parametrize("kind", ["TABLE", "VIEW", "TEMP TABLE"])
@pytest.mark.parametrize("name", ["dpratio_rows", "given"])
def test_other_tables_of_a_connection_do_not_stand_in_for_a_relation(
    name: str, kind: str
) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE {kind} {name} AS SELECT 42 AS other")
    relation = connection.sql("SELECT 0.5 AS score, 1 AS label")
    assert exact(relation, plan_of(), "duckdb")[0][2] == ROW // 2
    assert connection.sql(f"FROM {name}").fetchall() == [(42,)]


def test_a_view_may_be_named_like_a_column() -> None:
    relation = duckdb.connect().sql("SELECT 0.5 AS given, 1 AS dpratio_rows")
    plan = plan_of(names=("given", "dpratio_rows", "weight", "region"))
    assert exact(relation, plan, "duckdb")[0][2] == ROW // 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "frame", [pd.DataFrame(), pl.DataFrame(), pa.table({})], ids=type
)
def test_a_frame_without_columns_has_no_column_to_offer(
    frame: object, engine: str
) -> None:
    with pytest.raises(SchemaRefused, match="column 'score' is not in the table"):
        release_with(engine, frame, plan_of(), ledger=None)


def test_a_frame_of_other_columns_has_no_column_to_offer() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(SchemaRefused, match="It has: 'day'"):
        release_with("duckdb", frame, plan_of(), ledger=None)


def test_a_relation_of_a_closed_connection_is_refused_in_our_own_words() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT 0.5 AS score, 1 AS label")
    connection.close()
    with pytest.raises((InvalidInput, SchemaRefused, EngineFailed)):
        release_sums(relation, plan_of(), ledger=None)
