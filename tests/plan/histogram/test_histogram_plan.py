"""A plan of histograms is believed in nothing that it says about itself."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from curator.bins_for_tests import grid_plan
from curator.histograms_for_tests import study_of
from curator.tables_for_tests import exact
from dpratio.codec import canonical, parse_json
from dpratio.errors import DpratioError, InvalidInput, PlanRefused
from dpratio.plan.document import PLAN
from dpratio.plan.histogram.histogram import Ladder
from dpratio.plan.histogram.histogram_plan import HistogramPlan, moves_of
from dpratio.plan.histogram.plan_bounds import plan_bounds
from dpratio.plan.price import Cost, price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

UNIT, NEAR, AGED = Bounds(0, 1), Bounds(-4, 4), Bounds(0, 80)
BOTH = {"spent": NEAR, "orders": NEAR}
REGION = Groups("region", ["north", "south", "elsewhere"])
LISTED = Groups(["region", "sex"], [("north", "f"), ("south", "f")])
QUARTERS = ScoreBins("score", 4)
FOUND = {"column": "k", "find": {"epsilon": "1/9", "delta": "1/9"}}
CHANGED: dict[str, Any] = {"neighbours": "change-one"}
TWO = PrivacyUnit("user", most_groups=2)


def made(asked: dict[str, Any] | None = None, **terms: Any) -> HistogramPlan:  # noqa: ANN401
    """Histograms of what people spend in two of three regions each."""
    given = {"unit": TWO, "groups": REGION, "bounds": BOTH, **terms}
    limits: dict[str, Any] = {"limits": (0.5, 8.0), **(asked or {})}
    return plan_bounds(study_of(**given), budget=Budget(1), **limits)


COUNTED = {"columns": ["spent"], "most_groups": True}
BARE: dict[str, Any] = {"bounds": {}, "groups": None}
ROWS, PEOPLE = made(unit=PrivacyUnit(), **BARE), made()
WEIGHED = made(weight="weight", bounds={**BOTH, "weight": Bounds(0, 4)})
LESS, GROUPS = made(minus="back", bounds={**BOTH, "back": NEAR}), made(COUNTED)
BINS, BINNED = grid_plan(cells=16), grid_plan(cells=16, unit=TWO)
PLANS: dict[str, HistogramPlan] = {
    "rows": ROWS,
    "rows that change": made(unit=PrivacyUnit(**CHANGED), **BARE),
    "totals": PEOPLE,
    "totals of who changes": made(unit=replace(TWO, **CHANGED)),
    "totals of the table": made(unit=PrivacyUnit("user"), groups=None),
    "totals in bins": made(groups=QUARTERS, bounds={**BOTH, "score": UNIT}),
    "totals in listed groups": made(groups=LISTED),
    "weighted totals": WEIGHED,
    "differences": LESS,
    "groups": GROUPS,
    "groups of who changes": made(COUNTED, unit=replace(TWO, **CHANGED)),
    "bins of rows": BINS,
    "bins of people": BINNED,
}


def edit(plan: HistogramPlan, at: int = 0, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Change one histogram of a plan by hand."""
    histograms = list(plan.histograms)
    histograms[at] = replace(histograms[at], **changes)
    return replace(plan, histograms=tuple(histograms))


def bound(plan: HistogramPlan, **bounds: Any) -> HistogramPlan:  # noqa: ANN401
    """Change bounds of a plan, or leave them out: those that are None."""
    given = {**plan.bounds, **bounds}
    return replace(plan, bounds={key: it for key, it in given.items() if it})


