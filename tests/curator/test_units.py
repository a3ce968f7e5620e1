"""People with many rows: added up alike, here and on a server."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import Alike, Placed, require_alike
from curator.door_for_tests import release_with
from curator.groups_for_tests import ABC, DAY, MONTHS
from curator.people_for_tests import (
    IDS,
    ODD_IDS,
    REGIONS,
    WHOLE_IDS,
    Table,
    crowds,
    people,
    plans_of_people,
)
from curator.table_sources import mapping_of, write_csv
from curator.tables_for_tests import ENGINES, asked, exact, fixed, plan_of
from curator.threads_for_tests import relations_by_threads
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.statements import unit_rule
from dpratio.errors import InvalidInput, SchemaRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.unit import PrivacyUnit


@pytest.mark.parametrize("kind", IDS)
@given(data=st.data())
@fixed(4)
def test_every_source_adds_people_up_alike(
    kind: str, data: st.DataObject, alike: Alike
) -> None:
    table = data.draw(crowds(kind))
    plan = data.draw(plans_of_people())
    order = data.draw(st.permutations(range(table.num_rows)))
    shuffled = table.take(pa.array(order, pa.int64()))
    assert alike(shuffled, plan) == alike(table, plan)


def test_ids_beyond_64_bits_are_ids(folder: Path) -> None:
    ids = pa.array([0, 2**64 - 1, 5, 2**64 - 1, None], pa.uint64())
    numbers = {name: [0.5, 1.0, 0.25, 0.75, 1.0] for name in ("score", "label")}
    table = pa.table({**numbers, "region": REGIONS[:2] * 2 + ["a"], "id": ids})
    require_alike(table, people(weighted=False), folder)


@pytest.mark.parametrize("ids", [ODD_IDS, WHOLE_IDS], ids=["text", "whole"])
def test_ids_that_look_like_numbers_are_ranked_alike(
    ids: list[Any], placed: Placed
) -> None:
    """Everybody is in every group, and counts in two: which ones depends on the id."""
    many = len(ids) * len(REGIONS)
    table = pa.table(
        {
            "score": [0.5 + at / many for at in range(many)],
            "label": [1.0] * many,
            "region": REGIONS * len(ids),
            "id": [each for each in ids for _ in REGIONS],
        }
    )
    loaded = placed(table)
    for key in ("dpratio", "other"):
        plan = people(weighted=False, most_groups=2)
        found = exact(loaded, plan, "auto", key=key)
        assert found == exact(table, plan, "python", key=key)


@given(table=crowds("text"), most=st.integers(1, 3))
@fixed(8)
def test_text_files_add_people_up_alike_and_an_empty_id_is_none(
    table: Table, most: int, folder: Path
) -> None:
    plan = people(most_groups=most)
    file = write_csv(table, folder, "plain")
    ids = ["" if each is None else each for each in table["id"].to_pylist()]
    named = [each or None for each in ids]
    at = table.column_names.index("id")
    same = table.set_column(at, "id", pa.array(named, pa.string()))
    expected = exact(mapping_of(same), plan, "python")
    for engine in ENGINES:
        assert exact(file, plan, engine) == expected, engine


@pytest.mark.parametrize("engine", ENGINES)
def test_totals_are_clipped_on_both_sides_as_worked_out_by_hand(engine: str) -> None:
    """Score totals in [-1.5, 2], label totals in [0.25, 3]; three people."""
    totals = {"score": Bounds(-1.5, 2), "label": Bounds(0.25, 3)}
    plan = people(keys=None, weighted=False, totals=totals)
    rows = [
        *[("up", 1.0, 1.0)] * 9,  # 9 and 9: clipped to 2 and 3.
        *[("down", -1.0, 0.0)] * 5,  # -5 and 0: clipped to -1.5 and 0.25.
        ("in", 0.5, 0.5),
        ("in", 0.25, 0.25),  # 0.75 and 0.75.
        (None, 1.0, 1.0),
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(dict(zip(("id", "score", "label"), columns, strict=True)))
    pairs = [(2.0, 3.0), (-1.5, 0.25), (0.75, 0.75)]
    wanted = {
        "w": 3.0,
        "wy": sum(y for _, y in pairs),
        "ws": sum(s for s, _ in pairs),
        "wyy": sum(y * y for _, y in pairs),
        "wss": sum(s * s for s, _ in pairs),
        "wys": sum(y * s for s, y in pairs),
    }
    expected = [
        int(wanted[each.summand.name] / each.step) for each in plan.measurements[0].sums
    ]
    assert exact(table, plan, engine) == [expected]


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_and_what_is_taken_off_count_row_by_row(engine: str) -> None:
    plan = people(keys=None, minus=True)
    table = pa.table(
        {
            "id": ["a", "a"],
            "score": [1.0, 0.5],
            "other": [0.5, 9.0],  # Clipped to 1 first.
            "label": [1.0, 1.0],
            "weight": [2.0, 0.5],
        }
    )
    # 2·(1 − 0.5) + 0.5·(0.5 − 1) = 0.75, and 2 + 0.5 = 2.5.
    named = {each.summand.name: each.step for each in plan.measurements[0].sums}
    found = dict(zip(named, exact(table, plan, engine)[0], strict=True))
    assert found["ws"] * named["ws"] == 0.75
    assert found["wy"] * named["wy"] == 2.5
    assert found["wss"] * named["wss"] == 0.75**2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("most", [1, 2, 3, 4, 9])
def test_of_the_groups_of_one_person_so_many_count(most: int, engine: str) -> None:
    plan = people(most_groups=most, weighted=False)
    rows = 100
    table = pa.table(
        {
            "id": ["one"] * rows,
            "score": [1.0] * rows,
            "label": [1.0] * rows,
            "region": (REGIONS * rows)[:rows],
        }
    )
    found = exact(table, plan, engine)
    assert sum(any(row) for row in found) == min(most, len(REGIONS))


def test_the_groups_that_count_are_chosen_by_id_and_key_and_not_by_rows() -> None:
    ids = [f"person {at}" for at in range(200) for _ in REGIONS]
    table = pa.table(
        {
            "id": ids,
            "score": [1.0] * len(ids),
            "label": [1.0] * len(ids),
            "region": REGIONS * 200,
        }
    )
    chosen = {}
    for key in ("dpratio", "other"):
        plan = people(weighted=False)
        found = exact(table, plan, "duckdb", key=key)
        assert found == exact(table, plan, "python", key=key)
        counted = [row[0] for row in found]
        one = counted[0] / sum(counted) * 4
        assert 0.5 < one < 1.6  # About a quarter of all people in each group.
        chosen[key] = counted
    assert chosen["dpratio"] != chosen["other"]


def test_totals_beyond_the_exact_doubles_are_taken_again_in_integers() -> None:
    """Rows of 2^28 counted in cells of totals below 1: more than 2^53 together."""
    totals = {"score": Bounds(-1, 1), "label": Bounds(0, 1)}
    plan = plan_of(
        Bounds(-(2.0**28), 2.0**28),
        Bounds(0, 1),
        unit=PrivacyUnit("id", totals=totals),
    )
    scores = [2.0**28] * 4 + [-(2.0**28)] * 4 + [2.0**-24, 1 / 3]
    table = pa.table({"score": scores, "label": [0.1] * 10, "id": ["a"] * 10})
    found = exact(table, plan, "duckdb")
    assert found == exact(table, plan, "python")
    one = next(each for each in plan.measurements[0].sums if each.summand.name == "ws")
    assert found[0][2] * one.step == pytest.approx(1 / 3, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_far_larger_than_their_totals_are_clipped_like_any(engine: str) -> None:
    totals = {"score": Bounds(0, 1), "label": Bounds(0, 2)}
    unit = PrivacyUnit("id", totals=totals)
    plan = plan_of(Bounds(0, 2.0**29), Bounds(0, 1), unit=unit)
    table = pa.table({"score": [2.0**29, 1.0], "label": [1.0] * 2, "id": ["a", "b"]})
    found = exact(table, plan, engine)[0]
    assert found[2] * plan.measurements[0].sums[2].step == 2.0
    with pytest.raises(InvalidInput, match="may not exceed its total"):
        plan_of(Bounds(0, 2.0**60), Bounds(0, 1), unit=unit)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_id_that_is_no_text_and_no_whole_number_drops_its_row(engine: str) -> None:
    ids = pd.Series([True, "a", 5, 0.5, None, "\ud800", np.int64(5)], dtype=object)
    frame = pd.DataFrame({"score": 1.0, "label": 1.0, "id": ids})
    plan = people(keys=None, weighted=False)
    # Two people: 'a', and 5 with two rows.
    count = exact(frame, plan, engine)[0][0]
    assert count * plan.measurements[0].sums[0].step == 2


@pytest.mark.parametrize("keys", [None, REGIONS])
@pytest.mark.parametrize("engine", ENGINES)
def test_an_id_that_is_not_utf8_drops_its_row(
    engine: str, keys: list[str] | None
) -> None:
    cells = [b"\xff", b"\xff", b"a"]
    offsets = np.cumsum([0, *map(len, cells)]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(cells))]
    ids = pa.Array.from_buffers(pa.string(), 3, buffers)
    table = pa.table(
        {
            "score": [1.0] * 3,
            "label": [1.0] * 3,
            "region": ["a", "b", "a"],
            "id": ids,
        }
    )
    plan = people(keys=keys, weighted=False)
    count = exact(table, plan, engine)[0][0]
    assert count * plan.measurements[0].sums[0].step == 1


def test_threads_and_the_order_of_many_rows_do_not_change_the_integers(
    folder: Path,
) -> None:
    many, chance = 20_000, np.random.default_rng(1)
    table = pa.table(
        {
            "score": chance.normal(0, 1, many),
            "label": chance.random(many),
            "weight": chance.exponential(1, many),
            "region": chance.choice(np.array([*REGIONS, "z"]), many),
            "id": chance.integers(0, 1_000, many),
        }
    )
    plan = people(most_groups=2)
    expected = exact(table, plan, "python")
    for relation in relations_by_threads(table, folder):
        assert exact(relation, plan, "duckdb") == expected


def test_people_are_added_up_within_bins_periods_and_listed_cells(
    alike: Alike,
) -> None:
    many = 36
    table = pa.table(
        {
            "score": [0.1 + at % 7 / 8 for at in range(many)],
            "label": [1.0] * many,
            "region": ["a", "b", None] * 12,
            "seen": pa.array(
                [DAY + dt.timedelta(days=at) for at in range(many)], pa.date32()
            ),
            "id": [f"{at % 5}" for at in range(many)],
            "arm": ["x", "y"] * 18,
        }
    )
    crossed = Groups.cross(ABC, MONTHS, ScoreBins("score", 2))
    unit = PrivacyUnit(
        "id",
        totals={"score": Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)},
        most_groups=2,
    )
    listed = Groups(["region", "arm"], [("b", "y"), ("a", "x"), (None, "x")])
    for groups in (crossed, listed):
        plan = plan_of(label=Bounds(0, 1), groups=groups, unit=unit)
        alike(table, plan)


# The schema, before a row is read.


@pytest.mark.parametrize("kind", ["number", "boolean", "date", "other"])
def test_ids_of_another_kind_are_refused(kind: str) -> None:
    numbers = {name: ColumnType("number", "x") for name in ("score", "label", "weight")}
    types = {**numbers, "region": ColumnType("text", "t"), "id": ColumnType(kind, "ID")}
    with pytest.raises(SchemaRefused) as refused:
        asked(people()).check_schema(types)
    assert str(refused.value) == (
        "column 'id' is ID; a column of text or integer ids was declared. "
        "Cast it in the source or declare another column."
    )
    for usable in ("text", "integer", "csv", "any"):
        asked(people()).check_schema({**types, "id": ColumnType(usable, "ID")})


@pytest.mark.parametrize("engine", ENGINES)
def test_a_missing_or_unusable_id_column_is_refused_at_the_door(engine: str) -> None:
    plan = people(weighted=False)
    rows = {"score": [1.0], "label": [1.0], "region": ["a"]}
    with pytest.raises(SchemaRefused, match="column 'id' is not in the table"):
        release_with(engine, pa.table(rows), plan, ledger=None)
    with pytest.raises(SchemaRefused, match="a column of text or integer ids"):
        release_with(engine, pa.table({**rows, "id": [0.5]}), plan, ledger=None)
    twice = pd.DataFrame([[1.0, 1.0, "a", 1, 2]])
    twice.columns = pd.Index(["score", "label", "region", "id", "id"])
    with pytest.raises(SchemaRefused, match="column 'id' occurs more than once"):
        open_table(twice, asked(plan), engine)


def test_a_statement_says_whose_rows_are_added_up() -> None:
    plan = people(most_groups=2)
    statement = asked(plan)
    assert statement.columns == ["score", "label", "weight", "region", "id"]
    assert statement.unit is not None
    assert (statement.unit.column, statement.unit.most_groups) == ("id", 2)
    assert set(statement.unit.totals) == {"s", "y"}
    rule = unit_rule(plan.unit)
    assert rule is not None
    assert rule.totals == {}
    assert unit_rule(plan_of().unit) is None
