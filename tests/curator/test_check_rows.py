"""A check of rows: every engine counts the same, and each unit within its price."""

import datetime as dt

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, released_by, sums_by
from curator.checks_for_tests import check_plan, person
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.terms.unit import PrivacyUnit

JANUARY, MARCH = dt.date(2026, 1, 5), dt.date(2026, 3, 1)
ROWS = pa.table(
    {
        "user": ["ann", "ann", "ann", "bob", "bob", "cid", "dot", None],
        "spent": pa.array([1.0, 2.0, 40.0, None, 19.0, float("nan"), 5.0, 3.0]),
        "visit": pa.array([1.0, 0.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0]),
        "region": [
            "north",
            "north",
            "south",
            "north",
            "South",
            "south",
            "south",
            "north",
        ],
        "seen": pa.array([JANUARY] * 6 + [MARCH, None], pa.date32()),
        "age": pa.array([10.0, 50.0, 50.0, 50.0, 79.0, 80.0, 200.0, 1.0]),
    }
)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_are_counted_where_they_can_be_read(engine: str) -> None:
    plan = check_plan()
    found = [
        [count for (count,) in sums_by(engine, ROWS, plan, question=at)]
        for at in range(len(plan.questions))
    ]
    spent, visit, region, seen, age = found
    assert spent == [0, 0, 4, 1, 1, 2]  # Two are no numbers, one lies beyond 32.
    assert visit == [0, 0, 1, 5, 2, 0]
    assert region == [3, 2]  # Of rows whose spent is a number; South is not declared.
    assert seen == [4, 0]
    assert age == [2, 4]  # Beyond the bounds is clipped, as in a release.


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("most", "regions"), [(1, 2), (2, 3)])
def test_people_are_counted_once_in_each_of_so_many_keys(
    engine: str, most: int, regions: int
) -> None:
    plan = check_plan(unit=person(most_groups=most))
    found = sums_by(engine, ROWS, plan, question=2)
    # Ann has both keys, bob none that can be read, dot one.
    assert sum(count for (count,) in found) == regions
    assert sum(count for (count,) in sums_by(engine, ROWS, plan)) == 3
    assert sums_by(engine, ROWS, plan, question=3) == [[2], [0]]


@pytest.mark.parametrize("unit", [PrivacyUnit(), person()])
def test_a_check_is_released_written_and_read(unit: PrivacyUnit) -> None:
    released = released_by("duckdb", ROWS, check_plan(unit=unit))
    assert release_from_bytes(release_to_bytes(released, "json"), "json") == released
    assert "noisy counts of spent and visit and region and seen by month" in str(
        released
    )
    assert [len(each.values) for each in released.questions] == [6, 6, 2, 2, 2]
