"""Groups of several columns: every row is placed alike, from every source."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import Alike, Placed, require_alike_as_text
from curator.groups_for_tests import (
    ABC,
    CODE,
    DAY,
    LISTED,
    MANY,
    MONTHS,
    SEX,
    by,
    counts,
    grouped,
    rows_of,
)
from curator.tables_for_tests import ROW, asked, exact, fixed, plan_of
from curator.threads_for_tests import relations_by_threads
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Dimension, Groups, Key, Keys, Periods, ScoreBins

# Several columns, crossed and listed.


@pytest.mark.parametrize(
    "dimensions",
    [
        (ABC,),
        (ABC, SEX),
        (SEX, ABC),
        (CODE, ABC, SEX),
        (ABC, MONTHS),
        (ScoreBins("score", [0, 0.25, 0.5, 0.75]), ABC),
        (MONTHS, ScoreBins("score", 3), SEX),
    ],
    ids=lambda each: "×".join(one.column for one in each),
)
def test_crossed_columns_are_read_alike_from_every_source(
    dimensions: tuple[Dimension, ...], alike: Alike, folder: Path
) -> None:
    found = alike(MANY, by(*dimensions))
    assert len(found) == asked(by(*dimensions)).cells
    require_alike_as_text(MANY, by(*dimensions), folder)


def test_crossed_cells_are_those_worked_out_by_hand(placed: Placed) -> None:
    # b true, b false, a true, a false, missing true, missing false.
    assert counts(placed(MANY), by(ABC, SEX), "auto") == [0, 2, 2, 1, 1, 0]


@pytest.mark.parametrize(("columns", "cells"), LISTED, ids=lambda each: str(each[0]))
def test_listed_cells_are_read_alike_and_answered_in_their_order(
    columns: list[str], cells: list[tuple[Key, ...]], alike: Alike, folder: Path
) -> None:
    plan = plan_of(groups=Groups(columns, cells))
    found = alike(MANY, plan)
    rows = list(zip(*(MANY[name].to_pylist() for name in columns), strict=True))
    assert [row[0] // ROW for row in found] == [rows.count(cell) for cell in cells]
    require_alike_as_text(MANY, plan, folder)


def test_many_listed_cells_keep_their_order(placed: Placed) -> None:
    chance = np.random.default_rng(3)
    pairs = [(int(at) // 60, int(at) % 60) for at in chance.permutation(3600)[:1500]]
    rows = chance.integers(0, 60, (4000, 2))
    table = rows_of(a=rows[:, 0], b=rows[:, 1])
    held = [tuple(row) for row in rows.tolist()]
    plan = plan_of(groups=Groups(["a", "b"], pairs))
    assert counts(placed(table), plan, "auto") == [held.count(pair) for pair in pairs]


def test_cells_without_rows_are_answered_and_undeclared_keys_change_nothing(
    placed: Placed,
) -> None:
    plan = by(ABC, MONTHS)
    alone = {"region": ["someone"], "seen": [DAY], "sex": [True], "code": [1]}
    one = rows_of(**alone).select(MANY.column_names).cast(MANY.schema)
    more = exact(placed(pa.concat_tables([MANY, one])), plan, "auto")
    assert more == exact(placed(MANY), plan, "auto")
    assert exact(placed(MANY.slice(0, 0)), plan, "auto") == [[0] * 5] * 9


# Any groups over any rows.


@given(case=grouped(), data=st.data())
@fixed(6)
def test_any_groups_over_any_rows_are_read_alike_in_any_order(
    case: tuple[Plan, Any], data: st.DataObject, alike: Alike, folder: Path
) -> None:
    plan, table = case
    order = data.draw(st.permutations(range(table.num_rows)))
    shuffled = table.take(pa.array(order, pa.int64()))
    assert alike(shuffled, plan) == alike(table, plan)
    require_alike_as_text(table, plan, folder)


def test_threads_and_the_order_of_many_rows_do_not_matter(folder: Path) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    table = pa.table(
        {
            "score": chance.uniform(-1, 2, many),
            "label": chance.random(many),
            "region": chance.choice(np.array(["a", "b", "z"]), many),
            "seen": pa.array(chance.integers(20_400, 20_600, many), pa.int32()).cast(
                pa.date32()
            ),
        }
    )
    groups = Groups.cross(
        Keys("region", ["b", "a"]),
        Periods("seen", "week", "2026-01-01", "2026-04-01"),
        ScoreBins("score", 4),
    )
    plan = plan_of(groups=groups, label=Bounds(0, 1))
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected
