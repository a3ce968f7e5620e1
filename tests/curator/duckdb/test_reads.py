"""What statements of DuckDB read: each file and table as often as they do."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.reads import reads_of
from dpratio.errors import SchemaRefused

Connection = Any

SETUP = """
CREATE TABLE loans AS SELECT 0.5 AS score, 1 AS label, 'a' AS region;
CREATE SCHEMA more; CREATE TABLE more.loans AS FROM loans;
CREATE VIEW open_loans AS SELECT * FROM loans WHERE score > 0;
CREATE VIEW "some AS others"(score, label, region) AS
    WITH chosen AS (SELECT * FROM open_loans) SELECT * FROM chosen;
CREATE TEMP VIEW nothing AS SELECT 1 AS score, 1 AS label, 'a' AS region;
"""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A connection with tables, views and files."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.execute(SETUP)
        connection.execute("COPY loans TO 'rows.parquet' (FORMAT parquet)")
        connection.execute("COPY loans TO 'other.parquet' (FORMAT parquet)")
        connection.execute("COPY loans TO 'rows.csv'")
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "link.parquet").symlink_to(tmp_path / "rows.parquet")
        os.link(tmp_path / "rows.csv", tmp_path / "folder" / "hard.csv")
        yield connection


ONCE = [
    "FROM loans",
    "FROM main.loans",
    "FROM loans UNION ALL FROM more.loans",
    "FROM open_loans",
    'FROM "some AS others"',
    "FROM nothing",
    "FROM 'rows.parquet'",
    "FROM read_parquet('*.parquet')",
    "FROM read_parquet(['rows.parquet', 'other.parquet'])",
    "FROM 'rows.csv' UNION ALL BY NAME FROM 'rows.parquet'",
    "WITH loans AS (FROM 'rows.parquet') FROM loans UNION ALL FROM main.loans",
    "WITH unused AS (FROM loans) FROM loans",
    "SELECT 0.5 AS score, 1 AS label, 'a' AS region FROM range(3)",
    "FROM query('FROM loans')",
    "FROM query_table('loans')",
    "FROM read_csv('rows.csv', delim = ',')",
]

AGAIN = [
    "FROM loans UNION ALL FROM loans",
    "FROM loans UNION ALL FROM MAIN.Loans",
    "FROM loans UNION ALL FROM memory.main.loans",
    "FROM loans UNION ALL FROM open_loans",
    'FROM "some AS others" UNION ALL FROM open_loans',
    "FROM nothing UNION ALL FROM nothing",
    "WITH twice AS (FROM loans) FROM twice UNION ALL FROM twice",
    "WITH a AS (FROM loans), b AS (FROM a) FROM a UNION ALL FROM b",
    "SELECT a.* FROM loans a, loans b",
    "FROM loans WHERE score IN (SELECT score FROM loans)",
    "FROM 'rows.parquet' UNION ALL FROM 'rows.parquet'",
    "FROM read_parquet(['rows.parquet', './rows.parquet'])",
    "FROM read_parquet(['rows.parquet', '*.parquet'])",
    "FROM parquet_scan('*.parquet') UNION ALL FROM 'rows.parquet'",
    "FROM read_parquet('**/*.parquet') UNION ALL FROM 'folder/link.parquet'",
    "FROM read_parquet(['rows.parquet', 'folder/link.parquet'])",
    "FROM read_csv(['rows.csv', 'folder/hard.csv'])",
    "FROM query('FROM loans UNION ALL FROM loans')",
    "FROM query_table('loans') UNION ALL FROM loans",
]


@pytest.mark.parametrize("statement", ONCE)
def test_a_relation_that_reads_each_source_once_is_read(
    statement: str, made: Connection
) -> None:
    open_table(made.sql(statement), asked(plan_of()), "duckdb")


@pytest.mark.parametrize("statement", AGAIN)
def test_a_relation_that_reads_a_source_again_is_refused(
    statement: str, made: Connection
) -> None:
    with pytest.raises(SchemaRefused, match="reads a file or a table more than once"):
        open_table(made.sql(statement), asked(plan_of()), "duckdb")


def test_relations_put_together_in_python_are_seen_through(made: Connection) -> None:
    frame = pd.DataFrame({"score": [0.5], "label": [1], "region": ["a"]})
    made.register("registered", frame)
    for relation in (
        made.table("loans"),
        made.from_df(frame),
        made.table("registered"),
        made.read_parquet("rows.parquet"),
        made.table("loans").filter("score > 0").project("score, label, region"),
    ):
        assert exact(relation, plan_of(), "duckdb")[0][0] == 1 << 24
        with pytest.raises(SchemaRefused, match="more than once"):
            exact(relation.union(relation), plan_of(), "duckdb")


def reads(statement: str, connection: Connection) -> list[Any]:
    return list(reads_of(statement, connection.execute))


def test_patterns_elsewhere_may_meet(made: Connection) -> None:
    lake = "s3://lake/a.parquet", "s3://lake/b.parquet", "s3://lake/*.parquet"
    for one in lake:
        assert len(reads(f"FROM read_parquet('{one}')", made)) == 1
    apart = reads(f"FROM read_parquet(['{lake[0]}', '{lake[1]}'])", made)
    assert len(set(apart)) == len(apart) == 2
    for other in (lake[0], lake[2], "s3://other/?.parquet"):
        met = reads(f"FROM read_parquet(['{lake[2]}', '{other}'])", made)
        assert len(set(met)) < len(met)


def test_what_is_no_single_select_is_not_seen(made: Connection) -> None:
    assert reads("CREATE TABLE x AS FROM loans", made) == []
    assert reads("FROM none.such.table", made) == [("none", "such", "table")]


def test_nothing_is_read_to_find_out(made: Connection) -> None:
    """A statement that stops when it is run is taken apart all the same."""
    relation = made.sql("SELECT error('stopped')::DOUBLE AS score, 1 AS label")
    found = reads_of(relation.sql_query(), lambda text: relation.query("x", text))
    assert list(found) == []