def protect(plan: HistogramPlan, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Change the unit of a plan."""
    return replace(plan, unit=replace(plan.unit, **changes))


def twice(plan: HistogramPlan, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Count the first total a second time, at half of the budget each."""
    first = plan.histograms[0]
    outer = plan.unit.totals[first.column]
    plan = protect(plan, totals={first.column: outer})
    letters = first.letters(plan.unit).values()
    bounds = {column: plan.bounds[column] for column in letters}
    again = replace(first, **{"name": f"{first.column} by region", **changes})
    return replace(plan, bounds=bounds, histograms=(first, again))


def binned(bins: Any, **bounds: Any) -> HistogramPlan:  # noqa: ANN401
    """Count totals within bins of an age."""
    groups = Groups.cross(ScoreBins("age", bins))
    return bound(edit(PEOPLE, within=groups), **{"age": AGED, **bounds})


ALL: dict[str, Any] = {"within": None, "name": "spent"}
TYPES, ONE = "within groups that are declared", "needs at least one"
NAMED, CALLED, KNOWN = "differ in name", "must be called so", "a column of its ratio"
WHOLE, SCALE = "over the whole table", "noise of a histogram is too small or too large"
IDS, BOUNDS, TOTALS = "ids cannot be", "bounds are those of columns", "its outer limits"
EDGES, FAR_ROW = "states the edges of its bins", "may reach .* times its outer limit"
SCALES = (0.0, 2.0**-11, 2.0**51, math.nan, 2, Fraction(2), True, np.float64(4))
LITTLE = "noise of the histograms is too small for the budget"

REFUSED: list[tuple[HistogramPlan, str]] = [
    *((replace(ROWS, histograms=odd), ONE) for odd in ((), [*ROWS.histograms], (1,))),  # type: ignore[arg-type]
    *((replace(ROWS, bounds=odd), "by column") for odd in (None, ["spent"])),  # type: ignore[arg-type]
    (replace(ROWS, budget=Budget(1, "1e-6")), "need no delta, got 1/1000000"),
    # Each part is what it is read as.
    (edit(PEOPLE, ratio="spent"), TYPES),
    *((edit(ROWS, cells=odd), TYPES) for odd in (None, REGION, Keys("spent", ["a"]))),
    (edit(PEOPLE, within=PrivateKeys("k", Budget("0.1", "1e-7"))), TYPES),
    (edit(GROUPS, 1, counts_groups="no"), TYPES),
    # Names tell histograms apart, and say what is counted.
    (edit(twice(WEIGHED), 1, ratio=PEOPLE.histograms[0].ratio, name="spent"), NAMED),
    (edit(ROWS, name="a\x1b[1m"), NAMED),
    (twice(PEOPLE), "planned once, got .'spent', 'spent by region'"),
    (edit(ROWS, name="spent by region"), CALLED),
    (edit(PEOPLE, name="spent by us"), CALLED),
    (edit(PEOPLE, name="spent weighted by weight"), CALLED),
    (edit(GROUPS, 1, name="orders per user"), CALLED),
    (edit(BINS, name="age"), CALLED),
    (edit(ROWS, column="paid", name="paid"), KNOWN),
    (edit(PEOPLE, column="paid", name="paid"), KNOWN),
    (edit(LESS, column="spent", name="spent"), KNOWN),
    (edit(GROUPS, 1, column="groups per shop", name="groups per shop"), KNOWN),
    (replace(GROUPS, unit=PrivacyUnit(), histograms=GROUPS.histograms[1:]), KNOWN),
    (bound(edit(BINS, column="age", name="age"), age=UNIT), KNOWN),
    # Where it is counted.
    (edit(ROWS, within=REGION), WHOLE),
    (edit(BINNED, within=REGION), WHOLE),
    (edit(BINNED, counts_groups=True), WHOLE),
    (edit(GROUPS, 1, within=None), WHOLE),
    (edit(GROUPS, 1, cells=Ladder(0, 2)), "in cells of powers of two"),
    (edit(GROUPS, 1, cells=Ladder(0, 9, steps=1)), "in cells of powers of two"),
    # Noise.
    *((edit(ROWS, scale=odd), SCALE) for odd in SCALES),
    *((edit(ROWS, scale=less), LITTLE) for less in (1.0, math.nextafter(2.0, 0))),
    (protect(PEOPLE, most_groups=3), LITTLE),
    (protect(PEOPLE, **CHANGED), LITTLE),
    (protect(GROUPS, **CHANGED), LITTLE),
    (replace(ROWS, budget=Budget("0.99")), LITTLE),
    # Ids are read as ids alone.
    (edit(PEOPLE, ratio=Ratio("spent", per="orders", weight="user")), IDS),
    (edit(PEOPLE, ratio=Ratio("spent", per="user")), IDS),
    (edit(PEOPLE, within=Groups("user", ["ann"])), IDS),
    (protect(BINNED, column="score"), IDS),
    (protect(edit(BINNED, ratio=Ratio("a", per="b")), column="score"), IDS),
    # Bounds and totals are those that are needed, and no others.
    (bound(ROWS, spent=None), BOUNDS),
    (bound(ROWS, paid=UNIT), BOUNDS),
    (bound(ROWS, spent=(-1.0, 1.0)), BOUNDS),
    (bound(BINNED, score=None), BOUNDS),
    (bound(binned([0, 40, 80]), age=None), BOUNDS),
    (bound(ROWS, spent=UNIT), TOTALS),
    (protect(PEOPLE, totals={"spent": PEOPLE.unit.totals["spent"]}), TOTALS),
    (protect(PEOPLE, totals=dict.fromkeys(PEOPLE.unit.totals, UNIT)), TOTALS),
    (protect(GROUPS, totals={**GROUPS.unit.totals, "groups per user": UNIT}), TOTALS),
    (edit(twice(PEOPLE, **ALL), name="spent by region", cells=Ladder(-1, 2)), TOTALS),
    (binned(3), EDGES),
    (edit(BINS, cells=ScoreBins("score", 16)), EDGES),
    # One row may not exceed what doubles hold of its total.
    (edit(PEOPLE, cells=Ladder(-38, 3)), r"a factor 2\^40, got 2\^-38 to 2\^3"),
    (bound(PEOPLE, spent=Bounds(0, 25)), FAR_ROW),
    (bound(WEIGHED, weight=Bounds(0, 8)), FAR_ROW),
    (bound(LESS, back=Bounds(0, 25)), FAR_ROW),
]


@pytest.mark.parametrize(("plan", "rule"), REFUSED, ids=[rule for _, rule in REFUSED])
def test_a_plan_that_was_edited_is_refused(plan: HistogramPlan, rule: str) -> None:
    with pytest.raises(PlanRefused, match=rule):
        price(plan)


def test_a_plan_has_a_budget_a_unit_and_a_title() -> None:
    for field in ("budget", "unit", "title"):
        with pytest.raises(InvalidInput, match=field):
            replace(ROWS, **{field: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_is_priced_and_read_back_as_it_was_written(plan: HistogramPlan) -> None:
    moves = tuple(moves_of(plan))
    none = Fraction(0)
    assert price(plan) == Cost(Fraction(1), none, moves, none, none)
    noisy = edit(plan, scale=2 * plan.histograms[0].scale)
    assert price(noisy).epsilon == 1
    assert price(noisy).pure == (moves[0] / 2, *moves[1:])
    assert PLAN.read(written(noisy.titled("May")), "$") == noisy.titled("May")


def written(plan: HistogramPlan) -> Any:  # noqa: ANN401
    return parse_json(canonical(PLAN.write(plan)).decode())


def test_a_document_that_was_edited_is_refused() -> None:
    for changes, rule in (
        ({"counts_groups": False}, "counts_groups: must be true, or left out"),
        ({"cells": {"lowest": 0, "highest": 2, "steps": 2}}, "has 1 or 4 cells"),
        ({"within": {"whole": True}}, "as dpratio writes it"),
        ({"within": FOUND}, "must be groups that are declared"),
        ({"ratio": {"numerator": "spent", "per": "n", "guess": 1}}, "field 'guess'"),
    ):
        document = written(ROWS)
        document["histograms"][0] |= changes
        with pytest.raises(DpratioError, match=rule):
            PLAN.read(document, "$")


def some_rows(chance: random.Random, user: str, most: int) -> list[tuple[Any, ...]]:
    """What a person spent, and where: up to so many rows."""
    numbers = [0.0, 1.0, -3.0, 7.5, 2.0**41, -(2.0**41), math.nan, None]
    places = ["north", "south", "elsewhere", "nowhere"]
    scores, backs, orders = [-1.0, 0.1, 0.5, 0.9, math.inf], [0.0, 2.0], [1.0, 4.0, 9.0]
    columns: list[list[Any]] = [numbers, backs, orders, places, scores]
    count = chance.randint(0, most)
    return [(user, *(chance.choice(held) for held in columns)) for _ in range(count)]


def table_of(rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    names = ("user", "spent", "back", "orders", "region", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    table["sex"] = ["f"] * len(rows)
    return {**table, **dict.fromkeys(("label", "weight"), [1.0] * len(rows))}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_one_unit_moves_the_counts_as_far_as_is_paid_and_no_further(
    plan: HistogramPlan,
) -> None:
    chance, changes = random.Random(7), plan.unit.neighbours == "change-one"  # noqa: S311
    most = 1 if plan.unit.column is None else 6
    farthest = [0] * len(plan.histograms)
    for _ in range(100):
        others = [("bob", 1.0, 0.0, 1.0, "north", 0.2), *some_rows(chance, "cid", 3)]
        pair = [some_rows(chance, "ann", most), []]
        if changes:
            pair[1] = some_rows(chance, "ann", most)
        for at, before in enumerate(farthest):
            tables = [table_of(others + own) for own in pair]
            first, second = (exact(it, plan, "python", question=at) for it in tables)
            moved = np.abs(np.array(first) - np.array(second)).sum()
            farthest[at] = max(before, int(moved))
    paid = zip(moves_of(plan), plan.histograms, strict=True)
    assert farthest == [move * Fraction(each.scale) for move, each in paid]
