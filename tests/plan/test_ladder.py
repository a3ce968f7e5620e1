"""The public cells of a ladder, its edges and its limits."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.ladder import Ladder, ladder_between

LADDERS = [Ladder(), Ladder(0, 1), Ladder(-3, 4), Ladder(-90, 30), Ladder(-90, -89)]
USUAL = (1.0, 8.0)


def test_cells_rise_and_each_has_a_name() -> None:
    cells = "512 to 640, 640 to 768, 768 to 896, 896 to 1024, 1024 or above, not finite"
    assert ", ".join(Ladder(9, 10).labels[6:]) == cells
    cells = "-2 or below, -2 to -1, around 0, 1 to 2, 2 or above, not finite"
    assert ", ".join(Ladder(0, 1, steps=1).labels) == cells
    assert Ladder(0, 2, steps=1).edges == (-4.0, -2.0, -1.0, 1.0, 2.0, 4.0)


@pytest.mark.parametrize("ladder", [*LADDERS, Ladder(-3, 90)])
def test_edges_are_exact_and_near_each_other(ladder: Ladder) -> None:
    """Three bits each: every engine holds and compares the same number."""
    for low, high in itertools.pairwise(ladder.sizes):
        assert 1 < high / low <= 1.25
        assert (math.frexp(low)[0] * 8).is_integer()
    assert set(ladder.edges) == {*ladder.sizes, *(-size for size in ladder.sizes)}
    starts = [cell.split(" ")[0] for cell in ladder.labels[len(ladder.sizes) + 1 : -1]]
    assert tuple(map(float, starts)) == ladder.sizes


@given(number=st.floats(allow_nan=False, allow_infinity=False))
@example(number=-0.0)
@example(number=5e-324)
@example(number=2.0**40)
@example(number=-(2.0**-20))
@example(number=-640.0)
@example(number=math.nextafter(640.0, 0))
def test_every_number_lies_between_the_edges_of_its_cell(number: float) -> None:
    ladder = Ladder()
    edges = (-math.inf, *ladder.edges, math.inf)
    cell = ladder.place(number)
    if number < 0:
        assert edges[cell] < number <= edges[cell + 1]
    else:
        assert edges[cell] <= number < edges[cell + 1]
    assert ladder.labels[ladder.place(None)] == "not finite"


@pytest.mark.parametrize("ladder", LADDERS)
def test_totals_are_whole_cells_that_doubles_hold(ladder: Ladder) -> None:
    total = ladder.total
    assert total.highest == -total.lowest < 2**53
    assert total.highest * total.step == ladder.outer.upper
    assert ladder.place(ladder.outer.upper) == len(ladder.edges)
    assert ladder.place(ladder.outer.lower) == 0


@pytest.mark.parametrize(
    ("limits", "ladder"),
    [
        ((0.01, 5000), Ladder(-7, 13)),
        ((0.5, 4), Ladder(-1, 2)),
        ([0.5, None], Ladder(-1, 3)),
        ((None, None), Ladder(0, 3)),
    ],
)
def test_outer_limits_are_powers_of_two_that_hold_two_sizes(
    limits: Any,  # noqa: ANN401
    ladder: Ladder,
) -> None:
    assert ladder_between(limits, USUAL) == ladder


@pytest.mark.parametrize(
    "terms",
    [
        *((-91, 0), (0, 91), (3, 3), (4, 3), (0, 1.0), (False, 1), (-90, 31)),
        *((0, 2, 2), (0, 2, 4.0), (0, 2, True)),
    ],
)
def test_a_ladder_has_as_many_cells_as_a_person_looks_at(terms: tuple[Any]) -> None:
    with pytest.raises(InvalidInput, match="between 2") as refused:
        Ladder(*terms)
    assert refused.value.field == "limits"
