"""Only names of columns, quoted, and a few plain conditions reach an engine."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import SchemaRefused
from dpratio.terms.source import DatabaseTable
from postgres_server import fresh_database
from tiers import quick_first

ONE = [[1 << 24, 1 << 24, 1 << 23, 1 << 22, 1 << 23]]

# As columns of the ratio and of the groups: each would do something, were it run.
EXPRESSIONS = [
    "score + nextval('visits')",
    "nextval('visits')",
    "(SELECT count(*) FROM people)",
    "score\" + nextval('visits') + \"score",
    "score); CREATE TABLE gone (n INTEGER); --",
    "score/**/",
    "random()",
    "read_csv('people.csv')",
    "pg_sleep(3)",
    "CASE WHEN score = 0.5 THEN 1 ELSE 1/0 END",
    "*",
]


@pytest.mark.parametrize("name", quick_first(EXPRESSIONS, 4))
def test_36_an_expression_in_the_place_of_a_column_is_only_a_name(
    name: str, tmp_path: Path
) -> None:
    """A column of that name is read; where there is none, that is all that is said.

    Source: Haeberlen, Pierce & Narayan (2011), Differential Privacy Under Fire: what a
    query does beside its answer (state, time, budget) tells one row.
    More: tests/curator/test_engines_agree.py, with names that mean something to SQL.
    """
    names = (name, "label", "weight", "region")
    given = pa.table({name: [0.5], "label": [1], "region": ["a"]})
    plain = pa.table({"score": [0.5], "label": [1], "region": ["a"]})
    plan = plan_of(names=names)
    pq.write_table(given, tmp_path / "given.parquet")
    for engine in ENGINES:
        assert exact(given, plan, engine) == ONE
        assert exact(str(tmp_path / "given.parquet"), plan, engine) == ONE
        with pytest.raises(SchemaRefused, match="is not in the table"):
            release_with(engine, plain, plan, ledger=None)
    keyed = plan_of(names=("score", "label", "weight", name), keys=["a"])
    grouped = pa.table({"score": [0.5], "label": [1], name: ["a"]})
    for engine in ENGINES:
        assert exact(grouped, keyed, engine) == ONE


@pytest.mark.parametrize("key", quick_first(EXPRESSIONS, 4))
def test_36_an_expression_in_the_place_of_a_key_or_a_path_is_only_a_text(
    key: str, tmp_path: Path
) -> None:
    """Keys are compared, files are opened, and neither is run.

    Source: Haeberlen, Pierce & Narayan (2011), Differential Privacy Under Fire.
    """
    plan = plan_of(keys=[key, "a"])
    table = pa.table({"score": [0.5], "label": [1], "region": [key]})
    path = tmp_path / f"{key.replace('/', '-')}'.parquet"
    pq.write_table(table, path)
    for source in (table, str(path)):
        for engine in ENGINES:
            assert exact(source, plan, engine) == [ONE[0], [0] * 5]


@pytest.fixture(scope="module")
def server(postgres_server: str) -> Iterator[str]:
    """A database with one person, a sequence, and a function that leaves a trace."""
    with (
        fresh_database(postgres_server) as url,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        for statement in (
            "CREATE TABLE people (score FLOAT, label INTEGER, region TEXT)",
            "INSERT INTO people VALUES (0.5, 1, 'a')",
            "CREATE SEQUENCE visits",
            "CREATE TABLE notes (score FLOAT)",
            """CREATE FUNCTION noted(FLOAT) RETURNS FLOAT LANGUAGE sql VOLATILE AS
                'INSERT INTO notes VALUES ($1); SELECT $1'""",
        ):
            connection.execute(statement.encode())
        yield url


def test_36_a_view_is_refused_and_never_asked(server: str, tmp_path: Path) -> None:
    """It could join, add up or call anything, and its effects do not happen.

    Source: Haeberlen, Pierce & Narayan (2011), Differential Privacy Under Fire.
    More: tests/curator/sql/test_connect.py.
    """
    made = "CREATE VIEW odd AS SELECT {} AS score, label FROM people"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(made.format("nextval('visits') + noted(score)").encode())
    file = tmp_path / "people.db"
    with duckdb.connect(file) as own:
        own.execute("CREATE TABLE people (score DOUBLE, label INTEGER)")
        own.execute(made.format("score * random()"))
    for address in (server, f"duckdb:///{file}"):
        table = DatabaseTable(address, table="odd")
        with pytest.raises(SchemaRefused, match="'odd' is a view"):
            release_sums(table, plan_of(), ledger=None)
    with psycopg.connect(server, autocommit=True) as connection:
        query = "SELECT is_called, (SELECT count(*) FROM notes) FROM visits"
        assert connection.execute(query.encode()).fetchall() == [(False, 0)]


@pytest.mark.parametrize(
    "name",
    [
        *("noted(score)", "nextval('visits')", "score + 1", "region::integer", "1"),
        *("region\" = 'a' OR \"label", "given.label", "LABEL", "*", "people"),
    ],
)
def test_36_a_condition_of_a_study_names_columns_alone(name: str, server: str) -> None:
    """An expression in the place of a column is a column that is not there.

    Source: issue 23, point 5; Haeberlen, Pierce & Narayan (2011).
    """
    source = DatabaseTable(server, table="people", where=[[name, "=", 1]])
    with pytest.raises(SchemaRefused, match="which is not in the table"):
        release_sums(source, plan_of(), ledger=None)


@pytest.mark.parametrize(
    "text", [*quick_first(EXPRESSIONS, 4), "a'", "\\'", "$1", "%s"]
)
def test_36_a_condition_of_a_study_compares_with_texts(text: str, server: str) -> None:
    """Whatever a text holds, it is compared, and not run.

    Source: issue 23, point 5; Haeberlen, Pierce & Narayan (2011).
    More: tests/curator/sql/test_conditions.py, on every database.
    """
    for sign, count in (("=", 0), ("!=", 1)):
        source = DatabaseTable(server, table="people", where=[["region", sign, text]])
        [cells] = exact(source, plan_of(), "auto")
        assert cells == [count * cell for cell in ONE[0]]
    with psycopg.connect(server, autocommit=True) as connection:
        query = "SELECT is_called, (SELECT count(*) FROM notes) FROM visits"
        assert connection.execute(query.encode()).fetchall() == [(False, 0)]
