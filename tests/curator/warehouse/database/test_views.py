"""A view is read only where each of its rows is one row of a table, untouched."""

import ibis
import pytest
import sqlglot

from dpratio.curator.silence import silence
from dpratio.curator.warehouse.database.on_postgres import Postgres
from dpratio.curator.warehouse.database.views import NotPlainError, read_view
from dpratio.curator.warehouse.dialect import Dialect, Value
from dpratio.curator.warehouse.on_duckdb import DuckDb
from dpratio.curator.warehouse.spark.on_spark import Spark

TABLE = ibis.table(
    {
        "score": "float64",
        "single": "float32",
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

OWN_TYPES = {
    "score": "float8",
    "single": "float4",
    "label": "int4",
    "region": "text",
    "adult": "bool",
    "seen": "date",
    "seen_at": "timestamp",
    "price": "numeric",
    "shape": "composite",
}


class OwnTypes(Postgres):
    """PostgreSQL's dialect, told the types that no server is asked for here."""

    def native_types(self, rows: Value) -> dict[str, str]:
        return {name: OWN_TYPES[name] for name in rows.columns}


WHERE = "SELECT score FROM loans WHERE "


DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDb(),
    "postgres": OwnTypes(),
    "spark": Spark(),
}


def is_taken(written: str, dialect: str = "postgres") -> bool:
    try:
        read_view(written, dialect).over(DIALECTS[dialect], TABLE)
    except NotPlainError:
        return False
    return True


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
        "region IS NULL OR price IS NOT NULL",
        "price > 1 AND price <> 1.005",
        "label = CAST('5' AS INTEGER)",
        "seen_at > '2026-01-01'::timestamp",
        "label <> ALL (ARRAY[1])",
        "region = ANY ((ARRAY['a'::character varying])::text[])",
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
    for dialect in ("postgres", "duckdb", "spark"):
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
        "shape = 1",
        "shape IS NULL",
        "label IS NOT 1",
        "label BETWEEN SYMMETRIC 0 AND 9",
        "label = (70000)::smallint",
        "score > 0.1234567890123456",
        "score > '0.1'::real",
        "score = 'NaN'::double precision",
        "score = 1e999",
        "price > 1::double precision",
        "price > '1.5'",
        "region = 'x'::varchar(1)",
        "region = 'x'::citext",
        "region = ANY ((ARRAY['a'])::varchar[])",
        "label = ANY (5)",
        "label <> abs(5)",
        "seen > '20260101'",
        "seen > '2026-02-30'",
        "seen > '2026-01-01 00:00:00'",
        "seen_at > '2026-01-01 00:00:00+00'",
        "seen_at > '2026-01-01 00:00:00'::date",
        "adult = 't'",
        "adult = 'yes'::boolean",
        "shape.label = '5'",
        "label = 1 OR seen > CAST('bad' AS DATE)",
        "label = 99999999999999999999",
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
        "duckdb",
    )
    rows = view.over(DuckDb(), TABLE)
    assert rows.columns == ("a", "b")
    people = [(0.75, "north"), (0.75, "x"), (0.5, "north"), (None, "north")]
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE loans (score DOUBLE, region VARCHAR)")
    with silence():
        table = connection.table("loans")
    for given in people:
        connection.con.execute("INSERT INTO loans VALUES (?, ?)", given).fetchall()
    found = view.over(Dialect(), table)
    with silence():
        assert found.to_pyarrow().to_pylist() == [{"a": "north", "b": 0.75}]
    connection.disconnect()


def test_the_table_behind_a_view_is_named_in_full() -> None:
    view = read_view('SELECT score FROM lake."Odd.Name".loans AS l', "postgres")
    assert view.base == ("lake", "Odd.Name", "loans")


def test_a_star_that_changes_columns_is_refused() -> None:
    assert not is_taken("SELECT * EXCLUDE (score) FROM loans", "duckdb")
    assert not is_taken("SELECT * REPLACE (1 / score AS score) FROM loans", "duckdb")


@pytest.mark.parametrize(
    ("dialect", "condition"),
    [
        ("duckdb", "price > 1.005"),  # Cells would be cast to another scale.
        ("duckdb", "price > 123456789"),
        ("duckdb", "price = 1e0"),
        ("duckdb", "shape = 1"),
        ("duckdb", "single > 1e39"),
        ("duckdb", "region::VARCHAR = 'x'"),
        ("duckdb", "region = 'x'::TEXT::INTEGER"),
        ("duckdb", "region = 'a\x00b'"),
        ("spark", 'region = "north"'),  # A name, or a text: a setting decides.
        ("spark", "region = 'it''s'"),
        ("spark", "label = 5L"),
        ("spark", "seen_at > TIMESTAMP'2026-01-01 00:00:00'"),
        ("spark", "region <=> 'x'"),
    ],
)
def test_what_one_database_reads_in_its_own_way_is_refused(
    dialect: str, condition: str
) -> None:
    assert not is_taken(WHERE + condition, dialect)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("SELECT score FROM loans WHERE label BETWEEN SYMMETRIC 1 AND 2", "symmetric"),
        ("SELECT score FROM loans TABLESAMPLE SYSTEM (10)", "sample"),
        ("SELECT DISTINCT score FROM loans", "distinct"),
        ("SELECT score FROM loans FETCH FIRST 1 ROW ONLY", "limit"),
        ("SELECT sum(score) FROM loans", "Sum"),
        ("SELECT score FROM ONLY loans", "only"),
        ("CREATE TEMPORARY VIEW v AS SELECT score FROM loans", "properties"),
        ("CREATE TABLE v AS SELECT score FROM loans", "else than a view"),
        ("CREATE VIEW v (a integer) AS SELECT score FROM loans", "a column with a typ"),
    ],
)
def test_what_is_not_known_is_refused_by_its_name(written: str, named: str) -> None:
    with pytest.raises(NotPlainError, match=named):
        read_view(written, "postgres")


def test_every_argument_of_every_node_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a parser of tomorrow adds to a node, the view is refused."""
    written = (
        "SELECT l.score AS s, region FROM a.loans AS l WHERE (label IN (1, -2) AND NOT "
        "adult) OR label BETWEEN 0 AND 9 OR region = 'x'::text OR l.seen IS NULL OR "
        "adult = true OR label = ANY (ARRAY[1]) OR label > 1 OR label < 1 OR "
        "label >= 1 OR label <= 1 OR label <> 1"
    )
    tree = sqlglot.parse_one(written, read="postgres")
    read_view(written, "postgres")
    kinds = {type(node) for node in tree.walk()}
    assert len(kinds) > 24
    for kind in kinds:
        marked = tree.copy()
        for node in [each for each in marked.walk() if type(each) is kind]:
            node.set("of_tomorrow", "set")
        monkeypatch.setattr(sqlglot, "parse", lambda *_, found=marked, **__: [found])
        with pytest.raises(NotPlainError, match=f"{kind.__name__} with of_tomorrow"):
            read_view(written, "postgres")
