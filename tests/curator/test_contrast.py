"""The columns z and h of a focused plan: made alike by every engine, and priced.

z = w·(s − r₀·y), clipped to its limit; h = w·(s + r₀·y), or w·y where r₀ is zero.
"""

import math
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import require_dialect_alike, specified
from curator.hostile_tables import Case, cases
from curator.table_sources import (
    CSV_DIALECTS,
    READABLE,
    SOURCES,
    WRONG,
    write_wrong_statistics,
)
from curator.tables_for_tests import ENGINES, asked, exact, fixed, plan_of
from curator.threads_for_tests import relations_by_threads
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds

# Engines agree.


@pytest.mark.parametrize(("source", "engine"), READABLE)
@given(case=cases("focused"))
@fixed(4)
def test_every_source_gives_the_integers_of_the_specification(
    source: str, engine: str, case: Case, folder: Path
) -> None:
    given_table = SOURCES[source](case.table, folder)
    assert exact(given_table, case.plan, engine) == specified(case)


@given(case=cases("focused"), dialect=st.sampled_from(sorted(CSV_DIALECTS)))
@fixed(10)
def test_every_csv_dialect_gives_the_integers_of_the_specification(
    case: Case, dialect: str, folder: Path
) -> None:
    require_dialect_alike(case, folder, dialect)


@pytest.mark.parametrize("limit", [None, 0.9])
def test_threads_and_the_order_of_rows_do_not_change_the_integers(
    limit: float | None, folder: Path
) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    score = chance.normal(0, 1, many) * 10.0 ** chance.integers(-30, 30, many)
    score[chance.integers(0, many, 999)] = np.nan
    columns = {
        "score": score,
        "label": chance.random(many),
        "weight": chance.exponential(1, many),
        "region": chance.choice(np.array(["north", "south", "west"]), many),
    }
    plan = plan_of(
        Bounds(-0.7, 1.9),
        Bounds(0, 0.9),
        Bounds(1 / 3, 3),
        keys=["south", "north"],
        strategy="focused",
        guess=1 / 3,
        residual_bound=limit,
        answers=("ratio", "means"),
    )
    table = pa.table(columns)
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected


def test_mixed_sums_that_are_small_in_every_corner_are_added_up_exactly() -> None:
    """z·h = s² − y² is near zero in all four corners, and as large as 1 on an edge."""
    chance, many = np.random.default_rng(2), 8_000
    plan = plan_of(
        Bounds(-1, 1), Bounds(-1, 1 + 2.0**-19), strategy="focused", guess=1.0
    )
    columns = {"score": chance.uniform(-1, 1, many), "label": np.zeros(many)}
    table = pa.table(columns)
    assert exact(table, plan, "duckdb") == exact(table, plan, "python")


# Worked out by hand: score in [-1, 2], label in [0, 3], weight in [0, 4].

