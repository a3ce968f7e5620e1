"""Numbers of every type give the same integers on a cluster, to the last bit."""

import datetime as dt
import itertools
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.hostile_tables import Case, cases
from curator.tables_for_tests import exact, fixed, plan_of
from curator.warehouse.spark.frames_for_tests import (
    Session,
    frame_of,
    hostile,
    query_over,
    require_same,
)
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import CellSum, Statement
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys, Periods, ScoreBins
from dpratio.terms.unit import PrivacyUnit

EXAMPLES = 15
WIDE, UNIT = Bounds(-(2.0**100), 2.0**100), Bounds(-1, 1)
NAMES = ["score", "label", "weight", "other", "b"]


@pytest.mark.parametrize(
    "types",
    [
        ["double", "float", "bigint", "fine", "double"],
        ["wide", "boolean", "tinyint", "smallint", "int"],
    ],
)
def test_every_number_a_type_can_hold_is_dropped_clipped_and_counted_alike(
    types: list[str], session: Session
) -> None:
    plan = plan_of(
        WIDE if "wide" in types else UNIT,
        Bounds(0, 1),
        Bounds(0, 3),
        minus="other",
        bounds={"other": UNIT, "b": Bounds(-4, 4)},
        groups=Groups.cross(ScoreBins("b", [-4, -0.5, 0, 2.0**-25, 0.5, 4])),
    )
    table = hostile(types, NAMES)
    found = require_same(frame_of(session, table), table, plan)
    assert sum(row[0] != 0 for row in found) > 1


@given(case=st.one_of(*(cases(each) for each in ("even", "joint", "focused"))))
@fixed(EXAMPLES)
def test_any_plan_over_any_table_gives_the_same_integers(
    case: Case, session: Session
) -> None:
    """Hostile names, bounds, numbers and keys, with every strategy."""
    require_same(frame_of(session, case.table), case.table, case.plan)


def test_partitions_and_the_order_of_rows_do_not_change_the_integers(
    session: Session,
) -> None:
    plan = plan_of(UNIT, Bounds(0, 1), keys=[0, 2, 1, None])
    rng = np.random.default_rng(5)
    table = pa.table(
        {
            "score": rng.normal(0, 1, 997),
            "label": rng.uniform(-1, 2, 997).astype(np.float32),
            "region": pa.array([None if at % 5 == 4 else at % 5 for at in range(997)]),
        }
    )
    frame = frame_of(session, table)
    expected = require_same(frame.coalesce(1), table, plan)
    rows = frame.repartition(7).orderBy("label")
    assert exact(rows, plan, "auto") == expected
    # Most of these partitions are empty.
    assert exact(frame.limit(2).repartition(7, "region"), plan, "auto") == exact(
        table.slice(0, 2), plan, "python"
    )


def test_a_frame_without_rows_has_sums_of_zero(session: Session) -> None:
    frame = session.createDataFrame([], "score double, label int, region string")
    assert exact(frame, plan_of(), "auto") == [[0] * 5]
    assert exact(frame, plan_of(keys=["a", "b"]), "auto") == [[0] * 5] * 2


def test_odd_sums_beyond_the_exact_doubles_keep_their_last_bit(
    session: Session,
) -> None:
    step = 2.0**-53
    statement = Statement(
        factor_columns={"s": "x"},
        factor_bounds={"s": Bounds(-1, 1)},
        dimensions=(Keys("g", ["a", "b", "c"]),),
        listed=None,
        unit=None,
        sums=(CellSum(("s",), step, 2**53),),
    )
    x = [1.0, 1.0, step, -1.0, -1.0, -step, 1.0]
    table = pa.table({"x": x, "g": ["a"] * 3 + ["b"] * 3 + ["c"]})
    found = open_table(frame_of(session, table), statement, "auto")()
    nothing = np.zeros((3, 1), dtype=np.int64)
    sums = [2**54 + 1, -(2**54) - 1, 2**53]
    assert found.plus(nothing)[:, 0].tolist() == sums


