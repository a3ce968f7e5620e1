"""The engine itself: sums in pieces, limits of Ibis, and what it will not run on."""

import warnings
from dataclasses import replace
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from dpratio.curator.warehouse import engine as engine_ibis
from dpratio.curator.warehouse.dialect import Dialect
from dpratio.curator.warehouse.open import open_warehouse
from dpratio.curator.warehouse.tables import WarehouseTable
from hypothesis import strategies as st

from curator.hostile_tables import Case, cases
from curator.people_for_tests import REGIONS, crowds, people
from curator.tables_for_tests import asked, plan_of, statement_with
from curator.sql.laws import hold, require_agreement
from curator.postgres_host import Postgres
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.exact import LARGEST_SUM
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

# Pieces.


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Take all sums in pieces, as if doubles were never exact."""
    asked_for: list[bool] = []

    def never(*_: object) -> bool:
        asked_for.append(True)
        return False

    monkeypatch.setattr(engine_ibis, "are_exact", never)
    return asked_for


@pytest.mark.parametrize("strategy", ["even", "focused"])
def test_sums_in_pieces_are_those_of_the_specification(
    strategy: str, postgres: Postgres, in_pieces: list[bool]
) -> None:
    def law(case: Case) -> None:
        require_agreement(postgres, case.plan, case.table)

    hold(law, 3, case=cases(strategy))
    assert in_pieces


def test_people_in_pieces_are_those_of_the_specification(
    postgres: Postgres, in_pieces: list[bool]
) -> None:
    def law(table: Any, most: int, minus: bool) -> None:  # noqa: ANN401, FBT001
        plan = people(most_groups=most, minus=minus)
        require_agreement(postgres, plan, table)

    tables = crowds("text", least_rows=4)
    hold(law, 2, table=tables, most=st.integers(1, 3), minus=st.booleans())
    assert in_pieces


def sums_of(table: Any, step: float, largest: int) -> list[int]:  # noqa: ANN401
    statement = statement_with(step, largest)
    sums = open_table(table, statement, "ibis")()
    found = sums.plus(np.zeros((3, 1), dtype=np.int64))
    return [int(each) for each in found[:, 0]]


def test_odd_sums_beyond_the_exact_doubles_keep_their_last_bit(
    postgres: Postgres,
) -> None:
    step = 2.0**-53
    x = [1.0, 1.0, step, -1.0, -1.0, -step, 1.0]
    table = pa.table({"x": x, "g": ["a"] * 3 + ["b"] * 3 + ["c"]})
    expected = [2**54 + 1, -(2**54) - 1, 2**53]
    assert sums_of(postgres.table(table), step, 2**53) == expected


# Sums of 2^63 and 2^64, which numpy takes for other types.
@pytest.mark.parametrize("many", [2**7, 2**8])
def test_sums_are_clamped_to_62_bits(postgres: Postgres, many: int) -> None:
    x = [1.0] * many + [-1.0] * many + [1.0, -0.5]
    groups = ["a"] * many + ["b"] * many + ["c"] * 2
    found = sums_of(postgres.table(pa.table({"x": x, "g": groups})), 2.0**-56, 2**56)
    assert found == [LARGEST_SUM, -LARGEST_SUM, 2**56 - 2**55]


def test_a_huge_sum_rounds_no_other(postgres: Postgres) -> None:
    x = [1.0] * 2**7 + [-1.0, 2.0**-56]
    table = pa.table({"x": x, "g": ["a"] * 2**7 + ["b"] * 2})
    found = sums_of(postgres.table(table), 2.0**-56, 2**56)
    assert found == [LARGEST_SUM, -(2**56) + 1, 0]


def test_totals_of_one_unit_beyond_the_exact_doubles_are_taken_in_pieces(
    postgres: Postgres,
) -> None:
    """Rows of 2^28 in cells of totals below 1: they pass 2^53, and cancel out."""
    totals = {"score": Bounds(-1, 1), "label": Bounds(0, 1)}
    plan = plan_of(
        Bounds(-(2.0**28), 2.0**28),
        Bounds(0, 1),
        keys=REGIONS,
        unit=PrivacyUnit("id", totals=totals, most_groups=2),
    )
    scores = [2.0**28] * 4 + [-(2.0**28)] * 4 + [2.0**-24, 1 / 3]
    table = pa.table(
        {
            "score": scores * 2,
            "label": [0.1] * 20,
            "region": ["a"] * 10 + ["b"] * 10,
            "id": ["x"] * 20,
        }
    )
    found = require_agreement(postgres, plan, table)
    assert found[0][2] * plan.measurements[0].sums[2].step == pytest.approx(
        1 / 3, abs=1e-6
    )


def test_a_product_that_two_sums_share_is_counted_for_both(postgres: Postgres) -> None:
    statement = statement_with(2.0**-24, 2**24)
    twice = replace(statement, sums=statement.sums * 2)
    table = postgres.table(pa.table({"x": [0.5, 0.25, -1.0], "g": ["a", "a", "c"]}))
    found = open_table(table, twice, "ibis")().plus(np.zeros((3, 2), dtype=np.int64))
    assert found.tolist() == [[3 * 2**22] * 2, [0] * 2, [-(2**24)] * 2]


# Limits.


def test_a_limit_of_rows_that_a_user_set_cuts_nothing_off(postgres: Postgres) -> None:
    keys = [f"{at}" for at in range(30)]
    table = pa.table({"score": [0.5] * 30, "label": [1] * 30, "region": keys})
    before = ibis.options.sql.default_limit
    ibis.options.sql.default_limit = 3
    try:
        require_agreement(postgres, plan_of(keys=keys), table)
    finally:
        ibis.options.sql.default_limit = before


def test_what_libraries_warn_of_is_not_heard() -> None:
    """Warnings are errors here; elsewhere they would be on the screen."""

    class Talkative(Dialect):
        def ask(self, backend: object, asked: object) -> dict[str, list[Any]]:
            warnings.warn(f"{backend} was asked {asked}", DeprecationWarning, 2)
            return {"sum0": [None, 2]}

    table = WarehouseTable({}, None, "canary", Talkative())
    assert table.fetch("canary") == {"sum0": [0, 2]}


# What it does not run on.


def test_a_table_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"got one\. Use engine 'duckdb'"):
        open_warehouse(pa.table({"score": [0.5]}))
    with pytest.raises(InvalidInput, match="engine 'ibis' does not read files"):
        open_table(pa.table({"score": [0.5]}), asked(plan_of()), "ibis")


def test_a_dialect_says_what_it_must_be_told() -> None:
    """What no two databases do alike has no common form."""
    empty, column = Dialect(), ibis.literal("a")
    for unsaid in (
        empty.floor,
        empty.day,
        empty.month,
        empty.iso_day,
    ):
        with pytest.raises(NotImplementedError):
            unsaid(column)
    for unsaid_of_two in (empty.text_number, empty.ask):
        with pytest.raises(NotImplementedError):
            unsaid_of_two(column, column)
