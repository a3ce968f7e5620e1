"""What a row pays for z and h: no more than the joint price, and all of it."""

from itertools import product

import pyarrow as pa
import pytest

from curator.moves_for_tests import require_paid
from curator.tables_for_tests import ENGINES, exact, plan_of
from dpratio.terms.bounds import Bounds

CORNERS = [-4.0, -1.0, -0.4, 0.0, 0.3, 1.0, 5.0]
BOXES = {
    "of the paper": (Bounds(0, 1), Bounds.binary(), Bounds(1 / 3, 3)),
    "around zero": (Bounds(-1, 1), Bounds(-1, 1), None),
    "almost even around zero": (Bounds(-1, 1), Bounds(-1, 1.000001), None),
    "aside of zero": (Bounds(-4, -0.4), Bounds(0.3, 5), Bounds(0, 1)),
    "around zero with weights": (Bounds(-4, 5), Bounds(-1, 0.3), Bounds(0, 5)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limit", [None, 0.25])
@pytest.mark.parametrize("guess", [1.0, 0.0, -2.0, 1 / 3])
@pytest.mark.parametrize("box", BOXES)
def test_rows_at_the_ends_and_in_between_pay_no_more_than_the_joint_price(
    box: str, guess: float, limit: float | None, engine: str
) -> None:
    """One row a group, so that one table holds them all; zero is among the ends."""
    rows = list(product(CORNERS, CORNERS, [0.0, 0.2, 5.0]))
    plan = plan_of(
        *BOXES[box],
        keys=range(len(rows)),
        strategy="focused",
        guess=guess,
        residual_bound=limit,
        answers=("ratio", "means"),
    )
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    names = ["score", "label", "weight", "region"]
    table = pa.table([*columns, pa.array(range(len(rows)))], names=names)
    moved = [[abs(cell) for cell in row] for row in exact(table, plan, engine)]
    require_paid(plan, moved)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("guess", [1.0, 0.0, -2.0])
def test_extreme_rows_reach_the_sensitivity_of_z_and_h_and_outliers_no_more(
    guess: float, engine: str
) -> None:
    ends = {"score": (-3.0, -0.5), "label": (0.5, 2.0), "weight": (0.0, 7.7)}
    plan = plan_of(
        *(Bounds(*pair) for pair in ends.values()),
        strategy="focused",
        guess=guess,
        answers=("ratio", "means"),
    )

    def furthest_moves(factor: float) -> list[int]:
        """The largest move in each sum of rows so many times beyond the ends."""
        spread = [
            [
                (low + high) / 2 + factor * (end - (low + high) / 2)
                for end in (low, high)
            ]
            for low, high in ends.values()
        ]
        tables = [
            pa.table({name: [cell] for name, cell in zip(ends, row, strict=True)})
            for row in product(*spread)
        ]
        moves = [exact(table, plan, engine)[0] for table in tables]
        return [max(map(abs, column)) for column in zip(*moves, strict=True)]

    largest = [each.sensitivity for each in plan.measurements[0].sums]
    assert furthest_moves(1) == furthest_moves(1e200) == largest
