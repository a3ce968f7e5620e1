"""The public grid, its edges and its cells."""

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.histogram.ladder import Ladder, ladder_of

LADDERS = [Ladder(), Ladder(0, 1), Ladder(-3, 4), Ladder(-90, 30), Ladder(-90, -89)]


def test_cells_rise_and_each_has_a_name() -> None:
    assert Ladder(9, 10).labels[6:] == (
        "512 to 640",
        "640 to 768",
        "768 to 896",
        "896 to 1024",
        "1024 or above",
        "not finite",
    )
    assert Ladder(0, 2, steps=1).labels == (
        "-4 or below",
        "-4 to -2",
        "-2 to -1",
        "around 0",
        "1 to 2",
        "2 to 4",
        "4 or above",
        "not finite",
    )
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
@example(number=640.0)
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


@pytest.mark.parametrize("ladder", [*LADDERS, Ladder(0, 9, 1)])
def test_a_ladder_is_found_again_by_its_cells(ladder: Ladder) -> None:
    assert ladder_of(ladder.labels) == ladder


@pytest.mark.parametrize(
    "labels",
    [
        (),
        ("north", "south"),
        Ladder(0, 2).labels[:-1],
        Ladder(0, 2).labels[::-1],
        (*Ladder(0, 2).labels[:3], "32 to 64", *Ladder(0, 2).labels[4:]),
        ("",),
        ("a", "512 to 256", "2 or above", "not finite"),
        ("a", "b", "1e-30 to 1e-29", "2 or above", "not finite"),
        ("a", "b", f"{2.0**-90} to 1", f"{2.0**90} or above", "not finite"),
        (1, 2, 3, 4),
    ],
)
def test_other_cells_are_no_ladder(labels: tuple[object, ...]) -> None:
    assert ladder_of(labels) is None


def test_outer_limits_are_widened_to_powers_of_two() -> None:
    assert Ladder.between(0.01, 5000) == Ladder(-7, 13)
    assert Ladder.between(0.5, 4) == Ladder(-1, 2)


@pytest.mark.parametrize(
    "limits",
    [(0, 1), (-1, 1), (2, 1), (1, math.inf), (math.nan, 1), ("a", 1), (True, 2)],
)
def test_outer_limits_must_be_positive_and_in_order(limits: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"two positive numbers.*limits=\(0\.01"):
        Ladder.between(*limits)


@pytest.mark.parametrize(
    ("ends", "rule"),
    [
        *(
            (ends, r"between 2\^-90 and 2\^90")
            for ends in ((-91, 0), (0, 91), (3, 3), (4, 3), (0, 1.0))
        ),
        ((-90, 31), "120 powers of two at most"),
    ],
)
def test_a_ladder_ends_within_what_bounds_can_hold(
    ends: tuple[int, int], rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        Ladder(*ends)


@pytest.mark.parametrize("ladder", LADDERS)
def test_totals_are_whole_cells_that_doubles_hold(ladder: Ladder) -> None:
    total = ladder.total
    assert total.highest == -total.lowest < 2**53
    assert total.highest * total.step == ladder.outer.upper
    assert ladder.place(ladder.outer.upper) == len(ladder.edges)
    assert ladder.place(ladder.outer.lower) == 0
