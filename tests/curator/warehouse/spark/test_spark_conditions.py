"""Every condition keeps the same rows of a table of Spark, or is refused."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from curator.warehouse.condition_forms import (
    COLUMNS,
    CONDITIONS,
    REFUSED,
    ROWS,
    rows_kept,
)
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.conditions import write_condition
from dpratio.curator.warehouse.database.connect import _own_spark, find_table
from dpratio.curator.warehouse.dialect import Backend
from dpratio.curator.warehouse.spark.on_spark import Spark
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable

Session = Any

TYPES = (
    *("int", "smallint", "bigint", "double", "float", "decimal(9, 2)"),
    *("string COLLATE UTF8_LCASE", "string", "boolean", "date", "timestamp_ntz"),
)


@pytest.fixture(scope="module")
def backend(session: Session) -> Iterator[Backend]:
    """Ibis on a cluster that holds a table of hostile rows."""
    session.sql("CREATE SCHEMA forms")
    kinds = dict(zip(["id", *COLUMNS], ("int", *TYPES), strict=True))
    columns = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    session.sql(f"CREATE TABLE forms.people ({columns}) USING parquet")
    texts = [
        tuple(None if cell is None else str(cell) for cell in row.values())
        for row in ROWS
    ]
    frame = session.createDataFrame(
        texts, ", ".join(f"{name} string" for name in kinds)
    )
    cast = [
        f"CAST({name} AS {kind.split(' COLL')[0]}) AS {name}"
        for name, kind in kinds.items()
    ]
    frame.selectExpr(*cast).write.insertInto("forms.people")
    yield _own_spark(session)
    session.sql("DROP SCHEMA forms CASCADE")


def test_every_condition_keeps_the_rows_that_it_names(backend: Backend) -> None:
    conditions = [
        condition
        for condition in CONDITIONS
        if condition[0] != "seen_at" or len(condition) == 2
    ]
    with silence():
        table = DatabaseTable("spark://a:1", table="forms.people", where=conditions[:1])
        assert find_table(backend, table).count().execute() == len(
            rows_kept(conditions[0])
        )
        rows = find_table(backend, replace(table, where=()))
        columns = {name: rows[name] for name in rows.columns}
        named = {
            f"c{nth}": write_condition(Spark(), columns, {}, tuple(condition))
            for nth, condition in enumerate(conditions)
        }
        found = backend.to_pyarrow(rows.select("id", **named)).to_pylist()
    for nth, condition in enumerate(conditions):
        kept = sorted(row["id"] for row in found if row[f"c{nth}"])
        assert kept == rows_kept(condition), condition


def test_what_is_not_of_the_type_of_its_column_is_refused(backend: Backend) -> None:
    for condition in [*REFUSED, ["seen_at", ">", "2026-01-01 00:00:00"]]:
        table = DatabaseTable("spark://a:1", table="forms.people", where=[condition])
        with pytest.raises(SchemaRefused, match=r"^where "):
            find_table(backend, table)
