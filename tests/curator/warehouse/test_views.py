"""A view is read only where each of its rows is one row of a table, untouched."""

import ibis
import pytest

from dpratio.curator.silence import silence
from dpratio.curator.warehouse.dialect import Dialect
from dpratio.curator.warehouse.views import read_view

TABLE = ibis.table(
    {
        "score": "float64",
        "label": "int32",
        "region": "string",
        "adult": "boolean",
        "seen": "date",
        "seen_at": "timestamp",
        "price": "decimal(9, 2)",
        "shape": "struct<label: string>",
    },
    name="loans",
)

WHERE = "SELECT score FROM loans WHERE "


def is_taken(written: str, dialect: str = "postgres") -> bool:
    view = read_view(written, dialect)
    return view is not None and view.over(Dialect(), TABLE) is not None


@pytest.mark.parametrize(
    "condition",
    [
        "region = 'north'",
        "'north' = region",
        "(region)::text <> 'north'::text",
        "score > 0.5 AND score <= 1",
        "score >= (0.5)::double precision OR NOT (label = 1)",
        "label IN (1, -2, 3)",
        "label = ANY (ARRAY[1, 2])",
        "region = ANY (ARRAY['a'::text, 'b'::text])",
        "label BETWEEN 0 AND 9",
        "label < (5)::bigint",
        "adult",
        "adult = true AND NOT adult",
        "region IS NULL OR price IS NOT NULL OR shape IS NULL",
        "seen >= '2026-01-01'::date AND seen < '2027-01-01'",
        "0.5 < score AND 1 >= label AND 2 = label AND true = adult",
        "score > -0.5 AND label > -5",
    ],
)
def test_rows_may_be_kept_by_comparing_columns_with_constants(condition: str) -> None:
    assert is_taken(WHERE + condition)


@pytest.mark.parametrize(
    "columns",
    ["*", "score, price", "score AS points, label", "loans.region", '"region" AS r'],
)
def test_columns_may_be_taken_and_renamed(columns: str) -> None:
    for dialect in ("postgres", "sqlite", "duckdb", "spark"):
        columns = columns.replace('"', "`") if dialect == "spark" else columns
        written = f"SELECT {columns} FROM loans"  # noqa: S608 (never run)
        assert is_taken(written, dialect)
        assert is_taken(f"CREATE VIEW v AS {written}", dialect)
    assert is_taken("CREATE VIEW v (a, b) AS SELECT score, label FROM loans", "spark")


@pytest.mark.parametrize(
    "written",
    [
        "SELECT a.score FROM loans a JOIN loans b ON a.label = b.label",
        "SELECT score FROM loans, others",
        "SELECT score FROM loans CROSS JOIN LATERAL (SELECT 1) x",
        "SELECT score FROM (SELECT * FROM loans) x",
        "WITH x AS (SELECT * FROM loans) SELECT score FROM x",
        "SELECT score FROM loans UNION ALL SELECT score FROM loans",
        "SELECT DISTINCT score FROM loans",
        "SELECT sum(score) AS score FROM loans",
        "SELECT score FROM loans GROUP BY score",
        "SELECT avg(score) OVER () AS score FROM loans",
        "SELECT score FROM loans ORDER BY score LIMIT 5",
        "SELECT score FROM loans OFFSET 5",
        "SELECT score FROM loans TABLESAMPLE SYSTEM (10)",
        "SELECT score FROM generate_series(1, 5) AS loans(score)",
        "SELECT score FROM loans FOR UPDATE",
        "SELECT 1 / score AS score FROM loans",
        "SELECT score + 1 AS score FROM loans",
        "SELECT pg_sleep(1), score FROM loans",
        "SELECT region::double precision AS score FROM loans",
        "SELECT nextval('s') AS score FROM loans",
        "SELECT current_user AS region FROM loans",
        "SELECT xmin AS label FROM loans",
        "SELECT missing FROM loans",
        "SELECT loans FROM loans",
        "SELECT 0.5 AS score FROM loans",
        "SELECT (SELECT max(score) FROM loans) AS score FROM loans",
        "SELECT CASE WHEN score > 0 THEN score END AS score FROM loans",
        "SELECT score",
        "VALUES (1)",
        "TRUNCATE loans",
        "SELECT score FROM loans WHERE",
        "SELECT score FROM loans -- all of them",
        "SELECT score FROM loans /* all of them */",
        "SELECT score FROM loans -- \r/*\n, big --*/",
        "SELECT score FROM loans; SELECT label FROM loans",
        "SELECT label FROM loans AS q (score, label)",
        "SELECT shape.label FROM loans",
        "SELECT x.loans.score FROM loans",
        "SELECT other.score FROM loans",
        "SELECT region::varchar(1) AS region FROM loans",
        "CREATE VIEW v (a) AS SELECT score, label FROM loans",
        "",
    ],
)
def test_anything_more_is_refused(written: str) -> None:
    assert not is_taken(written)


