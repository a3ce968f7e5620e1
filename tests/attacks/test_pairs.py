"""Rows 14 to 22 where products across pairs of groups are released beside the sums."""

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from attacks.engines_for_attacks import ENGINES, given_to
from curator.pairs_for_tests import (
    MONTHS,
    exact_of,
    moved,
    paid,
    pairs_plan,
    table_of,
)
from dpratio.curator import measure
from dpratio.curator.release_sums import release_sums
from dpratio.errors import PlanRefused
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.plan.price import price
from dpratio.plan.sensitivity.cross_products import PlannedPairs
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

EVERY = tuple(itertools.combinations(MONTHS, 2))
LAWS = [
    (strategy, mechanism)
    for strategy in ("focused", "joint")
    for mechanism in ("laplace", "analytic_gaussian")
]
Rows = list[tuple[str, str, float, float]]

OTHERS: Rows = [
    (f"person {at}", month, 3.0, 2.0) for at in range(5) for month in MONTHS[: at + 1]
]


def sums_of(engine: str, rows: Rows, plan: Plan) -> Any:  # noqa: ANN401
    return exact_of(given_to(engine, table_of(rows)), plan, engine)


def person(values: list[tuple[float, float]], name: str = "ann") -> Rows:
    """One person with these totals in the months from the first on."""
    return [(name, month, *each) for month, each in zip(MONTHS, values, strict=False)]


