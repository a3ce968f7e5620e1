"""Views are refused, or trusted by their definition; and what a server logs."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest

import dpratio as dpr
from curator.tables_for_tests import exact, plan_of, reading_of
from dpratio.curator.sql import ask, connect
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.source import DatabaseTable
from dpratio.terms.unit import PrivacyUnit

TOTALS = {"score": dpr.Bounds(0, 2), "label": dpr.Bounds(0, 2)}
PLAN = plan_of(unit=PrivacyUnit("id", totals=TOTALS), stage=0)
ROWS = (("ann", 0.5, 1), ("ann", 0.25, 0), ("bob", 1.0, 1))
LISTS = dict(zip(("id", "score", "label"), map(list, zip(*ROWS)), strict=True))  # noqa: B905
MADE = (
    "CREATE TABLE visits (id VARCHAR(9), score DOUBLE PRECISION, label INTEGER)",
    "INSERT INTO visits VALUES ('ann', 0.5, 1), ('ann', 0.25, 0), ('bob', 1, 1)",
    "CREATE VIEW people AS SELECT id, score, label FROM visits",
)


@pytest.fixture(params=["duckdb", "postgres"])
def url(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_url: str
) -> Iterator[str]:
    if request.param == "duckdb":
        with duckdb.connect(str(tmp_path / "a.db")) as there:
            for statement in MADE:
                there.execute(statement)
        yield f"duckdb:///{tmp_path / 'a.db'}"
        return
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in MADE:
            connection.execute(statement.encode())
    yield postgres_url


def digest_of(url: str, name: str = "people") -> str:
    with pytest.raises(SchemaRefused, match="is a view") as refused:
        connect.open_database(DatabaseTable(url, table=name))
    (digest,) = re.findall('view = "([0-9a-f]{64})"', str(refused.value))
    return str(digest)


@pytest.mark.outside
def test_a_view_is_read_by_the_hash_of_its_definition_and_of_no_other(
    url: str,
) -> None:
    digest = digest_of(url)
    trusted = DatabaseTable(url, table="people", view=digest)
    assert exact(trusted, PLAN, "auto") == exact(LISTS, PLAN, "python")
    dpr.release_sums(trusted, PLAN, ledger=None)
    for view in ("0" * 64, digest[::-1]):
        with pytest.raises(SchemaRefused, match=digest):
            connect.open_database(DatabaseTable(url, table="people", view=view))
    with pytest.raises(SchemaRefused, match="is no view"):
        connect.open_database(DatabaseTable(url, table="visits", view=digest))
    with pytest.raises(InvalidInput, match="needs a unit with a column of ids"):
        dpr.release_sums(trusted, plan_of(), ledger=None)


@pytest.mark.outside
def test_a_view_that_changes_between_approval_and_reading_is_not_read(
    postgres_url: str,
) -> None:
    """The definition is looked up again in the transaction that reads."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for statement in MADE:
            connection.execute(statement.encode())
        digest = digest_of(postgres_url)
        trusted = DatabaseTable(postgres_url, table="people", view=digest)
        opened = connect.open_database(trusted)
        connection.execute(
            b"CREATE OR REPLACE VIEW people AS SELECT v.id, v.score, v.label "
            b"FROM visits v, generate_series(1, 9)"
        )
        with pytest.raises(SchemaRefused, match="was changed while it was opened"):
            ask.aggregate(opened, reading_of(PLAN))
        # The path of a reader, or of a writer, has no say in the hash.
        connection.execute(b"CREATE SCHEMA other; SET search_path = other, public")
        connection.execute(MADE[2].replace("VIEW people", "VIEW public.again").encode())
        connection.execute(MADE[2].replace("VIEW people", "VIEW public.twice").encode())
    assert (
        digest_of(postgres_url, "again") == digest_of(postgres_url, "twice") == digest
    )


@pytest.mark.outside
def test_a_server_is_sent_what_plan_sql_prints(postgres_url: str) -> None:
    groups = dpr.Groups("region", ["north", "it's \\ odd", "${x} -- $$"])
    plan = plan_of(groups=groups)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            b"CREATE TABLE loans (score real, label smallint, region varchar(20))"
        )
        folder = connection.execute(b"SHOW data_directory").fetchone()
        connection.execute(b"ALTER SYSTEM SET log_statement = 'all'")
        connection.execute(b"SELECT pg_reload_conf()")
        while connection.execute(b"SHOW log_statement").fetchone() != ("all",):
            pass
        dpr.release_sums(DatabaseTable(postgres_url, table="loans"), plan, ledger=None)
        connection.execute(b"ALTER SYSTEM RESET log_statement")
        connection.execute(b"SELECT pg_reload_conf()")
    assert folder is not None
    log = Path(folder[0], "log").read_text(encoding="utf-8")
    schema = {"score": "float4", "label": "int2", "region": "varchar"}
    printed = dpr.plan_sql(plan, "postgres", source="public.loans", schema=schema)
    # A server indents the lines that follow the first.
    assert printed.removesuffix(";") in log.replace("\n\t", "\n")
