"""One Ibis expression equals the specification, on every host and hostile table."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

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
from curator.holders_for_tests import HELD, found_by, holders, rule_of
from curator.people_for_tests import IDS, REGIONS, crowds, people
from curator.tables_for_tests import (
    HOSTILE_NUMBERS,
    NAMES,
    TEXT_KEYS,
    Case,
    cases,
    exact,
    mapping_of,
    plan_of,
)
from curator.warehouse.hosts import Host
from curator.warehouse.laws import hold, require_agreement
from dpratio.curator.engine import KeyCount
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Key, Periods, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

# Numbers.


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_any_plan_over_any_table_has_the_integers_of_the_specification(
    strategy: str, host: Host
) -> None:
    def law(case: Case) -> None:
        require_agreement(host, case.plan, case.table)

    hold(law, host, 7, case=cases(strategy))


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_hostile_numbers_are_dropped_clipped_or_counted_alike(
    kind: Any,  # noqa: ANN401
    host: Host,
) -> None:
    """One row a group, so that no two can make up for each other."""
    with np.errstate(over="ignore"):
        cells = np.array(HOSTILE_NUMBERS, kind.to_pandas_dtype())
    many = len(cells)
    table = pa.table(
        {
            "score": pa.array(cells, kind),
            "label": pa.array(cells[::-1].copy(), kind),
            "region": range(many),
        }
    )
    bounds = [Bounds(-(2.0**100), 2.0**100), Bounds(-(2.0**-100), 2.0**-101)]
    for score in (bounds[1], Bounds(-1, 1), Bounds.binary()):
        require_agreement(host, plan_of(score, bounds[0], keys=range(many)), table)


WHOLE: dict[str, tuple[Any, list[Any]]] = {
    "small": (pa.int8(), [-128, 127, 0, None, 1]),
    "unsigned": (pa.uint64(), [2**64 - 1, 2**63, 2**53 + 1, 2**64 - 1025, None]),
    "large": (pa.int64(), [2**63 - 1, -(2**63), 2**53 + 1, -(2**62) - 257, None]),
    "truth": (pa.bool_(), [True, False, None, True, False]),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_and_truths_count_as_their_nearest_double(
    kind: str, host: Host
) -> None:
    type_, cells = WHOLE[kind]
    table = pa.table(
        {"score": pa.array(cells, type_), "label": [1] * 5, "region": range(5)}
    )
    for far in (1.0, 2.0**64):
        require_agreement(host, plan_of(Bounds(-far, far), keys=range(5)), table)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_what_is_taken_off_is_clipped_first(strategy: str, host: Host) -> None:
    numbers = [0.0, 1 / 3, -9.0, 9.0, math.nan, math.inf, None, 2.0**-25, -0.0]
    many = len(numbers)
    table = pa.table(
        {
            "score": pa.array(numbers, pa.float64()),
            "other": pa.array(numbers[2:] + numbers[:2], pa.float64()),
            "label": pa.array([0.3] * many),
            "weight": pa.array([0.7] * many),
        }
    )
    terms: dict[str, Any] = {"guess": 0.0} if strategy == "focused" else {}
    plan = plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(1 / 3, 3),
        strategy=strategy,
        minus="other",
        bounds={"other": Bounds(-0.5, 1)},
        **terms,
    )
    require_agreement(host, plan, table)


ANSWERS = [
    ("even", ("ratio",), None),
    ("joint", ("ratio", "spread"), None),
    ("focused", ("ratio", "means"), 0.3),
]


@pytest.mark.parametrize(("strategy", "answers", "limit"), ANSWERS)
def test_every_question_of_a_plan_is_answered_over_all_its_groups(
    strategy: str, answers: tuple[str, ...], limit: float | None, host: Host
) -> None:
    """Two ratios, asked of everybody and of each region."""
    chance, many = np.random.default_rng(4), 40
    table = pa.table(
        {
            "score": chance.normal(0, 1, many),
            "label": chance.random(many),
            "other": chance.normal(0, 3, many),
            "weight": chance.exponential(1, many),
            "region": chance.choice(np.array(["a", "b", "z"]), many),
        }
    )
    guess = 1 / 3 if strategy == "focused" else None
    plan = make_plan(
        [
            Ratio(
                "score",
                per="label",
                weight="weight",
                guess=guess,
                residual_bound=limit,
            ),
            Ratio("other", per="label", guess=guess),
        ],
        bounds={
            "score": Bounds(-1, 1.5),
            "label": Bounds(0, 1),
            "other": Bounds(-2, 2),
            "weight": Bounds(1 / 3, 3),
        },
        groups=[None, Groups("region", ["b", "a", "c"])],
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism="laplace",
        answers=answers,
    )
    assert len(plan.parts) == 4
    require_agreement(host, plan, table)


# Names and keys.


def test_names_that_mean_something_to_sql_are_names(host: Host) -> None:
    for at in range(0, len(NAMES), 4):
        names = [*NAMES[at : at + 4], *NAMES[:4]][:4]
        columns = dict(zip(names, ([0.5], [1.0], [2.0], ["a"]), strict=True))
        plan = plan_of(weight=Bounds(0, 3), keys=["b", "a"], names=names)
        require_agreement(host, plan, pa.table(columns))


def test_keys_that_mean_something_to_sql_are_keys(host: Host) -> None:
    """Each in a row of its own: none is taken for another, whatever the collation."""
    table = rows_of(region=[*TEXT_KEYS, "", "NORTH", None, "a'b"])
    found = require_agreement(host, plan_of(keys=TEXT_KEYS[::-1]), table)
    assert [row[0] // 2**24 for row in found] == [
        1 + (key == "a'b") for key in TEXT_KEYS[::-1]
    ]


@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_every_kind_are_read_alike(kind: str, host: Host) -> None:
    type_, keys, cells = KEYS[kind]
    require_agreement(host, plan_of(keys=keys), rows_of(region=pa.array(cells, type_)))


def test_a_whole_number_beyond_64_bits_is_another_key_and_not_a_missing_one(
    host: Host,
) -> None:
    if not host.holds_unsigned:
        return
    table = rows_of(region=pa.array([2**64 - 1, 2**63, 1, None], pa.uint64()))
    require_agreement(host, plan_of(keys=[1, None]), table)
    require_agreement(host, plan_of(keys=[1, 2]), table)


@pytest.mark.parametrize("kind", ["text", "whole", "date"])
def test_many_keys_keep_their_order(kind: str, host: Host) -> None:
    cells, chance = 1_100, np.random.default_rng(5)
    make: dict[str, Any] = {
        "text": lambda at: f"k'{at}",
        "whole": lambda at: at,
        "date": lambda at: DAY + dt.timedelta(days=at),
    }
    keys = [make[kind](at) for at in chance.permutation(3 * cells)[:cells].tolist()]
    rows = [make[kind](at) for at in chance.integers(0, 3 * cells, 500).tolist()]
    require_agreement(host, plan_of(keys=keys), rows_of(region=rows))


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
def test_crossed_columns_are_read_alike(dimensions: Any, host: Host) -> None:  # noqa: ANN401
    require_agreement(host, by(*dimensions), MANY)


@pytest.mark.parametrize(("columns", "cells"), LISTED, ids=lambda each: str(each[0]))
def test_listed_cells_are_answered_in_their_order(
    columns: list[str], cells: list[tuple[Key, ...]], host: Host
) -> None:
    require_agreement(host, plan_of(groups=Groups(columns, cells)), MANY)


@pytest.mark.parametrize("bins", [1, [0.1, 0.2, 0.30000000000000004, 2 / 3]])
def test_numbers_on_edges_and_beside_them_find_the_same_bin(
    bins: int | list[float], host: Host
) -> None:
    edges = [0, 0.1, 0.2, 0.30000000000000004, 1 / 3, 2 / 3, 1]
    beside = [math.nextafter(edge, way) for edge in edges for way in (-1e9, 1e9)]
    numbers = [*edges, *beside, -1e300, 1e300, math.nan, math.inf, -0.0, 0.1 + 0.2]
    table = pa.table({"score": numbers, "label": [1.0] * len(numbers)})
    require_agreement(host, by(ScoreBins("score", bins), label=Bounds(0, 1)), table)


def test_as_many_bins_as_may_be_declared_are_one_expression(host: Host) -> None:
    numbers = np.linspace(-0.1, 1.1, 99)
    table = pa.table({"score": numbers, "label": np.ones(99)})
    require_agreement(host, by(ScoreBins("score", 1000), label=Bounds(0, 1)), table)


@pytest.mark.parametrize(
    ("unit", "zone"),
    [("s", None), ("ms", "UTC"), ("us", None), ("us", "Asia/Tokyo"), ("ns", None)],
)
def test_times_of_every_unit_and_zone_find_the_same_period(
    unit: str, zone: str | None, host: Host
) -> None:
    given_times = TIMES if unit in {"us", "ns"} else TIMES[1:3] + TIMES[4:]
    seen = pa.array([*given_times, None], pa.timestamp("us"))
    seen = seen.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    plain = rows_of(seen=pa.array([*given_times, None], pa.timestamp("us")))
    loaded = host.table(rows_of(seen=seen))
    for every in ("day", "month") if unit == "us" else ("week",):
        plan = by(Periods("seen", every, "2025-12-01", "2026-02-28"))
        assert exact(loaded, plan, "ibis") == exact(plain, plan, "python"), every


@pytest.mark.parametrize("kind", FAR)
def test_a_time_beyond_the_calendar_drops_its_row_and_nothing_else(
    kind: str, host: Host
) -> None:
    loaded = host.table(rows_of(seen=FAR[kind]))
    plan = by(Periods("seen", "month", "1970-01-01", "1970-01-01"))
    assert exact(loaded, plan, "ibis")[0][0] == 2**24
    last, first_day = dt.date.max, dt.date.min
    ends = plan_of(groups=Groups("seen", [last, dt.date(1970, 1, 1), first_day]))
    assert [row[0] // 2**24 for row in exact(loaded, ends, "ibis")] == [0, 1, 0]


def test_periods_reach_both_ends_of_the_calendar(host: Host) -> None:
    days = [dt.date.min, dt.date(1, 1, 31), dt.date(9999, 12, 1), dt.date.max]
    table = rows_of(seen=pa.array(days, pa.date32()))
    for first, last in [("0001-01-01", "0001-02-01"), ("9999-11-01", "9999-12-31")]:
        require_agreement(host, by(Periods("seen", "month", first, last)), table)


def test_a_nanosecond_before_midnight_is_the_day_before(host: Host) -> None:
    ticks = [-1, 0, -(2**63) + 1, 2**63 - 1, None]
    table = rows_of(seen=pa.array(ticks, pa.timestamp("ns")))
    if host.name == "postgres":  # It knows no nanoseconds, and rounds.
        table = rows_of(seen=pa.array([-1, 0], pa.timestamp("us")))
    plan = by(Periods("seen", "day", "1969-12-31", "1970-01-01"))
    found = exact(host.table(table), plan, "ibis")
    assert [row[0] for row in found] == [2**24, 2**24]


def test_any_groups_over_any_rows_are_read_alike(host: Host) -> None:
    def law(case: Any) -> None:  # noqa: ANN401
        require_agreement(host, *case)

    hold(law, host, 6, case=grouped())


# Few rows.


def test_tables_without_rows_and_with_one_have_their_integers(host: Host) -> None:
    row = pa.table(
        {
            "score": [0.3],
            "label": [1.0],
            "weight": [0.5],
            "region": ["a"],
            "id": ["x"],
        }
    )
    for table in (row.slice(0, 0), row):
        require_agreement(host, plan_of(), table)
        require_agreement(host, plan_of(keys=["a", "b"]), table)
        require_agreement(host, people(), table)
        require_agreement(host, people(keys=None), table)


# People.


@pytest.mark.parametrize("kind", IDS)
def test_people_are_added_up_alike(kind: str, host: Host) -> None:
    if kind == "unsigned" and not host.holds_unsigned:
        return

    def law(data: st.DataObject) -> None:
        plan = people(
            strategy=data.draw(st.sampled_from(["even", "joint", "focused"])),
            weighted=data.draw(st.booleans()),
            minus=data.draw(st.booleans()),
            keys=data.draw(st.sampled_from([None, REGIONS, REGIONS[:1]])),
            most_groups=data.draw(st.integers(1, 3)),
            key=data.draw(st.sampled_from(["dpratio", "it's", "x:y"])),
        )
        require_agreement(host, plan, data.draw(crowds(kind)))

    hold(law, host, 3, data=st.data())


@pytest.mark.parametrize("strategy", ["even", "focused"])
def test_what_is_taken_off_and_weighed_counts_row_by_row(
    strategy: str, host: Host
) -> None:
    table = pa.table(
        {
            "id": ["a", "a", "b", "a"],
            "score": [1.0, 0.5, -9.0, 1 / 3],
            "other": [0.5, 9.0, 0.25, -9.0],
            "label": [1.0, 1.0, 0.5, 9.0],
            "weight": [2.0, 0.5, 9.0, 0.7],
        }
    )
    require_agreement(host, people(keys=None, minus=True, strategy=strategy), table)


ODD_IDS = [
    *["0", "-0", "00", "7", "-7", "+7", " 7", "7\n", "\n7", "7.0", "1e3", "٧", "𝟟"],
    *[str(10**18 - 1), str(10**18), str(-(10**18)), "9" * 40, "", "é", "e\u0301", "😀"],
    *["ann", "Ann", "ANN", "a:1", "1:a", "'; DROP TABLE rows; --", "\\", "%"],
]


def test_ids_that_look_like_numbers_are_ranked_alike(host: Host) -> None:
    """Everybody is in every group, and counts in two: which ones depends on the id."""
    ids = [each for each in ODD_IDS for _ in REGIONS]
    many = len(ids)
    table = pa.table(
        {
            "score": [0.5 + at / many for at in range(many)],
            "label": [1.0] * many,
            "region": REGIONS * len(ODD_IDS),
            "id": ids,
        }
    )
    for key in ("dpratio", "other"):
        require_agreement(host, people(weighted=False, most_groups=2, key=key), table)


WHOLE_IDS = [0, 1, -1, 10**18 - 1, 10**18, -(10**18), 2**63 - 1, -(2**63), 2**31 - 2]


def test_whole_ids_are_ranked_alike(host: Host) -> None:
    ids = [each for each in WHOLE_IDS for _ in REGIONS]
    table = pa.table(
        {
            "score": [0.5 + at / 64 for at in range(len(ids))],
            "label": [1.0] * len(ids),
            "region": REGIONS * len(WHOLE_IDS),
            "id": pa.array(ids, pa.int64()),
        }
    )
    for key in ("dpratio", "other"):
        require_agreement(host, people(weighted=False, most_groups=2, key=key), table)


def test_people_are_added_up_within_bins_periods_and_listed_cells(host: Host) -> None:
    many = 36
    table = pa.table(
        {
            "score": [0.1 + at % 7 / 8 for at in range(many)],
            "label": [1.0] * many,
            "region": ["a", "b", None] * 12,
            "seen": pa.array(
                [DAY + dt.timedelta(days=at) for at in range(many)], pa.date32()
            ),
            "id": [f"{at % 5}" for at in range(many)],
        }
    )
    crossed = Groups.cross(ABC, MONTHS, ScoreBins("score", 2))
    unit = PrivacyUnit(
        "id",
        totals={"score": Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)},
        most_groups=2,
    )
    listed = [(0, 0, 0), (1, 1, 1), (2, 2, 0), (2, 1, 0), (0, 1, 1)]
    for groups in (crossed, crossed.within({"score": Bounds(0, 1)}).only(listed)):
        plan = plan_of(label=Bounds(0, 1), groups=groups, unit=unit)
        require_agreement(host, plan, table)


# Keys that nobody declared.


@pytest.mark.parametrize("kind", HELD)
def test_the_units_of_every_key_are_counted_alike(kind: str, host: Host) -> None:
    def law(table: Any, most: int) -> None:  # noqa: ANN401
        loaded = host.table(table)
        for unit in (None, rule_of(most)):
            asked = KeyCount("region", kind, unit)
            expected = found_by(mapping_of(table), asked, "python")
            assert found_by(loaded, asked, "ibis") == expected

    hold(law, host, 2, table=holders(kind), most=st.integers(1, 3))


def test_of_the_keys_of_one_unit_the_same_count_everywhere(host: Host) -> None:
    """Whole ids too: everybody holds twenty keys, and counts in three."""
    keys = [f"key {at}" for at in range(20)]
    for ids in (ODD_IDS, WHOLE_IDS):
        held = {
            "region": keys * len(ids),
            "id": [each for each in ids for _ in keys],
        }
        loaded = host.table(pa.table(held))
        asked = KeyCount("region", "text", rule_of(3))
        assert found_by(loaded, asked, "ibis") == found_by(held, asked, "python")


FAR_KEYS: dict[str, tuple[str, Any]] = {
    "whole": ("integer", pa.array([-(2**63), 1, -(2**63) + 1], pa.int64())),
    "date": ("date", pa.array([2932897, 0, -719162], pa.int32()).cast(pa.date32())),
}


@pytest.mark.parametrize("kind", FAR_KEYS)
def test_a_cell_that_no_key_can_be_is_not_found(kind: str, host: Host) -> None:
    name, cells = FAR_KEYS[kind]
    found = found_by(
        host.table(pa.table({"region": cells})), KeyCount("region", name, None), "ibis"
    )
    assert sorted(found.values()) == [1, 1]
