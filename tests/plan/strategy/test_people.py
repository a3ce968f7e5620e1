"""The family of people that a plan is made for, and guesses that take its place."""

import math
from itertools import product
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import BASES, Contrast
from dpratio.plan.strategy.people import (
    EXPECTED_PEOPLE,
    People,
    expected_of,
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.simulation.forecast.stated_people import stated_family
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}
AROUND_ONE = Contrast(1.0)


def family(
    box: dict[str, Bounds],
    contrast: Contrast = AROUND_ONE,
    population: Population | None = None,
) -> tuple[People, ...]:
    units = units_of(box, contrast)
    return family_of(units, likely_ratios(units, "close"), likely_counts(7), population)


def test_residuals_spread_over_a_hundredth_to_a_third_of_their_reach() -> None:
    """In units of the box, whatever the data's."""
    units = units_of(SPEND, Contrast(4.0))
    people = family(SPEND, Contrast(4.0))
    spread = {round(math.sqrt(each.residual) / each.reach, 9) for each in people}
    assert spread == {0.01, 0.03, 0.1, 0.3}
    largest = max(each.reach for each in people)
    assert largest * units.factors["s"] == pytest.approx(150 - 0.8 * 4.0)


def test_a_binary_label_is_rare_or_not_and_spreads_accordingly() -> None:
    people = family(UNIT)
    assert {each.denominator for each in people} == {0.2, 0.5}
    for each in people:
        spread = each.denominator * (1 - each.denominator) * each.reach**2
        assert each.residual == pytest.approx(spread)


def test_weights_have_a_long_tail_inside_their_bounds() -> None:
    units = units_of(WEIGHTED, AROUND_ONE)
    means = {each.weight * units.factors["w"] for each in family(WEIGHTED)}
    assert sorted(means) == pytest.approx([1 / 3 + 0.8 / 3, 1 / 3 + 3.2 / 3])
    assert all(each.weight_square > each.weight**2 for each in family(WEIGHTED))


def test_the_ratio_misses_its_guess_either_way() -> None:
    misses = [each.off for each in family(UNIT)]
    assert min(misses) < 0 < max(misses)
    units = units_of({"s": Bounds(-1, 1), "y": Bounds(0, 1)}, Contrast(0.0))
    ratios = likely_ratios(units, "close")
    assert ratios == tuple(-each for each in reversed(ratios))
    wide = likely_ratios(units_of(UNIT, AROUND_ONE), "unknown")
    near = likely_ratios(units_of(UNIT, AROUND_ONE), "close")
    assert min(wide) < min(near) < 1 < max(near) < max(wide)


def test_who_does_not_say_how_many_is_planned_for_few_and_many() -> None:
    counts = likely_counts(None)
    assert min(counts) < EXPECTED_PEOPLE / 5 < EXPECTED_PEOPLE * 5 < max(counts)
    assert 200 < min(likely_counts(300)) < max(likely_counts(300)) < 450


# Joint probabilities of s and y in {0, 1}.
TABLE = {(0, 0): 0.4, (0, 1): 0.1, (1, 0): 0.2, (1, 1): 0.3}


@pytest.mark.parametrize("centre", [0.0, 1.0, -1.0, 0.5, 3.0])
def test_a_guess_gives_the_moments_of_the_people_it_describes(centre: float) -> None:
    """Against a table of probabilities, added up at the ratio that the guess has."""
    s, y = (sum(p * one[i] for one, p in TABLE.items()) for i in range(2))
    both = TABLE[1, 1]
    s_sd, y_sd = math.sqrt(s * (1 - s)), math.sqrt(y * (1 - y))
    guess = Population(
        MeanSd(s, s_sd * 0.999_999),
        MeanSd(y),
        correlation=(both - s * y) / (s_sd * y_sd),
    )
    contrast = Contrast(centre)
    size = units_of(UNIT, contrast).factors["s"]
    wanted = sum(p * (a - s / y * b) ** 2 for (a, b), p in TABLE.items())
    for found in family(UNIT, contrast, guess):
        assert found.numerator * size == pytest.approx(s)
        assert found.denominator == pytest.approx(y)
        assert found.residual * size**2 == pytest.approx(wanted, rel=1e-5)
        assert found.numerator_square * size**2 == pytest.approx(s * (1 - s), rel=1e-5)
        assert found.denominator_square == pytest.approx(y * (1 - y))
        assert abs(found.off) * size >= abs(s / y - centre)


@pytest.mark.parametrize(
    ("weight", "mean", "square"),
    [
        (MeanSd(1.0, 0.6), 1.0, 1.36),
        # A weight that nobody guessed lies in the middle, and varies as much.
        (None, 5 / 3, 25 / 9),
    ],
)
def test_guessed_weights_spread_as_they_are_guessed(
    weight: MeanSd | None, mean: float, square: float
) -> None:
    unit = units_of(WEIGHTED, AROUND_ONE).factors["w"]
    guess = Population(MeanSd(0.5, 0.2), MeanSd(0.5), weight=weight)
    found = family(WEIGHTED, population=guess)[0]
    assert found.weight * unit == pytest.approx(mean)
    assert found.weight_square * unit**2 == pytest.approx(square)
    # Of a ratio without any they are left aside.
    unweighted = family(UNIT, population=guess)[0]
    assert (unweighted.weight, unweighted.weight_square) == (1.0, 1.0)


