"""Limits on groups from noisy counts of people: the table, the words, the line."""

import numpy as np
import pytest

from analyst.bounds.releases_for_tests import released
from curator.histograms_for_tests import study_of
from dpratio.analyst.bounds.propose_bounds import choose_bounds, propose_bounds
from dpratio.analyst.bounds.propose_groups import GroupChoices, propose_groups
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import plan_bounds
from dpratio.release.release import Release, fresh_question
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit


def release_of(held: dict[str, int], groups: int = 12) -> Release:
    """A release of known counts of people by their months, and nobody's spending."""
    study = study_of(unit=PrivacyUnit("user"), groups=Groups("month", range(groups)))
    plan = plan_bounds(study, budget=Budget(3), columns=["spent"], most_groups=True)
    asked = []
    for histogram in plan.measurements:
        cells = histogram.groups
        counts = held if histogram.counts_groups else {}
        values = np.array([[counts.get(str(key), 0)] for key in cells.keys])
        asked.append(fresh_question(plan.law, histogram, cells, values))
    return Release("0" * 32, plan, tuple(asked), "a test", is_simulated=True)


def proposed(held: dict[str, int], groups: int = 12) -> GroupChoices:
    (found,) = propose_groups(release_of(held, groups))
    return found


MANY = {"1 to 2": 5_000, "2 to 4": 3_000, "4 to 8": 300, "8 to 16": 4}


def test_each_limit_says_how_many_are_cut() -> None:
    found = proposed(MANY)
    table = found.columns()
    assert table["most_groups"] == [1, 3, 7, 12]
    assert table["people_cut"] == [3_304, 304, 4, 0]
    assert table["share"] == pytest.approx([3_304 / 8_304, 304 / 8_304, 4 / 8_304, 0])
    assert table["ci_lower"][1] < 304 < table["ci_upper"][1]
    assert len(found) == 4


def test_the_least_limit_that_cuts_few_is_proposed() -> None:
    found = proposed(MANY)
    assert found.proposed == 3
    assert found.lines() == ["most_groups = 3"]
    said = " ".join(found.said())
    assert "SIMULATED" in said
    assert "People who are in more groups of month than that" in said
    assert "Proposed: most_groups = 3, the least that cuts at most 5%" in said
    assert proposed({"1 to 2": 900}).proposed == 1
    assert proposed({"8 to 16": 900}).proposed == 12
    assert proposed({"1 to 2": 900}, groups=2).columns()["most_groups"] == [1, 2]


def test_where_nobody_is_seen_all_groups_are_no_proposal() -> None:
    nobody = proposed({"1 to 2": 1})
    assert nobody.proposed is None
    assert nobody.lines() == []
    assert "Too little is known of groups per user" in " ".join(nobody.notes())
    less = proposed({"1 to 2": -5})
    assert less.columns()["share"] == [None] * 4


def test_bounds_are_proposed_from_the_others() -> None:
    release = release_of(MANY)
    found = propose_bounds(release, budget=Budget(1))
    assert [each.name for each in found.rows] == ["spent"]
    assert choose_bounds(release, budget=Budget(1)).name == "spent"


def test_other_releases_are_refused() -> None:
    rule = "from a release that counted people by their groups"
    for other in (released([{}, {}]), "release.json"):
        with pytest.raises(InvalidInput, match=rule):
            propose_groups(other)  # type: ignore[arg-type]
