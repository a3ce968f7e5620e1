"""Rows 14, 15 and 18: people with many rows, in many groups."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.people_for_tests import REGIONS, TOTALS, moved_by, people
from curator.tables_for_tests import plan_of
from dpratio.curator import measure, statements
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.plan import Plan
from dpratio.release.combine import merge, roll_up
from dpratio.release.files import release_to_bytes
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms

MANY = 10_000
NAMES = ("score", "label", "weight", "region", "id")


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(NAMES)})


OTHERS = [
    (0.5, 1.0, 1.0, region, f"person {at}") for at in range(3) for region in REGIONS
]


def ann(many: int, regions: list[str] = REGIONS) -> list[tuple[Any, ...]]:
    """Rows of one person, each at its bounds."""
    return [(1.0, 1.0, 2.0, regions[at % len(regions)], "ann") for at in range(many)]


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_with_ten_thousand_rows_moves_no_more_than_the_cap(
    engine: str,
) -> None:
    """However many rows a person has, two groups move, and each by clipped totals.

    Source: Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020),
    Differentially private SQL with bounded user contribution; OpenMined/PipelineDP
    issue 551. More: tests/curator/test_units_price.py
    """
    plan = people(most_groups=2)
    less = sums_by(engine, table_of(OTHERS), plan)
    more = sums_by(engine, table_of([*OTHERS, *ann(MANY)]), plan)
    moved = [
        [abs(one - other) for one, other in zip(*pair, strict=True)]
        for pair in zip(more, less, strict=True)
    ]
    assert sum(any(row) for row in moved) == 2
    for row in moved:
        for cells, measured in zip(row, plan.measurements[0].sums, strict=True):
            assert cells <= measured.sensitivity
    assert 0 < moved_by(plan, more, less) <= plan.epsilon


def test_54_nobody_can_foresee_which_groups_of_a_person_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The key of the ranks is drawn for each release, and stands nowhere.

    Source: our own review, 2026; a public key said before a release whose rows count.
    More: tests/curator/test_units.py
    """
    keys: list[str] = []
    seen = statements.readings_of

    def noted(plan: Plan, groups: Any, key: str) -> Any:  # noqa: ANN401
        keys.append(key)
        return seen(plan, groups, key)

    monkeypatch.setattr(measure, "readings_of", noted)
    table = table_of(OTHERS)
    releases = [release_sums(table, people(), ledger=None) for _ in range(3)]
    assert len(set(keys)) == 3  # One for all that a release asks.
    assert min(map(len, keys)) == 32
    for release in releases:
        assert not any(key in release_to_bytes(release).decode() for key in keys)


def three_levels() -> Plan:
    """Regions, halves of the country, and the whole, of the same people at once."""
    halves = Groups("half", ["left", "right"])
    return plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(0, 2),
        unit=PrivacyUnit("id", totals=TOTALS, most_groups=2),
        groups=[Groups("region", REGIONS), halves, None],
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_15_a_coarser_level_is_capped_anew(engine: str) -> None:
    """Each level of a plan caps people by itself, and all levels are paid for.

    Source: opendp/opendp issue 2949, redefining a column doesn't reset known truncation
    bounds. More: tests/curator/test_units.py
    """
    plan = three_levels()
    price = Fraction(0)
    for at, question in enumerate(plan.measurements):
        sums = []
        for rows in ([*OTHERS, *ann(400)], OTHERS):
            half = ["left" if row[3] in "ab" else "right" for row in rows]
            table = table_of(rows).append_column("half", pa.array(half))
            sums.append(sums_by(engine, table, plan, question=at))
        moved = np.abs(np.array(sums[0]) - np.array(sums[1]))
        assert np.all(moved <= [each.sensitivity for each in question.sums])
        assert np.count_nonzero(moved.any(axis=1)) == (1 if at == 2 else 2)
        only = plan.measuring([question])
        price += moved_by(only, *sums)
    assert 0 < price <= plan.epsilon


def released(plan: Plan, rows: list[tuple[Any, ...]]) -> Any:  # noqa: ANN401
    return release_sums(table_of(rows), plan, ledger=None)


