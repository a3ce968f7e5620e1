"""Every engine equals the specification to the last integer, from every source."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import require_dialect_alike, specified
from curator.hostile_tables import Case, cases
from curator.table_sources import CSV_DIALECTS, READABLE, SOURCES
from curator.tables_for_tests import ENGINES, ROW, exact, fixed, plan_of, statement_with
from curator.threads_for_tests import relations_by_threads
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.exact import LARGEST_SUM
from dpratio.curator.reading.statement import Statement
from dpratio.terms.bounds import Bounds


@pytest.mark.parametrize(("source", "engine"), READABLE)
@given(case=cases())
@fixed(6)
def test_every_source_gives_the_integers_of_the_specification(
    source: str, engine: str, case: Case, folder: Path
) -> None:
    given_table = SOURCES[source](case.table, folder)
    assert exact(given_table, case.plan, engine) == specified(case)


@pytest.mark.parametrize("dialect", CSV_DIALECTS)
@given(case=cases())
@fixed(6)
def test_every_csv_dialect_gives_the_integers_of_the_specification(
    dialect: str, case: Case, folder: Path
) -> None:
    require_dialect_alike(case, folder, dialect)


@given(case=cases(least_rows=2), data=st.data())
@fixed(10)
def test_the_order_of_rows_does_not_change_the_integers(
    case: Case, data: st.DataObject, folder: Path
) -> None:
    order = data.draw(st.permutations(range(case.table.num_rows)))
    shuffled = Case(case.plan, case.table.take(pa.array(order)))
    assert specified(shuffled) == specified(case)
    found = exact(SOURCES["relation"](shuffled.table, folder), case.plan, "duckdb")
    assert found == specified(case)


def test_threads_and_the_order_of_many_rows_do_not_change_the_integers(
    folder: Path,
) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    score = chance.normal(0, 1, many) * 10.0 ** chance.integers(-30, 30, many)
    score[chance.integers(0, many, 999)] = np.nan
    region = chance.choice(np.array(["north", "south", "west"]), many)
    label, weight = chance.random(many), chance.exponential(1, many)
    given_columns = (score, label, weight, region)
    plan = plan_of(
        Bounds(-0.7, 1.9), Bounds(0, 0.9), Bounds(1 / 3, 3), keys=["south", "north"]
    )
    names = ("score", "label", "weight", "region")
    table = pa.table([pa.array(column) for column in given_columns], names=names)
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_the_integers_are_those_worked_out_by_hand(engine: str) -> None:
    """Score clipped to [-1, 2], label binary, weight clipped to [0, 4]."""
    plan = plan_of(Bounds(-1, 2), Bounds.binary(), Bounds(0, 4), keys=["b", "a", "c"])
    rows = [
        (0.5, 1, 2, "a"),
        (-9.0, 0.7, 0.25, "a"),
        (9.0, 0.2, 9, "b"),
        (1.0, 1, -1, "b"),
        (1.0, 1, 1, "undeclared"),
        (1.0, 1, 1, None),
        (None, 1, 1, "a"),
        (float("nan"), 1, 1, "a"),
        (1.0, float("inf"), 1, "a"),
        (1.0, 1, None, "a"),
    ]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    table = pa.table(columns, names=["score", "label", "weight", "region"])
    # Sums w, wy, ws, ww, wss, wys; reaches 4, 4, 8, 16, 16, 8: one is 2^24 over them.
    assert exact(table, plan, engine) == [
        [4 * 2**22, 0, 8 * 2**21, 16 * 2**20, 16 * 2**20, 0],
        [
            int(2.25 * 2**22),
            int(2.25 * 2**22),
            int(0.75 * 2**21),
            int(4.0625 * 2**20),
            int(0.75 * 2**20),
            int(0.75 * 2**21),
        ],
        [0] * 6,
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_is_rounded_to_the_nearest_cell_and_ties_go_up(engine: str) -> None:
    plan, cell = plan_of(Bounds(-1, 1), Bounds(-1, 1)), 2.0**-24
    scores = [1.5, 1.4999999, -1.5, -0.5, 0.5, -0.50001]
    for score, expected in zip(scores, [2, 1, -1, 0, 1, -1], strict=True):
        table = pa.table({"score": [score * cell], "label": [0.0]})
        assert exact(table, plan, engine)[0][2] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_single_precision_is_widened_before_it_is_counted(engine: str) -> None:
    table = pa.table({"score": pa.array([0.1], pa.float32()), "label": [True]})
    cell = int(np.floor(float(np.float32(0.1)) * ROW + 0.5))
    assert exact(table, plan_of(), engine)[0][2] == cell
    assert cell == 1677722
    squared = int(np.floor(float(np.float32(0.1)) ** 2 * ROW + 0.5))
    assert exact(table, plan_of(), engine)[0][3] == squared


@pytest.mark.parametrize("engine", ENGINES)
def test_declared_keys_are_answered_in_their_order_whether_present_or_not(
    engine: str,
) -> None:
    plan = plan_of(keys=["z", "a", "m"])
    rows = {"score": [1.0] * 4, "label": [1] * 4, "region": ["a", "q", "a", "z"]}
    counts = [row[0] for row in exact(pa.table(rows), plan, engine)]
    assert counts == [ROW, 2 * ROW, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_without_rows_has_sums_of_zero(engine: str) -> None:
    columns = {"score": pa.float64(), "label": pa.int8(), "region": pa.string()}
    table = pa.schema(list(columns.items())).empty_table()
    assert exact(table, plan_of(), engine) == [[0] * 5]
    assert exact(table, plan_of(keys=["a", "b"]), engine) == [[0] * 5] * 2


def both_sums(table: Any, statement: Statement) -> list[list[int]]:  # noqa: ANN401
    nothing = np.zeros((3, 1), dtype=np.int64)
    asked = [open_table(table, statement, engine)() for engine in ENGINES]
    return [sums.plus(nothing)[:, 0].tolist() for sums in asked]


def test_sums_are_clamped_to_62_bits() -> None:
    x = [1.0] * 9 + [-1.0] * 9 + [1.0, -0.5]
    table = pa.table({"x": x, "g": ["a"] * 9 + ["b"] * 9 + ["c"] * 2})
    expected = [LARGEST_SUM, -LARGEST_SUM, 2**60 - 2**59]
    statement = statement_with(2.0**-60, 2**60)
    assert both_sums(table, statement) == [expected, expected]


def test_odd_sums_beyond_the_exact_doubles_keep_their_last_bit() -> None:
    step = 2.0**-53
    x = [1.0, 1.0, step, -1.0, -1.0, -step, 1.0]
    table = pa.table({"x": x, "g": ["a"] * 3 + ["b"] * 3 + ["c"]})
    expected = [2**54 + 1, -(2**54) - 1, 2**53]
    assert both_sums(table, statement_with(step, 2**53)) == [expected, expected]
