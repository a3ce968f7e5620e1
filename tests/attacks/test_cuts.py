"""Rows 14, 16, 18 and 20: the count of those whom bounds cut is one more sum."""

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.people_for_tests import REGIONS, allowed, moved_by, people
from curator.tables_for_tests import ROW, plan_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import PlanRefused
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from edited_plans import with_terms

BOUNDS = (Bounds(-1, 2), Bounds(0, 1), Bounds(0.5, 3))
LAWS = ("laplace", "analytic_gaussian")
VECTORS = [*itertools.product(("even", "joint", "focused"), LAWS)]
OTHERS = [(0.5, 1.0, 1.0, region, f"person {at}") for at in (1, 2) for region in "ab"]


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    names = ("score", "label", "weight", "region", "id")
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})


def counting(strategy: str, mechanism: str) -> Plan:
    return plan_of(*BOUNDS, strategy=strategy, mechanism=mechanism, clipping="measured")


def less_noise(plan: Plan, part: float) -> Plan:
    """Give the count of cuts a part of its noise."""
    (question,) = plan.measurements
    *sums, count = question.sums
    less = replace(count, scale=count.scale * part)
    return plan.measuring([replace(question, sums=(*sums, less))])


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_with_a_thousand_cut_rows_is_counted_once(engine: str) -> None:
    """However many rows are cut, and however far, a person is 1 in two groups.

    Source: found by thinking of a count of cut rows in place of one of cut people,
    2026; Wilson et al. (2020). More: tests/curator/test_cuts.py
    """
    plan = people(most_groups=2, clipping="measured")
    far = [
        ((-1) ** at * 10.0 ** (at % 300), 9.0, 7.0, REGIONS[at % 4], "ann")
        for at in range(1_000)
    ]
    less = sums_by(engine, table_of(OTHERS), plan)
    more = sums_by(engine, table_of([*OTHERS, *far]), plan)
    moved = [one[-1] - other[-1] for one, other in zip(more, less, strict=True)]
    assert sorted(moved) == [0, 0, ROW, ROW]


@pytest.mark.parametrize("engine", ENGINES)
def test_16_a_natural_bound_clips_what_was_promised_not_to_be_there(
    engine: str,
) -> None:
    """Privacy does not rest on the promise: a value outside is clipped and not counted.

    Source: found by thinking of a bound that is taken at its word, 2026.
    """
    score, label = (replace(each, natural=True) for each in BOUNDS[:2])
    plan = plan_of(score, label, BOUNDS[2], clipping="measured")
    at_bound, beyond = (
        sums_by(engine, table_of([(score, 1.0, 1.0, "a", "x")]), plan)
        for score in (2.0, 1e300)
    )
    assert at_bound == beyond
    assert at_bound[0][-1] == 0


def test_18_a_person_who_is_cut_in_three_groups_is_paid_for_three_times() -> None:
    """The noise that one group needs is refused where a person may be cut in three.

    Source: McSherry (2009), Privacy integrated queries, on parallel composition.
    """
    plan = people(strategy="joint", most_groups=3, clipping="measured")
    price(plan)
    with pytest.raises(PlanRefused, match="too small"):
        price(less_noise(plan, 1 / 3))


@pytest.mark.parametrize(("strategy", "mechanism"), VECTORS)
def test_20_a_row_that_is_cut_moves_all_sums_within_the_price(
    strategy: str, mechanism: str
) -> None:
    """Rows far beyond every corner cost no more than the budget, the count included.

    Source: Casacuberta, Shoemate, Vadhan & Wagaman (2022), on sums whose sensitivities
    were proven one by one.
    """
    plan = counting(strategy, mechanism)
    ends = [(each.lower - 9, each.upper + 9) for each in BOUNDS]
    rows = [(*each, "a", "x") for each in itertools.product(*ends)]
    none = sums_by("python", table_of([(None, 1.0, 1.0, "a", "x")]), plan)
    dearest = max(
        moved_by(plan, sums_by("python", table_of([row]), plan), none) for row in rows
    )
    assert dearest <= allowed(plan)
    if mechanism == "laplace":
        assert dearest <= plan.epsilon
        # It is not dearer than it must be, either.
        assert dearest >= Fraction(99, 100) * plan.epsilon
    price(plan)


@pytest.mark.parametrize(("strategy", "mechanism"), VECTORS)
def test_20_a_count_with_less_noise_than_its_price_is_refused(
    strategy: str, mechanism: str
) -> None:
    """A plan that was edited by hand cannot buy the count for less, or for nothing.

    Source: found by editing plans by hand, as an analyst may, 2026.
    """
    plan = counting(strategy, mechanism)
    table = {"score": [5.0], "label": [1.0], "weight": [1.0]}
    for part in (0.5, 1 - 1e-6):
        with pytest.raises(PlanRefused, match="too small"):
            release_sums(table, less_noise(plan, part), ledger=None)
    (question,) = plan.measurements
    *sums, count = question.sums
    for edited in (
        replace(question, sums=(*sums, replace(count, sensitivity=0))),
        replace(question, sums=(*sums, replace(count, step=1.0))),
        replace(question, sums=tuple(sums)),
    ):
        with pytest.raises(PlanRefused):
            price(plan.measuring([edited]))
    with pytest.raises(PlanRefused):
        price(with_terms(plan, clipping="unmeasured"))
