"""Every row lies in the hull of the corners, clipped or not."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dpratio.plan.sensitivity.contrast import BASES, Contrast
from dpratio.plan.sensitivity.corners import Point, corners_of
from dpratio.terms.bounds import Bounds

UNIT = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
WEIGHTED = {**UNIT, "w": Bounds(0.5, 3)}
AROUND_ZERO = {"s": Bounds(-1, 2), "y": Bounds(-3, 1), "w": Bounds(0.5, 2)}
TOP = {"s": 1.0, "y": 1.0, "w": 1.0}

ends = st.integers(-8, 8).map(lambda end: end / 4)
ranges = (
    st.tuples(ends, ends)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: Bounds(min(pair), max(pair)))
)
weights = st.integers(0, 7).map(lambda low: Bounds(low / 4, 2))
boxes = st.builds(
    lambda s, y, w: {"s": s, "y": y, **w},
    ranges,
    ranges,
    st.just({}) | weights.map(lambda w: {"w": w}),
)
contrasts = st.builds(
    Contrast,
    st.sampled_from([0.0, 1.0, -1.0, 0.5, -3.0, 1.7]),
    st.none() | st.sampled_from([0.125, 0.5, 1.0]),
    st.sampled_from(BASES),
)
parts = st.fixed_dictionaries(dict.fromkeys("syw", st.floats(0, 1)))


def row_of(part: Mapping[str, float], box: Mapping[str, Bounds]) -> Point:
    """The exact factors of a row, at these parts of the way through its bounds."""
    row = {"w": Fraction(1)}
    for name, bounds in box.items():
        lower, upper = Fraction(bounds.lower), Fraction(bounds.upper)
        row[name] = lower + Fraction(part[name]) * (upper - lower)
    return row


def image(row: Point, contrast: Contrast) -> Point:
    z, h = (row["w"] * each for each in contrast.of(row["s"], row["y"]))
    if contrast.limit is not None:
        limit = Fraction(contrast.limit)
        z = max(-limit, min(limit, z))
    return {"w": row["w"], "z": z, "h": h}


def distance_to_hull(point: Point, corners: Sequence[Point]) -> float:
    """How far a point is from the hull, in its largest coordinate."""
    names = list(point)
    spread = np.array([[float(each[name]) for each in corners] for name in names])
    wanted = np.array([float(point[name]) for name in names])
    count, size = len(corners), len(names)
    # Minimise t with |Σλᵢcᵢ − p| ≤ t, Σλᵢ = 1, λ ≥ 0.
    column = np.full((size, 1), -1.0)
    solved = linprog(
        [*np.zeros(count), 1.0],
        A_ub=np.vstack([np.hstack([spread, column]), np.hstack([-spread, column])]),
        b_ub=np.concatenate([wanted, -wanted]),
        A_eq=[[*np.ones(count), 0.0]],
        b_eq=[1.0],
    )
    assert solved.fun is not None
    return float(solved.fun)


@settings(max_examples=150)
@given(box=boxes, contrast=contrasts, part=parts)
@example(box=AROUND_ZERO, contrast=Contrast(1.0, 0.5), part=TOP)
@example(box=WEIGHTED, contrast=Contrast(1.0, 0.5), part={"s": 0.6, "y": 0, "w": 0.6})
def test_every_row_is_in_a_hull_of_corners(
    box: dict[str, Bounds], contrast: Contrast, part: dict[str, float]
) -> None:
    """On its side of the limit: there clipping is affine and corners are enough."""
    point = image(row_of(part, box), contrast)
    corners = corners_of(box, contrast)
    if contrast.limit is not None:
        limit = Fraction(contrast.limit)
        free = row_of(part, box)
        z = free["w"] * contrast.of(free["s"], free["y"])[0]
        if abs(z) > limit:
            corners = tuple(each for each in corners if each["z"] == point["z"])
    assert distance_to_hull(point, corners) < 1e-9


@settings(max_examples=150)
@given(box=boxes, contrast=contrasts)
def test_corners_are_rows_or_lie_between_rows(
    box: dict[str, Bounds], contrast: Contrast
) -> None:
    """None lies outside: nothing is charged that no row can be mixed from."""
    free = corners_of(box, replace(contrast, limit=None))
    for corner in corners_of(box, contrast):
        if contrast.limit is None:
            assert corner in free
            continue
        limit = Fraction(contrast.limit)
        assert abs(corner["z"]) <= limit
        if abs(corner["z"]) < limit:
            assert distance_to_hull(corner, free) < 1e-9


@pytest.mark.parametrize("box", [UNIT, WEIGHTED, AROUND_ZERO], ids=len)
def test_corners_of_the_paper_s_factors_are_the_vertices_of_the_box(
    box: dict[str, Bounds],
) -> None:
    weights = box.get("w")
    wanted = [
        {"w": Fraction(w), "s": Fraction(s), "y": Fraction(y)}
        for w, s, y in product(
            (weights.lower, weights.upper) if weights else (1,),
            (box["s"].lower, box["s"].upper),
            (box["y"].lower, box["y"].upper),
        )
    ]
    assert list(corners_of(box, None)) == wanted


def test_corners_are_exact() -> None:
    """0.1 + 0.7·0.3 has no double; a corner has it all the same."""
    box = {"s": Bounds(0, 0.1), "y": Bounds(0, 0.3), "w": Bounds(0, 0.9)}
    wanted = Fraction(0.9) * (Fraction(0.1) + Fraction(0.7) * Fraction(0.3))
    assert wanted in [each["h"] for each in corners_of(box, Contrast(0.7))]
    assert Fraction(0.9 * (0.1 + 0.7 * 0.3)) != wanted


def test_the_familiar_case_has_four_corners() -> None:
    """Scores and labels between 0 and 1, around 1: z within ±1, h up to 2."""
    corners = corners_of(UNIT, Contrast(1.0))
    found = [(float(each["z"]), float(each["h"])) for each in corners]
    assert sorted(found) == [(-1, 1), (0, 0), (0, 2), (1, 1)]


def test_a_limit_cuts_edges_where_z_crosses_it() -> None:
    found = {(each["z"], each["h"]) for each in corners_of(UNIT, Contrast(1.0, 0.25))}
    quarter = Fraction(1, 4)
    # Vertices as they are or clipped; crossings of edges from (0, 0) and (0, 2).
    assert {(0, 0), (0, 2), (quarter, 1), (-quarter, 1)} <= found
    for side in (quarter, -quarter):
        assert {(side, quarter), (side, 2 - quarter)} <= found


def test_a_limit_on_weighted_values_cuts_between_weights_too() -> None:
    """w·z crosses the limit on the way from a small weight to a large one."""
    corners = corners_of(WEIGHTED, Contrast(1.0, 1.0))
    crossing = {"w": Fraction(1), "z": Fraction(1), "h": Fraction(1)}
    assert crossing in corners


def test_a_corner_on_the_limit_is_not_cut_again() -> None:
    """z = 1 at two corners, and no edge passes through the limit 1."""
    box = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
    found = corners_of(box, Contrast(0.5, math.nextafter(1, 0)))
    below = Fraction(math.nextafter(1, 0))
    assert all(abs(each["z"]) <= below for each in found)
    on_it = [each for each in corners_of(box, Contrast(0.5, 1.0)) if each["z"] == 1]
    assert on_it == [{"w": 1, "z": 1, "h": 1}]


@pytest.mark.parametrize(
    ("box", "with_y_zero", "with_s_zero"),
    [
        ({"s": Bounds(2, 3), "y": Bounds(-1, 1)}, {2, 3}, set()),
        ({"s": Bounds(-3, -2), "y": Bounds(-1, 1)}, {-2, -3}, set()),
        ({"s": Bounds(-1, 2), "y": Bounds(4, 5)}, set(), {4, 5}),
        ({"s": Bounds(-1, 2), "y": Bounds(-5, -4)}, set(), {-4, -5}),
        ({"s": Bounds(-1, 2), "y": Bounds(-5, 4)}, {-1, 2}, {-5, 4}),
        ({"s": Bounds(1, 2), "y": Bounds(4, 5)}, set(), set()),
    ],
)
@pytest.mark.parametrize("limit", [None, 100.0])
def test_rows_on_an_axis_are_listed_just_where_the_box_crosses_it(
    box: dict[str, Bounds],
    with_y_zero: set[int],
    with_s_zero: set[int],
    limit: float | None,
) -> None:
    """At the guess 1, z = s − y and h = s + y: alike at y = 0, opposite at s = 0."""
    corners = corners_of(box, Contrast(1.0, limit))
    assert {each["h"] for each in corners if each["z"] == each["h"]} == with_y_zero
    assert {each["h"] for each in corners if each["z"] == -each["h"]} == with_s_zero


def test_a_corner_on_an_axis_or_on_a_limit_is_listed_once() -> None:
    for box in (
        {"s": Bounds(-1, 0), "y": Bounds(1, 2)},
        {"s": Bounds(1, 2), "y": Bounds(-1, 0)},
    ):
        assert len(corners_of(box, Contrast(1.0))) == 4
    found = corners_of({"s": Bounds(0, 2), "y": Bounds(0, 1)}, Contrast(1.0, 1.0))
    assert [each for each in found if each["z"] == -1] == [{"w": 1, "z": -1, "h": 1}]


@pytest.mark.parametrize(
    ("box", "turns"),
    [
        ({"s": Bounds(0, 1), "y": Bounds(0, 1)}, {(1.0, 0.25)}),
        ({"s": Bounds(0.5, 1), "y": Bounds(0, 1)}, {(1.0, 0.25), (0.5, 0.125)}),
        ({"s": Bounds(-1, 1), "y": Bounds(0, 1)}, {(1.0, 0.25)}),
        ({"s": Bounds(-1, 1), "y": Bounds(-1, 1)}, {(1.0, 0.25), (-1.0, -0.25)}),
        ({"s": Bounds(0, 4), "y": Bounds(0, 1)}, set()),
    ],
)
def test_with_the_denominator_rows_are_listed_where_its_product_with_z_turns(
    box: dict[str, Bounds], turns: set[tuple[float, float]]
) -> None:
    """(s − 2y)·y turns at y = s/4, on the two edges where s is at an end."""
    corners = corners_of(box, Contrast(2.0, None, "denominator"))
    listed = {(float(each["z"] + 2 * each["h"]), float(each["h"])) for each in corners}
    vertices = set(
        product((box["s"].lower, box["s"].upper), (box["y"].lower, box["y"].upper))
    )
    assert listed - vertices == turns
    assert vertices <= listed


@pytest.mark.parametrize("centre", [1, 3, -2])
def test_the_product_of_z_and_the_denominator_turns_where_its_slope_is_zero(
    centre: int,
) -> None:
    """(s − r₀y)·y is s²/4r₀ at y = s/2r₀."""
    box = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    corners = corners_of(box, Contrast(float(centre), None, "denominator"))
    products = [each["z"] * each["h"] for each in corners]
    furthest = max(products) if centre > 0 else min(products)
    assert furthest == Fraction(1, 4 * centre)