def test_15_groups_that_share_people_are_not_added_up_later() -> None:
    """Cells in which a person counts twice are not rolled up; others are.

    Source: opendp/opendp issue 2949, redefining a column doesn't reset known truncation
    bounds. More: tests/release/test_roll_up.py
    """
    shared, apart = people(most_groups=2), people(most_groups=1)
    into: Any = {"a": "left", "b": "left", "c": "right", "d": "right"}
    for to, coarser in ([], None), (["region"], {"region": into}):
        with pytest.raises(InvalidInput, match="cells that share units cannot be"):
            roll_up(released(shared, OTHERS), to, into=coarser)
    release = released(apart, OTHERS)
    whole = roll_up(release)
    assert np.array_equal(
        whole.questions[0].values,
        release.questions[0].values.sum(axis=0, keepdims=True),
    )


def test_15_releases_that_may_share_people_are_not_merged() -> None:
    """Releases about people are merged on a promise, and never one with itself.

    Source: opendp/opendp issue 2949, redefining a column doesn't reset known truncation
    bounds. More: tests/release/test_merge.py
    """
    plan = people(most_groups=1)
    first, second = released(plan, OTHERS), released(plan, ann(9))
    with pytest.raises(InvalidInput, match="no row and no person is in two"):
        merge([first, second])
    both = merge([first, second], units_are_disjoint=True)
    one, two = (each.questions[0].values for each in (first, second))
    assert np.array_equal(both.questions[0].values, one + two)
    for again in ([first, first], [both, second]):
        with pytest.raises(InvalidInput, match="must not share a source"):
            merge(again, units_are_disjoint=True)


def require_paid_for(plan: Plan, moved: Fraction) -> None:
    """The dearest person is within the budget, and uses more than a quarter of it.

    Of Gaussian noise squares of moves were added up.
    """
    spent = {"epsilon": plan.epsilon, "delta": plan.delta}
    ratio = plan.law.root(moved)
    assert plan.law.affords(ratio, **spent)
    assert not plan.law.affords(4 * ratio, **spent)


LAWS = [
    ("even", "laplace"),
    ("joint", "laplace"),
    ("focused", "laplace"),
    ("joint", "analytic_gaussian"),
    ("focused", "analytic_gaussian"),
]


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_18_a_person_in_four_groups_is_charged_for_four(
    strategy: str, mechanism: str
) -> None:
    """A person in k groups needs k times the Laplace noise, √k times the Gaussian.

    Source: Houssiau, Rocher & de Montjoye (2022), On the difficulty of achieving
    differential privacy in practice: user-level guarantees in aggregate location data.
    More: tests/plan/sensitivity/test_neighbours.py
    """
    terms: dict[str, Any] = {"strategy": strategy}
    if strategy != "even":
        terms["mechanism"] = mechanism
    plan, once = people(most_groups=4, **terms), people(most_groups=1, **terms)
    factor = 4 if mechanism == "laplace" else 2
    if strategy != "focused":  # Which shares its budget anew.
        scales = zip(
            plan.measurements[0].scales, once.measurements[0].scales, strict=True
        )
        for scale, other in scales:
            assert factor * (1 - 1e-9) <= scale / other <= factor * (1 + 1e-5)
    less = sums_by("python", table_of(OTHERS), plan)
    dearest = Fraction(0)
    for score, label in ((9, 9), (-9, 9), (9, 0), (-9, 0)):
        rows = [(score, label, 2.0, region, "ann") for region in REGIONS * 3]
        more = sums_by("python", table_of([*OTHERS, *rows]), plan)
        dearest = max(dearest, moved_by(plan, more, less))
    require_paid_for(plan, dearest)
    too_many = with_terms(once, unit=replace(once.unit, most_groups=4))
    with pytest.raises(PlanRefused, match="too small"):
        release_sums("no/such/file.parquet", too_many, ledger=None)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_18_partitions_that_overlap_share_one_budget(mechanism: str) -> None:
    """A person lies in every partition of a plan: all of them are paid for together.

    Source: Houssiau, Rocher & de Montjoye (2022), On the difficulty of achieving
    differential privacy in practice: user-level guarantees in aggregate location data.
    More: tests/plan/test_price_parts.py
    """
    partitions = [None, Groups("region", REGIONS), Groups("id", ["ann", "bob"])]
    plan = plan_of(
        Bounds(-1, 1), groups=partitions, strategy="joint", mechanism=mechanism
    )
    dearest = Fraction(0)
    for score, label in ((-1, 1), (1, 1), (-1, 0), (1, 0)):
        tables = table_of([(score, label, 1.0, "a", "ann")]), table_of([])
        price = Fraction(0)
        for at, question in enumerate(plan.measurements):
            sums = [sums_by("python", each, plan, question=at) for each in tables]
            price += moved_by(plan.measuring([question]), *sums)
        dearest = max(dearest, price)
    require_paid_for(plan, dearest)
