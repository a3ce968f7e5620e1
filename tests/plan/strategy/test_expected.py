"""What a plan expects of people: what a guess says, or the middle of the box."""

import math
from itertools import product

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.strategy.expected import Expected, expected_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess

UNIT = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEIGHTED = {**UNIT, "w": Bounds(1 / 3, 3)}
AROUND_ONE = Contrast(1.0)


def test_without_a_guess_the_middle_of_the_box_is_expected() -> None:
    assert expected_of(UNIT, AROUND_ONE, 5000, None) == Expected(
        people=5000,
        weight=1.0,
        weight_square=1.0,
        numerator=0.5,
        denominator=0.5,
        residual=0.25,
        numerator_square=0.0625,
        denominator_square=0.0625,
    )


def test_without_a_guess_every_weight_is_in_the_middle() -> None:
    found = expected_of(WEIGHTED, AROUND_ONE, 10, None)
    assert found.weight == pytest.approx(5 / 3)
    assert found.weight_square == pytest.approx(25 / 9)
    assert found.people == 10


@pytest.mark.parametrize(
    ("s", "y", "centre", "largest"),
    [
        (Bounds(0, 1), Bounds(0, 1), 2.0, 2.0),
        (Bounds(0, 4), Bounds(0, 1), 2.0, 4.0),
        (Bounds(-1, 1), Bounds(-1, 1), 1.0, 2.0),
        (Bounds(-1, 2), Bounds(0, 3), 0.0, 2.0),
        (Bounds(0, 1), Bounds(0, 1), -1.0, 2.0),
    ],
)
def test_the_residual_is_a_quarter_of_its_largest_square(
    s: Bounds, y: Bounds, centre: float, largest: float
) -> None:
    found = expected_of({"s": s, "y": y}, Contrast(centre), 1, None)
    assert found.residual == largest**2 / 4


def test_a_range_around_zero_is_not_expected_to_have_mean_zero() -> None:
    """A denominator of zero would promise an endless interval."""
    box = {"s": Bounds(-1, 1), "y": Bounds(-3, 4)}
    found = expected_of(box, AROUND_ONE, 1, None)
    assert (found.numerator, found.denominator) == (0.25, 1.0)


# Joint probabilities of s and y in {0, 1}.
TABLE = {(0, 0): 0.4, (0, 1): 0.1, (1, 0): 0.2, (1, 1): 0.3}


def moment(*powers: int) -> float:
    return math.fsum(
        p * float(s) ** powers[0] * float(y) ** powers[1] for (s, y), p in TABLE.items()
    )


@pytest.mark.parametrize("centre", [0.0, 1.0, -1.0, 0.5, 3.0])
def test_a_guess_gives_the_moments_of_the_people_it_describes(centre: float) -> None:
    """Against a table of probabilities, added up."""
    s, y = moment(1, 0), moment(0, 1)
    s_sd, y_sd = math.sqrt(s * (1 - s)), math.sqrt(y * (1 - y))
    guess = Guess(
        ColumnGuess(s, s_sd * 0.999_999),
        ColumnGuess(y),
        correlation=(moment(1, 1) - s * y) / (s_sd * y_sd),
    )
    found = expected_of(UNIT, Contrast(centre), 7, guess)
    assert (found.people, found.numerator, found.denominator) == (7, s, y)
    wanted = sum(p * (a - centre * b) ** 2 for (a, b), p in TABLE.items())
    assert found.residual == pytest.approx(wanted, rel=1e-5)
    assert found.numerator_square == pytest.approx(s * (1 - s), rel=1e-5)
    assert found.denominator_square == pytest.approx(y * (1 - y))


def test_guessed_weights_spread_as_they_are_guessed() -> None:
    columns = ColumnGuess(0.5, 0.2), ColumnGuess(0.5)
    guess = Guess(*columns, weight=ColumnGuess(1.0, 0.6))
    found = expected_of(WEIGHTED, AROUND_ONE, 1, guess)
    assert found.weight == 1.0
    assert found.weight_square == pytest.approx(1.36)
    unguessed = expected_of(WEIGHTED, AROUND_ONE, 1, Guess(*columns))
    assert unguessed.weight == pytest.approx(5 / 3)
    assert unguessed.weight_square == pytest.approx(25 / 9)


def test_guessed_weights_of_a_ratio_without_any_are_left_aside() -> None:
    guess = Guess(
        ColumnGuess(0.5, 0.2), ColumnGuess(0.5), weight=ColumnGuess(99.0, 0.6)
    )
    found = expected_of(UNIT, AROUND_ONE, 1, guess)
    assert (found.weight, found.weight_square) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("guess", "message"),
    [
        (Guess(ColumnGuess(2.0, 0.1), ColumnGuess(0.5)), "'numerator' must lie inside"),
        (Guess(ColumnGuess(0.5), ColumnGuess(0.5)), "sd of 'numerator' is missing"),
        (Guess(ColumnGuess(0.5, 0.2), ColumnGuess(1.5)), "'per' must lie inside"),
        (
            Guess(ColumnGuess(0.5, 0.2), ColumnGuess(0.5), ColumnGuess(9.0, 1.0)),
            "'weight' must lie inside",
        ),
    ],
    ids=["numerator", "spread", "denominator", "weight"],
)
def test_a_guess_outside_its_bounds_is_refused(guess: Guess, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        expected_of(WEIGHTED, AROUND_ONE, 1, guess)


def test_every_expectation_is_positive_where_it_must_be() -> None:
    """Sizes are divided by; no box and no guess r₀ makes one of them zero."""
    ends = [(-3.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (2.0, 2.5), (-0.5, 4.0)]
    for s, y, centre in product(ends, ends, (0.0, 1.0, -2.0)):
        box = {"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0, 1)}
        found = expected_of(box, Contrast(centre), 1, None)
        assert found.residual > 0
        assert found.denominator != 0
        assert found.weight > 0
        assert found.numerator_square > 0
        assert found.denominator_square > 0
