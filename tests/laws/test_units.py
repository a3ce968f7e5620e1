"""People with many rows: who is a unit decides whether intervals cover.

Every person has eight rows that resemble each other. A plan that takes a row for a
unit takes them for eight people; a plan with totals takes them for one.
"""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow

pytestmark = pytest.mark.usefixtures("fixed_noise")

ROWS = 8
PERSONS = 400
REPETITIONS = 2_000
TRUTH = 1.25
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds(0, 1)}
TOTALS = {"score": dpr.Bounds(0, ROWS), "label": dpr.Bounds(0, ROWS)}


def rows_of_people(
    rng: np.random.Generator, repetitions: int, rows: int
) -> dpr.simulation.People:
    """Rows that resemble their person's others: mean score 0.5, mean label 0.4."""
    shape = (repetitions, rows // ROWS, ROWS)
    persons = rng.random((*shape[:2], 1))
    score = 0.9 * persons + 0.1 * rng.random(shape)
    likely = rng.choice([0.1, 0.7], size=(*shape[:2], 1))
    label = (rng.random(shape) < likely).astype(float)
    whole = (repetitions, rows)
    return dpr.simulation.People(score.reshape(whole), label.reshape(whole))


def totals_of_people(
    rng: np.random.Generator, repetitions: int, persons: int
) -> dpr.simulation.People:
    """The same people, their rows added up."""
    rows = rows_of_people(rng, repetitions, persons * ROWS)
    shape = (repetitions, persons, ROWS)
    score, label = (
        each.reshape(shape).sum(axis=2) for each in (rows.score, rows.label)
    )
    return dpr.simulation.People(score, label)


def plan_of(unit: dpr.PrivacyUnit | None = None, **options: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"budget": dpr.Budget(2), **options}
    ratio = dpr.Ratio("score", per="label", guess=1.25)
    return dpr.make_plan(ratio, bounds=BOUNDS, unit=unit, **given)


def users(**options: Any) -> dpr.PrivacyUnit:  # noqa: ANN401
    return dpr.PrivacyUnit("user", totals=TOTALS, **options)


@cache
def measured(level: str, mechanism: str = "laplace") -> CoverageRow:
    by_row = level == "row"
    budget = dpr.Budget(2, 0 if mechanism == "laplace" else 1e-6)
    (row,) = dpr.simulation.measure_coverage(
        rows_of_people if by_row else totals_of_people,
        plan_of(None if by_row else users(), budget=budget, mechanism=mechanism),
        n=PERSONS * ROWS if by_row else PERSONS,
        truth=TRUTH,
        repetitions=REPETITIONS,
        rng=11,
    ).rows
    return row


FIVE_SIGMA = 5 * math.sqrt(0.95 * 0.05 / REPETITIONS)


def test_intervals_that_take_rows_for_people_cover_too_little() -> None:
    assert measured("row").judged.coverage < 0.8


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_intervals_of_totals_of_people_cover(mechanism: str) -> None:
    held = measured("person", mechanism).judged.coverage
    assert held == pytest.approx(0.95, abs=FIVE_SIGMA)


def test_people_are_worth_fewer_answers_than_their_rows_seem_to_be() -> None:
    row, person = (measured(level).judged.width.median for level in ("row", "person"))
    assert person > 1.3 * row


@cache
def table() -> dict[str, list[Any]]:
    """One table of 300 people with rows in any order, some without an id."""
    rng = np.random.default_rng(4)
    people = rows_of_people(rng, 1, 300 * ROWS)
    order = rng.permutation(300 * ROWS)
    ids = np.repeat(np.arange(300), ROWS)
    named: list[int | None] = ids[order].tolist()
    return {
        "score": people.score[0][order].tolist() + [1.0] * 50,
        "label": people.label[0][order].tolist() + [0.0] * 50,
        "user": named + [None] * 50,
        "season": (["summer", "winter"] * (150 * ROWS + 25)),
    }


@pytest.mark.parametrize("engine", ["lists", "duckdb"])
def test_a_release_of_people_has_the_variance_of_clusters(engine: str) -> None:
    """Σ(a − rb)²/(Σb)² over people, from totals that are added up here by hand."""
    given = table()
    totals = np.zeros((300, 2))
    columns = [given[name] for name in ("score", "label", "user")]
    for score, label, user in zip(*columns, strict=True):
        if user is not None:
            totals[user] += (score, label)
    a, b = totals.T
    ratio = a.sum() / b.sum()
    clustered = math.sqrt(((a - ratio * b) ** 2).sum()) / b.sum()
    sure = dpr.Budget(10**6)
    source: object = given
    if engine == "duckdb":
        import pandas as pd

        source = pd.DataFrame(given | {"user": pd.array(given["user"], dtype="Int64")})
    release = dpr.release_sums(source, plan_of(users(), budget=sure), ledger=None)
    found = dpr.estimate_ratios(release)
    assert found.ratio[0] == pytest.approx(ratio, rel=1e-3)
    assert found.se_sampling[0] == pytest.approx(clustered, rel=1e-2)
    assert found.se_privacy[0] < 0.01 * clustered
    by_row = dpr.estimate_ratios(
        dpr.release_sums(source, plan_of(budget=sure), ledger=None)
    )
    assert by_row.se_sampling[0] < 0.8 * clustered


def test_cells_that_share_people_are_not_rolled_up() -> None:
    """Squares of what a person has in each cell are no squares of the person's."""
    groups = dpr.Groups("season", ["summer", "winter"])
    plan = plan_of(users(most_groups=2), groups=groups)
    release = dpr.release_sums(table(), plan, ledger=None)
    assert len(dpr.estimate_ratios(release)) == 2
    with pytest.raises(InvalidInput, match="cells that share units cannot be rolled"):
        dpr.roll_up(release)


def test_people_of_two_sites_are_merged_only_with_a_promise() -> None:
    """Whether somebody is in both, releases cannot know."""
    plan = plan_of(users(), budget=dpr.Budget(5 * 10**5))
    given = table()
    ids = given["user"]

    def site(*, first: bool) -> dpr.Release:
        chosen = [
            at
            for at, user in enumerate(ids)
            if user is not None and (user < 150) is first
        ]
        part = {name: [column[at] for at in chosen] for name, column in given.items()}
        return dpr.release_sums(part, plan, ledger=None)

    sites = [site(first=True), site(first=False)]
    with pytest.raises(InvalidInput, match="Say units_are_disjoint=True"):
        dpr.merge(sites)
    merged = dpr.estimate_ratios(dpr.merge(sites, units_are_disjoint=True))
    whole = dpr.estimate_ratios(dpr.release_sums(given, plan, ledger=None))
    assert merged.ratio[0] == pytest.approx(whole.ratio[0], rel=1e-3)
    assert merged.se_sampling[0] == pytest.approx(whole.se_sampling[0], rel=1e-2)
