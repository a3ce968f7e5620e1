"""Groups of every kind are read by one Ibis expression as by the specification."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.groups_for_tests import (
    ABC,
    CODE,
    DAY,
    FAR,
    KEYS,
    LISTED,
    MANY,
    MONTHS,
    SEX,
    TIMES,
    by,
    grouped,
    rows_of,
)
from curator.hostile_tables import TEXT_KEYS
from curator.postgres_host import Postgres
from curator.sql.laws import hold, require_agreement
from curator.tables_for_tests import exact, plan_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Key, Periods, ScoreBins


def test_keys_that_mean_something_to_sql_are_keys(postgres: Postgres) -> None:
    """Each in a row of its own: none is taken for another, whatever the collation."""
    table = rows_of(region=[*TEXT_KEYS, "", "NORTH", None, "a'b"])
    found = require_agreement(postgres, plan_of(keys=TEXT_KEYS[::-1]), table)
    assert [row[0] // 2**24 for row in found] == [
        1 + (key == "a'b") for key in TEXT_KEYS[::-1]
    ]


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_read_alike(kind: str, postgres: Postgres) -> None:
    type_, keys, cells = KEYS[kind]
    require_agreement(
        postgres, plan_of(keys=keys), rows_of(region=pa.array(cells, type_))
    )


@pytest.mark.parametrize("kind", ["text", "whole", "date"])
def test_many_keys_keep_their_order(kind: str, postgres: Postgres) -> None:
    cells, chance = 1_100, np.random.default_rng(5)
    make: dict[str, Any] = {
        "text": lambda at: f"k'{at}",
        "whole": lambda at: at,
        "date": lambda at: DAY + dt.timedelta(days=at),
    }
    keys = [make[kind](at) for at in chance.permutation(3 * cells)[:cells].tolist()]
    rows = [make[kind](at) for at in chance.integers(0, 3 * cells, 500).tolist()]
    require_agreement(postgres, plan_of(keys=keys), rows_of(region=rows))


# Bins, periods, crossed and listed cells.


@pytest.mark.parametrize(
    "dimensions",
    [
        (ABC, SEX),
        (CODE, ABC, SEX),
        (ScoreBins("score", [0, 0.25, 0.5, 0.75]), ABC),
        (MONTHS, ScoreBins("score", 3), SEX),
    ],
    ids=lambda each: "×".join(one.column for one in each),
)
def test_crossed_columns_are_read_alike(dimensions: Any, postgres: Postgres) -> None:  # noqa: ANN401
    require_agreement(postgres, by(*dimensions), MANY)


@pytest.mark.parametrize(("columns", "cells"), LISTED, ids=lambda each: str(each[0]))
def test_listed_cells_are_answered_in_their_order(
    columns: list[str], cells: list[tuple[Key, ...]], postgres: Postgres
) -> None:
    require_agreement(postgres, plan_of(groups=Groups(columns, cells)), MANY)


@pytest.mark.parametrize("bins", [1, [0.1, 0.2, 0.30000000000000004, 2 / 3]])
def test_numbers_on_edges_and_beside_them_find_the_same_bin(
    bins: int | list[float], postgres: Postgres
) -> None:
    edges = [0, 0.1, 0.2, 0.30000000000000004, 1 / 3, 2 / 3, 1]
    beside = [math.nextafter(edge, way) for edge in edges for way in (-1e9, 1e9)]
    numbers = [*edges, *beside, -1e300, 1e300, math.nan, math.inf, -0.0, 0.1 + 0.2]
    table = pa.table({"score": numbers, "label": [1.0] * len(numbers)})
    require_agreement(postgres, by(ScoreBins("score", bins), label=Bounds(0, 1)), table)


def test_as_many_bins_as_may_be_declared_are_one_expression(postgres: Postgres) -> None:
    numbers = np.linspace(-0.1, 1.1, 99)
    table = pa.table({"score": numbers, "label": np.ones(99)})
    require_agreement(postgres, by(ScoreBins("score", 1000), label=Bounds(0, 1)), table)


@pytest.mark.parametrize(
    ("unit", "zone"),
    [("s", None), ("ms", "UTC"), ("us", None), ("us", "Asia/Tokyo"), ("ns", None)],
)
def test_times_of_every_unit_and_zone_find_the_same_period(
    unit: str, zone: str | None, postgres: Postgres
) -> None:
    given_times = TIMES if unit in {"us", "ns"} else TIMES[1:3] + TIMES[4:]
    seen = pa.array([*given_times, None], pa.timestamp("us"))
    seen = seen.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    plain = rows_of(seen=pa.array([*given_times, None], pa.timestamp("us")))
    loaded = postgres.table(rows_of(seen=seen))
    for every in ("day", "month", "quarter") if unit == "us" else ("week",):
        plan = by(Periods("seen", every, "2025-12-01", "2026-02-28"))
        assert exact(loaded, plan, "ibis") == exact(plain, plan, "python"), every


@pytest.mark.parametrize("kind", FAR)
def test_a_time_beyond_the_calendar_drops_its_row_and_nothing_else(
    kind: str, postgres: Postgres
) -> None:
    loaded = postgres.table(rows_of(seen=FAR[kind]))
    plan = by(Periods("seen", "month", "1970-01-01", "1970-01-01"))
    assert exact(loaded, plan, "ibis")[0][0] == 2**24
    last, first_day = dt.date.max, dt.date.min
    ends = plan_of(groups=Groups("seen", [last, dt.date(1970, 1, 1), first_day]))
    assert [row[0] // 2**24 for row in exact(loaded, ends, "ibis")] == [0, 1, 0]


def test_periods_reach_both_ends_of_the_calendar(postgres: Postgres) -> None:
    days = [dt.date.min, dt.date(1, 1, 31), dt.date(9999, 12, 1), dt.date.max]
    table = rows_of(seen=pa.array(days, pa.date32()))
    for first, last in [("0001-01-01", "0001-02-01"), ("9999-11-01", "9999-12-31")]:
        for every in ("month", "quarter"):
            require_agreement(postgres, by(Periods("seen", every, first, last)), table)


def test_a_microsecond_before_midnight_is_the_day_before(postgres: Postgres) -> None:
    table = rows_of(seen=pa.array([-1, 0], pa.timestamp("us")))
    plan = by(Periods("seen", "day", "1969-12-31", "1970-01-01"))
    found = exact(postgres.table(table), plan, "ibis")
    assert [row[0] for row in found] == [2**24, 2**24]


def test_any_groups_over_any_rows_are_read_alike(postgres: Postgres) -> None:
    def law(case: Any) -> None:  # noqa: ANN401
        require_agreement(postgres, *case)

    hold(law, 6, case=grouped())
