"""From a study to histograms of what it gives no bounds for, or on a fine grid."""

from dataclasses import replace
from typing import Any

import pytest

from curator.bins_for_tests import study_of as scores_of
from curator.histograms_for_tests import study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import Ladder
from dpratio.plan.histogram.plan_bounds import may_group, plan_bins, plan_bounds
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

TENTH, WITH_DELTA = Budget("0.1"), Budget("0.1", "1e-7")
BOTH = {"spent": Bounds(0, 9), "orders": Bounds(0, 4)}
USER, TWO = PrivacyUnit("user"), PrivacyUnit("user", most_groups=2)
KNOWN, HALF = replace(USER, totals=BOTH), replace(TWO, totals={"spent": Bounds(0, 9)})
REGION, MONTH = Groups("region", ["north", "south"]), Groups("month", range(12))
OPEN, AGES = {"unit": USER, "groups": REGION}, ScoreBins("age", 4)
AGED = {**OPEN, "groups": AGES, "bounds": {"age": Bounds(0, 80)}}
SPENT, ORDERS = Ratio("spent", per="orders"), Ratio("orders", per="spent")
WEIGHED, TIPS = replace(SPENT, weight="w"), Ratio("tips", per="orders", weight="w")
LEFT = Ratio("spent", per="rows", minus="back")
GROUPED = Ratio("groups per user", per="n")
MOST, FIRST = {"most_groups": True}, {"columns": ["spent"]}
ROWS = dict.fromkeys(("spent", "orders", "back", "w"), Bounds(0, 100))


def asking(*questions: Ratio | Question, **terms: Any) -> Study:  # noqa: ANN401
    return Study(list(questions), **{"bounds": {}, "budget": Budget(1), **terms})


def of(groups: Groups, ratio: Ratio = SPENT, **terms: Any) -> Question:  # noqa: ANN401
    return Question(ratio, groups=groups, **terms)


FEW = of(REGION, totals={"orders": Bounds(0, 40)})
SHARED = asking(of(MONTH), of(MONTH, ORDERS), FEW, unit=TWO)
NAMES = [f"{name} by {group}" for group in ("month", "region") for name in BOTH]
BOTH_WAYS = asking(SPENT, WEIGHED, unit=USER, bounds=ROWS)
FAR = {"columns": ["spent - back"], "limits": (0.01, 1e6)}
LISTS = study_of(unit=KNOWN, groups=[None, REGION, MONTH])


@pytest.mark.parametrize(
    ("study", "asked", "names"),
    [
        (study_of(), {}, ["spent", "orders"]),
        (study_of(bounds={"orders": Bounds(0, 4)}), {}, ["spent"]),
        (study_of(bounds=BOTH), {"columns": ["orders"]}, ["orders"]),
        (study_of(unit=USER, minus="back"), {}, ["spent - back", "orders"]),
        # A column or a total of two ratios is counted once; of two weights twice.
        (asking(SPENT, TIPS), {}, ["spent", "orders", "tips", "w"]),
        (BOTH_WAYS, FIRST, ["spent", "spent weighted by w"]),
        # Of totals that several questions share, one histogram is enough.
        (SHARED, {}, NAMES),
        (replace(SHARED, unit=HALF), {}, NAMES[1::2]),
        (asking(SPENT, of(REGION), unit=USER), FIRST, ["spent", "spent by region"]),
        # A difference is looked at beside a count.
        (asking(LEFT, unit=USER, bounds=ROWS), FAR, ["spent - back"]),
        # Groups of people: one more histogram for each list of groups.
        (study_of(**OPEN), MOST, ["spent", "orders", "groups per user"]),
        (LISTS, MOST, [f"groups per user by {it}" for it in ("region", "month")]),
    ],
)
def test_what_has_no_bounds_is_counted_once(
    study: Study, asked: dict[str, Any], names: list[str]
) -> None:
    plan = plan_bounds(study, budget=TENTH, **asked)
    assert [each.name for each in plan.histograms] == names
    assert sum(price(plan).pure) == TENTH.epsilon


