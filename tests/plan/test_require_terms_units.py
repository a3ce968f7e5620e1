"""The rules between partitions, units and keys that are found."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.plan.plan_terms import settle_partition
from dpratio.plan.require_terms import require_terms
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.unit import PrivacyUnit
from plan.terms_for_tests import UNIT, WEIGHTED, WITH_WEIGHT, plan_of, refusal

TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
PERSON = PrivacyUnit("user", totals=TOTALS)
FOUND = PrivateKeys("k", Budget("0.5", "1e-7"))


@pytest.mark.parametrize(
    "changes",
    [
        {"unit": PERSON},
        {"unit": replace(PERSON, most_groups=3), "groups": FOUND},
        {"unit": PrivacyUnit(neighbours="change-one")},
        {
            "groups": Groups.cross(
                ScoreBins("s", 3), Periods("t", "day", "2026-01-01", "2026-01-02")
            )
        },
        {
            "groups": Groups.cross(ScoreBins("age", 3)),
            "bounds": {**UNIT, "age": Bounds(0, 99)},
        },
        {"partitions": (None, FOUND, Groups("k", ["a"]))},
        {"groups": FOUND, "budget": Budget(1, "1e-7")},
        {"ratio": WEIGHTED, "bounds": WITH_WEIGHT, "unit": PERSON},
    ],
    ids=str,
)
def test_partitions_and_units_that_fit_are_accepted(changes: dict[str, Any]) -> None:
    require_terms(plan_of(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "row"}, "unit must be a PrivacyUnit, got 'row'."),
        ({"partitions": ()}, "groups must be Groups or None, got ()."),
        ({"partitions": [None]}, "groups must be Groups or None, got [None]."),
        (
            {"partitions": (None, 3)},
            (
                "groups must be Groups or None, got 3. "
                "Write Groups('region', ['north', 'south'])."
            ),
        ),
        (
            {"partitions": (None, None)},
            "each partition must be asked for once, got 2.",
        ),
        ({"questions": ()}, "at least one ratio must be asked for, got []."),
        (
            {"groups": replace(FOUND, column="s")},
            (
                "a column of the ratio cannot be its group, got 's'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"groups": Groups.cross(ScoreBins("s", 2), Keys("y", [0, 1]))},
            (
                "a column of the ratio cannot be its group, got 'y'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"unit": PrivacyUnit("user", totals={"s": Bounds(0, 5)})},
            (
                "a unit with many rows needs bounds of its totals, got ['s']. "
                "Add totals for: y."
            ),
        ),
        (
            {"unit": PrivacyUnit("user", totals={**TOTALS, "w": Bounds(0, 1)})},
            (
                "totals are given for columns that no ratio adds up, got ['w']. "
                "Remove them, or check the spelling."
            ),
        ),
        (
            {"unit": replace(PERSON, column="s")},
            (
                "ids cannot be a column of the ratio, got 's'. "
                "Ids say who a row belongs to; use another column."
            ),
        ),
        (
            {"unit": PERSON, "groups": Groups("user", ["a"])},
            (
                "ids cannot be a group, got 'user'. "
                "Ids say who a row belongs to; use another column."
            ),
        ),
        (
            {"unit": PERSON, "groups": replace(FOUND, column="user")},
            (
                "ids cannot be a group, got 'user'. "
                "Ids say who a row belongs to; use another column."
            ),
        ),
        (
            {"groups": FOUND, "unit": PrivacyUnit(neighbours="change-one")},
            (
                "finding keys is proven for units that are added or removed, got "
                "'change-one'."
            ),
        ),
        (
            {"groups": FOUND, "budget": Budget("0.5", "1e-6")},
            (
                "finding keys must leave some of the budget for sums, got '1/2'. "
                "Raise the budget, or spend less on finding keys."
            ),
        ),
        (
            {"groups": FOUND, "budget": Budget(1, "1e-8")},
            (
                "finding keys must leave some of the budget for sums, got "
                "'1/10000000'. Raise the budget, or spend less on finding keys."
            ),
        ),
    ],
    ids=lambda given: None if isinstance(given, dict) else "",
)
def test_partitions_and_units_that_do_not_fit_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    assert refusal(**changes) == message


def test_only_declared_groups_have_bins_to_settle() -> None:
    bounds = {"s": Bounds(0, 1)}
    assert settle_partition(None, bounds) is None
    assert settle_partition(FOUND, bounds) is FOUND
    equal = Groups.cross(ScoreBins("s", 2))
    assert settle_partition(equal, bounds) == Groups.cross(ScoreBins("s", [0, 0.5, 1]))
