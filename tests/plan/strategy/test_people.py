"""The family of people that a plan is made for, and guesses that take its place."""

import math
from itertools import product

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.contrast import BASES, Contrast
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
from dpratio.terms.guess import ColumnGuess, Guess

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}
AROUND_ONE = Contrast(1.0)


def family(
    box: dict[str, Bounds],
    contrast: Contrast = AROUND_ONE,
    guess: Guess | None = None,
    n: int | None = 7,
) -> tuple[People, ...]:
    units = units_of(box, contrast)
    ratios = likely_ratios(units, "close")
    return family_of(units, ratios, likely_counts(n), guess)


def test_residuals_spread_over_a_hundredth_to_a_third_of_their_reach() -> None:
    """In units of the box, whatever the data's."""
    units = units_of(SPEND, Contrast(4.0))
    spread = {
        round(math.sqrt(each.residual) / each.reach, 9)
        for each in family(SPEND, Contrast(4.0))
    }
    assert spread == {0.01, 0.03, 0.1, 0.3}
    largest = max(each.reach for each in family(SPEND, Contrast(4.0)))
    assert largest * units.factors["s"] == pytest.approx(150 - 0.8 * 4.0)


def test_a_binary_label_is_rare_or_not_and_spreads_accordingly() -> None:
    found = {(each.denominator, each.residual) for each in family(UNIT)}
    wide = {each.reach for each in family(UNIT)}
    for mean, residual in found:
        assert mean in {0.2, 0.5}
        assert any(
            residual == pytest.approx(mean * (1 - mean) * reach**2) for reach in wide
        )


def test_weights_have_a_long_tail_inside_their_bounds() -> None:
    units = units_of(WEIGHTED, AROUND_ONE)
    means = {each.weight * units.factors["w"] for each in family(WEIGHTED)}
    assert sorted(means) == pytest.approx([1 / 3 + 0.8 / 3, 1 / 3 + 3.2 / 3])
    assert {round(each.weight_square / each.weight**2, 9) for each in family(WEIGHTED)}
    assert all(each.weight_square > each.weight**2 for each in family(WEIGHTED))


def test_the_ratio_misses_its_guess_either_way() -> None:
    around = {round(each.off / 1.0, 9) for each in family(UNIT)}
    assert min(around) < 0 < max(around)
    units = units_of({"s": Bounds(-1, 1), "y": Bounds(0, 1)}, Contrast(0.0))
    ratios = likely_ratios(units, "close")
    assert ratios == tuple(-each for each in reversed(ratios))
    wide = likely_ratios(units_of(UNIT, AROUND_ONE), "unknown")
    near = likely_ratios(units_of(UNIT, AROUND_ONE), "close")
    assert min(wide) < min(near) < 1 < max(near) < max(wide)


def test_who_does_not_say_how_many_is_planned_for_few_and_many() -> None:
    assert min(likely_counts(None)) < EXPECTED_PEOPLE / 5
    assert max(likely_counts(None)) > EXPECTED_PEOPLE * 5
    assert min(likely_counts(300)) > 200
    assert max(likely_counts(300)) < 450


# Joint probabilities of s and y in {0, 1}.
TABLE = {(0, 0): 0.4, (0, 1): 0.1, (1, 0): 0.2, (1, 1): 0.3}


def moment(*powers: int) -> float:
    return math.fsum(
        p * float(s) ** powers[0] * float(y) ** powers[1] for (s, y), p in TABLE.items()
    )


@pytest.mark.parametrize("centre", [0.0, 1.0, -1.0, 0.5, 3.0])
def test_a_guess_gives_the_moments_of_the_people_it_describes(centre: float) -> None:
    """Against a table of probabilities, added up at the ratio that the guess has."""
    s, y = moment(1, 0), moment(0, 1)
    s_sd, y_sd = math.sqrt(s * (1 - s)), math.sqrt(y * (1 - y))
    guess = Guess(
        ColumnGuess(s, s_sd * 0.999_999),
        ColumnGuess(y),
        correlation=(moment(1, 1) - s * y) / (s_sd * y_sd),
    )
    contrast = Contrast(centre)
    size = units_of(UNIT, contrast).factors["s"]
    for found in family(UNIT, contrast, guess):
        assert found.numerator * size == pytest.approx(s)
        assert found.denominator == pytest.approx(y)
        wanted = sum(p * (a - s / y * b) ** 2 for (a, b), p in TABLE.items())
        assert found.residual * size**2 == pytest.approx(wanted, rel=1e-5)
        assert found.numerator_square * size**2 == pytest.approx(s * (1 - s), rel=1e-5)
        assert found.denominator_square == pytest.approx(y * (1 - y))
        assert abs(found.off) * size >= abs(s / y - centre)


def test_guessed_weights_spread_as_they_are_guessed() -> None:
    columns = ColumnGuess(0.5, 0.2), ColumnGuess(0.5)
    unit = units_of(WEIGHTED, AROUND_ONE).factors["w"]
    guess = Guess(*columns, weight=ColumnGuess(1.0, 0.6))
    (found, *_) = family(WEIGHTED, guess=guess)
    assert found.weight * unit == 1.0
    assert found.weight_square * unit**2 == pytest.approx(1.36)
    (unguessed, *_) = family(WEIGHTED, guess=Guess(*columns))
    assert unguessed.weight * unit == pytest.approx(5 / 3)
    assert unguessed.weight_square * unit**2 == pytest.approx(25 / 9)


