"""From a study to counts of what can be read, and of what has each declared key."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.checks_for_tests import EACH, REGIONS, SMALL, check_plan, person, study_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.check.plan_check import plan_check
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.plan.histogram.histograms import (
    Histogram,
    KeyCounts,
    counted_of,
    histogram_of,
)
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

NAMES = ["spent", "visit", "region", "seen by month", "age"]


def names_of(plan: Plan) -> list[str]:
    return [each.name for each in plan.questions]


def test_numbers_lie_on_a_ladder_around_their_bounds_and_keys_are_counted() -> None:
    plan = check_plan()
    assert names_of(plan) == NAMES
    counted = [counted_of(plan, each) for each in plan.questions]
    ladders = [each.ladder for each in counted if isinstance(each, Histogram)]
    assert ladders == [Ladder(4, 5), Ladder(0, 1)]  # Beyond 32 of 20, and 2 of 1.
    keyed = [each for each in counted if isinstance(each, KeyCounts)]
    assert [each.letters for each in keyed] == [{"s": "spent"}] * 3
    assert keyed[0].within == Groups.cross(REGIONS)
    assert keyed[2].within.count == 2
    assert plan.bounds["age"] == Bounds(0, 80)
    with pytest.raises(InvalidInput, match="powers of two"):
        histogram_of(plan, plan.questions[2])


@pytest.mark.parametrize("per", ["people", "rows"])
def test_what_is_counted_needs_no_bounds_beside_a_difference(per: str) -> None:
    ratio = Ratio("spent", per=per, minus="back")
    totals = {"spent - back": Bounds(0, 60)} | (
        {} if per == "people" else {"rows": Bounds(0, 9)}
    )
    study = Study(
        ratio,
        bounds={"spent": Bounds(0, 20), "back": Bounds(0, 5)},
        budget=Budget(1),
        unit=PrivacyUnit("user", totals=totals),
    )
    assert names_of(plan_check(study, budget=SMALL))[0] == "spent - back"


@pytest.mark.parametrize(
    ("unit", "moved"),
    [
        (PrivacyUnit(), 1),
        (PrivacyUnit(neighbours="change-one"), 2),
        (person(most_groups=3), 3),
        (person(most_groups=3, neighbours="change-one"), 6),
    ],
)
def test_one_price_is_paid_for_all_counts(unit: PrivacyUnit, moved: int) -> None:
    plan = check_plan(unit=unit)
    assert [each.scales for each in plan.questions] == [[100.0 * moved]] * 5
    cost = price(plan)
    assert (cost.epsilon, cost.delta) == (Fraction(1, 20), Fraction(0))
    assert sum(cost.pure) == Fraction(1, 20)


def test_a_plan_of_a_check_is_written_and_read_and_says_what_it_counts() -> None:
    for unit in (PrivacyUnit(), person()):
        plan = check_plan(unit=unit)
        document = json.loads(json.dumps(plan_to_document(plan)))
        assert plan_from_document(Node(document)) == plan
        said = "\n".join(plan.summary())
        who = "rows" if unit.column is None else "each user"
        assert f"Counted: {who} by region, in 2 declared groups, where spent" in said
        assert "Answers: how many can be read, lie beyond a bound, and have" in said


def test_people_are_counted_by_their_totals_with_rows_that_reach_further() -> None:
    far = {**study_of().bounds, "spent": Bounds(0, 500)}
    plan = check_plan(unit=person(), bounds=far)
    assert plan.unit.totals == {
        "spent": Ladder(8, 9).outer,
        "visit": Ladder(3, 4).outer,
    }
    ratio = Ratio("spent", per="visit", minus="back", weight="w")
    plan = check_plan(unit=person(), ratio=ratio)
    assert names_of(plan)[:2] == ["spent - back", "visit"]
    assert plan.unit.totals["spent - back"] == Ladder(6, 7).outer  # 3 × (20 + 5)
    price(plan)


def test_totals_of_a_question_stand_in_place_of_the_units() -> None:
    own = {"spent": Bounds(0, 300), "visit": Bounds(0, 9)}
    ratio = Ratio("spent", per="visit")
    questions = [
        Question(ratio, totals=own),
        Question(ratio, groups=REGIONS, totals=own),
    ]
    study = Study(
        questions,
        bounds=study_of().bounds,
        budget=Budget(1),
        unit=PrivacyUnit("user"),
    )
    plan = plan_check(study, budget=SMALL)
    assert plan.unit.totals["spent"] == Ladder(8, 9).outer
    assert names_of(plan) == ["spent", "visit", "region"]
    price(plan)


def test_totals_under_two_weights_share_a_ladder() -> None:
    ratios = [Ratio("spent", per="visit", weight=each) for each in (None, "w")]
    plan = check_plan(ratio=ratios, unit=person(), groups=None)
    assert names_of(plan) == [
        *("spent", "visit", "spent weighted by w", "visit weighted by w"),
    ]
    price(plan)


def test_what_is_counted_as_one_is_no_column() -> None:
    plan = check_plan(ratio=Ratio("spent", per="rows"), groups=None)
    assert names_of(plan) == ["spent"]
    people = check_plan(ratio=Ratio("spent", per="people"), groups=None, unit=person())
    assert (names_of(people), list(people.bounds)) == (["spent"], ["spent"])
    price(people)


def test_keys_of_one_column_in_two_partitions_are_counted_once() -> None:
    groups = [
        Groups.cross(REGIONS, Periods("seen", "week", "2026-01-05", "2026-01-12")),
        Groups("region", ["east", "north"]),
        Groups.cross(Periods("seen", "week", "2026-01-12", "2026-01-26")),
        Groups.cross(ScoreBins("age", 2)),
        Groups.cross(ScoreBins("age", 4)),
        Groups.cross(ScoreBins("spent", 4)),  # The column itself is counted.
    ]
    plan = check_plan(groups=groups)
    assert names_of(plan) == ["spent", "visit", "region", "seen by week", "age"]
    found = plan.partitions[2:]
    assert found[0] == Groups("region", ["north", "south", "east"])
    weeks = Periods("seen", "week", "2026-01-05", "2026-01-26")
    assert found[1] == Groups.cross(weeks)
    assert found[2].count == 2  # type: ignore[union-attr]


def test_keys_that_are_not_declared_are_not_counted() -> None:
    groups = [
        None,
        PrivateKeys("shop", Budget("0.1", "1e-7")),
        Groups.cross(Periods("seen", "week", "2026-01-05", "open")),
    ]
    questions = [
        Question(Ratio("spent", per="visit"), groups=each, name=str(at))
        for at, each in enumerate(groups)
    ]
    study = Study(questions, bounds=study_of().bounds, budget=Budget(1, "1e-6"))
    assert names_of(plan_check(study, budget=SMALL)) == ["spent", "visit"]


def test_tiny_and_huge_bounds_have_a_ladder() -> None:
    for reach, ladder in ((2.0**-95, Ladder(-90, -89)), (2.0**95, Ladder(89, 90))):
        bounds = {**study_of().bounds, "spent": Bounds(0, reach)}
        plan = check_plan(bounds=bounds)
        assert plan.bounds["spent"] == ladder.outer
        price(plan)


@pytest.mark.parametrize(
    ("given", "budget", "said"),
    [
        ("study.toml", SMALL, "study must be a Study"),
        (study_of(), 0.05, "budget must be a Budget"),
        (study_of(), Budget(1, "1e-6"), "counts need no delta"),
        (study_of(bounds={}), SMALL, "needs the bounds of 'spent'"),
        (
            study_of(unit=PrivacyUnit("user")),
            SMALL,
            "bounds of one person's total of 'spent'",
        ),
    ],
)
def test_a_check_needs_a_study_with_its_bounds_and_an_epsilon(
    given: Any,  # noqa: ANN401
    budget: Any,  # noqa: ANN401
    said: str,
) -> None:
    with pytest.raises(InvalidInput, match=said):
        plan_check(given, budget=budget)


def asked(plan: Plan, at: int, **changed: Any) -> Plan:  # noqa: ANN401
    questions = list(plan.questions)
    questions[at] = replace(questions[at], **changed)
    return replace(plan, questions=tuple(questions))


def divided(plan: Plan, at: int, groups: Groups) -> Plan:
    partitions = list(plan.partitions)
    partitions[at] = groups
    return replace(plan, partitions=tuple(partitions))


EDITS: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "another name": (lambda p: asked(p, 2, name="shop"), "must be called so"),
    "within groups": (lambda p: asked(p, 2, within=3), "over the whole table"),
    "less noise": (
        lambda p: asked(p, 2, sums=(replace(p.questions[2].sums[0], scale=99.0),)),
        "too small for the budget",
    ),
    "two dimensions": (
        lambda p: divided(p, 2, Groups.cross(REGIONS, EACH[1])),
        "powers of two",
    ),
    "listed keys": (
        lambda p: divided(p, 2, Groups.cross(REGIONS).only([(0,)])),
        "powers of two",
    ),
    "bounds of bins": (
        lambda p: replace(p, bounds={n: b for n, b in p.bounds.items() if n != "age"}),
        "just the columns that are counted",
    ),
    "a number of bins": (
        lambda p: divided(p, 4, Groups.cross(ScoreBins("age", 2))),
        "states the edges of its bins",
    ),
    "ids as keys": (
        lambda p: asked(divided(p, 2, Groups("user", ["ann"])), 2, name="user"),
        "ids cannot be",
    ),
    "one column twice": (
        lambda p: asked(divided(p, 4, Groups("region", ["a"])), 4, name="region"),
        "differ in name",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_plan_of_a_check_that_was_edited_is_refused(edit: str) -> None:
    change, rule = EDITS[edit]
    plan = check_plan(unit=person())
    price(plan)
    with pytest.raises(PlanRefused, match=rule):
        price(change(plan))


def test_a_key_column_may_hold_any_kind_of_key() -> None:
    keys = [Keys("k", [1, 2]), Keys("k", [True]), Keys("k", ["a", None])]
    for each in keys:
        plan = check_plan(groups=Groups.cross(each))
        assert plan.partitions[2] == Groups.cross(each)
        price(plan)


def test_keys_are_counted_in_as_many_groups_as_their_question_has() -> None:
    """Who is in three months is counted in each, and pays for each."""
    months = Groups("month", [1, 2, 3])
    study = Study(
        [
            Question(Ratio("spent", per="visits"), groups=Groups("carrier", ["a"])),
            Question(Ratio("spent", per="visits"), groups=months, most_groups=3),
        ],
        bounds={"spent": Bounds(0, 9), "visits": Bounds(0, 3)},
        unit=PrivacyUnit("who", totals={"spent": Bounds(0, 9), "visits": Bounds(0, 9)}),
        budget=Budget(1),
    )
    plan = plan_check(study, budget=Budget(2000))
    own = {each.name: (each.most_groups, each.scales[0]) for each in plan.questions}
    assert own["carrier"] == (None, own["spent"][1])
    assert own["month"] == (3, 3 * own["carrier"][1])
    assert price(plan).epsilon == 2000
    rows = {
        "who": [name for name in "abcdefgh" for _ in range(3)],
        "month": [1, 2, 3] * 8,
        "carrier": ["a"] * 24,
        "spent": [1.0] * 24,
        "visits": [1.0] * 24,
    }
    release = release_sums(rows, plan, ledger=None)
    counts = {each.name: each.values[:, 0].tolist() for each in release.questions}
    assert counts["month"] == [8, 8, 8]
    assert counts["carrier"] == [8]
