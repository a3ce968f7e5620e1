"""Plans of histograms: what is planned, and what the door makes of an edited plan."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from curator.bins_for_tests import grid_plan
from curator.bins_for_tests import study_of as scores_of
from curator.histograms_for_tests import study_of
from curator.tables_for_tests import exact
from dpratio.codec import canonical, parse_json
from dpratio.errors import DpratioError, InvalidInput
from dpratio.plan.document import PLAN
from dpratio.plan.histograms import HistogramPlan, may_group, plan_bins, plan_bounds
from dpratio.plan.ladder import Ladder
from dpratio.plan.price import Cost, price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, PrivateKeys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

TENTH, WITH_DELTA = Budget("0.1"), Budget("0.1", "1e-7")
UNIT, NEAR, AGED = Bounds(0, 1), Bounds(-4, 4), Bounds(0, 80)
REGION = Groups("region", ["north", "south", "elsewhere"])
LISTED = Groups(["region", "sex"], [("north", "f"), ("south", "f")])
MONTH, AGES, QUARTERS = Groups("month", range(12)), ScoreBins("age", 4), [0, 40, 80]
PRIVATE = PrivateKeys("k", WITH_DELTA)
USER, TWO = PrivacyUnit("user"), PrivacyUnit("user", most_groups=2)
CHANGED: dict[str, Any] = {"neighbours": "change-one"}
MOST, FIRST = {"most_groups": True}, {"columns": ["spent"]}
SPENT, ORDERS = Ratio("spent", per="orders"), Ratio("orders", per="spent")
BOTH = {"spent": Bounds(0, 9), "orders": Bounds(0, 4)}
KNOWN, HALF = replace(USER, totals=BOTH), replace(TWO, totals={"spent": Bounds(0, 9)})


def asking(*questions: Ratio | Question, **terms: Any) -> Study:  # noqa: ANN401
    return Study(list(questions), **{"bounds": {}, "budget": Budget(1), **terms})


def of(groups: Groups, ratio: Ratio = SPENT, **terms: Any) -> Question:  # noqa: ANN401
    return Question(ratio, groups=groups, **terms)


# --- What is planned ------------------------------------------------------------------

OPEN = {"unit": USER, "groups": REGION}
FEW = of(REGION, totals={"orders": Bounds(0, 40)})
SHARED = asking(of(MONTH), of(MONTH, ORDERS), FEW, unit=TWO)
NAMES = [f"{name} by {group}" for group in ("month", "region") for name in BOTH]
WEIGHED, TIPS = replace(SPENT, weight="w"), Ratio("tips", per="orders", weight="w")
ROW = dict.fromkeys(("spent", "orders", "back", "w"), Bounds(0, 100))
LEFT = asking(Ratio("spent", per="rows", minus="back"), unit=USER, bounds=ROW)
LISTS = study_of(unit=KNOWN, groups=[None, REGION, MONTH])
LIKE_GROUPS = asking(of(REGION, Ratio("groups per user", per="n")), unit=USER)


@pytest.mark.parametrize(
    ("study", "wish", "names"),
    [
        (study_of(), {}, ["spent", "orders"]),
        (study_of(bounds={"orders": Bounds(0, 4)}), {}, ["spent"]),
        (study_of(bounds=BOTH), {"columns": ["orders"]}, ["orders"]),
        (study_of(unit=USER, minus="back"), {}, ["spent - back", "orders"]),
        # A column or a total of two ratios is counted once; of two weights twice.
        (asking(SPENT, TIPS), {}, ["spent", "orders", "tips", "w"]),
        (
            asking(SPENT, WEIGHED, unit=USER, bounds=ROW),
            FIRST,
            ["spent", "spent weighted by w"],
        ),
        # Of totals that several questions share, one histogram is enough.
        (SHARED, {}, NAMES),
        (replace(SHARED, unit=HALF), {}, NAMES[1::2]),
        (asking(SPENT, of(REGION), unit=USER), FIRST, ["spent", "spent by region"]),
        # Without its rows a count needs no bounds.
        (LEFT, {"columns": ["spent - back"], "limits": (0.01, 1e6)}, ["spent - back"]),
        # Groups of people: one more histogram for each list of groups.
        (study_of(**OPEN), MOST, ["spent", "orders", "groups per user"]),
        (LISTS, MOST, [f"groups per user by {name}" for name in ("region", "month")]),
        # A column of that name is a column, where people are counted all the same.
        (LIKE_GROUPS, {**MOST, "columns": ["n"]}, ["n", "groups per user"]),
    ],
)
def test_what_has_no_bounds_is_counted_once(
    study: Study, wish: dict[str, Any], names: list[str]
) -> None:
    plan = plan_bounds(study, budget=TENTH, **wish)
    assert [item.name for item in plan.measurements] == names
    assert sum(price(plan).pure) == TENTH.epsilon


def test_cells_lie_within_outer_limits_which_are_nearer_for_totals() -> None:
    rows, people = (plan_bounds(study_of(**it), budget=TENTH) for it in ({}, OPEN))
    assert {item.cells for item in rows.measurements} == {Ladder()}
    assert rows.bounds == dict.fromkeys(BOTH, Ladder().outer)
    assert {item.cells for item in people.measurements} == {Ladder(-8, 32)}
    assert people.unit.totals == dict.fromkeys(BOTH, Ladder(-8, 32).outer)
    assert {item.within for item in people.measurements} == {REGION}
    near = plan_bounds(study_of(), budget=TENTH, limits=(1, None))
    assert near.measurements[0].cells == Ladder(0, 40)
    aged = study_of(unit=USER, groups=AGES, bounds={"age": AGED})
    bins = Groups.cross(AGES.within(AGED))
    plan = plan_bounds(aged, budget=TENTH, most_groups=True)
    assert {item.within for item in plan.measurements} == {bins}


def test_a_study_leaves_open_in_how_many_groups_a_person_counts() -> None:
    assert may_group(study_of(**OPEN))
    for terms in ({"groups": REGION}, {"unit": USER}, {**OPEN, "unit": TWO}):
        assert not may_group(study_of(**terms))


def test_a_column_with_bounds_is_counted_on_a_grid_of_equal_cells() -> None:
    bounds = {"score": UNIT, "label": Bounds.binary(), "age": Bounds(0, 128)}
    plan = plan_bins(scores_of(bounds=bounds, unit=TWO), "age", budget=TENTH)
    (histogram,) = plan.measurements
    assert (histogram.cells, histogram.scale) == (ScoreBins("age", range(129)), 20)
    assert plan.bounds == {name: bounds[name] for name in ("score", "age")}


PLAIN, PEOPLE_OF = study_of(), study_of(unit=USER)
NEAR_LIMITS = {**FIRST, "limits": (1, 8)}
MANY, BINNED_BOUNDS = "people with ids, in declared groups", "needs bounds"


@pytest.mark.parametrize(
    ("study", "wish", "phrase"),
    [
        (TENTH, {}, "study must be a Study"),
        (study_of(bounds=BOTH), {}, r"needs none.*columns=\['spent'\]"),
        *((PLAIN, {"columns": odd}, "list of names") for odd in ("spent", 7)),
        (PLAIN, {"columns": ()}, "needs none"),
        (PLAIN, {"columns": ["spnt"]}, "There are: spent, orders"),
        (PLAIN, {"limits": 7}, "two positive numbers"),
        *((PLAIN, {"budget": odd}, "epsilon alone") for odd in (0.1, WITH_DELTA)),
        (study_of(bounds=BOTH), NEAR_LIMITS, "bounds of 'spent'"),
        (study_of(unit=KNOWN), NEAR_LIMITS, "bounds of 'spent'"),
        (SHARED, {"limits": (1.0, 32.0)}, "bounds of 'orders'"),
        (PEOPLE_OF, {"limits": (0.5, 2.0**40)}, r"2\^-1 to 2\^40.*\(2\.0\*\*0"),
        (study_of(unit=USER, groups=PRIVATE), {}, "groups that are declared"),
        (study_of(unit=USER, weight="weight"), {}, "declare narrower bounds"),
        (study_of(unit=USER, groups=Groups("user", ["ann"])), {}, "ids cannot be"),
        *(
            (study_of(unit=USER, groups=AGES), wish, BINNED_BOUNDS)
            for wish in ({}, MOST)
        ),
        (PLAIN, {"most_groups": "yes"}, "must be true or false"),
        (PEOPLE_OF, MOST, MANY),
        (study_of(groups=REGION), MOST, MANY),
        (study_of(unit=USER, groups=Groups("g", ["a"])), MOST, MANY),
        (LIKE_GROUPS, MOST, "differ in name"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    study: Study, wish: dict[str, Any], phrase: str
) -> None:
    with pytest.raises(InvalidInput, match=phrase):
        plan_bounds(study, **{"budget": TENTH, **wish})


BY_AGE = asking(SPENT, Question(ORDERS, groups=AGES), bounds={"age": Bounds(0, 9)})


@pytest.mark.parametrize(
    ("terms", "phrase"),
    [
        ({"study": None}, "study must be a Study"),
        *(({"budget": odd}, "epsilon alone") for odd in (1, WITH_DELTA)),
        *(({"cells": odd}, "16 to 1,000 cells") for odd in (15, 1001, 128.0, True)),
        ({"column": "weight"}, "needs bounds"),
        ({"column": None}, "column name must be text"),
        ({"study": BY_AGE, "column": "age"}, "Add bounds for: orders"),
    ],
)
def test_what_has_no_grid_is_refused(terms: dict[str, Any], phrase: str) -> None:
    wish: dict[str, Any] = {"study": scores_of(), "column": "score", "budget": TENTH}
    with pytest.raises(InvalidInput, match=phrase):
        plan_bins(**wish | terms)


# --- What the door makes of it --------------------------------------------------------


def made(wish: dict[str, Any] | None = None, **terms: Any) -> HistogramPlan:  # noqa: ANN401
    """Histograms of what people spend in two of three regions each."""
    near = {"spent": NEAR, "orders": NEAR, **terms.pop("more", {})}
    known = {"unit": TWO, "groups": REGION, "bounds": near, **terms}
    limits: dict[str, Any] = {"limits": (0.5, 8.0), **(wish or {})}
    return plan_bounds(study_of(**known), budget=Budget(1), **limits)


COUNTED = {**FIRST, **MOST}
BARE: dict[str, Any] = {"bounds": {}, "groups": None}
ROWS, PEOPLE = made(unit=PrivacyUnit(), **BARE), made()
WEIGHTED = made(weight="weight", more={"weight": Bounds(0, 4)})
LESS, GROUPS = made(minus="back", more={"back": NEAR}), made(COUNTED)
BINS, BINNED = grid_plan(cells=16), grid_plan(cells=16, unit=TWO)
PLANS: dict[str, HistogramPlan] = {
    "rows": ROWS,
    "rows that change": made(unit=PrivacyUnit(**CHANGED), **BARE),
    "totals": PEOPLE,
    "totals of who changes": made(unit=replace(TWO, **CHANGED)),
    "totals of the table": made(unit=PrivacyUnit("user"), groups=None),
    "totals in bins": made(groups=ScoreBins("score", 4), more={"score": UNIT}),
    "totals in listed groups": made(groups=LISTED),
    "weighted totals": WEIGHTED,
    "differences": LESS,
    "groups": GROUPS,
    "groups of who changes": made(COUNTED, unit=replace(TWO, **CHANGED)),
    "bins of rows": BINS,
    "bins of people": BINNED,
}


def edit(plan: HistogramPlan, at: int = 0, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Change one histogram of a plan by hand."""
    histograms = list(plan.measurements)
    histograms[at] = replace(histograms[at], **changes)
    return replace(plan, measurements=tuple(histograms))


