"""No row is read more than once, however many names lead to it."""

import os
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.budget import Budget

ROWS = pa.table({"score": [0.5, 0.25, 1.0], "label": [1, 0, 1]})
KINDS = ("parquet", "csv")


def folder_of(folder: Path, kind: str, months: int = 2) -> Path:
    """Files of rows, two folders deep; each has a row of its own as well."""
    for month in range(months):
        rows = pa.concat_tables([ROWS, ROWS.slice(0, month)])
        place = folder / "2026" / f"{month:02}"
        place.mkdir(parents=True)
        if kind == "csv":
            pc.write_csv(rows, place / "rows.csv")
        else:
            pq.write_table(rows, place / "rows.parquet")
    return folder


def add_names(folder: Path, kind: str) -> None:
    """Links to folders and files, a hard link, and a circle."""
    (folder / "latest").symlink_to(folder / "2026" / "01")
    (folder / "2026" / "circle").symlink_to(folder)
    (folder / "2026" / f"link.{kind}").symlink_to(f"00/rows.{kind}")
    os.link(folder / f"2026/00/rows.{kind}", folder / f"2026/01/hard.{kind}")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_37_a_file_with_many_names_is_read_once(
    kind: str, engine: str, tmp_path: Path
) -> None:
    """Symbolic links to files and folders, hard links and circles add no row.

    Source: found by an independent attack on this code, 2026 (`latest -> 2026/01`).
    """
    folder_of(tmp_path, kind)
    plan = plan_of()
    expected = exact(f"{tmp_path}/2026/*/*.{kind}", plan, engine)
    add_names(tmp_path, kind)
    for pattern in ("**", "2026/*", "*/*", "**/**"):
        path = f"{tmp_path}/{pattern}/*.{kind}"
        assert exact(path, plan, engine) == expected, pattern


def relations(connection: Any, folder: Path) -> dict[str, Any]:  # noqa: ANN401
    one, some = f"{folder}/2026/00/rows.parquet", f"{folder}/2026/*/rows.parquet"
    read = connection.read_parquet
    return {
        "a list": read([one, one]),
        "a union": read(one).union(read(some)),
        "a link": connection.sql(
            f"FROM '{folder}/*/rows.parquet' UNION ALL FROM '{some}'"
        ),
        "a table": connection.table("loans").union(connection.table("loans")),
        "a view": connection.sql("FROM loans UNION ALL FROM chosen"),
        "a name": connection.sql("WITH w AS (FROM loans) FROM w UNION ALL FROM w"),
    }


def test_37_a_relation_that_reads_a_file_or_table_again_is_refused(
    tmp_path: Path,
) -> None:
    """Nothing is charged for it.

    Source: found by an independent attack on this code, 2026: a relation, and a table
    of Ibis, that were put together from overlapping globs.
    More: tests/curator/duckdb/test_reads.py; on Spark
    tests/curator/warehouse/spark/test_spark_reads.py.
    """
    folder = folder_of(tmp_path, "parquet")
    (folder / "latest").symlink_to(folder / "2026" / "01")
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(Scope("loans", Budget(epsilon=9, delta="1e-5")))
    with duckdb.connect() as connection:
        connection.register("given", ROWS)
        connection.execute("CREATE TABLE loans AS FROM given")
        connection.execute("CREATE VIEW chosen AS SELECT * FROM loans")
        for relation in relations(connection, folder).values():
            with pytest.raises(SchemaRefused, match="more than once"):
                release_sums(relation, plan_of(), ledger=book)
    assert book.account("loans").releases == {}


def test_37_no_pattern_reaches_a_database(tmp_path: Path) -> None:
    """Engine 'ibis' takes no path that a database would expand.

    Source: found by looking for the same break in every engine, 2026.
    """
    folder_of(tmp_path, "parquet")
    with pytest.raises(InvalidInput, match="engine 'ibis' does not read files"):
        exact(f"{tmp_path}/**/**/*.parquet", plan_of(), "ibis")