def test_guessed_weights_that_go_with_a_column_move_its_mean() -> None:
    columns = ColumnGuess(0.5, 0.2), ColumnGuess(0.5), ColumnGuess(1.0, 0.6)
    units = units_of(WEIGHTED, AROUND_ONE)
    guess = Guess(*columns, weight_with_numerator=0.25, weight_with_per=0.5)
    (found, *_) = family(WEIGHTED, guess=guess)
    assert found.numerator * units.factors["s"] == pytest.approx(0.53)
    assert found.denominator == pytest.approx(0.65)
    # E(s − r·y)² around zero: both variances, and the mean that is left.
    ratio = 0.53 / 0.65
    wanted = 0.04 + ratio**2 / 4 + (0.5 - ratio / 2) ** 2
    assert found.residual * units.factors["s"] ** 2 == pytest.approx(wanted)


@pytest.mark.parametrize("size", [2.0**-100, 1.0, 2.0**100])
@pytest.mark.parametrize("centre", [0.0, 2.0**-50, 1.5, -(2.0**50)])
def test_a_ratio_is_expected_around_its_guess_at_any_size(
    size: float, centre: float
) -> None:
    box = {"s": Bounds(0, size), "y": Bounds(0, 20)}
    close, unknown = (
        expected_of(units_of(box, Contrast(centre)), each)
        for each in ("close", "unknown")
    )
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


def test_a_range_has_rare_labels_and_denominators_near_their_end() -> None:
    labels = {
        each.denominator
        for each in stated_family(units_of(UNIT, AROUND_ONE), "close", 9.0)
    }
    assert labels == {0.05, 0.2, 0.5, 0.8}
    units = units_of(SPEND, Contrast(2.0))
    close = stated_family(units, "close", 9.0)
    means = {round(each.denominator * units.factors["y"], 9) for each in close}
    assert means == {1.5, 3.5}
    # Without a guess, a denominator near its end leaves room for larger ratios.
    unknown = stated_family(units, "unknown", 9.0)
    assert max(each.off for each in unknown) > 2 * max(each.off for each in close)


def test_rows_that_are_counted_are_one_whoever_has_them() -> None:
    box = {"s": Bounds(0, 60), "y": Bounds.ones()}
    found = stated_family(units_of(box, Contrast(10.0)), "unknown", 9.0)
    assert {each.denominator for each in found} == {1.0}
    # Of people with ids they are a count, and no label of all rows or none.
    totals = units_of({"s": Bounds(0, 600), "y": Bounds(0, 10)}, Contrast(10.0))
    counted = stated_family(totals, "unknown", 9.0, box)
    assert counted == stated_family(totals, "unknown", 9.0)


@pytest.mark.parametrize(
    ("bounds", "means"),
    [(Bounds(-6, -1), {-1.5, -3.5}), (Bounds(-4, 2), {-1.0})],
)
def test_denominators_below_zero_have_an_end_near_it_too(
    bounds: Bounds, means: set[float]
) -> None:
    units = units_of({"s": Bounds(-1, 1), "y": bounds}, Contrast(0.0))
    found = stated_family(units, "unknown", 9.0)
    assert {round(each.denominator * units.factors["y"], 9) for each in found} == means


def test_guessed_weights_of_a_ratio_without_any_are_left_aside() -> None:
    guess = Guess(
        ColumnGuess(0.5, 0.2), ColumnGuess(0.5), weight=ColumnGuess(99.0, 0.6)
    )
    (found, *_) = family(UNIT, guess=guess)
    assert (found.weight, found.weight_square) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        (
            Guess(ColumnGuess(200.0, 0.1), ColumnGuess(2)),
            "'numerator' must lie inside its bounds, got 200.0. The bounds are 0 and",
        ),
        (Guess(ColumnGuess(5), ColumnGuess(2, 1)), "sd of 'numerator' is missing"),
        (Guess(ColumnGuess(5, 2), ColumnGuess(9)), "'per' must lie inside"),
        (
            Guess(ColumnGuess(5, 2), ColumnGuess(2, 1), ColumnGuess(9.0, 1.0)),
            "'weight' must lie inside",
        ),
    ],
    ids=["numerator", "spread", "denominator", "weight"],
)
def test_a_guess_outside_its_bounds_is_refused_in_the_user_s_units(
    guess: Guess, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        family({**SPEND, "w": Bounds(0, 3)}, guess=guess)


def test_every_expectation_is_positive_where_it_must_be() -> None:
    """Sizes are divided by; no box and no guess r₀ makes one of them zero."""
    ends = [(-3.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (2.0, 2.5), (-0.5, 4.0)]
    for s, y, centre, basis in product(ends, ends, (0.0, 1.0, -2.0), BASES):
        box = {"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0, 1)}
        for found in family(box, Contrast(centre, None, basis)):
            assert found.residual > 0
            assert found.denominator != 0
            assert found.weight > 0
            assert found.numerator_square > 0
            assert found.denominator_square > 0
