"""People by how many groups they are in: what a plan must hold, and what it costs."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from dpratio.plan.histogram.found_bounds import bounding, find_bounds
from dpratio.plan.histogram.group_counts import GroupCounts, ladder_of_groups
from dpratio.plan.histogram.histograms import counted_of

from curator.histograms_for_tests import groups_plan, study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.histogram.plan_bounds import may_group, plan_bounds
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import change_question, refuse, regroup
from plan_documents import plan_from_document, plan_to_document

USER = PrivacyUnit("user")
REGION = Groups("region", ["north", "south"])


def planned(**terms: Any) -> Plan:  # noqa: ANN401
    study = study_of(**{"unit": USER, "groups": REGION, **terms})
    return plan_bounds(study, budget=Budget(1), most_groups=True)


def names(plan: Plan) -> list[str]:
    return [each.name for each in plan.measurements]


def test_groups_are_one_more_histogram_in_the_joint_price() -> None:
    plan = planned()
    assert names(plan) == ["spent", "orders", "groups per user"]
    assert [each.scales for each in plan.measurements] == [[3.0]] * 3
    assert price(plan).pure == (Fraction(1, 3),) * 3
    assert counted_of(plan, plan.measurements[2]) == GroupCounts(
        "groups per user", Ladder(0, 2, 1), {"s": "spent"}, REGION
    )
    said = " ".join(plan.summary())
    assert "each user once, by how many of 2 declared groups of region" in said


@pytest.mark.parametrize(
    ("relation", "moved"), [("change-one", 2), ("add-or-remove-one", 1)]
)
def test_a_person_is_in_one_cell_however_many_groups_they_count_in(
    relation: str, moved: int
) -> None:
    plan = planned(unit=PrivacyUnit("user", most_groups=2, neighbours=relation))
    scales = [each.scales[0] / moved for each in plan.measurements]
    assert scales == [6.0, 6.0, 3.0]
    assert sum(price(plan).pure) == 1


def test_cells_hold_as_many_groups_as_there_are() -> None:
    counts = (1, 2, 3, 4, 7, 8, 1_000)
    tops = [ladder_of_groups(Groups("g", range(each))).highest for each in counts]
    assert tops == [2, 2, 2, 3, 3, 4, 10]


def test_every_list_of_groups_has_its_own() -> None:
    month = Groups("month", range(12))
    whole = planned(groups=[None, REGION, month])
    grouped = [f"groups per user by {name}" for name in ("region", "month")]
    assert [name for name in names(whole) if "groups" in name] == grouped
    binned = planned(groups=ScoreBins("age", 4), bounds={"age": Bounds(0, 80)})
    assert binned.bounds["age"] == Bounds(0, 80)
    price(binned)
    with pytest.raises(InvalidInput, match="a binned column needs bounds"):
        planned(groups=ScoreBins("age", 4))


def test_groups_propose_no_bounds() -> None:
    totals = {"spent": Bounds(0, 9), "orders": Bounds(0, 4)}
    alone = planned(unit=PrivacyUnit("user", totals=totals), bounds=totals)
    assert names(alone) == ["groups per user"]
    assert find_bounds(alone, [[0] * 8], epsilon=1.0) == []
    plan = planned()
    assert bounding(plan) == list(plan.measurements[:2])
    empty = [
        [0] * len(plan.partitions[each.partition].keys) for each in plan.measurements
    ]  # type: ignore[union-attr]
    found = find_bounds(plan, empty, epsilon=1.0)
    assert [each.counted for each in found] == ["spent", "orders"]


def test_a_plan_is_read_back_with_its_histograms_apart() -> None:
    """Groups of one partition have the cells that totals of another have."""
    numbers = Groups("region", [0, 1, 2, 3])
    for plan in (planned(), planned(groups=[numbers, None])):
        assert plan_from_document(Node(plan_to_document(plan))) == plan


@pytest.mark.parametrize(
    "terms", [{"unit": PrivacyUnit()}, {"groups": None}, {"groups": Groups("g", ["a"])}]
)
def test_who_has_no_ids_or_groups_is_in_one(terms: dict[str, Any]) -> None:
    rule = "most_groups is proposed for people with ids, in declared groups"
    with pytest.raises(InvalidInput, match=rule):
        planned(**terms)


def test_bad_terms_are_refused() -> None:
    odd: Any = "yes"
    with pytest.raises(InvalidInput, match="must be true or false, got 'yes'"):
        plan_bounds(study_of(), budget=Budget(1), most_groups=odd)
    question = Question(Ratio("groups per user", per="orders"), groups=REGION)
    study = replace(study_of(unit=USER), questions=(question,))
    with pytest.raises(InvalidInput, match="no total is called 'groups per user'"):
        plan_bounds(study, budget=Budget(1), most_groups=True)


def test_a_study_leaves_open_in_how_many_groups_a_person_counts() -> None:
    assert may_group(study_of(unit=USER, groups=REGION))
    for unit, groups in ((None, REGION), (USER, None)):
        assert not may_group(study_of(unit=unit, groups=groups))
    two = PrivacyUnit("user", most_groups=2)
    assert not may_group(study_of(unit=two, groups=REGION))


def test_an_edited_histogram_of_groups_is_refused() -> None:
    plan = groups_plan()
    for changed, rule in (
        ({"name": "orders per user"}, "must be called so, got 'orders per user'"),
        ({"within": None}, "among those that are declared"),
    ):
        refuse(change_question(plan, 1, **changed), rule)
    renamed = Groups("groups per shop", Ladder(0, 2, 1).labels)
    place = plan.measurements[1].partition
    refuse(regroup(plan, renamed, place), "a total of its ratio, or their groups")
