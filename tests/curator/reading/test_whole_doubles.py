"""Doubles are trusted up to 2^53, and not one cell further; worked out by hand."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from curator.tables_for_tests import statement_with
from dpratio.curator.reading.statement import CellSum, Statement, UnitRule
from dpratio.curator.reading.whole_doubles import are_exact, may_be_exact
from dpratio.plan.sensitivity.sums import Total
from dpratio.terms.bounds import Bounds

STEP = 2.0**-20


def people(steps: Mapping[str, float], bounds: Mapping[str, Bounds]) -> Statement:
    """A sum of small cells over people whose rows are counted in these steps."""
    totals = {letter: Total(step, 0, 1) for letter, step in steps.items()}
    return replace(
        statement_with(STEP, 1),
        factor_bounds=bounds,
        unit=UnitRule("id", "key", 1, totals),
    )


@pytest.mark.parametrize(
    ("rows", "exact"),
    [([], True), ([2**23 - 1, 5], True), ([5, 2**23], False), ([2**40], False)],
)
def test_the_largest_group_of_the_largest_cells_stays_below(
    rows: list[int], *, exact: bool
) -> None:
    one = statement_with(STEP, 2**30)
    small, large = CellSum(("y",), STEP, 7), CellSum(("s",), STEP, 2**30)
    for sums in ([small, large], [large, small]):
        assert are_exact(rows, [0], replace(one, sums=tuple(sums))) is exact


def test_without_groups_and_rows_everything_is_exact() -> None:
    assert are_exact([], [], statement_with(STEP, 2**53))
    assert are_exact([1], [], people({"s": 1.0}, {"s": Bounds(0, 2**53)}))


def test_rows_of_one_person_stay_below_before_they_are_clipped() -> None:
    asked = people({"y": 1.0, "s": STEP}, {"s": Bounds(-1, 0.5), "y": Bounds(0, 1)})
    most = (2**53 - 1) // (2**20 + 1)  # a row reaches 2^20 cells, and one by rounding
    assert are_exact([1], [3, most], asked)
    assert not are_exact([1], [most + 1, 3], asked)
    # Just at 2^53: a row of 2^20 - 1 cells and one more.
    asked = people({"s": 1.0}, {"s": Bounds(0, 2**20 - 1)})
    assert are_exact([1], [2**33 - 1], asked)
    assert not are_exact([1], [2**33], asked)
    # A row of three cells and a half.
    asked = people({"s": 2.0}, {"s": Bounds(0, 7)})
    assert are_exact([1], [2**54 // 9 - 1], asked)
    assert not are_exact([1], [2**54 // 9 + 1], asked)


@pytest.mark.parametrize(
    ("letter", "others", "reach"),
    [
        ("s", {}, 7),
        ("s", {"m": Bounds(0, 8)}, 15),
        ("s", {"w": Bounds(0, 9)}, 63),
        ("s", {"m": Bounds(0, 8), "w": Bounds(0, 5)}, 75),
        ("y", {"m": Bounds(0, 8)}, 3),
        ("y", {"m": Bounds(0, 8), "w": Bounds(0, 5)}, 15),
    ],
)
def test_a_row_reaches_as_far_as_its_columns_do_together(
    letter: str, others: Mapping[str, Bounds], reach: int
) -> None:
    bounds = {"s": Bounds(0, 7), "y": Bounds(0, 3), **others}
    asked = people({letter: 1.0}, bounds)
    most = (2**53 - 1) // (reach + 1)
    assert are_exact([1], [most], asked)
    assert not are_exact([1], [most + 1], asked)


def test_a_guess_spreads_rows_evenly_over_groups() -> None:
    asked = statement_with(STEP, 2**30)  # three groups
    assert may_be_exact(3 * 2**23 - 1, asked)
    assert not may_be_exact(3 * 2**23, asked)
    assert not may_be_exact(3 * 2**23 + 1, asked)
    two = (CellSum(("y",), STEP, 7), *asked.sums)
    assert not may_be_exact(3 * 2**23, replace(asked, sums=two))
    assert not may_be_exact(3 * 2**23, replace(asked, sums=two[::-1]))


def test_no_guess_is_made_for_people() -> None:
    asked = replace(people({}, {}), sums=(CellSum(("s",), STEP, 2**30),))
    assert may_be_exact(2.0**60, asked)
