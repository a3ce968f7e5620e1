"""A plan of histograms is believed in nothing that it says about itself."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import people_plan, rows_plan
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from plan.priced_plans import change_question, edit, refuse, regroup
from plan_documents import plan_from_document, plan_to_document

LABELS = Ladder().labels
SHOPS = PrivateKeys("k", Budget("0.1", "1e-7"))
UNIT = Bounds(0, 1)

ROWS: list[tuple[dict[str, Any], str]] = [
    ({"mechanism": "analytic_gaussian"}, "Laplace noise.*got 'analytic_gaussian'"),
    ({"found": (SHOPS,)}, "declared groups and one stage, got 'keys that are found'"),
    ({"stage": Stage(Fraction(1, 4))}, "one stage, got 'a first stage'"),
    ({"questions": ()}, "at least one histogram"),
    ({"questions": []}, "must be a tuple"),
    ({"budget": 1}, "must be a Budget"),
    ({"unit": "row"}, "must be a PrivacyUnit"),
]


@pytest.mark.parametrize(("changes", "rule"), ROWS, ids=str)
def test_terms_that_were_edited_are_refused(changes: dict[str, Any], rule: str) -> None:
    refuse(replace(rows_plan(), **changes), rule)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"scale": 1.0}, "too small for the budget"),
        ({"scale": 2.0 - 2**-52}, "too small for the budget"),
        ({"scale": 0.0}, "too small or too large"),
        ({"scale": float("nan")}, "too small or too large"),
        ({"scale": float("inf")}, "too small or too large"),
        ({"scale": Fraction(2)}, "one by one"),
        ({"sensitivity": 0}, "one by one"),
        ({"sensitivity": True}, "one by one"),
        ({"step": 2.0}, "one by one"),
        ({"summand": Summand("s", ("s",))}, "one by one"),
    ],
    ids=str,
)
def test_a_count_that_was_edited_is_refused(changes: dict[str, Any], rule: str) -> None:
    refuse(edit(rows_plan(), **changes), rule)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"sums": rows_plan().questions[0].sums * 2}, "one sum"),
        ({"sums": []}, "one sum"),
        ({"ratio": "spent"}, "ratio must be a Ratio"),
        ({"answers": ("means",)}, "no answers"),
        ({"name": "orders"}, "differ in name"),
        ({"name": "a\x1b[1m"}, "differ in name"),
        ({"name": "spent by us"}, "must be called so"),
        ({"partition": 7}, "a partition of the plan"),
        ({"partition": True}, "a partition of the plan"),
        ({"partition": 1}, "'orders' must be called so, got 'spent'"),
        ({"within": 0}, "over the whole table"),
        ({"weight": Fraction(1)}, "at most 1 together"),
    ],
    ids=str,
)
def test_a_question_that_was_edited_is_refused(
    changes: dict[str, Any], rule: str
) -> None:
    refuse(change_question(rows_plan(), **changes), rule)


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        (Groups("spent", [*LABELS, "more"]), "all of them in order"),
        (Groups("spent", LABELS[::-1]), "all of them in order"),
        (
            Groups.cross(Keys("spent", LABELS), Keys("region", ["north"])),
            "all of them in order",
        ),
        (Groups("spent", LABELS).only([(0,)]), "all of them in order"),
        (
            Groups.cross(ScoreBins("spent", [0, 2.0**60])),
            "edges of bins must lie within",
        ),
        (None, "groups that are declared"),
        (Groups("paid", LABELS), "a column of its ratio"),
    ],
    ids=str,
)
def test_cells_that_were_edited_are_refused(groups: Any, rule: str) -> None:  # noqa: ANN401
    refuse(regroup(rows_plan(), groups), rule)


def test_bounds_and_partitions_are_those_of_the_histograms_and_no_more() -> None:
    plan = rows_plan()
    wrong = "just the columns that are counted"
    edits: list[tuple[dict[str, Any], str]] = [
        ({"spent": UNIT}, "are its outer limits"),
        ({"paid": UNIT}, wrong),
        ({"spent": (0, 1)}, wrong),
    ]
    for bounds, rule in edits:
        refuse(replace(plan, bounds={**plan.bounds, **bounds}), rule)
    more = (*plan.partitions, Groups("a", ["b"]))
    refuse(replace(plan, partitions=more), "belongs to a histogram")


def test_more_noise_than_is_needed_costs_the_same() -> None:
    plan = rows_plan()
    noisy = price(edit(plan, scale=2 * plan.measurements[0].sums[0].scale))
    assert noisy.epsilon == price(plan).epsilon
    assert noisy.pure == (price(plan).pure[0] / 2, *price(plan).pure[1:])


def change_unit(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    return replace(plan, unit=replace(plan.unit, **changes))


def by_age(plan: Plan) -> Plan:
    """Totals within bins whose edges are not stated."""
    binned = regroup(plan, Groups.cross(ScoreBins("age", 3)), 1)
    return replace(binned, bounds={**plan.bounds, "age": Bounds(0, 9)})


def one_total_twice(plan: Plan) -> Plan:
    again = regroup(plan, plan.partitions[0], 2)
    return change_question(again, 1, name="spent by region")


def in_one_partition(plan: Plan) -> Plan:
    """One total by region and in all, both on the cells of the first."""
    whole = change_question(plan, name="spent by region")
    ratio = plan.measurements[0].ratio
    whole = change_question(
        whole, 1, ratio=ratio, partition=0, within=None, name="spent"
    )
    whole = change_unit(whole, totals={"spent": plan.unit.totals["spent"]})
    bounds = {"spent": plan.bounds["spent"]}
    return replace(whole, partitions=plan.partitions[:2], bounds=bounds)


PEOPLE: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "more groups each": (
        lambda p: change_unit(p, most_groups=3),
        "too small for the budget",
    ),
    "change one": (
        lambda p: change_unit(p, neighbours="change-one"),
        "too small for the budget",
    ),
    "other totals": (
        lambda p: change_unit(p, totals={"spent": UNIT, "orders": UNIT}),
        "reach its outer limits",
    ),
    "a total of no ratio": (
        lambda p: regroup(p, Groups("paid", LABELS)),
        "a total of its ratio",
    ),
    "within another partition": (
        lambda p: change_question(p, within=9),
        "a partition of the plan",
    ),
    "within private keys": (lambda p: regroup(p, SHOPS, 1), "groups that are declared"),
    "one total twice": (one_total_twice, "asked for once"),
    "two histograms on one partition": (
        in_one_partition,
        "has a partition of its own",
    ),
    "within a histogram": (
        lambda p: change_question(p, within=p.questions[1].partition),
        "has a partition of its own",
    ),
    "a ladder that is too long": (
        lambda p: regroup(p, Groups("spent", Ladder(-1, 40).labels)),
        "within a factor",
    ),
    "ids as groups": (
        lambda p: regroup(p, Groups("user", ["ann"]), 1),
        "ids cannot be",
    ),
    "ids as numbers": (
        lambda p: change_question(p, ratio=Ratio("spent", per="orders", weight="user")),
        "ids cannot be",
    ),
    "bins without edges": (by_age, "states the edges of its bins"),
    "long rows": (
        lambda p: replace(p, bounds={**p.bounds, "spent": Bounds(0, 2.0**45)}),
        "outer limit far",
    ),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_a_plan_of_people_that_was_edited_is_refused(name: str) -> None:
    change, rule = PEOPLE[name]
    refuse(change(people_plan(most_groups=2)), rule)


@pytest.mark.parametrize("plan", [rows_plan(), people_plan(most_groups=2)])
def test_a_plan_is_priced_and_read_back_as_it_was_written(plan: Plan) -> None:
    assert price(plan).epsilon == 1
    text = json.dumps(plan_to_document(plan))
    assert plan_from_document(Node(json.loads(text))) == plan


def test_a_plan_of_histograms_has_no_sums_of_a_ratio() -> None:
    plan = rows_plan()
    with pytest.raises(InvalidInput, match="holds no sums of a ratio"):
        plan.grid(plan.measurements[0])
    assert plan.to_dicts()[0] == {
        "question": 1,
        "sum": "Σ 1",
        "sensitivity": 1.0,
        "noise_sd": pytest.approx(2 * 2**0.5),
        "share": 0.5,
    }
