"""Histograms: public cells, one unit within its price, on every engine."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, released_by, sums_by
from curator.bins_for_tests import BOUNDS
from curator.bins_for_tests import study_of as scores_of
from curator.histograms_for_tests import (
    groups_plan,
    people_plan,
    rows_plan,
)
from dpratio.errors import PlanRefused
from dpratio.plan.histograms import plan_bins
from dpratio.plan.ladder import Ladder
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit


def binned_by_age(**terms: PrivacyUnit) -> Study:
    """A study of scores per label, with the bounds of an age."""
    return scores_of(bounds={**BOUNDS, "age": Bounds(0, 80)}, **terms)


def moved(before: list[list[int]], after: list[list[int]]) -> int:
    """How far two histograms lie apart, in the sum of sizes."""
    pairs = zip(before, after, strict=True)
    return sum(abs(one - other) for (one,), (other,) in pairs)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [pa.float64(), pa.int64()], ids=str)
def test_07_a_row_without_a_number_is_in_no_bin(engine: str, kind: pa.DataType) -> None:
    """Rows are counted where the numerator is a number, which no sum is made of here.

    Source: found while the embedded engine was made faster, 2026.
    """
    plan = plan_bins(binned_by_age(), "age", budget=Budget(1), cells=16)
    bad = [None, float("nan"), float("inf")] if kind == pa.float64() else [None] * 3
    table = pa.table(
        {
            "score": pa.array([1, *bad], kind),
            "label": [1.0] * 4,
            "age": [0.0, 0.0, 79.0, 0.0],
        }
    )
    assert sums_by(engine, table, plan) == [[1], *[[0]] * 15]


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_of_many_rows_moves_a_histogram_by_most_groups(
    engine: str, most: int
) -> None:
    """A thousand rows in every group are as many totals as groups are counted.

    Source: the rule of the issue that asked for histograms, 2026.
    """
    regions = ["north", "south", "west", "east"]
    plan = people_plan(most_groups=most, groups=Groups("region", regions))
    base = pa.table(
        {
            "user": ["ann", "bob"],
            "spent": [4.0, 5.0],
            "orders": [1.0, 1.0],
            "region": ["north", "west"],
        }
    )
    more = pa.table(
        {
            "user": ["eve"] * 1000,
            "spent": [float(at) for at in range(1000)],
            "orders": [1.0] * 1000,
            "region": [regions[at % 4] for at in range(1000)],
        }
    )
    before = sums_by(engine, base, plan)
    assert moved(before, sums_by(engine, pa.concat_tables([base, more]), plan)) == most


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_of_many_rows_moves_bins_by_most_groups(
    engine: str, most: int
) -> None:
    """A thousand rows in every bin are one person in so many of them.

    Source: the rule of the issue that asked for a noisy check, 2026.
    """
    study = binned_by_age(unit=PrivacyUnit("user", most_groups=most))
    plan = plan_bins(study, "age", budget=Budget(1), cells=16)
    both = pa.table(
        {
            "user": ["ann", *["eve"] * 1000],
            "score": [1.0] * 1001,
            "label": [1.0] * 1001,
            "age": [float(at % 80) for at in range(1001)],
        }
    )
    before = sums_by(engine, both.slice(0, 1), plan)
    assert moved(before, sums_by(engine, both, plan)) == most


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_of_many_groups_moves_one_cell_by_one(engine: str) -> None:
    """Whatever groups they are in: who is added moves one cell, who changes two.

    Source: the rule of the issue that asked for bounds that tell, 2026.
    """
    places = ["north", "south", "elsewhere"]

    def table(of_ann: list[str]) -> pa.Table:
        rows = [("bob", "north"), ("cid", "south"), ("cid", "north")]
        rows += [("ann", where) for where in of_ann]
        return pa.table(
            {
                "user": [who for who, _ in rows],
                "region": [where for _, where in rows],
                "spent": [1.0] * len(rows),
                "orders": [1.0] * len(rows),
            }
        )

    for relation, times in (("add-or-remove-one", 1), ("change-one", 2)):
        unit = PrivacyUnit("user", most_groups=2, neighbours=relation)
        plan = groups_plan(unit)
        _, of_groups = plan.measurements
        # Half of epsilon is spent on it, and one person moves it by just that.
        assert times / of_groups.scales[0] == pytest.approx(0.5)
        counts = [
            sums_by(engine, table(each), plan, question=1)
            for each in ([], places[:1], places, places * 3)
        ]
        assert [moved(counts[0], each) for each in counts] == [0, 1, 1, 1]
        assert moved(counts[1], counts[2]) == 2
        price(plan)


@pytest.mark.parametrize("relation", ["add-or-remove-one", "change-one"])
def test_14_a_histogram_of_groups_pays_for_its_person(relation: str) -> None:
    """A little less noise than one person needs is refused.

    Source: the rule of the issue that asked for bounds that tell, 2026.
    """
    plan = groups_plan(PrivacyUnit("user", most_groups=2, neighbours=relation))
    totals, groups = plan.measurements
    less = replace(groups, scale=0.99 * groups.scale)
    edited = replace(plan, measurements=(totals, less))
    with pytest.raises(PlanRefused, match="too small for the budget"):
        price(edited)


def test_22_a_histogram_leaves_the_door_with_noise() -> None:
    """One row is in one cell, and noise is in many of the others.

    An audit that draws noise by itself called histograms sound that had none.

    Source: found by an independent attack on this code, 2026.
    """
    table = pa.table({"spent": [1.0], "orders": [1.0]})
    (released, *_) = released_by("duckdb", table, rows_plan()).questions
    assert np.count_nonzero(released.values) > len(Ladder().labels) // 4
