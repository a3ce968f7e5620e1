"""Each form of condition on Spark keeps the rows that Spark itself keeps."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

import ibis
import pytest

from curator.warehouse.condition_forms import rows_for
from dpratio.curator.silence import silence
from dpratio.curator.warehouse.database.connect import find_table
from dpratio.errors import SchemaRefused
from dpratio.terms.database import DatabaseTable

Spark = Any

TYPES = (
    *("int", "smallint", "bigint", "double", "float", "decimal(9, 2)", "string"),
    *("char(4)", "boolean", "date", "timestamp_ntz"),
)
COLUMNS = [
    "whole",
    "small",
    "large",
    "score",
    "single",
    "price",
    "region",
    "code",
    "adult",
    "seen",
    "seen_at",
]

FORMS = [
    *(f"{name} IS {word}NULL" for name in COLUMNS for word in ("", "NOT ")),
    *(
        f"{name} {sign} {value}"
        for name in ("whole", "small", "large", "score", "single", "price")
        for sign, value in (("=", "5"), ("<>", "0"), ("<", "-1"), (">=", "0"))
    ),
    *("score > 0.3", "score <= -0.5", "score = 0.1", "single > 0.25", "price = 1.50"),
    *("price >= 1.5", "score > 1e-3", "region = 'north'", "region <> ''"),
    *("region > 'n'", "region < 'ß'", "code = 'x'", "code <> 'xy'", "adult"),
    *("NOT adult", "adult = true", "seen = '2026-01-01'"),
    *("seen < '2026-01-01'", "seen >= '1582-10-10'", "whole == 5"),
    *("whole IN (1, -1, 5)", "region NOT IN ('north', 'ß')", "score IN (0.5, 0.3)"),
    *("whole BETWEEN -1 AND 5", "price NOT BETWEEN 0 AND 1.50", "NOT whole = 5"),
    "(whole > 0 AND region IS NOT NULL) OR NOT (score < 0.5 OR adult)",
]
REFUSED = [
    "seen = DATE'2026-01-01'",
    *("!adult", "whole <=> 5", "region LIKE 'n%'", "seen_at > TIMESTAMP'2026-01-01'"),
    *("region = 'it''s'", 'region = "north"', "whole = 5L", "price > 1.499"),
    *("single = 0.1", "region COLLATE UTF8_LCASE = 'north'", "whole > 0.5"),
    *("whole IS DISTINCT FROM 5", "adult IS TRUE", "whole = '5'", "price = 1e0"),
]


@pytest.fixture(scope="module")
def backend(session: Spark) -> Iterator[Spark]:
    """Ibis on a cluster that holds a table of hostile rows."""
    session.sql("CREATE SCHEMA forms")
    columns = ", ".join(f"{a} {b}" for a, b in zip(COLUMNS, TYPES, strict=True))
    session.sql(f"CREATE TABLE forms.people (id int, {columns}) USING parquet")
    made = [
        tuple(None if cell is None else str(cell) for cell in row) for row in rows_for()
    ]
    names = ["id", *COLUMNS]
    texts = session.createDataFrame(made, ", ".join(f"{name} string" for name in names))
    cast = [
        f"CAST({name} AS {'string' if kind == 'char(4)' else kind}) AS {name}"
        for name, kind in zip(names, ("int", *TYPES), strict=True)
    ]
    texts.selectExpr(*cast).write.insertInto("forms.people")
    yield ibis.pyspark.connect(session.newSession())
    session.sql("DROP SCHEMA forms CASCADE")


def test_a_condition_of_a_study_gives_the_rows_that_spark_gives(
    session: Spark, backend: Spark
) -> None:
    own, ours = [], []
    with silence():
        for at, form in enumerate(FORMS):
            table = DatabaseTable("spark://a:1", table="forms.people", where=form)
            rows = find_table(backend, table)
            ours.append(rows.select("id", form=ibis.literal(at)))
            own.append(
                session.sql(f"SELECT id, {at} AS form FROM forms.people WHERE {form}")  # noqa: S608
            )
        found = backend.to_pyarrow(ibis.union(*ours)).to_pylist()
        asked = reduce(lambda left, right: left.unionAll(right), own).collect()
    chosen = [sorted((row["form"], row["id"]) for row in at) for at in (found, asked)]
    assert chosen[0] == chosen[1]
    assert len({row for row, _ in chosen[0]}) > len(FORMS) / 2
    for form in REFUSED:
        table = DatabaseTable("spark://a:1", table="forms.people", where=form)
        with pytest.raises(SchemaRefused, match=r"where in \[data\] keeps rows"):
            find_table(backend, table)
