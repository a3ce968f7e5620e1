"""People are added up, and their keys counted, by one Ibis expression."""

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from curator.groups_for_tests import ABC, DAY, MONTHS
from curator.holders_for_tests import HELD, found_by, holders, rule_of
from curator.people_for_tests import IDS, REGIONS, crowds, people, plans_of_people
from curator.postgres_host import Postgres
from curator.sql.laws import hold, require_agreement
from curator.table_sources import mapping_of
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.reading.statement import KeyCount
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.unit import PrivacyUnit

# People.


@pytest.mark.parametrize("kind", sorted(set(IDS) - {"unsigned"}))
def test_people_are_added_up_alike(kind: str, postgres: Postgres) -> None:
    def law(data: st.DataObject) -> None:
        plan = data.draw(plans_of_people())
        require_agreement(postgres, plan, data.draw(crowds(kind)))

    hold(law, 3, data=st.data())


@pytest.mark.parametrize("strategy", ["even", "focused"])
def test_what_is_taken_off_and_weighed_counts_row_by_row(
    strategy: str, postgres: Postgres
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
    require_agreement(postgres, people(keys=None, minus=True, strategy=strategy), table)


ODD_IDS = [
    *["0", "-0", "00", "7", "-7", "+7", " 7", "7\n", "\n7", "7.0", "1e3", "٧", "𝟟"],
    *[str(10**18 - 1), str(10**18), str(-(10**18)), "9" * 40, "", "é", "e\u0301", "😀"],
    *["ann", "Ann", "ANN", "a:1", "1:a", "'; DROP TABLE rows; --", "\\", "%"],
]


def test_ids_that_look_like_numbers_are_ranked_alike(postgres: Postgres) -> None:
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
    loaded, plan = postgres.table(table), people(weighted=False, most_groups=2)
    for key in ("dpratio", "other"):
        expected = exact(mapping_of(table), plan, "python", key=key)
        assert exact(loaded, plan, "auto", key=key) == expected


WHOLE_IDS = [0, 1, -1, 10**18 - 1, 10**18, -(10**18), 2**63 - 1, -(2**63), 2**31 - 2]


def test_whole_ids_are_ranked_alike(postgres: Postgres) -> None:
    ids = [each for each in WHOLE_IDS for _ in REGIONS]
    table = pa.table(
        {
            "score": [0.5 + at / 64 for at in range(len(ids))],
            "label": [1.0] * len(ids),
            "region": REGIONS * len(WHOLE_IDS),
            "id": pa.array(ids, pa.int64()),
        }
    )
    loaded, plan = postgres.table(table), people(weighted=False, most_groups=2)
    for key in ("dpratio", "other"):
        expected = exact(mapping_of(table), plan, "python", key=key)
        assert exact(loaded, plan, "auto", key=key) == expected


def test_people_are_added_up_within_bins_periods_and_listed_cells(
    postgres: Postgres,
) -> None:
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
            "arm": ["x", "y"] * 18,
        }
    )
    crossed = Groups.cross(ABC, MONTHS, ScoreBins("score", 2))
    unit = PrivacyUnit(
        "id",
        totals={"score": Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)},
        most_groups=2,
    )
    listed = Groups(["region", "arm"], [("b", "y"), ("a", "x"), (None, "x")])
    for groups in (crossed, listed):
        plan = plan_of(label=Bounds(0, 1), groups=groups, unit=unit)
        require_agreement(postgres, plan, table)


# Keys that nobody declared.


@pytest.mark.parametrize("kind", HELD)
def test_the_units_of_every_key_are_counted_alike(
    kind: str, postgres: Postgres
) -> None:
    def law(table: Any, most: int) -> None:  # noqa: ANN401
        loaded = postgres.table(table)
        for unit in (None, rule_of(most)):
            asked = KeyCount("region", kind, unit)
            expected = found_by(mapping_of(table), asked, "python")
            assert found_by(loaded, asked, "ibis") == expected

    hold(law, 2, table=holders(kind), most=st.integers(1, 3))


def test_of_the_keys_of_one_unit_the_same_count_everywhere(postgres: Postgres) -> None:
    """Whole ids too: everybody holds twenty keys, and counts in three."""
    keys = [f"key {at}" for at in range(20)]
    for ids in (ODD_IDS, WHOLE_IDS):
        held = {
            "region": keys * len(ids),
            "id": [each for each in ids for _ in keys],
        }
        loaded = postgres.table(pa.table(held))
        asked = KeyCount("region", "text", rule_of(3))
        assert found_by(loaded, asked, "ibis") == found_by(held, asked, "python")


FAR_KEYS: dict[str, tuple[str, Any]] = {
    "whole": ("integer", pa.array([-(2**63), 1, -(2**63) + 1], pa.int64())),
    "date": ("date", pa.array([2932897, 0, -719162], pa.int32()).cast(pa.date32())),
}


@pytest.mark.parametrize("kind", FAR_KEYS)
def test_a_cell_that_no_key_can_be_is_not_found(kind: str, postgres: Postgres) -> None:
    name, cells = FAR_KEYS[kind]
    found = found_by(
        postgres.table(pa.table({"region": cells})),
        KeyCount("region", name, None),
        "ibis",
    )
    assert sorted(found.values()) == [1, 1]