def bound(plan: HistogramPlan, **bounds: Any) -> HistogramPlan:  # noqa: ANN401
    """Change bounds of a plan, or leave them out: those that are None."""
    changed = {**plan.bounds, **bounds}
    return replace(plan, bounds={key: it for key, it in changed.items() if it})


def protect(plan: HistogramPlan, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Change the unit of a plan."""
    return replace(plan, unit=replace(plan.unit, **changes))


def twice(plan: HistogramPlan, **changes: Any) -> HistogramPlan:  # noqa: ANN401
    """Count the first total a second time, at half of the budget each."""
    first = plan.measurements[0]
    column = str(first.column)
    plan = protect(plan, totals={column: plan.unit.totals[column]})
    letters = first.letters(plan.unit).values()
    first = replace(first, name=f"{column} by region")
    again = replace(first, **changes)
    bounds = {name: plan.bounds[name] for name in letters}
    return replace(plan, bounds=bounds, measurements=(first, again))


def binned(bins: Any, **bounds: Any) -> HistogramPlan:  # noqa: ANN401
    """Count totals within bins of an age."""
    groups = Groups.cross(ScoreBins("age", bins))
    return bound(edit(PEOPLE, within=groups), **{"age": AGED, **bounds})


def several(plan: HistogramPlan, *histograms: Any) -> HistogramPlan:  # noqa: ANN401
    return replace(plan, measurements=histograms)


def grid(*edges: float) -> HistogramPlan:
    return edit(BINS, cells=ScoreBins("score", edges))


TOTALS, COARSE = PEOPLE.unit.totals, Ladder(-1, 3, steps=1)
EVEN = ScoreBins("score", 16).within(BINS.bounds["score"]).edges
(OF_ROWS, _), (_, OF_GROUPS) = ROWS.measurements, GROUPS.measurements
ALL: dict[str, Any] = {"within": None, "name": "spent"}
ONE, DECLARED = "must be some histograms", "must be groups that are declared"
TERMS, NAMED = "names, cells and bounds of their terms", "differ in name"
KNOWN_COLUMN, SCALE = "column of its ratio", "is too small or too large"
IDS, BOUNDS, NEEDED = "ids cannot be", "bounds must map column names", "needs bounds"
FAR_ROW, LITTLE = "times its outer limit", "too small for the budget"
SCALES = (0.0, 2.0**-11, 2.0**51, math.nan, 2, Fraction(2), True, np.float64(4))
WITH_GUESS = Ratio("spent", per="orders", guess=2)

REFUSED: list[tuple[Callable[[], HistogramPlan], str]] = [
    (lambda: replace(ROWS, title=1), "title"),  # type: ignore[arg-type]
    (lambda: replace(ROWS, unit=1), "unit must be"),  # type: ignore[arg-type]
    (lambda: replace(ROWS, budget=1), "epsilon alone"),  # type: ignore[arg-type]
    (lambda: replace(ROWS, budget=Budget(1, "1e-6")), "epsilon alone"),
    (lambda: several(ROWS), ONE),
    (lambda: several(ROWS, 1), ONE),
    (lambda: replace(ROWS, measurements=[*ROWS.measurements]), ONE),  # type: ignore[arg-type]
    (lambda: replace(ROWS, bounds=None), BOUNDS),  # type: ignore[arg-type]
    (lambda: replace(ROWS, bounds=["spent"]), BOUNDS),  # type: ignore[arg-type]
    (lambda: bound(ROWS, spent=(-1.0, 1.0)), BOUNDS),
    # Each part is what it is read as.
    (lambda: edit(PEOPLE, ratio="spent"), "must be a Ratio"),
    (lambda: edit(PEOPLE, ratio=WITH_GUESS), TERMS),
    (lambda: edit(ROWS, cells=None), "a ladder or bins"),
    (lambda: edit(ROWS, cells=REGION), "a ladder or bins"),
    (lambda: edit(ROWS, 1, cells=Keys("spent", ["a"])), "a ladder or bins"),
    (lambda: edit(PEOPLE, within=PRIVATE), DECLARED),
    # Names tell histograms apart, and say what is counted.
    (lambda: edit(twice(WEIGHTED), 1, ratio=SPENT, name="spent"), TERMS),
    (lambda: edit(ROWS, name="a\x1b[1m"), TERMS),
    (lambda: twice(PEOPLE), NAMED),
    (lambda: edit(ROWS, name="spent by region"), TERMS),
    (lambda: edit(PEOPLE, name="spent by region"), TERMS),
    (lambda: edit(PEOPLE, name="spent weighted by weight"), TERMS),
    (lambda: edit(GROUPS, 1, name="orders per user"), TERMS),
    (lambda: edit(BINS, name="age"), TERMS),
    (lambda: edit(ROWS, column="paid", name="paid"), KNOWN_COLUMN),
    (lambda: edit(PEOPLE, column="paid", name="paid"), KNOWN_COLUMN),
    (lambda: edit(LESS, column="spent", name="spent"), KNOWN_COLUMN),
    (lambda: edit(GROUPS, 1, column="groups per user"), KNOWN_COLUMN),
    (lambda: several(protect(ROWS), OF_GROUPS), KNOWN_COLUMN),
    (lambda: bound(edit(BINS, column="age", name="age"), age=UNIT), TERMS),
    # Where it is counted.
    (lambda: edit(ROWS, within=REGION), TERMS),
    (lambda: edit(BINNED, within=REGION), TERMS),
    (lambda: edit(BINNED, column=None), TERMS),
    (lambda: edit(GROUPS, 1, within=None), KNOWN_COLUMN),
    (lambda: edit(GROUPS, 1, cells=Ladder(0, 2)), TERMS),
    (lambda: edit(GROUPS, 1, cells=Ladder(0, 9, steps=1)), TERMS),
    (lambda: edit(ROWS, cells=Ladder(-1, 4)), TERMS),
    (lambda: edit(edit(ROWS, cells=COARSE), 1, cells=COARSE), TERMS),
    (lambda: several(BINS, *BINS.measurements, OF_ROWS), NAMED),
    (lambda: bound(several(ROWS, OF_ROWS, *BINS.measurements), score=UNIT), TERMS),
    # Cells are equal, from end to end of the bounds: others would come back as found.
    (lambda: grid(EVEN[0], 0.11, *EVEN[2:]), TERMS),
    (lambda: grid(*EVEN[:-1]), "16 to 1,000 cells"),
    (lambda: grid(0.0, *EVEN[1:]), TERMS),
    (lambda: edit(BINS, cells=ScoreBins("score", 16)), "16 to 1,000 cells"),
    # Noise.
    *((lambda odd=odd: edit(ROWS, scale=odd), SCALE) for odd in SCALES),
    (lambda: edit(ROWS, scale=1.0), LITTLE),
    (lambda: edit(ROWS, scale=math.nextafter(2.0, 0)), LITTLE),
    (lambda: protect(PEOPLE, most_groups=3), LITTLE),
    (lambda: protect(PEOPLE, **CHANGED), LITTLE),
    (lambda: protect(GROUPS, **CHANGED), LITTLE),
    (lambda: replace(ROWS, budget=Budget("0.99")), LITTLE),
    # Ids are read as ids alone.
    (lambda: edit(PEOPLE, ratio=replace(SPENT, weight="user")), IDS),
    (lambda: edit(PEOPLE, ratio=Ratio("spent", per="user")), IDS),
    (lambda: edit(PEOPLE, within=Groups("user", ["ann"])), IDS),
    (lambda: protect(BINNED, column="score"), IDS),
    (lambda: protect(edit(BINNED, ratio=Ratio("a", per="b")), column="score"), IDS),
    # Bounds and totals are those that are needed, and no others.
    (lambda: bound(ROWS, spent=None), NEEDED),
    (lambda: bound(ROWS, paid=UNIT), TERMS),
    (lambda: bound(PEOPLE, spent=None), NEEDED),
    (lambda: bound(BINNED, score=None), NEEDED),
    (lambda: bound(binned(QUARTERS), age=None), NEEDED),
    (lambda: bound(ROWS, spent=UNIT), TERMS),
    (lambda: protect(PEOPLE, totals={"spent": TOTALS["spent"]}), TERMS),
    (lambda: protect(PEOPLE, totals=dict.fromkeys(TOTALS, UNIT)), TERMS),
    (lambda: protect(GROUPS, totals={**GROUPS.unit.totals, "n": UNIT}), TERMS),
    (lambda: edit(twice(PEOPLE, **ALL), 1, cells=Ladder(-1, 2)), TERMS),
    (lambda: binned(3), TERMS),
    (lambda: binned([-1, 40]), "within the bounds of 'age'"),
    # One row may not exceed what doubles hold of its total.
    (lambda: edit(PEOPLE, cells=Ladder(-38, 3)), r"a factor 2\^40"),
    (lambda: bound(PEOPLE, spent=Bounds(0, 25)), FAR_ROW),
    (lambda: bound(WEIGHTED, weight=Bounds(0, 8)), FAR_ROW),
    (lambda: bound(LESS, back=Bounds(0, 25)), FAR_ROW),
    (lambda: bound(LESS, back=Bounds(-25, 0)), FAR_ROW),
]


@pytest.mark.parametrize(("edited", "phrase"), REFUSED)
def test_an_edited_plan_is_refused(
    edited: Callable[[], HistogramPlan], phrase: str
) -> None:
    with pytest.raises(DpratioError, match=phrase):
        price(edited())


@pytest.mark.parametrize(
    "plan",
    [
        twice(PEOPLE, **ALL),
        binned(QUARTERS),
        bound(WEIGHTED, weight=Bounds(0, 6)),
        bound(LESS, back=Bounds(-20, 20)),
        protect(made(unit=replace(TWO, **CHANGED)), neighbours="add-or-remove-one"),
    ],
)
def test_what_might_have_been_planned_is_accepted(plan: HistogramPlan) -> None:
    assert price(plan).epsilon == 1


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_is_priced_and_read_back_as_it_was_written(plan: HistogramPlan) -> None:
    nothing, cost = Fraction(0), price(plan)
    assert cost == Cost(Fraction(1), nothing, cost.pure, nothing, nothing)
    assert sum(cost.pure) == 1
    noisy = edit(plan, scale=2 * plan.measurements[0].scale)
    assert price(noisy).pure == (cost.pure[0] / 2, *cost.pure[1:])
    read = PLAN.read(written(noisy.titled("May")), "$")
    assert (read, str(read)) == (noisy.titled("May"), str(noisy.titled("May")))


def written(plan: HistogramPlan) -> Any:  # noqa: ANN401
    return parse_json(canonical(PLAN.write(plan)).decode())


@pytest.mark.parametrize(
    ("changes", "phrase"),
    [
        ({"counts_groups": True}, "counts_groups"),
        ({"cells": {"lowest": 0, "highest": 2, "steps": 2}}, "1 or 4 cells"),
        ({"within": {"whole": True}}, "as dpratio writes it"),
        (
            {"within": {"column": "k", "find": {"epsilon": "1/9", "delta": "1/9"}}},
            r"measurements\[0\]\.within: .*groups that are declared",
        ),
        ({"ratio": {"numerator": "spent", "per": "n", "guess": 1}}, "field 'guess'"),
    ],
)
def test_a_document_that_was_edited_is_refused(
    changes: dict[str, Any], phrase: str
) -> None:
    document = written(ROWS)
    document["measurements"][0] |= changes
    with pytest.raises(DpratioError, match=phrase):
        PLAN.read(document, "$")


def test_a_plan_says_what_it_counts_and_how_often_each_counts() -> None:
    changed = study_of(unit=replace(TWO, **CHANGED), groups=REGION)
    rows, people = (plan_bounds(it, budget=TENTH) for it in (study_of(), changed))
    for plan, phrase in [
        (rows, "rows by spent, in 484 cells from 2^-20 to 2^40 on each side of 0"),
        (rows, "laplace; each moves the counts of every histogram by 1 in all"),
        (rows, "Cost: epsilon 0.1, delta 0."),
        (people, "each user by spent, in 324 cells"),
        (people, "in 3 declared groups of region"),
        (people, "by 4 in all"),
        (GROUPS, "each user by groups per user, in 8 cells"),
        (BINS, "rows by score, in 16 cells between its bounds"),
    ]:
        assert phrase in " ".join(str(plan).split())
    noise = {"cells": 484, "noise_sd": pytest.approx(20 * 2**0.5)}
    assert rows.to_dicts()[0] == {"histogram": "spent", **noise}


# --- One unit, counted ----------------------------------------------------------------


def some_rows(chance: random.Random, user: str, most: int) -> list[tuple[Any, ...]]:
    """What a person spent, and where: up to so many rows."""
    numbers = [0.0, 1.0, -3.0, 7.5, 2.0**41, -(2.0**41), math.nan, None]
    places = ["north", "south", "elsewhere", "nowhere"]
    scores, backs, orders = [-1.0, 0.1, 0.5, 0.9, math.inf], [0.0, 2.0], [1.0, 4.0, 9.0]
    columns: list[list[Any]] = [numbers, backs, orders, places, scores]
    count = chance.randint(0, most)
    return [(user, *(chance.choice(cells) for cells in columns)) for _ in range(count)]


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
    farthest = [0] * len(plan.measurements)
    for _ in range(100):
        others = [("bob", 1.0, 0.0, 1.0, "north", 0.2), *some_rows(chance, "cid", 3)]
        pair = [some_rows(chance, "ann", most), []]
        if changes:
            pair[1] = some_rows(chance, "ann", most)
        for index, before in enumerate(farthest):
            tables = [table_of(others + own) for own in pair]
            first, second = (exact(it, plan, "python", question=index) for it in tables)
            moved = np.abs(np.array(first) - np.array(second)).sum()
            farthest[index] = max(before, int(moved))
    paid = zip(price(plan).pure, plan.measurements, strict=True)
    assert farthest == [move * Fraction(item.scale) for move, item in paid]