@pytest.mark.parametrize(
    "condition",
    [
        "region > 5",  # Compared as numbers, and a cell may be none.
        "label = '5'",
        "label > 0.5",
        "price > 1",  # Decimals may be cast to another scale.
        "shape = 1",
        "shape.label = '5'",
        "label = 1 OR seen > CAST('bad' AS DATE)",
        "label = CAST('5' AS INTEGER)",
        "label = 99999999999999999999",
        "seen_at > '2026-01-01'::timestamp",
        "seen > 20260101",
        "adult = 1",
        "region = 5",
        "region = -'5'",
        "label IN ()",
        "score > label",
        "region = other",
        "score / 2 > 1",
        "abs(score) > 1",
        "region LIKE 'n%'",
        "region::double precision > 1",
        "score::text = '1'",
        "label",
        "region",
        "1 = 1",
        "label IN (SELECT 1)",
        "label IN (label)",
        "label = ANY (SELECT 1)",
        "label <> ALL (ARRAY[1])",
        "label <> ANY (ARRAY[1])",
        "EXISTS (SELECT 1)",
        "score IS DISTINCT FROM 1",
        "adult IS TRUE",
        "random() < 0.5",
        "label BETWEEN 0 AND score",
        "label = -score",
        "label = - '5'",
        "seen = (now())::date",
    ],
)
def test_conditions_that_may_fail_or_have_effects_are_refused(condition: str) -> None:
    assert not is_taken(WHERE + condition)
    assert not is_taken(f"{WHERE}score > 0 AND ({condition})")


def test_a_view_is_written_anew_over_its_table() -> None:
    view = read_view(
        "CREATE VIEW v (a, b) AS SELECT l.region, score FROM loans AS l "
        "WHERE 0.5 < l.score AND NOT region IN ('x', 'y')",
        "sqlite",
    )
    assert view is not None
    rows = view.over(Dialect(), TABLE)
    assert rows is not None
    assert rows.columns == ("a", "b")
    people = [(0.75, "north"), (0.75, "x"), (0.5, "north"), (None, "north")]
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE loans (score DOUBLE, region VARCHAR)")
    with silence():
        table = connection.table("loans")
    for given in people:
        connection.con.execute("INSERT INTO loans VALUES (?, ?)", given).fetchall()
    found = view.over(Dialect(), table)
    assert found is not None
    with silence():
        assert found.to_pyarrow().to_pylist() == [{"a": "north", "b": 0.75}]
    connection.disconnect()


def test_the_table_behind_a_view_is_named_in_full() -> None:
    view = read_view('SELECT score FROM lake."Odd.Name".loans AS l', "postgres")
    assert view is not None
    assert view.base == ("lake", "Odd.Name", "loans")


def test_a_star_that_changes_columns_is_refused() -> None:
    assert not is_taken("SELECT * EXCLUDE (score) FROM loans", "duckdb")
    assert not is_taken("SELECT * REPLACE (1 / score AS score) FROM loans", "duckdb")
