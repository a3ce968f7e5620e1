"""A condition is read only where it compares columns with constants of their type."""

import ibis
import pytest
import sqlglot

from dpratio.curator.warehouse.database.conditions import (
    NotPlainError,
    condition_over,
    read_where,
)
from dpratio.curator.warehouse.database.on_postgres import Postgres
from dpratio.curator.warehouse.dialect import Dialect, Value
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


DIALECTS: dict[str, Dialect] = {
    "duckdb": Dialect(),
    "postgres": OwnTypes(),
    "spark": Spark(),
}


def is_taken(written: str, dialect: str = "postgres") -> bool:
    own = DIALECTS[dialect]
    columns = {name: TABLE[name] for name in TABLE.columns}
    try:
        condition = read_where(written, dialect)
        condition_over(own, columns, own.native_types(TABLE), condition)
    except NotPlainError:
        return False
    return True


@pytest.mark.parametrize(
    "condition",
    [
        "region = 'north'",
        "'north' = region",
        "score > 0.5 AND score <= 1",
        "score >= (0.5) OR NOT (label = 1)",
        "label IN (1, -2, 3)",
        "label BETWEEN 0 AND 9",
        "adult",
        "adult = true AND NOT adult",
        "region IS NULL OR price IS NOT NULL",
        "price > 1 AND price <> 1.005",
        "seen >= '2026-01-01' AND seen < '2027-01-01'",
        "0.5 < score AND 1 >= label AND 2 = label AND true = adult",
        "score > -0.5 AND label > -5",
    ],
)
def test_rows_may_be_kept_by_comparing_columns_with_constants(condition: str) -> None:
    assert is_taken(condition)


@pytest.mark.parametrize(
    "written",
    [
        "score > 0 UNION ALL SELECT score FROM loans",
        "score > 0 GROUP BY score",
        "score > 0 HAVING count(*) > 5",
        "score > 0 ORDER BY score LIMIT 5",
        "score > 0 OFFSET 5",
        "score > 0 FOR UPDATE",
        "score > 0 WINDOW w AS (ORDER BY score)",
        "score > 0 -- all of them",
        "score > 0 /* all of them */",
        "score > 0 -- \r/*\n OR true --*/",
        "score > 0; SELECT label FROM loans",
        "score > 0) OR (label > 1",
        "shape.label = 1",
        "given.score > 0",
        "other.score > 0",
        "missing > 0",
        "loans > 0",
        "",
        ";",
    ],
)
def test_anything_more_is_refused(written: str) -> None:
    assert not is_taken(written)


@pytest.mark.parametrize(
    "condition",
    [
        "(region)::text <> 'north'::text",
        "label = ANY (ARRAY[1, 2])",
        "region = ANY (ARRAY['a'::text, 'b'::text])",
        "label < (5)::bigint",
        "label = CAST('5' AS INTEGER)",
        "seen_at > '2026-01-01'::timestamp",
        "label <> ALL (ARRAY[1])",
        "seen >= DATE '2026-01-01'",
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
    assert not is_taken(condition)
    assert not is_taken(f"score > 0 AND ({condition})")


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
    assert not is_taken(condition, dialect)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("label BETWEEN SYMMETRIC 1 AND 2", "symmetric"),
        ("label = 1 LIMIT 5", "Select with limit"),
        ("label = 1 GROUP BY label", "Select with group"),
        ("sum(score) > 1", "Sum"),
        ("given.label = 1", "Column with table"),
        ("label = '1'::integer", "Cast"),
        ("label = 1 UNION SELECT 1", "else than a condition"),
    ],
)
def test_what_is_not_known_is_refused_by_its_name(written: str, named: str) -> None:
    with pytest.raises(NotPlainError, match=named):
        read_where(written, "postgres")


def test_every_argument_of_every_node_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever a parser of tomorrow adds to a node, the view is refused."""
    written = (
        "(label IN (1, -2) AND NOT adult) OR label BETWEEN 0 AND 9 OR region = 'x' OR "
        "seen IS NULL OR adult = true OR label > 1 OR label < 1 OR label >= 1 OR "
        "label <= 1 OR label <> 1"
    )
    tree = sqlglot.parse_one(f"SELECT * FROM given WHERE {written}", read="postgres")  # noqa: S608
    read_where(written, "postgres")
    outside = {sqlglot.exp.Star, sqlglot.exp.From, sqlglot.exp.Table}
    condition = tree.args["where"].this
    kinds = {type(node) for node in condition.walk()} | {type(tree), sqlglot.exp.Where}
    assert len(kinds - outside) > 18
    for kind in kinds - outside:
        marked = tree.copy()
        for node in [each for each in marked.walk() if type(each) is kind]:
            node.set("of_tomorrow", "set")
        monkeypatch.setattr(sqlglot, "parse", lambda *_, found=marked, **__: [found])
        with pytest.raises(NotPlainError, match=f"{kind.__name__} with of_tomorrow"):
            read_where(written, "postgres")
