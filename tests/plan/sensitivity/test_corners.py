"""Every row lies in the hull of the corners, clipped or not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dpratio.plan.sensitivity.sums import BASES, Contrast, Point, corners_of
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import Box, inside, near_boxes, near_guesses

UNIT = {"s": Bounds(0, 1), "y": Bounds(0, 1)}
WEIGHTED = {**UNIT, "w": Bounds(0.5, 3)}
AROUND_ZERO = {"s": Bounds(-1, 2), "y": Bounds(-3, 1), "w": Bounds(0.5, 2)}
TOP = {"s": 1.0, "y": 1.0, "w": 1.0}

contrasts = st.builds(
    Contrast,
    near_guesses,
    st.none() | st.sampled_from([0.125, 0.5, 1.0]),
    st.sampled_from(BASES),
)


def box_of(s: tuple[float, float], y: tuple[float, float]) -> dict[str, Bounds]:
    return {"s": Bounds(*s), "y": Bounds(*y)}


def row_of(part: Mapping[str, float], box: Box) -> Point:
    """The exact factors of a row, at these parts of the way through its bounds."""
    row = {"w": Fraction(1)}
    for name, bounds in box.items():
        lower, upper = Fraction(bounds.lower), Fraction(bounds.upper)
        row[name] = lower + Fraction(part[name]) * (upper - lower)
    return row


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
@given(box=near_boxes, contrast=contrasts, part=inside)
@example(box=AROUND_ZERO, contrast=Contrast(1.0, 0.5), part=TOP)
@example(box=WEIGHTED, contrast=Contrast(1.0, 0.5), part={"s": 0.6, "y": 0, "w": 0.6})
def test_every_row_is_in_a_hull_of_corners_and_no_corner_lies_outside(
    box: dict[str, Bounds], contrast: Contrast, part: dict[str, float]
) -> None:
    """On a row's side of the limit: there clipping is affine and corners are enough."""
    row = row_of(part, box)
    z, h = (row["w"] * each for each in contrast.of(row["s"], row["y"]))
    corners = corners_of(box, contrast)
    if contrast.limit is None:
        assert distance_to_hull({"w": row["w"], "z": z, "h": h}, corners) < 1e-9
        return
    limit = Fraction(contrast.limit)
    kept = max(-limit, min(limit, z))
    sides = [each for each in corners if kept in {z, each["z"]}]
    assert distance_to_hull({"w": row["w"], "z": kept, "h": h}, sides) < 1e-9
    # Nothing is charged that no row can be mixed from.
    free = corners_of(box, replace(contrast, limit=None))
    for corner in corners:
        assert abs(corner["z"]) <= limit
        if abs(corner["z"]) < limit:
            assert distance_to_hull(corner, free) < 1e-9


def test_corners_are_exact() -> None:
    """0.1 + 0.7·0.3 has no double; a corner has it all the same."""
    box = {**box_of((0, 0.1), (0, 0.3)), "w": Bounds(0, 0.9)}
    wanted = Fraction(0.9) * (Fraction(0.1) + Fraction(0.7) * Fraction(0.3))
    assert wanted in [each["h"] for each in corners_of(box, Contrast(0.7))]
    assert Fraction(0.9 * (0.1 + 0.7 * 0.3)) != wanted


def test_a_limit_cuts_edges_where_z_crosses_it() -> None:
    """Scores and labels between 0 and 1, around 1: z within ±1, h up to 2."""
    found = [(each["z"], each["h"]) for each in corners_of(UNIT, Contrast(1.0))]
    assert {(-1, 1), (0, 0), (0, 2), (1, 1)} <= set(found)
    assert len(found) == 4
    cut = {(each["z"], each["h"]) for each in corners_of(UNIT, Contrast(1.0, 0.25))}
    quarter = Fraction(1, 4)
    # Vertices as they are or clipped; crossings of edges from (0, 0) and (0, 2).
    assert {(0, 0), (0, 2), (quarter, 1), (-quarter, 1)} <= cut
    for side in (quarter, -quarter):
        assert {(side, quarter), (side, 2 - quarter)} <= cut
    # w·z crosses the limit on the way from a small weight to a large one.
    assert {"w": 1, "z": 1, "h": 1} in corners_of(WEIGHTED, Contrast(1.0, 1.0))


@pytest.mark.parametrize(
    ("s", "y", "turns"),
    [
        ((0, 1), (0, 1), {(1.0, 0.25)}),
        ((0.5, 1), (0, 1), {(1.0, 0.25), (0.5, 0.125)}),
        ((-1, 1), (0, 1), {(1.0, 0.25)}),
        ((-1, 1), (-1, 1), {(1.0, 0.25), (-1.0, -0.25)}),
        ((0, 4), (0, 1), set()),
    ],
)
def test_with_the_denominator_rows_are_listed_where_its_product_with_z_turns(
    s: tuple[float, float], y: tuple[float, float], turns: set[tuple[float, float]]
) -> None:
    """(s − 2y)·y turns at y = s/4, on the two edges where s is at an end."""
    corners = corners_of(box_of(s, y), Contrast(2.0, None, "denominator"))
    listed = {(float(each["z"] + 2 * each["h"]), float(each["h"])) for each in corners}
    assert listed == turns | set(product(s, y))
