"""What only PostgreSQL can hold, and what only it makes an error of."""

import datetime as dt
import decimal
from decimal import Decimal
from itertools import product
from typing import Any
from urllib.parse import quote

import psycopg
import pyarrow as pa
import pytest

from curator.groups_for_tests import by, counts
from curator.holders_for_tests import found_by, rule_of
from curator.people_for_tests import REGIONS, people
from curator.postgres_host import Postgres
from curator.sql.laws import require_agreement
from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import KeyCount
from dpratio.errors import SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Periods
from dpratio.terms.source import DatabaseTable
from postgres_server import fresh_database

_LARGEST = 2**1024 - 2**970  # The smallest number that rounds to infinity.

NUMERICS = [
    *["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-1e-400", "0"],
    *["0.1", "-0.5", "1234567890.123456789012345678901234567890", "9" * 40],
    *[str(_LARGEST), str(_LARGEST - 1), str(-_LARGEST), str(1 - _LARGEST)],
    *["1e-323", "2.4703282292062327e-324", "2.4703282292062328e-324", "3e-324"],
    *["9007199254740993", "0.300000000000000016653345369377348106354475021362304687"],
]


def test_numbers_of_any_digits_count_as_their_nearest_double(
    postgres: Postgres,
) -> None:
    """PostgreSQL stops at those that are too large or too small for a double."""
    many = len(NUMERICS)
    columns = {"score": "numeric", "label": "int", "region": "int"}
    loaded = postgres.cells(
        columns, zip(NUMERICS, [1] * many, range(many), strict=True)
    )
    plain = {
        "score": [Decimal(each) for each in NUMERICS],
        "label": [1] * many,
        "region": list(range(many)),
    }
    for far in (1.0, 2.0**100, 2.0**-100):
        plan = plan_of(Bounds(-far, far), keys=range(many))
        assert exact(loaded, plan, "auto") == exact(plain, plan, "python")


def test_the_ends_of_what_a_double_can_be_are_told_by_the_last_digit(
    postgres: Postgres,
) -> None:
    with decimal.localcontext(prec=1100):
        half = Decimal(2) ** -1075
        cells = [format(half, "f"), format(half + Decimal(10) ** -1076, "f")]
    loaded = postgres.query(
        f"SELECT * FROM (VALUES ('{cells[0]}'::numeric, 1, 0), "  # noqa: S608
        f"('{cells[1]}'::numeric, 1, 1)) t(score, label, region)"
    )
    assert counts(loaded, plan_of(keys=[0, 1]), "auto") == [1, 1]


# Products that vanish.

TINY = [5e-324, 1e-308, 1e-200, 2.0**-210, 2.0**-211, 1e-160, 1e-110, 1e-70, 1e-30, 0.5]


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_products_that_vanish_are_zero_and_no_error(
    strategy: str, postgres: Postgres
) -> None:
    cells = [each * sign for each in TINY for sign in (1.0, -1.0)]
    rows = list(product(cells, cells[::3], TINY[::2]))
    columns = zip(*rows, strict=True)
    table = pa.table(dict(zip(("score", "label", "weight"), columns, strict=True)))
    guess = 1 / 3 if strategy == "focused" else None
    for far in (1.0, 1e-3):
        plan = plan_of(
            Bounds(-far, far),
            Bounds(-1, 1),
            Bounds(0, 1),
            strategy=strategy,
            guess=guess,
        )
        require_agreement(postgres, plan, table)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_products_that_vanish_beside_a_coarse_step_are_zero_and_no_error(
    strategy: str, postgres: Postgres
) -> None:
    """Contrasts of 2^-490 are no zeros; a step of their squares is beyond 2^300."""
    cells = [2.0**-245, -(2.0**-209), 2.0**-100, 1.0, 2.0**100, 0.0]
    rows = list(product(cells, cells, cells))
    columns = zip(*rows, strict=True)
    table = pa.table(dict(zip(("score", "label", "weight"), columns, strict=True)))
    far = Bounds(-(2.0**100), 2.0**100)
    guess = 1.0 if strategy == "focused" else None
    plan = plan_of(far, far, Bounds(0, 2.0**100), strategy=strategy, guess=guess)
    require_agreement(postgres, plan, table)