def test_cells_lie_within_outer_limits_which_are_nearer_for_totals() -> None:
    rows, people = (plan_bounds(study_of(**it), budget=TENTH) for it in ({}, OPEN))
    assert {each.cells for each in rows.histograms} == {Ladder()}
    assert rows.bounds == dict.fromkeys(BOTH, Ladder().outer)
    assert {each.cells for each in people.histograms} == {Ladder(-8, 32)}
    assert people.unit.totals == dict.fromkeys(BOTH, Ladder(-8, 32).outer)
    near = plan_bounds(study_of(), budget=TENTH, limits=(1, 100))
    assert near.histograms[0].cells == Ladder(0, 7)
    assert {each.within for each in people.histograms} == {REGION}
    aged = plan_bounds(study_of(**AGED), budget=TENTH, most_groups=True)
    bins = Groups.cross(AGES.within(Bounds(0, 80)))
    assert {each.within for each in aged.histograms} == {bins}
    for many, highest in ((2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (1000, 10)):
        study = study_of(unit=KNOWN, groups=Groups("g", range(many)))
        plan = plan_bounds(study, budget=TENTH, most_groups=True)
        assert plan.histograms[0].cells == Ladder(0, highest, 1)


def test_a_study_leaves_open_in_how_many_groups_a_person_counts() -> None:
    assert may_group(study_of(**OPEN))
    for terms in ({"groups": REGION}, {"unit": USER}, {**OPEN, "unit": TWO}):
        assert not may_group(study_of(**terms))


PLAIN, PEOPLE = study_of(), study_of(unit=USER)
NEAR = {**FIRST, "limits": (1, 8)}
MANY, BINNED = "people with ids, in declared groups", "binned column needs bounds"


@pytest.mark.parametrize(
    ("study", "asked", "message"),
    [
        (TENTH, {}, "study must be a Study"),
        (study_of(bounds=BOTH), {}, r"needs none.*columns=\['spent'\]"),
        *((PLAIN, {"columns": odd}, "list of names") for odd in ((), "spent", 7)),
        (PLAIN, {"columns": ["spnt"]}, "There are: spent, orders"),
        *((PLAIN, {"limits": odd}, "two pos") for odd in ((1,), 7, (1, 2, 3), "ab")),
        *((PLAIN, {"budget": odd}, "epsilon alone") for odd in (0.1, WITH_DELTA)),
        (study_of(bounds=BOTH), NEAR, "bounds of 'spent'.*Widen the limits"),
        (study_of(unit=KNOWN), NEAR, "bounds of 'spent'.*Widen the limits"),
        (SHARED, {"limits": (1.0, 32.0)}, "must hold the bounds of 'orders'"),
        (PEOPLE, {"limits": (0.5, 2.0**40)}, r"2\^-1 to 2\^40.*\(2\.0\*\*0"),
        (study_of(unit=USER, groups=PrivateKeys("k", WITH_DELTA)), {}, "private keys"),
        (study_of(unit=USER, weight="weight"), {}, "declare narrower bounds"),
        (study_of(unit=USER, groups=Groups("user", ["ann"])), {}, "ids cannot be"),
        *((study_of(unit=USER, groups=AGES), asked, BINNED) for asked in ({}, MOST)),
        (PLAIN, {"most_groups": "yes"}, "must be true or false, got 'yes'"),
        (PEOPLE, MOST, MANY),
        (study_of(groups=REGION), MOST, MANY),
        (study_of(unit=USER, groups=Groups("g", ["a"])), MOST, MANY),
        (asking(of(REGION, GROUPED), unit=USER), MOST, "no total is called 'groups"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    study: Study, asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        plan_bounds(study, **{"budget": TENTH, **asked})


def test_a_plan_says_what_it_counts_and_how_often_each_counts() -> None:
    changed = study_of(unit=replace(TWO, neighbours="change-one"), groups=REGION)
    rows, people = (plan_bounds(it, budget=TENTH) for it in (study_of(), changed))
    groups = plan_bounds(changed, budget=TENTH, most_groups=True)
    bins = plan_bins(scores_of(), "score", budget=TENTH, cells=16)
    for plan, words in [
        (rows, "rows by spent, in 484 cells from 2^-20 to 2^40 on each side of zero"),
        (rows, "each moves one cell of every histogram by 1. Cost: epsilon 0.1"),
        (people, "each user in each of 2 declared groups of region, in 324 cells"),
        (people, "each moves 2 counts of every histogram by 1, and as many back"),
        (groups, "each user once, by how many of 2 declared groups of region they are"),
        (bins, "rows by score, in 16 declared cells between its bounds"),
        (bins, "Answers: bins of as many rows each."),
    ]:
        assert words in " ".join(str(plan).split())
    noise = {"sensitivity": 1.0, "noise_sd": pytest.approx(20 * 2**0.5), "share": 0.5}
    assert rows.to_dicts()[0] == {"question": 1, "sum": "Σ 1", **noise}


def test_a_column_with_bounds_is_counted_on_a_grid_of_equal_cells() -> None:
    bounds = {"score": Bounds(0, 1), "label": Bounds.binary(), "age": Bounds(0, 128)}
    plan = plan_bins(scores_of(bounds=bounds, unit=TWO), "age", budget=TENTH)
    assert plan.histograms[0].cells == ScoreBins("age", range(129))
    assert plan.histograms[0].scale == 20
    assert plan.bounds == {name: bounds[name] for name in ("score", "age")}
    study = asking(SPENT, Question(ORDERS, groups=AGES), bounds={"age": Bounds(0, 9)})
    refused: list[tuple[dict[str, Any], str]] = [
        ({"study": None}, "study must be a Study"),
        *(({"budget": odd}, "epsilon alone") for odd in (1, WITH_DELTA)),
        *(({"cells": odd}, "16 to 1,000 cells") for odd in (15, 1001, 128.0, True)),
        *(({"column": odd}, "column needs bounds") for odd in ("weight", None)),
        ({"study": study, "column": "age"}, "Add bounds for: orders"),
    ]
    for terms, message in refused:
        given: dict[str, Any] = {
            "study": scores_of(),
            "column": "score",
            "budget": TENTH,
        }
        with pytest.raises(InvalidInput, match=message):
            plan_bins(**given | terms)
