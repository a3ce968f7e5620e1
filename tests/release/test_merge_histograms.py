"""Histograms of disjoint people are merged where they count the same."""

from typing import Any

import numpy as np
import pytest
from dpratio.release.merge import merge

from curator.histograms_for_tests import people_plan, rows_plan, study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.plan_bins import plan_bins
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups


def release_of(plan: Plan, identity: int) -> Release:
    """A release that counts as many in every cell as its identity says."""
    questions = []
    for question in plan.measurements:
        groups: Any = plan.partitions[question.partition]
        values = np.full((groups.count, 1), identity)
        questions.append(fresh_question(plan, question, groups, values))
    return Release(f"{identity:032x}", plan, tuple(questions), "a test")


@pytest.mark.parametrize("plan", [rows_plan(), people_plan()])
def test_counts_of_one_plan_add_up(plan: Plan) -> None:
    merged = merge([release_of(plan, 1), release_of(plan, 2)], units_are_disjoint=True)
    assert all((each.values == 3).all() for each in merged.questions)
    third = merge([merged, release_of(plan, 4)], units_are_disjoint=True)
    assert all((each.values == 7).all() for each in third.questions)


@pytest.mark.parametrize(
    ("plan", "reader"),
    [
        (rows_plan(), "propose_bounds"),
        (
            plan_bins(
                study_of(bounds={"spent": Bounds(0, 1)}),
                "spent",
                budget=Budget(1),
                cells=16,
            ),
            "propose_bins",
        ),
    ],
)
def test_histograms_are_no_sums_and_name_what_reads_them(
    plan: Plan, reader: str
) -> None:
    with pytest.raises(InvalidInput, match=rf"Read it with {reader}\."):
        require_release(release_of(plan, 1))


@pytest.mark.parametrize(
    "groups",
    [
        None,
        Groups("region", ["north", "south", "west"]),
        Groups("city", ["north", "south"]),
    ],
)
def test_totals_in_other_groups_do_not_add_up(groups: Groups | None) -> None:
    """One person's total in a region is no total of another in all of them."""
    given = [release_of(people_plan(), 1), release_of(people_plan(groups=groups), 2)]
    with pytest.raises(InvalidInput, match="got 'totals in other groups'"):
        merge(given, units_are_disjoint=True)