def test_guessed_weights_that_go_with_a_column_move_its_mean() -> None:
    columns = MeanSd(0.5, 0.2), MeanSd(0.5), MeanSd(1.0, 0.6)
    size = units_of(WEIGHTED, AROUND_ONE).factors["s"]
    guess = Population(*columns, weight_with_numerator=0.25, weight_with_per=0.5)
    found = family(WEIGHTED, population=guess)[0]
    assert found.numerator * size == pytest.approx(0.53)
    assert found.denominator == pytest.approx(0.65)
    # E(s − r·y)² around zero: both variances, and the mean that is left.
    ratio = 0.53 / 0.65
    wanted = 0.04 + ratio**2 / 4 + (0.5 - ratio / 2) ** 2
    assert found.residual * size**2 == pytest.approx(wanted)


@pytest.mark.parametrize("size", [2.0**-100, 1.0, 2.0**100])
@pytest.mark.parametrize("centre", [0.0, 2.0**-50, 1.5, -(2.0**50)])
def test_a_ratio_is_expected_around_its_guess_at_any_size(
    size: float, centre: float
) -> None:
    box = {"s": Bounds(0, size), "y": Bounds(0, 20)}
    units = units_of(box, Contrast(centre))
    close, unknown = (expected_of(units, each) for each in ("close", "unknown"))
    assert close.centre == unknown.centre == centre
    assert 0 < close.variance < unknown.variance
    # Without a guess the ratio may be as large as it is at the far end of s.
    assert unknown.variance >= (size / 20 - abs(centre)) ** 2 / 6


@pytest.mark.parametrize("box", [UNIT, WEIGHTED, SPEND], ids=["unit", "weighted", "y"])
@pytest.mark.parametrize("guess_is", ["close", "unknown"])
def test_the_people_of_a_range_are_possible(
    box: dict[str, Bounds], guess_is: str
) -> None:
    units = units_of(box, AROUND_ONE)
    people = stated_family(units, guess_is, 1_000.0)
    assert len(people) >= 16
    for each in people:
        s, y = units.box["s"], units.box["y"]
        assert s.lower <= each.numerator <= s.upper
        assert y.lower < each.denominator < y.upper
        ratio = abs(units.contrast.centre + each.off)
        s_sd, y_sd = (
            math.sqrt((mean - end.lower) * (end.upper - mean))
            for mean, end in ((each.numerator, s), (each.denominator, y))
        )
        assert 0 <= each.residual <= (s_sd + ratio * y_sd) ** 2 * (1 + 1e-12)


@pytest.mark.parametrize(
    ("s", "y", "centre", "guess_is", "means"),
    [
        ((0, 1), Bounds.binary(), 1.0, "close", {0.05, 0.2, 0.5, 0.8}),
        ((0, 150), Bounds(1, 6), 2.0, "close", {1.5, 3.5}),
        ((0, 60), Bounds.ones(), 10.0, "unknown", {1.0}),
        ((-1, 1), Bounds(-6, -1), 0.0, "unknown", {-1.5, -3.5}),
        ((-1, 1), Bounds(-4, 2), 0.0, "unknown", {-1.0}),
    ],
)
def test_a_range_has_rare_labels_and_denominators_near_their_end(
    s: tuple[float, float], y: Bounds, centre: float, guess_is: str, means: set[float]
) -> None:
    units = units_of({"s": Bounds(*s), "y": y}, Contrast(centre))
    people = stated_family(units, guess_is, 9.0)
    size = units.factors["y"]
    assert {round(each.denominator * size, 9) for each in people} == means


def test_a_denominator_near_its_end_leaves_room_for_larger_ratios() -> None:
    units = units_of(SPEND, Contrast(2.0))
    close, unknown = (
        max(each.off for each in stated_family(units, word, 9.0))
        for word in ("close", "unknown")
    )
    assert unknown > 2 * close


def test_rows_of_people_with_ids_are_a_count_and_no_label() -> None:
    box = {"s": Bounds(0, 60), "y": Bounds.ones()}
    totals = units_of({"s": Bounds(0, 600), "y": Bounds(0, 10)}, Contrast(10.0))
    counted = stated_family(totals, "unknown", 9.0, box)
    assert counted == stated_family(totals, "unknown", 9.0)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            [MeanSd(200.0, 0.1), MeanSd(2)],
            "'numerator' must lie inside its bounds, 0 to 150, got",
        ),
        ([MeanSd(5), MeanSd(2, 1)], "sd of 'numerator' must lie"),
        ([MeanSd(5, 2), MeanSd(9)], "'per' must lie inside"),
        (
            [MeanSd(5, 2), MeanSd(2, 1), MeanSd(9.0, 1.0)],
            "'weight' must lie inside",
        ),
    ],
    ids=["numerator", "spread", "denominator", "weight"],
)
def test_a_guess_outside_its_bounds_is_refused_in_the_user_s_units(
    columns: Any,  # noqa: ANN401
    message: str,
) -> None:
    with pytest.raises(InvalidInput, match=message):
        family({**SPEND, "w": Bounds(0, 3)}, population=Population(*columns))


def test_every_expectation_is_positive_where_it_must_be() -> None:
    """Sizes are divided by; no box and no guess r₀ makes one of them zero."""
    ends = [(-3.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (2.0, 2.5), (-0.5, 4.0)]
    for s, y, centre, basis in product(ends, ends, (0.0, 1.0, -2.0), BASES):
        box = {"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0, 1)}
        for found in family(box, Contrast(centre, None, basis)):
            assert found.denominator != 0
            sizes = (found.residual, found.weight, found.numerator_square)
            assert min(*sizes, found.denominator_square) > 0
