"""The public grid, its edges and its cells."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import Ladder

LADDERS = [Ladder(), Ladder(0, 1), Ladder(-3, 4), Ladder(-90, 30), Ladder(-90, -89)]


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
    assert set(ladder.edges) == {*ladder.sizes, *(-each for each in ladder.sizes)}
    starts = [each.split(" ")[0] for each in ladder.labels[len(ladder.sizes) + 1 : -1]]
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


def test_outer_limits_are_powers_of_two_within_what_bounds_can_hold() -> None:
    assert Ladder.between(0.01, 5000) == Ladder(-7, 13)
    assert Ladder.between(0.5, 4) == Ladder(-1, 2)
    odd: list[Any] = [(0, 1), (-1, 1), (2, 1), (1, math.inf), (math.nan, 1), ("a", 1)]
    for limits in (*odd, (True, 2)):
        with pytest.raises(InvalidInput, match=r"two positive.*limits=\(0\.01"):
            Ladder.between(*limits)
    for ends in ((-91, 0), (0, 91), (3, 3), (4, 3), (0, 1.0)):
        with pytest.raises(InvalidInput, match=r"between 2\^-90 and 2\^90"):
            Ladder(*ends)
    with pytest.raises(InvalidInput, match="120 powers of two at most, got 121"):
        Ladder(-90, 31)
