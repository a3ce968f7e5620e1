"""What only DuckDB can hold, as a relation and behind Ibis."""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.groups_for_tests import by, counts
from curator.holders_for_tests import found_by, rule_of
from curator.people_for_tests import REGIONS, people
from curator.table_sources import WRONG, write_wrong_statistics
from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import KeyCount
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Periods, ScoreBins

NAMED = ("score", "label", "weight", "seen")

Connection = duckdb.DuckDBPyConnection


@pytest.fixture
def connection() -> Iterator[Connection]:
    with duckdb.connect() as made:
        yield made


class Given:
    """Rows of a connection as a relation."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def query(self, sql: str) -> Any:  # noqa: ANN401
        """The rows that a query of DuckDB makes."""
        self.connection.execute(f"CREATE OR REPLACE TABLE made AS {sql}")
        return self.named("made")

    def named(self, name: str) -> Any:  # noqa: ANN401
        return self.connection.table(name)

    def table(self, rows: pa.Table) -> Any:  # noqa: ANN401
        self.connection.register("given_rows", rows)
        return self.query("FROM given_rows")


@pytest.fixture
def given(connection: Connection) -> Given:
    return Given(connection)


WIDE: dict[str, list[int]] = {
    "HUGEINT": [2**127 - 1, -(2**127) + 1, 2**53 + 1, 2**90 + 2**37 + 1, 3],
    "UHUGEINT": [2**128 - 1, 0, 2**53 + 1],
    "UBIGINT": [2**64 - 1, 2**63 + 1025, 7],
}


@pytest.mark.parametrize("kind", WIDE)
def test_wide_whole_numbers_count_as_their_nearest_double(
    kind: str,
    given: Given,
) -> None:
    numbers = WIDE[kind]
    values = ", ".join(f"('{n}'::{kind}, 1, {at})" for at, n in enumerate(numbers))
    loaded = given.query(f"FROM (VALUES {values}) t(score, label, region)")
    many = len(numbers)
    plain = {"score": numbers, "label": [1] * many, "region": list(range(many))}
    plan = plan_of(Bounds(-(2.0**100), 2.0**100), keys=range(many))
    assert exact(loaded, plan, "duckdb") == exact(plain, plan, "python")


@pytest.mark.parametrize("places", [0, 19, 38])
def test_decimals_of_38_digits_count_as_their_nearest_double(
    places: int,
    given: Given,
) -> None:
    digits = ["9" * 38, "1" + "0" * 37, "36028797018963969" + "0" * 20 + "1", "5", "-3"]
    numbers = [Decimal(f"{each}e-{places}") for each in digits]
    table = pa.table(
        {
            "score": pa.array(numbers, pa.decimal128(38, places)),
            "label": [1] * 5,
            "region": range(5),
        }
    )
    for far in (2.0**-60, 1.0, 2.0**60, 2.0**100):
        plan = plan_of(Bounds(-far, far), keys=range(5))
        expected = exact(table, plan, "python")
        assert exact(given.table(table), plan, "duckdb") == expected


def test_a_decimal_that_duckdb_would_round_down_finds_its_bin(
    given: Given,
) -> None:
    digits = "34035054398032207413249"
    loaded = given.query(f"SELECT {digits}::DECIMAL(38, 0) AS score, 1 AS label")
    bins = ScoreBins("score", [0.0, float(digits), 2.0**80])
    plan = by(bins, score=Bounds(0, 2.0**80))
    assert counts(loaded, plan, "duckdb") == [0, 1]


@pytest.mark.parametrize(("unit", "ticks"), [("s", 2**60), ("ms", 2**62)])
def test_times_that_no_date_can_tell_are_of_no_day(
    unit: str,
    ticks: int,
    given: Given,
) -> None:
    seen = pa.array([ticks, 0, -ticks], pa.timestamp(unit))
    table = pa.table({"score": [0.5] * 3, "label": [1] * 3, "seen": seen})
    plan = plan_of(keys=[dt.date(1970, 1, 1), None], names=NAMED)
    assert counts(given.table(table), plan, "duckdb") == [1, 2]


def test_enums_are_text(given: Given) -> None:
    loaded = given.query(
        "SELECT 0.5 AS score, true AS label, unnest(['a', 'b', NULL])"
        "::ENUM('b', 'a', 'c') AS region",
    )
    assert counts(loaded, plan_of(keys=["b", "c", None]), "duckdb") == [1, 0, 1]
    found = found_by(loaded, KeyCount("region", "text", None), "duckdb")
    assert found == {"a": 1, "b": 1}


def test_a_relation_may_group_by_a_wide_whole_number(given: Given) -> None:
    wide = "unnest([5::HUGEINT, -2, 170141183460469231731])"
    loaded = given.query(f"SELECT 0.5 AS score, true AS label, {wide} AS region")
    plan = plan_of(keys=[-2, 5])
    assert counts(loaded, plan, "duckdb") == [1, 1]


@pytest.mark.parametrize("collation", ["column", "connection"])
def test_a_collation_that_ignores_case_is_not_asked(
    collation: str, given: Given
) -> None:
    """A row in two groups, or two people in one, would move what nobody paid for."""
    collate = "COLLATE NOCASE" if collation == "column" else ""
    if collation == "connection":
        given.connection.execute("SET default_collation = 'nocase'")
    given.connection.execute(
        f"CREATE TABLE t (score REAL, label INT, region TEXT {collate}, "
        f"id TEXT {collate})"
    )
    given.connection.execute(
        "INSERT INTO t VALUES (0.5, 1, 'north', 'ann'), (0.5, 1, 'NORTH', 'ANN')"
    )
    loaded = given.named("t")
    assert counts(loaded, plan_of(keys=["north", "NORTH"]), "duckdb") == [1, 1]
    found = found_by(loaded, KeyCount("region", "text", rule_of(1)), "duckdb")
    assert found == {"north": 1, "NORTH": 1}
    plan = people(weighted=False, keys=None)
    plain = {"score": [0.5] * 2, "label": [1] * 2, "id": ["ann", "ANN"]}
    assert exact(loaded, plan, "duckdb") == exact(plain, plan, "python")


ENDLESS = ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMPTZ"]


@pytest.mark.parametrize("kind", [*ENDLESS, "TIMESTAMP_NS"])
def test_endless_and_ancient_times_are_of_no_period(
    kind: str,
    given: Given,
) -> None:
    far = ["10000-01-01", "0044-03-15 (BC)"] if kind != "TIMESTAMP_NS" else []
    days = ["infinity", "-infinity", *far, "1970-01-01", "1969-12-31 23:59:59"]
    values = ", ".join(f"'{day}'" for day in days)
    cast = "::TIMESTAMP" if kind == "TIMESTAMP_NS" else ""
    loaded = given.query(
        f"SELECT 0.5 AS score, 1 AS label, seen{cast}::{kind} AS seen "  # noqa: S608
        f"FROM (SELECT unnest([{values}, NULL]) AS seen)",
    )
    keys = [dt.date(1970, 1, 1), dt.date(1969, 12, 31), None]
    found = counts(loaded, plan_of(keys=keys, names=NAMED), "duckdb")
    assert found == [1, 1, 3 + len(far)]
    months = by(Periods("seen", "month", "1970-01-01", "1970-01-01"))
    assert counts(loaded, months, "duckdb") == [1]


def test_nanoseconds_at_the_ends_of_64_bits_have_their_day(
    given: Given,
) -> None:
    ticks = [-(2**63) + 2, 2**63 - 2, -1, 0, 86_400 * 10**9 - 1]
    table = pa.table(
        {
            "score": [0.5] * 5,
            "label": [1] * 5,
            "seen": pa.array(ticks, pa.timestamp("ns")),
        }
    )
    days = [(1677, 9, 21), (2262, 4, 11), (1969, 12, 31), (1970, 1, 1)]
    keys = [dt.date(*day) for day in days]
    found = counts(given.table(table), plan_of(keys=keys, names=NAMED), "duckdb")
    assert found == [1, 1, 1, 2]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_zone_of_a_connection_does_not_matter(zone: str, given: Given) -> None:
    given.connection.execute(f"SET TimeZone = '{zone}'")
    loaded = given.query(
        "SELECT 0.5 AS score, 1 AS label, "
        "TIMESTAMPTZ '2026-01-31 23:59:59+00' AS seen UNION ALL "
        "SELECT 0.5, 1, TIMESTAMPTZ '2026-02-01 00:00:00+00'"
    )
    plan = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(loaded, plan, "duckdb") == [1, 1]


@pytest.mark.parametrize("kind", WRONG)
def test_a_file_whose_statistics_are_wrong_is_clipped_all_the_same(
    kind: str, tmp_path: Path, given: Given
) -> None:
    """Whatever the optimizer of the connection makes of them: no clip is needless."""
    path = tmp_path / "rows.parquet"
    write_wrong_statistics(path, kind, label=[1, 1])
    given.connection.execute(f"CREATE VIEW t AS FROM read_parquet('{path}')")
    found = exact(given.named("t"), plan_of(Bounds(-3, 5)), "duckdb")
    assert found[0][2] == 5 * 2**22


def test_a_file_whose_statistics_know_no_nan_drops_it(
    tmp_path: Path, given: Given
) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(
        pa.table({"score": [0.5, float("nan"), 0.25], "label": [1] * 3}), path
    )
    given.connection.execute(f"CREATE VIEW t AS FROM read_parquet('{path}')")
    assert counts(given.named("t"), plan_of(), "duckdb") == [2]


def test_many_keys_are_found_on_a_connection_of_others(given: Given) -> None:
    """Nothing is registered there: the keys stand in the statement."""
    regions = [f"r{at}, none" for at in range(1_500)]
    loaded = given.query(
        "SELECT 0.5 AS score, 1 AS label, "
        "unnest(['r7, none', 'r1499, none', 'none', '', NULL]) AS region"
    )
    keys = [*regions, "none", "", None]
    found = counts(loaded, plan_of(keys=keys), "duckdb")
    assert {key for key, many in zip(keys, found, strict=True) if many} == {
        *(regions[7], regions[1499], "none", "", None)
    }


def test_a_person_with_a_million_rows_counts_as_one(given: Given) -> None:
    loaded = given.query(
        "SELECT 0.5::DOUBLE AS score, 1::DOUBLE AS label, "
        "['a', 'b', 'c', 'd'][nth % 4 + 1] AS region, "
        "CASE WHEN nth < 4 THEN 'someone' ELSE 'whale' END AS id "
        "FROM (SELECT unnest(range(1000000)) AS nth)",
    )
    few = {
        "score": [0.5] * 999,
        "label": [1.0] * 999,
        "region": [REGIONS[at % 4] for at in range(999)],
        "id": ["someone" if at < 4 else "whale" for at in range(999)],
    }
    plan = people(weighted=False, most_groups=2)
    assert exact(loaded, plan, "duckdb") == exact(few, plan, "python")


@pytest.mark.parametrize("kind", ["BLOB", "UUID", "INTERVAL", "INT[]", "TIME"])
def test_columns_of_other_types_are_refused_by_the_schema(
    kind: str,
    given: Given,
) -> None:
    loaded = given.query(f"SELECT NULL::{kind} AS score, 1 AS label")
    with pytest.raises(SchemaRefused, match="column 'score' is"):
        open_table(loaded, asked(plan_of()), "duckdb")
