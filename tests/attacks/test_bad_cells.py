"""Row 7: cells that are no numbers, or too large for any."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, sums_by
from curator.moves_for_tests import require_paid
from curator.tables_for_tests import exact, plan_of
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import PrivacyUnit

# What a cell counts as: a number, or None where its row is dropped.
Cells = dict[Any, float | None]

NAN, INFINITE = float("nan"), float("inf")
NAMES = ("score", "label", "weight")
BOUNDS = (Bounds(-1, 2), Bounds(0, 1), Bounds(0, 3))
UNIT = PrivacyUnit("id", totals={"score": Bounds(-3, 6), "label": Bounds(0, 3)})

# Three columns at a time, each of another type.
TYPED: dict[str, tuple[tuple[Any, Cells], ...]] = {
    "floats": (
        (pa.float64(), {NAN: None, INFINITE: None, None: None, 1e308: 2, -1e308: -1}),
        (pa.float32(), {NAN: None, -INFINITE: None, None: None, 3.4e38: 1}),
        (pa.float64(), {NAN: None, INFINITE: None, -INFINITE: None, 5e-324: 5e-324}),
    ),
    "whole numbers": (
        (pa.int64(), {None: None, -(2**63): -1, 2**63 - 1: 2}),
        (pa.uint64(), {None: None, 2**64 - 1: 1}),
        (pa.int8(), {None: None, -128: 0, 127: 3}),
    ),
    "decimals and truths": (
        (pa.decimal128(38, 0), {None: None, Decimal(10**38 - 1): 2, Decimal(-9): -1}),
        (pa.bool_(), {None: None, False: 0}),
        (pa.decimal128(38, 37), {None: None, Decimal("1e-37"): 1e-37}),
    ),
}

OBJECTS: Cells = {
    "0.5": None,
    "text": None,
    b"1": None,
    (1,): None,
    10**400: None,
    -(10**400): None,
    10**300: 2,
    Decimal("NaN"): None,
    Decimal("Infinity"): None,
    Decimal("1e9999"): None,
    Decimal("-1e30"): -1,
    np.float32(NAN): None,
    np.complex128(1 + 2j): None,
    np.timedelta64(1, "s"): None,
    np.bool_(True): 1,  # noqa: FBT003 (a cell)
    dt.date(2026, 1, 31): None,
}


@dataclass
class Beside:
    """Rows that each have a group of their own, beside a row that is like all others.

    Each hostile cell has a pair of groups: one with its row, one without.
    """

    rows: list[tuple[Any, ...]]
    meant: list[tuple[Any, ...] | None]
    asked: str = "rows"

    @classmethod
    def of(cls, columns: tuple[Cells, ...], asked: str = "rows") -> "Beside":
        rows: list[tuple[Any, ...]] = []
        meant: list[tuple[Any, ...] | None] = []
        for at, cells in enumerate(columns):
            for cell, number in cells.items():
                rows.append(tuple(cell if i == at else 1 for i in range(3)))
                kept = tuple(1.0 if i != at else number for i in range(3))
                meant.append(None if number is None else kept)
        return cls(rows, meant, asked)

    @property
    def keys(self) -> list[str]:
        return [f"{at:03}" for at in range(len(self.rows))]

    @property
    def plan(self) -> Plan:
        score, label, weight = BOUNDS
        if self.asked == "zeros and ones":
            label = Bounds.binary()
        terms: dict[str, Any] = {"unit": UNIT} if self.asked == "people" else {}
        return plan_of(score, label, weight, keys=self.keys, **terms)

    def columns(self) -> list[list[Any]]:
        """The hostile rows, then one plain row in each group."""
        rows = [*self.rows, *[(1, 1, 1)] * len(self.rows)]
        return [[row[at] for row in rows] for at in range(3)]

    def require(self, found: list[list[int]]) -> None:
        """Each hostile row counts as it is meant to, and within the sensitivity."""
        alone = exact(self._table([], []), self.plan, "python")
        meant = [row for row in self.meant if row is not None]
        held = [
            key
            for key, row in zip(self.keys, self.meant, strict=True)
            if row is not None
        ]
        expected = exact(self._table(meant, held), self.plan, "python")
        for row, one, other in zip(self.rows, found, expected, strict=True):
            assert one == other, row
        moves = [
            [abs(one - other) for one, other in zip(*pair, strict=True)]
            for pair in zip(found, alone, strict=True)
        ]
        require_paid(self.plan, moves)

    def _table(self, rows: list[tuple[Any, ...]], keys: list[str]) -> dict[str, Any]:
        whole = [*rows, *[(1.0, 1.0, 1.0)] * len(self.rows)]
        columns = {name: [row[at] for row in whole] for at, name in enumerate(NAMES)}
        ids = list(range(len(whole)))
        return {**columns, "region": [*keys, *self.keys], "id": ids}


def typed(kind: str, asked: str) -> tuple[Beside, pa.Table]:
    columns = TYPED[kind]
    beside = Beside.of(tuple(cells for _, cells in columns), asked)
    arrays = [
        pa.array([_as_type(cell, type_) for cell in cells], type_)
        for cells, (type_, _) in zip(beside.columns(), columns, strict=True)
    ]
    keys = [*beside.keys, *beside.keys]
    others = [pa.array(keys), pa.array(range(len(keys)))]
    return beside, pa.table([*arrays, *others], names=[*NAMES, "region", "id"])


def _as_type(cell: Any, type_: Any) -> Any:  # noqa: ANN401
    if cell is None:
        return None
    if pa.types.is_boolean(type_):
        return bool(cell)
    return Decimal(cell) if pa.types.is_decimal(type_) else cell


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("asked", ["rows", "zeros and ones", "people"])
def test_07_a_cell_that_is_no_number_is_dropped_and_a_huge_one_clipped(
    engine: str, kind: str, asked: str
) -> None:
    """NaN, infinities and nulls drop their row; huge numbers of any type are clipped.

    Source: IBM/differential-privacy-library issue 80, Handling of NaNs;
    google/differential-privacy pull request 405; opendp/smartnoise-sdk pull request
    580. More: tests/curator/test_bad_cells.py
    """
    beside, table = typed(kind, asked)
    beside.require(sums_by(engine, table, beside.plan))


def test_07_python_objects_that_are_no_numbers_are_dropped() -> None:
    """Text, bytes, complex numbers and integers beyond doubles drop their row.

    Source: OpenMined/PySyft issue 6956, Test if we can handle NaN values in the publish
    system without revealing private data. More: tests/curator/test_neighbours.py
    """
    beside = Beside.of((OBJECTS, {}, {}))
    columns = dict(zip(NAMES, beside.columns(), strict=True))
    region = [*beside.keys, *beside.keys]
    beside.require(exact({**columns, "region": region}, beside.plan, "auto"))