def wrong_statistics(path: Path, kind: str) -> None:
    """Write a file whose statistics say that no number is finite."""
    type_ = pa.float64() if kind == "<d" else pa.int64()
    cells = [7e300, 8e300] if kind == "<d" else [7_000_001, 8_000_001]
    score = pa.array(cells, type_)
    pq.write_table(
        pa.table({"score": score, "label": [1, 1], "region": pa.array([3, 3])})
        if kind == "<d"
        else pa.table({"score": [0.5, 0.5], "label": [1, 1], "region": score}),
        path,
        compression="none",
        use_dictionary=False,
        store_schema=False,
    )
    written = bytearray(path.read_bytes())
    pair = b"".join(struct.pack(kind, cell) for cell in cells)
    at = written.index(pair)
    small = struct.pack(kind, 0.5 if kind == "<d" else 3)
    written[at : at + 16] = small * 2
    if kind == "<d":  # Statistics beyond every finite number.
        for cell in cells:
            value = struct.pack(kind, cell)
            written = bytearray(
                bytes(written).replace(value, struct.pack(kind, float("inf")))
            )
    path.write_bytes(written)


@pytest.mark.parametrize("kind", ["<d", "<q"])
def test_a_parquet_file_whose_statistics_are_wrong_loses_no_row(
    kind: str, session: Session, files: Path
) -> None:
    path = files / f"wrong{kind[1]}.parquet"
    wrong_statistics(path, kind)
    frame = session.read.parquet(str(path))
    # The statistics would skip the rows, were they asked.
    column, test = (
        ("score", "score < 1e308") if kind == "<d" else ("region", "region < 9")
    )
    assert frame.filter(test).select(column).count() == 0
    found = exact(frame, plan_of(keys=[3]), "auto")
    assert [found[0][0], found[0][2]] == [2 * 2**24, 2**24]


def test_no_filter_of_ours_is_pushed_down_to_a_file(
    session: Session, files: Path
) -> None:
    path = files / "plain.parquet"
    columns: dict[str, Any] = {
        "score": [0.5],
        "label": pa.array([1], pa.int32()),
        "region": pa.array([3], pa.int32()),
        "id": pa.array([1]),
    }
    pq.write_table(pa.table(columns), path)
    unit = PrivacyUnit("id", totals={"score": UNIT, "label": UNIT})
    plan = plan_of(UNIT, Bounds(0, 1), keys=[3, 4], unit=unit)
    query = query_over(session.read.parquet(str(path)), plan)
    shown = query._jdf.queryExecution().toString()
    assert "PushedFilters: []" in shown
    assert shown.count("PushedFilters") == shown.count("PushedFilters: []")
    # Nor where a column is never missing, and Spark knows it.
    frame = session.range(3).selectExpr(
        "cast(id as double) score", "id label", "id region", "id"
    )
    query = query_over(frame, plan)
    shown = query._jdf.queryExecution().optimizedPlan().toString()
    assert "nanvl(" in shown
    assert shown.count("greatest(") >= 2


DAY = dt.date(2026, 1, 1)
COLUMNS: dict[str, Any] = {
    "score": [0.5],
    "label": [True],
    "text": ["a"],
    "whole": pa.array([1], pa.int32()),
    "truth": [True],
    "day": pa.array([DAY]),
    "time": pa.array([DAY], pa.date32()).cast(pa.timestamp("us")),
    "number": [0.5],
    "name": ["ann"],
    "person": pa.array([7], pa.int32()),
}
GROUPS = [
    None,
    *(Groups("text", keys) for keys in (["a"], ["a", None])),
    *(Groups("whole", keys) for keys in ([1], [1, 5], [1, None])),
    *(Groups("truth", keys) for keys in ([True], [True, False], [None, False])),
    Groups("day", [DAY]),
    Groups.cross(Periods("day", "day", DAY, DAY)),
    Groups.cross(Periods("time", "month", DAY, dt.date(2026, 3, 1))),
    Groups.cross(ScoreBins("number", [0, 0.5, 1])),
    Groups(["truth", "whole"], [(True, 1)]),
]


def test_no_test_of_a_key_or_an_id_reaches_a_file(
    session: Session, files: Path
) -> None:
    """Whatever the groups are, of rows and of people: statistics may be wrong."""
    path = files / "keys.parquet"
    pq.write_table(pa.table(COLUMNS), path)
    frame = session.read.parquet(str(path))
    totals = {"score": UNIT, "label": Bounds.binary()}
    for groups, ids in itertools.product(GROUPS, [None, "name", "person"]):
        unit = None if ids is None else PrivacyUnit(ids, totals=totals, most_groups=1)
        bins = groups is not None and isinstance(groups.dimensions[0], ScoreBins)
        bounds = {"number": Bounds(0, 1)} if bins else {}
        plan = plan_of(UNIT, groups=groups, bounds=bounds, unit=unit)
        shown = query_over(frame, plan)._jdf.queryExecution().toString()
        assert set(re.findall(r"PushedFilters: (\S+)", shown)) == {"[],"}, plan
