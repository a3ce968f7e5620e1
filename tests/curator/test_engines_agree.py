"""Every source equals the specification to the last integer, here and on a server."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import Alike, Placed, require_dialect_alike, specified
from curator.hostile_tables import HOSTILE_NUMBERS, NAMES, Case, cases
from curator.people_for_tests import people
from curator.table_sources import CSV_DIALECTS, SOURCES
from curator.tables_for_tests import ROW, exact, fixed, plan_of, statement_with
from curator.threads_for_tests import relations_by_threads
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.exact import LARGEST_SUM
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

ANY = st.sampled_from(["even", "joint", "focused"]).flatmap(cases)


@given(case=ANY)
@fixed(12)
def test_any_plan_over_any_table_has_the_integers_of_the_specification(
    case: Case, alike: Alike
) -> None:
    alike(case.table, case.plan)


@pytest.mark.parametrize("dialect", CSV_DIALECTS)
@given(case=ANY)
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


def test_the_integers_are_those_worked_out_by_hand(
    placed: Placed,
) -> None:
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
    assert exact(placed(table), plan, "auto") == [
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


def test_a_value_is_rounded_to_the_nearest_cell_and_ties_go_up(
    placed: Placed,
) -> None:
    plan, cell = plan_of(Bounds(-1, 1), Bounds(-1, 1)), 2.0**-24
    scores = [1.5, 1.4999999, -1.5, -0.5, 0.5, -0.50001]
    for score, expected in zip(scores, [2, 1, -1, 0, 1, -1], strict=True):
        table = pa.table({"score": [score * cell], "label": [0.0]})
        assert exact(placed(table), plan, "auto")[0][2] == expected


def test_single_precision_is_widened_before_it_is_counted(
    placed: Placed,
) -> None:
    table = pa.table({"score": pa.array([0.1], pa.float32()), "label": [True]})
    cell = int(np.floor(float(np.float32(0.1)) * ROW + 0.5))
    assert exact(placed(table), plan_of(), "auto")[0][2] == cell
    assert cell == 1677722
    squared = int(np.floor(float(np.float32(0.1)) ** 2 * ROW + 0.5))
    assert exact(placed(table), plan_of(), "auto")[0][3] == squared


HUGE: dict[str, tuple[float, dict[str, list[float]], list[int]]] = {
    "odd beyond doubles": (
        2.0**-53,
        {"a": [1, 1, 2.0**-53], "b": [-1, -1, -(2.0**-53)], "c": [1]},
        [2**54 + 1, -(2**54) - 1, 2**53],
    ),
    "of 2^63": (
        2.0**-56,
        {"a": [1] * 2**7, "b": [-1] * 2**7, "c": [1, -0.5]},
        [LARGEST_SUM, -LARGEST_SUM, 2**55],
    ),
    "of 2^64, beside a small one": (
        2.0**-56,
        {"a": [1] * 2**8, "b": [-1, 2.0**-56], "c": []},
        [LARGEST_SUM, 1 - 2**56, 0],
    ),
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_sums_are_exact_up_to_62_bits_and_clamped_there(
    name: str, placed: Placed
) -> None:
    step, groups, wanted = HUGE[name]
    rows = [(number, key) for key, numbers in groups.items() for number in numbers]
    x, g = map(list, zip(*rows, strict=True))
    statement = statement_with(step, round(1 / step))
    twice = replace(statement, sums=statement.sums * 2)  # They share a product.
    table = placed(pa.table({"x": pa.array(x, pa.float64()), "g": g}))
    sums = open_table(table, twice)().plus(np.zeros((3, 2), dtype=np.int64))
    assert sums.tolist() == [[total] * 2 for total in wanted]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_hostile_numbers_are_dropped_clipped_or_counted_alike(
    kind: Any,  # noqa: ANN401
    alike: Alike,
) -> None:
    """One row a group, so that no two can make up for each other."""
    with np.errstate(over="ignore"):
        cells = np.array(HOSTILE_NUMBERS, kind.to_pandas_dtype())
    many = len(cells)
    table = pa.table(
        {
            "score": pa.array(cells, kind),
            "label": pa.array(cells[::-1].copy(), kind),
            "region": range(many),
        }
    )
    bounds = [Bounds(-(2.0**100), 2.0**100), Bounds(-(2.0**-100), 2.0**-101)]
    for score in (bounds[1], Bounds(-1, 1), Bounds.binary()):
        alike(table, plan_of(score, bounds[0], keys=range(many)))


WHOLE: dict[str, tuple[Any, list[Any]]] = {
    "small": (pa.int8(), [-128, 127, 0, None, 1]),
    "unsigned": (pa.uint64(), [2**64 - 1, 2**63, 2**53 + 1, 2**64 - 1025, None]),
    "large": (pa.int64(), [2**63 - 1, -(2**63), 2**53 + 1, -(2**62) - 257, None]),
    "truth": (pa.bool_(), [True, False, None, True, False]),
}


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_and_truths_count_as_their_nearest_double(
    kind: str, alike: Alike
) -> None:
    type_, cells = WHOLE[kind]
    table = pa.table(
        {"score": pa.array(cells, type_), "label": [1] * 5, "region": range(5)}
    )
    for far in (1.0, 2.0**64):
        alike(table, plan_of(Bounds(-far, far), keys=range(5)))


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
def test_what_is_taken_off_is_clipped_first(strategy: str, alike: Alike) -> None:
    numbers = [0.0, 1 / 3, -9.0, 9.0, math.nan, math.inf, None, 2.0**-25, -0.0]
    many = len(numbers)
    table = pa.table(
        {
            "score": pa.array(numbers, pa.float64()),
            "other": pa.array(numbers[2:] + numbers[:2], pa.float64()),
            "label": pa.array([0.3] * many),
            "weight": pa.array([0.7] * many),
        }
    )
    terms: dict[str, Any] = {"guess": 0.0} if strategy == "focused" else {}
    plan = plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(1 / 3, 3),
        strategy=strategy,
        minus="other",
        bounds={"other": Bounds(-0.5, 1)},
        **terms,
    )
    alike(table, plan)


ANSWERS = [
    ("even", ("ratio",), None),
    ("joint", ("ratio", "spread"), None),
    ("focused", ("ratio", "means"), 0.3),
]


@pytest.mark.parametrize(("strategy", "answers", "limit"), ANSWERS)
def test_every_question_of_a_plan_is_answered_over_all_its_groups(
    strategy: str, answers: tuple[str, ...], limit: float | None, alike: Alike
) -> None:
    """Two ratios, asked of everybody and of each region."""
    chance, many = np.random.default_rng(4), 40
    table = pa.table(
        {
            "score": chance.normal(0, 1, many),
            "label": chance.random(many),
            "other": chance.normal(0, 3, many),
            "weight": chance.exponential(1, many),
            "region": chance.choice(np.array(["a", "b", "z"]), many),
        }
    )
    guess = 1 / 3 if strategy == "focused" else None
    plan = make_plan(
        [
            Ratio(
                "score",
                per="label",
                weight="weight",
                guess=guess,
                residual_bound=limit,
            ),
            Ratio("other", per="label", guess=guess),
        ],
        bounds={
            "score": Bounds(-1, 1.5),
            "label": Bounds(0, 1),
            "other": Bounds(-2, 2),
            "weight": Bounds(1 / 3, 3),
        },
        groups=[None, Groups("region", ["b", "a", "c"])],
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism="laplace",
        answers=answers,
    )
    assert len(plan.measurements) == 4
    alike(table, plan)


# Names.


def test_names_that_mean_something_to_sql_are_names(alike: Alike) -> None:
    for at in range(0, len(NAMES), 4):
        names = [*NAMES[at : at + 4], *NAMES[:4]][:4]
        columns = dict(zip(names, ([0.5], [1.0], [2.0], ["a"]), strict=True))
        plan = plan_of(weight=Bounds(0, 3), keys=["b", "a"], names=names)
        alike(pa.table(columns), plan)


# Few rows.


def test_tables_without_rows_and_with_one_have_their_integers(
    alike: Alike,
) -> None:
    row = pa.table(
        {
            "score": [0.3],
            "label": [1.0],
            "weight": [0.5],
            "region": ["a"],
            "id": ["x"],
        }
    )
    for table in (row.slice(0, 0), row):
        alike(table, plan_of())
        alike(table, plan_of(keys=["a", "b"]))
        alike(table, people())
        alike(table, people(keys=None))
