"""People by how many groups they are in: what a plan must hold, and what it costs."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import groups_plan, study_of
from dpratio.analyst.bounds.find_bounds import bounding, find_bounds
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.histogram.group_counts import GroupCounts, ladder_of_groups
from dpratio.plan.histogram.histograms import counted_of
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.histogram.plan_bounds import may_group, plan_bounds
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from plan_documents import plan_from_document, plan_to_document

USER = PrivacyUnit("user")
REGION = Groups("region", ["north", "south"])


def planned(**terms: Any) -> Plan:  # noqa: ANN401
    study = study_of(**{"unit": USER, "groups": REGION, **terms})
    return plan_bounds(study, budget=Budget(1), most_groups=True)


def test_groups_are_one_more_histogram_in_the_joint_price() -> None:
    plan = planned()
    names = [each.name for each in plan.measurements]
    assert names == ["spent", "orders", "groups per user"]
    assert [each.scales for each in plan.measurements] == [[3.0]] * 3
    assert price(plan).pure == (Fraction(1, 3),) * 3
    asked = counted_of(plan, plan.measurements[2])
    assert asked == GroupCounts(
        "groups per user", Ladder(0, 2, 1), {"s": "spent"}, REGION
    )


@pytest.mark.parametrize(
    ("relation", "moved"), [("change-one", 2), ("add-or-remove-one", 1)]
)
def test_a_person_is_in_one_cell_however_many_groups_they_count_in(
    relation: str, moved: int
) -> None:
    plan = planned(unit=PrivacyUnit("user", most_groups=2, neighbours=relation))
    assert [each.scales[0] for each in plan.measurements] == [
        6.0 * moved,
        6.0 * moved,
        3.0 * moved,
    ]
    assert sum(price(plan).pure) == 1


def test_cells_hold_as_many_groups_as_there_are() -> None:
    counts = (1, 2, 3, 4, 7, 8, 1_000)
    tops = [ladder_of_groups(Groups("g", range(each))).highest for each in counts]
    assert tops == [2, 2, 2, 3, 3, 4, 10]


def test_every_list_of_groups_has_its_own() -> None:
    month = Groups("month", range(12))
    whole = planned(groups=[None, REGION, month], bounds={"age": Bounds(0, 80)})
    names = [each.name for each in whole.questions if "groups" in each.name]
    assert names == ["groups per user by region", "groups per user by month"]
    binned = planned(groups=ScoreBins("age", 4), bounds={"age": Bounds(0, 80)})
    assert binned.bounds["age"] == Bounds(0, 80)
    price(binned)
    with pytest.raises(InvalidInput, match="a binned column needs bounds"):
        planned(groups=ScoreBins("age", 4))


def test_a_study_with_all_its_bounds_may_ask_for_groups_alone() -> None:
    totals = {"spent": Bounds(0, 9), "orders": Bounds(0, 4)}
    plan = planned(unit=PrivacyUnit("user", totals=totals), bounds=totals)
    assert [each.name for each in plan.measurements] == ["groups per user"]
    assert plan.bounds == {"spent": Bounds(0, 9)}
    assert find_bounds(plan, [[0] * 8], epsilon=1.0) == []


def test_groups_propose_no_bounds() -> None:
    plan = planned()
    assert bounding(plan) == list(plan.measurements[:2])
    empty = [
        [0] * len(plan.partitions[each.partition].keys) for each in plan.measurements
    ]  # type: ignore[union-attr]
    found = find_bounds(plan, empty, epsilon=1.0)
    assert [each.counted for each in found] == ["spent", "orders"]


def test_a_plan_says_what_it_counts_and_is_read_again() -> None:
    plan = planned()
    said = " ".join(plan.summary())
    assert "each user once, by how many of 2 declared groups of region" in said
    assert plan_from_document(Node(plan_to_document(plan))) == plan


def test_who_has_no_ids_or_groups_is_in_one() -> None:
    rule = "most_groups is proposed for people with ids, in declared groups"
    for terms in (
        {"unit": PrivacyUnit()},
        {"groups": None},
        {"groups": Groups("region", ["north"])},
    ):
        with pytest.raises(InvalidInput, match=rule):
            planned(**terms)
    odd: Any = "yes"
    with pytest.raises(InvalidInput, match="must be true or false, got 'yes'"):
        plan_bounds(study_of(), budget=Budget(1), most_groups=odd)


def test_a_total_of_that_name_is_refused() -> None:
    question = Question(Ratio("groups per user", per="orders"), groups=REGION)
    study = replace(study_of(unit=USER), questions=(question,))
    with pytest.raises(InvalidInput, match="no total is called 'groups per user'"):
        plan_bounds(study, budget=Budget(1), most_groups=True)


def test_a_study_leaves_open_in_how_many_groups_a_person_counts() -> None:
    assert may_group(study_of(unit=USER, groups=REGION))
    assert not may_group(study_of(groups=REGION))
    assert not may_group(study_of(unit=USER))
    two = PrivacyUnit("user", most_groups=2)
    assert not may_group(study_of(unit=two, groups=REGION))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"name": "orders per user"}, "must be called so, got 'orders per user'"),
        ({"within": None}, "among those that are declared"),
    ],
)
def test_an_edited_histogram_of_groups_is_refused(
    edit: dict[str, Any], said: str
) -> None:
    plan = groups_plan()
    changed = replace(plan.measurements[1], **edit)
    with pytest.raises(PlanRefused, match=said):
        price(replace(plan, questions=(plan.measurements[0], changed)))


def test_cells_of_another_name_are_refused() -> None:
    plan = groups_plan()
    at = plan.measurements[1].partition
    renamed = list(plan.partitions)
    renamed[at] = Groups("groups per shop", Ladder(0, 2, 1).labels)
    with pytest.raises(PlanRefused, match="a total of its ratio, or their groups"):
        price(replace(plan, partitions=tuple(renamed)))


def test_histograms_of_the_same_cells_are_read_back_apart() -> None:
    study = Study(
        Ratio("spent", per="orders"),
        bounds={},
        budget=Budget(1),
        unit=PrivacyUnit("user"),
        groups=[Groups("region", [0, 1, 2, 3]), None],
    )
    plan = plan_bounds(study, budget=Budget(6), most_groups=True)
    assert plan_from_document(Node(plan_to_document(plan))) == plan
