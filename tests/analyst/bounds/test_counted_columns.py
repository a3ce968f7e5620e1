"""Which histogram belongs to which sum: the same column, or the same total."""

from dataclasses import replace

import numpy as np
import pytest

from analyst.given import cells_of, given_release
from dpratio.analyst.bounds.counted_columns import counted_columns, histograms_of
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

ROWS = {"spent": Bounds(0, 64), "orders": Bounds(0, 4)}
TOTALS = {"spent": Bounds(0, 100), "orders": Bounds(0, 9, natural=True)}
UNIT = PrivacyUnit("id", totals=TOTALS)
REGIONS = Groups("region", ["north", "south"])


def zeros(plan: Plan, name: str) -> Release:
    """A release of nobody, without noise."""
    values = []
    for each in plan.questions:
        groups = cells_of(plan, each)
        cells = 1 if groups is None else groups.count
        values.append(np.zeros((cells, len(each.sums)), dtype=np.int64))
    return given_release(plan, *values, id=name * 32)


def study(unit: PrivacyUnit, groups: Groups | None = None, **bounds: Bounds) -> Study:
    ratio = Ratio("spent", per="orders", guess=25)
    given = {**ROWS, **bounds}
    return Study(ratio, bounds=given, budget=Budget(1), unit=unit, groups=groups)


def pair(asked: Study, counted: Study) -> tuple[Release, Release]:
    plan = plan_bounds(counted, budget=Budget("0.1"), columns=["spent"])
    return zeros(make_plan(asked), "0"), zeros(plan, "1")


def letters(asked: Study, counted: Study) -> list[tuple[str, str, bool]]:
    release, held = pair(asked, counted)
    histograms = histograms_of(release, held)
    assert histograms is not None
    found = counted_columns(release, release.questions[0], histograms)
    return [(each.letter, each.name, each.is_part) for each in found]


def test_totals_are_matched_where_they_were_made_alike() -> None:
    assert letters(study(UNIT), study(UNIT)) == [("s", "spent", False)]


def test_totals_in_groups_are_part_of_what_was_counted() -> None:
    asked = study(UNIT, REGIONS)
    assert letters(asked, asked) == [("s", "spent", True)]


def test_totals_of_other_groups_or_rows_are_no_match() -> None:
    assert letters(study(UNIT), study(UNIT, REGIONS)) == []
    assert letters(study(UNIT), study(UNIT, spent=Bounds(0, 32))) == []


def test_what_is_natural_was_not_cut() -> None:
    rows = PrivacyUnit()
    natural = study(rows, spent=Bounds(0, 64, natural=True))
    assert letters(natural, study(rows)) == []
    assert letters(study(rows), study(rows)) == [("s", "spent", False)]


def test_histograms_of_rows_say_nothing_of_people() -> None:
    release, held = pair(study(UNIT), study(PrivacyUnit()))
    with pytest.raises(InvalidInput, match="the unit that the sums protect"):
        estimate_ratios(release, histograms=held)


def test_a_release_without_histograms_has_none() -> None:
    release, held = pair(study(UNIT), study(UNIT))
    assert histograms_of(release, None) is None
    with pytest.raises(InvalidInput, match="must be a release that counted"):
        histograms_of(release, replace(held, sources=("2" * 32,)))
