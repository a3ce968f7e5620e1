"""A plan of histograms is believed in nothing that it says about itself."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import people_plan, rows_plan
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.make_plan import make_plan
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
from plan_documents import plan_from_document, plan_to_document

Edit = Callable[[Plan], Plan]


def asked(plan: Plan, at: int = 0, **changed: Any) -> Plan:  # noqa: ANN401
    questions = list(plan.measurements)
    questions[at] = replace(questions[at], **changed)
    return replace(plan, questions=tuple(questions))


def counted(plan: Plan, **changed: Any) -> Plan:  # noqa: ANN401
    (one,) = plan.measurements[0].sums
    return asked(plan, sums=(replace(one, **changed),))


def divided(plan: Plan, at: int, groups: object) -> Plan:
    partitions = list(plan.partitions)
    partitions[at] = groups  # type: ignore[call-overload]
    return replace(plan, partitions=tuple(partitions))


def in_one_partition(plan: Plan) -> Plan:
    """One total by region and in all, both on the cells of the first."""
    whole = asked(plan, 1, ratio=plan.measurements[0].ratio, partition=0, within=None)
    named = asked(asked(whole, name="spent by region"), 1, name="spent")
    totals = {"spent": plan.unit.totals["spent"]}
    return replace(
        named,
        partitions=plan.partitions[:2],
        bounds={"spent": plan.bounds["spent"]},
        unit=replace(plan.unit, totals=totals),
    )


LABELS = Ladder().labels
ROWS: dict[str, tuple[Edit, str]] = {
    "less noise": (lambda p: counted(p, scale=1.0), "too small for the budget"),
    "hardly less noise": (
        lambda p: counted(p, scale=2.0 - 2**-52),
        "too small for the budget",
    ),
    "no noise": (lambda p: counted(p, scale=0.0), "too small or too large"),
    "noise that is no number": (
        lambda p: counted(p, scale=float("nan")),
        "too small or too large",
    ),
    "endless noise": (lambda p: counted(p, scale=float("inf")), "too small or too"),
    "exact noise": (lambda p: counted(p, scale=Fraction(2)), "one by one"),
    "another sensitivity": (lambda p: counted(p, sensitivity=0), "one by one"),
    "a true sensitivity": (lambda p: counted(p, sensitivity=True), "one by one"),
    "another step": (lambda p: counted(p, step=2.0), "one by one"),
    "another sum": (lambda p: counted(p, summand=Summand("s", ("s",))), "one by one"),
    "two sums": (lambda p: asked(p, sums=p.questions[0].sums * 2), "one sum"),
    "a list of sums": (lambda p: asked(p, sums=[]), "one sum"),
    "Gaussian noise": (
        lambda p: replace(p, mechanism="analytic_gaussian"),
        "Laplace noise.*got 'analytic_gaussian'",
    ),
    "keys that were found": (
        lambda p: replace(p, found=(PrivateKeys("k", Budget("0.1", "1e-7")),)),
        "declared groups and one stage, got 'keys that are found'",
    ),
    "a first stage": (
        lambda p: replace(p, stage=Stage(Fraction(1, 4))),
        "one stage, got 'a first stage'",
    ),
    "no questions": (lambda p: replace(p, questions=()), "at least one histogram"),
    "a list of questions": (
        lambda p: replace(p, questions=list(p.questions)),  # type: ignore[arg-type]
        "must be a tuple",
    ),
    "no ratio": (lambda p: asked(p, ratio="spent"), "ratio must be a Ratio"),
    "other answers": (lambda p: asked(p, answers=("means",)), "no answers"),
    "one name twice": (lambda p: asked(p, name="orders"), "differ in name"),
    "a name that steers": (lambda p: asked(p, name="a\x1b[1m"), "differ in name"),
    "the name of another column": (
        lambda p: replace(p, partitions=p.partitions[::-1]),
        "a histogram of 'orders' must be called so, got 'spent'",
    ),
    "a name of its own": (lambda p: asked(p, name="spent by us"), "called so"),
    "a cell more": (
        lambda p: divided(p, 0, Groups("spent", [*LABELS, "more"])),
        "all of them in order",
    ),
    "cells in another order": (
        lambda p: divided(p, 0, Groups("spent", LABELS[::-1])),
        "all of them in order",
    ),
    "bins": (
        lambda p: divided(p, 0, Groups.cross(ScoreBins("spent", [0, 2.0**60]))),
        "edges of bins must lie within",
    ),
    "two dimensions": (
        lambda p: divided(
            p, 0, Groups.cross(Keys("spent", LABELS), Keys("region", ["north"]))
        ),
        "all of them in order",
    ),
    "listed cells": (
        lambda p: divided(p, 0, Groups("spent", LABELS).only([(0,)])),
        "all of them in order",
    ),
    "the whole table": (lambda p: divided(p, 0, None), "groups that are declared"),
    "a column of no ratio": (
        lambda p: divided(p, 0, Groups("paid", LABELS)),
        "a column of its ratio",
    ),
    "another partition": (lambda p: asked(p, partition=7), "a partition of the plan"),
    "a true partition": (lambda p: asked(p, partition=True), "a partition of the plan"),
    "one column twice": (
        lambda p: asked(p, 1, partition=0),
        "must be called so",
    ),
    "a partition for nothing": (
        lambda p: replace(p, partitions=(*p.partitions, Groups("a", ["b"]))),
        "belongs to a histogram",
    ),
    "rows within groups": (lambda p: asked(p, within=0), "over the whole table"),
    "other bounds": (
        lambda p: replace(p, bounds={**p.bounds, "spent": Bounds(0, 1)}),
        "are its outer limits",
    ),
    "bounds of another column": (
        lambda p: replace(p, bounds={**p.bounds, "paid": Bounds(0, 1)}),
        "just the columns that are counted",
    ),
    "what is no bounds": (
        lambda p: replace(p, bounds={**p.bounds, "spent": (0, 1)}),  # type: ignore[dict-item]
        "just the columns that are counted",
    ),
    "weights above 1": (lambda p: asked(p, weight=Fraction(1)), "at most 1 together"),
    "a budget that is none": (
        lambda p: replace(p, budget=1),  # type: ignore[arg-type]
        "must be a Budget",
    ),
    "a unit that is none": (
        lambda p: replace(p, unit="row"),  # type: ignore[arg-type]
        "must be a PrivacyUnit",
    ),
}


@pytest.mark.parametrize("edit", ROWS)
def test_a_plan_of_rows_that_was_edited_is_refused(edit: str) -> None:
    change, rule = ROWS[edit]
    plan = rows_plan()
    price(plan)
    with pytest.raises(PlanRefused, match=rule):
        price(change(plan))


def test_more_noise_than_is_needed_costs_the_same() -> None:
    plan = rows_plan()
    noisy = price(counted(plan, scale=2 * plan.measurements[0].sums[0].scale))
    assert noisy.epsilon == price(plan).epsilon
    assert noisy.pure == (price(plan).pure[0] / 2, *price(plan).pure[1:])


PEOPLE: dict[str, tuple[Edit, str]] = {
    "more groups each": (
        lambda p: replace(p, unit=replace(p.unit, most_groups=3)),
        "too small for the budget",
    ),
    "change one": (
        lambda p: replace(p, unit=replace(p.unit, neighbours="change-one")),
        "too small for the budget",
    ),
    "other totals": (
        lambda p: replace(
            p,
            unit=replace(
                p.unit, totals={"spent": Bounds(0, 1), "orders": Bounds(0, 1)}
            ),
        ),
        "reach its outer limits",
    ),
    "a total of no ratio": (
        lambda p: divided(p, 0, Groups("paid", LABELS)),
        "a total of its ratio",
    ),
    "within another partition": (
        lambda p: asked(p, within=9),
        "a partition of the plan",
    ),
    "within private keys": (
        lambda p: divided(p, 1, PrivateKeys("k", Budget("0.1", "1e-7"))),
        "groups that are declared",
    ),
    "one total twice": (
        lambda p: asked(
            divided(p, 2, p.partitions[0]),
            1,
            name="spent by region",
        ),
        "asked for once",
    ),
    "two histograms on one partition": (
        in_one_partition,
        "has a partition of its own",
    ),
    "within a histogram": (
        lambda p: asked(p, within=p.questions[1].partition),
        "has a partition of its own",
    ),
    "a ladder that is too long": (
        lambda p: divided(p, 0, Groups("spent", Ladder(-1, 40).labels)),
        "within a factor",
    ),
    "ids as groups": (
        lambda p: divided(p, 1, Groups("user", ["ann"])),
        "ids cannot be",
    ),
    "ids as numbers": (
        lambda p: asked(p, ratio=Ratio("spent", per="orders", weight="user")),
        "ids cannot be",
    ),
    "bins without edges": (
        lambda p: replace(
            divided(p, 1, Groups.cross(ScoreBins("age", 3))),
            bounds={**p.bounds, "age": Bounds(0, 9)},
        ),
        "states the edges of its bins",
    ),
    "long rows": (
        lambda p: replace(p, bounds={**p.bounds, "spent": Bounds(0, 2.0**45)}),
        "outer limit far",
    ),
}


@pytest.mark.parametrize("edit", PEOPLE)
def test_a_plan_of_people_that_was_edited_is_refused(edit: str) -> None:
    change, rule = PEOPLE[edit]
    plan = people_plan(most_groups=2)
    price(plan)
    with pytest.raises(PlanRefused, match=rule):
        price(change(plan))


@pytest.mark.parametrize("plan", [rows_plan(), people_plan(most_groups=2)])
def test_a_plan_is_read_back_as_it_was_written(plan: Plan) -> None:
    text = json.dumps(plan_to_document(plan))
    assert plan_from_document(Node(json.loads(text))) == plan


def test_only_histograms_lie_within_groups() -> None:
    plan = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1),
    )
    with pytest.raises(PlanRefused, match="belong to histograms"):
        price(asked(plan, within=0))


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
