"""Every condition keeps the same rows of a table of Spark, or is refused."""

from collections.abc import Iterator
from typing import Any

import pytest

from curator.warehouse.condition_forms import (
    COLUMNS,
    CONDITIONS,
    REFUSED,
    ROWS,
    rows_kept,
)
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.spark import DIALECT
from dpratio.curator.sql.spark_frames import open_spark_source
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable

Session = Any

TYPES = (
    *("int", "smallint", "bigint", "double", "float", "decimal(9, 2)"),
    *("string COLLATE UTF8_LCASE", "string", "boolean", "date", "timestamp_ntz"),
)


@pytest.fixture(scope="module")
def people(session: Session) -> Iterator[Session]:
    """A session of a cluster that holds a table of hostile rows."""
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
    yield session
    session.sql("DROP SCHEMA forms CASCADE")


def test_every_condition_keeps_the_rows_that_it_names(people: Session) -> None:
    conditions = [
        condition
        for condition in CONDITIONS
        if condition[0] != "seen_at" or len(condition) == 2
    ]
    source = DatabaseTable("spark://a:1", table="forms.people", where=conditions[:1])
    table = open_spark_source(people, source)
    row = table.columns["id"].name
    start = f"SELECT {row} AS id"
    kept = table.ask(f"{start} FROM {table.source} WHERE {table.where[0]}")
    assert sorted(kept["id"]) == rows_kept(conditions[0])
    tests = [
        write_conditions(DIALECT, table.columns, [tuple(each)])[0]
        for each in conditions
    ]
    named = ", ".join(f"{test} AS test{nth}" for nth, test in enumerate(tests))
    found = table.ask(f"{start}, {named} FROM {table.source}")
    for nth, condition in enumerate(conditions):
        pairs = zip(found["id"], found[f"test{nth}"], strict=True)
        assert sorted(row for row, kept in pairs if kept) == rows_kept(condition), (
            condition
        )


def test_what_is_not_of_the_type_of_its_column_is_refused(people: Session) -> None:
    for condition in [*REFUSED, ["seen_at", ">", "2026-01-01 00:00:00"]]:
        source = DatabaseTable("spark://a:1", table="forms.people", where=[condition])
        with pytest.raises(SchemaRefused, match=r"^where "):
            open_spark_source(people, source)
