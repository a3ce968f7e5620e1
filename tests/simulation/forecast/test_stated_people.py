"""The people whom nobody described, for a range of widths."""

import math

import pytest

from dpratio.plan.strategy.shares import Box
from dpratio.simulation.forecast.promise import stated_family
from dpratio.terms.bounds import Bounds

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}


@pytest.mark.parametrize("guess_is", ["close", "unknown"])
@pytest.mark.parametrize("box", [UNIT, UNIT | {"w": Bounds(1 / 3, 3)}, SPEND], ids=str)
def test_the_people_of_a_range_are_possible(box: Box, guess_is: str) -> None:
    family = stated_family(box, 1.0, guess_is, 1_000.0)
    assert len(family) >= 16
    s, y = box["s"], box["y"]
    for people in family:
        assert s.lower <= people.numerator <= s.upper
        assert y.lower < people.denominator < y.upper
        s_sd, y_sd = (
            math.sqrt((mean - bounds.lower) * (bounds.upper - mean))
            for mean, bounds in ((people.numerator, s), (people.denominator, y))
        )
        most = (s_sd + abs(1.0 + people.off) * y_sd) ** 2
        assert 0 <= people.residual <= most * (1 + 1e-12)


@pytest.mark.parametrize(
    ("s", "y", "guess", "guess_is", "means"),
    [
        ((0, 1), Bounds.binary(), 1.0, "close", {0.05, 0.2, 0.5, 0.8}),
        ((0, 150), Bounds(1, 6), 2.0, "close", {1.5, 3.5}),
        ((0, 60), Bounds.ones(), 10.0, "unknown", {1.0}),
        ((-1, 1), Bounds(-6, -1), 0.0, "unknown", {-1.5, -3.5}),
        ((-1, 1), Bounds(-4, 2), 0.0, "unknown", {-1.0}),
    ],
)
def test_a_range_has_rare_labels_and_denominators_near_their_end(
    s: tuple[float, float], y: Bounds, guess: float, guess_is: str, means: set[float]
) -> None:
    family = stated_family({"s": Bounds(*s), "y": y}, guess, guess_is, 9.0)
    assert {round(people.denominator, 9) for people in family} == means


def test_a_denominator_near_its_end_leaves_room_for_larger_ratios() -> None:
    close, unknown = (
        max(people.off for people in stated_family(SPEND, 2.0, word, 9.0))
        for word in ("close", "unknown")
    )
    assert unknown > 2 * close


def test_rows_of_people_with_ids_are_a_count_and_no_label() -> None:
    row = {"s": Bounds(0, 60), "y": Bounds.ones()}
    totals = {"s": Bounds(0, 600), "y": Bounds(0, 10)}
    counted = stated_family(totals, 10.0, "unknown", 9.0, row)
    assert counted == stated_family(totals, 10.0, "unknown", 9.0)