def extreme(rng: np.random.Generator) -> Rows:
    """Someone at ends of the bounds, or within, in some of the months."""
    values = [
        (
            float(rng.choice([-4, 10, rng.uniform(-4, 10)])),
            float(rng.choice([0, 5, rng.uniform(0, 5)])),
        )
        for _ in MONTHS
    ]
    return [row for row in person(values) if rng.random() < 0.8]


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_moves_no_more_pairs_than_its_groups_hold(engine: str) -> None:
    """Ten thousand rows in every month: three groups are kept, and three pairs move.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(EVERY, most_groups=3)
    rows = [("ann", MONTHS[at % 4], 10.0, 5.0) for at in range(10_000)]
    (question,) = plan.questions
    assert question.pairs is not None
    before, after = (sums_of(engine, each, plan) for each in (OTHERS, OTHERS + rows))
    apart = np.abs(np.array(after[1]) - np.array(before[1]))
    assert sum(apart.any(axis=1)) == 3
    assert (apart <= [each.sensitivity for each in question.pairs.sums]).all()
    assert moved(plan, after, before) <= price(plan).epsilon


@pytest.mark.parametrize("engine", ENGINES)
def test_14_nobody_is_multiplied_with_somebody_else(engine: str) -> None:
    """A person in one month is in no pair, however many are in the others.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(EVERY, most_groups=3)
    alone: Rows = [("ann", "jan", 10.0, 0.0), ("ben", "feb", 10.0, 0.0)]
    before, after = (sums_of(engine, each, plan) for each in (OTHERS, OTHERS + alone))
    assert before[1] == after[1]
    assert before[0] != after[0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_17_no_neighbours_lie_further_apart_than_was_paid(
    strategy: str, mechanism: str, neighbours: str, engine: str
) -> None:
    """Whoever comes, goes or is changed, with noise off.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(
        EVERY, strategy=strategy, mechanism=mechanism, neighbours=neighbours
    )
    price(plan)
    allowed = paid(plan, pairs_moved=3)
    rng = np.random.default_rng(7)
    before = sums_of(engine, OTHERS, plan)
    for _ in range(6):
        after = sums_of(engine, OTHERS + extreme(rng), plan)
        assert moved(plan, after, before) <= allowed
        if neighbours == "change-one":
            before = after


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_18_someone_costs_the_whole_price(
    strategy: str, mechanism: str, engine: str
) -> None:
    """At the end of the bounds in as many groups as count, all but rounding is moved.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(EVERY, strategy=strategy, mechanism=mechanism)
    allowed = paid(plan, pairs_moved=3)
    corners = [(s, y) for s in (-4.0, 10.0) for y in (0.0, 5.0)]
    before = sums_of(engine, OTHERS, plan)
    dearest = max(
        moved(plan, sums_of(engine, OTHERS + person([each] * 3), plan), before)
        for each in corners
    )
    assert dearest <= allowed
    # Of z and h with Gaussian noise, sums and products are dearest at different ends.
    sharp = 0.98 if (strategy, mechanism) == LAWS[1] else 0.999
    assert float(dearest) >= sharp * float(allowed)
    if mechanism == "laplace":
        assert float(dearest) >= 0.999 * float(plan.epsilon)


@pytest.mark.parametrize("engine", ENGINES)
def test_17_a_changed_person_leaves_its_pairs_and_enters_others(engine: str) -> None:
    """With two groups of four, one pair is left and another entered.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    terms: dict[str, Any] = {"most_groups": 2, "neighbours": "change-one"}
    pairs = [("jan", "feb"), ("mar", "apr")]
    plan = pairs_plan(pairs, strategy="joint", **terms)
    price(plan)
    rows = person([(10.0, 5.0)] * 4)
    one, other = (sums_of(engine, OTHERS + each, plan) for each in (rows[:2], rows[2:]))
    assert float(moved(plan, one, other)) >= 0.999
    assert moved(plan, one, other) <= plan.epsilon


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_18_pairs_are_priced_each_by_each(strategy: str, mechanism: str) -> None:
    """Noise that pays for one pair does not pay for all pairs of three groups.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan([("jan", "feb")], strategy=strategy, mechanism=mechanism)
    (question,) = plan.questions
    assert question.pairs is not None
    for places in (((0, 1), (1, 2)), ((0, 1), (1, 2), (0, 2))):
        pairs = replace(question.pairs, places=places)
        more = replace(plan, questions=(replace(question, pairs=pairs),))
        with pytest.raises(PlanRefused, match="too small"):
            price(more)


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_18_the_parts_of_a_price_hold_the_products(
    strategy: str, mechanism: str
) -> None:
    """What a ledger adds up in concentrated privacy counts the pairs as well.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(EVERY, strategy=strategy, mechanism=mechanism, most_groups=4)
    cost = price(plan)
    if mechanism == "laplace":
        assert sum(cost.pure) >= Fraction(999, 1000)
    else:
        assert float(cost.gaussian) >= 0.999 * float(paid(plan, pairs_moved=6))


def test_20_a_product_is_no_square_of_one_group() -> None:
    """z of one group against h of the other: no single row is extreme in both.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan(
        [("jan", "feb")],
        most_groups=2,
        ratio=Ratio("spent", per="visits", guess=2.0),
    )
    (question,) = plan.questions
    assert question.pairs is not None
    mixed = question.pairs.sums[1]
    corners = [(s, y) for s in (-4.0, 10.0) for y in (0.0, 5.0)]
    before = sums_of("python", OTHERS, plan)[1][0]
    largest = max(
        abs(sums_of("python", OTHERS + person([one, other]), plan)[1][0][1] - before[1])
        for one, other in itertools.product(corners, repeat=2)
    )
    assert largest <= mixed.sensitivity
    assert largest >= mixed.sensitivity - 2


def test_22_products_leave_with_noise_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every product has a draw of its scale.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    drawn: list[tuple[float, ...]] = []

    def noise(_law: str, asked: Any, cells: int, _bits: object) -> Any:  # noqa: ANN401
        drawn.append((cells, *asked.scales))
        return np.full((cells, len(asked.scales)), 10**9, dtype=np.int64)

    monkeypatch.setattr(measure, "draw_noise", noise)
    plan = pairs_plan(EVERY)
    (question,) = plan.questions
    assert question.pairs is not None
    release = release_sums(table_of(OTHERS), plan, ledger=None)
    assert drawn == [(4, *question.scales), (6, *question.pairs.scales)]
    products = release.questions[0].products
    _, exact = sums_of("duckdb", OTHERS, plan)
    assert products is not None
    assert (products == np.array(exact) + 10**9).all()


def test_22_histograms_and_repeated_pairs_have_no_price() -> None:
    """Pairs where nothing charges for them, or twice where one was charged.

    Source: found by thinking of it as an attacker would, when pairs of groups were
    released, 2026.
    """
    plan = pairs_plan([("jan", "feb")])
    (question,) = plan.questions
    assert question.pairs is not None
    study = Study(
        Ratio("spent", per="visits"),
        bounds=plan.bounds,
        unit=replace(plan.unit, totals={"visits": plan.unit.totals["visits"]}),
        budget=Budget(1),
    )
    counts = plan_bounds(study, budget=Budget("0.1"))
    asked = tuple(replace(each, pairs=question.pairs) for each in counts.questions)
    with pytest.raises(PlanRefused, match="histograms have no pairs"):
        price(replace(counts, questions=asked))
    twice = PlannedPairs(((0, 1), (0, 1)), question.pairs.sums)
    with pytest.raises(PlanRefused, match="named once"):
        price(replace(plan, questions=(replace(question, pairs=twice),)))
    even = replace(plan, strategy="even")
    with pytest.raises(PlanRefused):
        price(even)
    staged = pairs_plan((), stage=0.2)
    (first,) = staged.questions
    with pytest.raises(PlanRefused, match="two stages"):
        price(replace(staged, questions=(replace(first, pairs=question.pairs),)))