@pytest.mark.parametrize("strategy", ["even", "focused"])
def test_totals_of_vanishing_products_are_zero_and_no_error(
    strategy: str, postgres: Postgres
) -> None:
    rows = list(product(TINY, TINY[::2], TINY[::2]))
    columns = zip(*rows, strict=True)
    table = pa.table(
        {
            **dict(zip(("score", "label", "weight"), columns, strict=True)),
            "id": [str(at // 7) for at in range(len(rows))],
        }
    )
    require_agreement(postgres, people(keys=None, strategy=strategy), table)


# Dates and times.

DAYS = "'infinity', '-infinity', '4713-01-01 BC', '0001-12-31 BC', '10000-01-01'"


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_endless_and_ancient_times_are_of_no_period(
    kind: str, postgres: Postgres
) -> None:
    days = (
        f"{DAYS}, '1970-01-01 00:00+00', '9999-12-31 23:59+00', '0001-01-01 00:00+00'"
    )
    loaded = postgres.query(
        "SELECT 0.5::float8 AS score, 1 AS label, seen::" + kind + " AS seen "
        f"FROM unnest(ARRAY[{days}, NULL]) AS seen"
    )
    assert counts(
        loaded, by(Periods("seen", "month", "1970-01-01", "1970-01-01")), "auto"
    ) == [1]
    keys = [dt.date.max, dt.date(1970, 1, 1), dt.date.min, None]
    assert counts(loaded, plan_of(keys=keys, names=NAMED), "auto") == [1, 1, 1, 6]
    found = found_by(loaded, KeyCount("seen", "date", None), "auto")
    assert found == dict.fromkeys(keys[:3], 1)


NAMED = ("score", "label", "weight", "seen")


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_settings_of_a_connection_do_not_matter(
    zone: str, postgres: Postgres
) -> None:
    loaded = postgres.query(
        "SELECT 0.1::float8 AS score, 1 AS label, 'é' AS region, '7' AS id, seen "
        "FROM unnest(ARRAY['2026-01-31 23:59:59+00'::timestamptz, "
        "'2026-02-01 00:00+00']) AS seen"
    )
    settings = {
        "TimeZone": zone,
        "DateStyle": "German,DMY",
        "bytea_output": "escape",
        "extra_float_digits": "-15",
    }
    options = " ".join(f"-c{name}={value}" for name, value in settings.items())
    url = f"{loaded.url}&options={quote(options)}"
    given = DatabaseTable(url, table=loaded.name)
    months = by(Periods("seen", "month", "2026-01-01", "2026-02-01"))
    assert counts(given, months, "auto") == [1, 1]
    plan = plan_of(keys=["é"])
    plain = {"score": [0.1] * 2, "label": [1] * 2, "region": ["é"] * 2}
    assert exact(given, plan, "auto") == exact(plain, plan, "python")
    by_unit = KeyCount("seen", "date", rule_of(2))
    days = [dt.date(2026, 1, 31), dt.date(2026, 2, 1)]
    assert found_by(given, by_unit, "auto") == dict.fromkeys(days, 1)


# Text.


def test_text_that_ignores_case_is_told_apart_by_its_bytes(postgres: Postgres) -> None:
    """A row in two groups, or two people in one, would move what nobody paid for."""
    postgres.connection.execute("CREATE EXTENSION IF NOT EXISTS citext")
    columns = {"score": "float8", "label": "int", "region": "citext", "id": "citext"}
    rows = [(0.5, 1, "north", "ann"), (0.5, 1, "NORTH", "ANN"), (0.5, 1, "x", "ann")]
    loaded = postgres.cells(columns, rows)
    assert counts(loaded, plan_of(keys=["north", "NORTH"]), "auto") == [1, 1]
    assert found_by(loaded, KeyCount("region", "text", rule_of(1)), "auto") != {}
    plan = people(weighted=False, keys=None)
    plain = {"score": [0.5] * 3, "label": [1] * 3, "id": ["ann", "ANN", "ann"]}
    assert exact(loaded, plan, "auto") == exact(plain, plan, "python")


WORDS = ("sad", "Glad é", None, "sad")
UUIDS = (
    *("00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"),
    *(None, "{00000000-0000-0000-0000-000000000000}"),
)


def test_labels_and_uuids_are_ids_and_keys_as_they_are_written(
    postgres_url: str,
) -> None:
    """The same integers as from texts; a uuid is the text that the server writes."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TYPE \"Odd mood\" AS ENUM ('sad', 'Glad é', 'new')")
        connection.execute(
            'CREATE TABLE people (score float8, label int, region "Odd mood", id uuid)'
        )
        for word, name in zip(WORDS, UUIDS, strict=True):
            row = (word, name)
            connection.execute("INSERT INTO people VALUES (0.5, 1, %s, %s)", row)
    names = [None if each is None else each.lower().strip("{}") for each in UUIDS]
    plain = {"score": [0.5] * 4, "label": [1] * 4, "region": WORDS, "id": names}
    swapped = {**plain, "region": names, "id": WORDS}
    given = DatabaseTable(postgres_url, table="people")
    other = DatabaseTable(postgres_url, table="swapped")
    with psycopg.connect(postgres_url) as connection:
        connection.execute(
            "CREATE TABLE swapped AS SELECT score, label, id AS region, region AS id "
            "FROM people"
        )
    plan = people(weighted=False, keys=["Glad é", "sad", "new"])
    assert exact(given, plan, "auto") == exact(plain, plan, "python")
    plan = people(weighted=False, keys=[None, *names[:2]])
    assert exact(other, plan, "auto") == exact(swapped, plan, "python")
    for table, same in ((given, plain), (other, swapped)):
        for rule in (None, rule_of(1)):
            asked_for = KeyCount("region", "text", rule)
            found = found_by(table, asked_for, "auto")
            assert found == found_by(same, asked_for, "python") != {}
    with pytest.raises(SchemaRefused, match="'id' is uuid; a number column"):
        exact(given, plan_of(names=("id", "label", "", "region")), "auto")


def test_a_database_of_another_encoding_is_refused(
    postgres_server: str,
) -> None:
    made = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    with fresh_database(postgres_server, made) as url:
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE rows (score float8, label int)")
        with pytest.raises(SchemaRefused) as refused:
            open_table(DatabaseTable(url, table="rows"), asked(plan_of()), "auto")
    assert str(refused.value) == (
        "the database is encoded in LATIN1; ids and keys are read as UTF8. "
        "Copy the table into a database with that encoding."
    )


OTHER: dict[str, str] = {
    "bytea": "'\\x00'::bytea",
    "json": "'1'::json",
    "array": "ARRAY[0.5]",
    "interval": "interval '1 day'",
    "text": "'0.5'",
}


@pytest.mark.parametrize("kind", OTHER)
def test_columns_of_other_types_are_refused_by_the_schema(
    kind: str, postgres: Postgres
) -> None:
    loaded = postgres.query(f"SELECT {OTHER[kind]} AS score, 1 AS label")
    with pytest.raises(SchemaRefused, match="column 'score' is"):
        open_table(loaded, asked(plan_of()), "auto")


def test_a_person_with_a_million_rows_counts_as_one(postgres: Postgres) -> None:
    loaded = postgres.query(
        "SELECT 0.5::float8 AS score, 1::float8 AS label, "
        "(ARRAY['a', 'b', 'c', 'd'])[at % 4 + 1] AS region, "
        "CASE WHEN at < 4 THEN 'someone' ELSE 'whale' END AS id "
        "FROM generate_series(0, 1000000) AS at"
    )
    rows = [(at, "someone" if at < 4 else "whale") for at in range(1000)]
    few = {
        "score": [0.5] * 1000,
        "label": [1.0] * 1000,
        "region": [REGIONS[at % 4] for at, _ in rows],
        "id": [unit for _, unit in rows],
    }
    plan = people(weighted=False, most_groups=2)
    assert exact(loaded, plan, "auto") == exact(few, plan, "python")


def test_numbers_of_every_type_are_read(postgres: Postgres) -> None:
    for kind in ("smallint", "int", "bigint", "real", "numeric(9, 3)", "numeric"):
        loaded: Any = postgres.query(f"SELECT 1::{kind} AS score, true AS label")
        assert exact(loaded, plan_of(), "auto") == [[2**24] * 5]