ROWS = [
    (0.5, 1.0, 2.0, "a"),
    (-9.0, 0.5, 0.25, "a"),
    (9.0, 9.0, 9.0, "b"),
    (1.0, 1.0, -1.0, "b"),
    (1.0, 1.0, 1.0, "undeclared"),
    (None, 1.0, 1.0, "a"),
    (1.0, math.nan, 1.0, "a"),
    (1.0, 1.0, math.inf, "a"),
]
# By guess and limit: z and h of the rows that count, of keys a, a, b, b.
BY_HAND: dict[tuple[float, float | None], tuple[list[float], list[float]]] = {
    (1.0, None): ([-1.0, -0.375, -4.0, 0.0], [3.0, -0.125, 20.0, 0.0]),
    (1.0, 0.5): ([-0.5, -0.375, -0.5, 0.0], [3.0, -0.125, 20.0, 0.0]),
    (0.0, None): ([1.0, -0.25, 8.0, 0.0], [2.0, 0.125, 12.0, 0.0]),
    (0.0, 6.0): ([1.0, -0.25, 6.0, 0.0], [2.0, 0.125, 12.0, 0.0]),
    (-2.0, None): ([5.0, 0.0, 32.0, 0.0], [-3.0, -0.5, -16.0, 0.0]),
    (-2.0, 4.0): ([4.0, 0.0, 4.0, 0.0], [-3.0, -0.5, -16.0, 0.0]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("guess", "limit"), BY_HAND)
def test_the_integers_are_those_worked_out_by_hand(
    guess: float, limit: float | None, engine: str
) -> None:
    plan = plan_of(
        Bounds(-1, 2),
        Bounds(0, 3),
        Bounds(0, 4),
        keys=["b", "a", "c"],
        strategy="focused",
        guess=guess,
        residual_bound=limit,
        answers=("ratio", "means"),
    )
    columns = [pa.array(column) for column in zip(*ROWS, strict=True)]
    table = pa.table(columns, names=["score", "label", "weight", "region"])
    z, h = BY_HAND[guess, limit]
    weights = [2.0, 0.25, 4.0, 0.0]
    rows = [
        {"w": w, "z": one, "h": other}
        for w, one, other in zip(weights, z, h, strict=True)
    ]
    assert exact(table, plan, engine) == [
        cells_by_hand(plan, rows[2:]),
        cells_by_hand(plan, rows[:2]),
        [0] * 9,
    ]


def cells_by_hand(plan: Plan, rows: list[dict[str, float]]) -> list[int]:
    """Sums of products that are whole numbers of cells."""
    sums = []
    for each in plan.measurements[0].sums:
        products = [
            math.prod([row[f] for f in each.summand.factors]) / each.step
            for row in rows
        ]
        assert all(cell.is_integer() for cell in products)
        sums.append(int(sum(products)))
    return sums


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("label", [Bounds.binary(), Bounds(0, 1)])
def test_without_weights_z_and_h_are_of_score_and_label_alone(
    label: Bounds, engine: str
) -> None:
    answers = ("ratio", "means")
    plan = plan_of(Bounds(0, 1), label, strategy="focused", answers=answers, guess=1.0)
    table = pa.table({"score": [0.75, 0.25], "label": [1.0, 0.0]})
    rows = [{"z": -0.25, "h": 1.75}, {"z": 0.25, "h": 0.25}]
    assert [each.summand.name for each in plan.measurements[0].sums][-1] == "w"
    assert exact(table, plan, engine) == [cells_by_hand(plan, rows)]


# The order of work in doubles: other orders give other cells where a row lies on a tie.


def rows_on_ties(plan: Plan, guess: float) -> list[tuple[float, float, float]]:
    """Rows whose z or h lies, but for rounding, half way between two cells."""
    chance = np.random.default_rng(3)
    steps = {each.summand.name: each.step for each in plan.measurements[0].sums}
    rows: list[tuple[float, float, float]] = []
    while len(rows) < asked(plan).cells:
        weight = float(chance.choice([1 / 3, 0.1, 0.3, 0.7, 1.1, 2.3, 3.0]))
        label = float(chance.choice([-3.0, 3.0, 1.5, 0.3, -0.1, 2.2, 0.7]))
        letter = str(chance.choice(["z", "h"]))
        tie = (int(chance.integers(-(2**20), 2**20)) + 0.5) * steps[letter] / weight
        score = tie + guess * label if letter == "z" else tie - guess * label
        if abs(score) <= 4:
            rows.append((score, label, weight))
    return rows


def spread_out(s: float, y: float, w: float, guess: float) -> tuple[float, float]:
    return w * s - w * (guess * y), w * s + w * (guess * y)


def rounded_once(s: float, y: float, w: float, guess: float) -> tuple[float, float]:
    product_ = Fraction(guess) * Fraction(y)
    return (
        float(Fraction(w) * (Fraction(s) - product_)),
        float(Fraction(w) * (Fraction(s) + product_)),
    )


@pytest.mark.parametrize("guess", [1.0, -2.0, 1 / 3])
def test_rows_on_a_tie_show_that_both_engines_work_in_the_same_order(
    guess: float,
) -> None:
    plan = plan_of(
        Bounds(-4, 4),
        Bounds(-4, 4.5),
        Bounds(0, 3),
        keys=range(600),
        strategy="focused",
        guess=guess,
    )
    rows = rows_on_ties(plan, guess)
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    names = ["score", "label", "weight", "region"]
    table = pa.table([*columns, pa.array(range(600))], names=names)
    found = exact(table, plan, "python")
    assert exact(table, plan, "duckdb") == found
    steps = [each.step for each in plan.measurements[0].sums[:2]]
    for other in (spread_out, rounded_once):
        cells = [
            [
                math.floor(value / step + 0.5)
                for value, step in zip(other(*row, guess), steps, strict=True)
            ]
            for row in rows
        ]
        assert cells != [row[:2] for row in found]


# Clips that must stay.


@pytest.mark.parametrize("column", ["score", "label"])
@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("limit", [None, 1.5])
def test_a_relation_whose_statistics_are_wrong_is_clipped_all_the_same(
    limit: float | None, kind: str, column: str, tmp_path: Path
) -> None:
    """The clips of score, label and z: no optimizer may call them needless."""
    path, other = tmp_path / "rows.parquet", {"score": "label", "label": "score"}
    write_wrong_statistics(path, kind, column, **{other[column]: [0.25, 0.25]})
    relation = duckdb.connect().sql(f"FROM read_parquet('{path}')")
    plan = plan_of(
        Bounds(-3, 5),
        Bounds(-3, 5),
        strategy="focused",
        guess=1.0,
        residual_bound=limit,
    )
    sign = 1 if column == "score" else -1
    far = 4.75 if limit is None else limit
    rows = [{"z": -0.25 * sign, "h": 0.25}, {"z": far * sign, "h": 5.25}]
    assert exact(relation, plan, "duckdb") == [cells_by_hand(plan, rows)]
    assert exact(path, plan, "duckdb") == [cells_by_hand(plan, rows)]
