"""A public guess of a population, and what stands in where none was made."""

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess, middle_guess


def test_the_ratio_is_that_of_the_means() -> None:
    guess = Guess(ColumnGuess(0.6, 0.2), ColumnGuess(0.5))
    assert guess.ratio == pytest.approx(1.2)


def test_a_binary_column_spreads_as_its_mean_says() -> None:
    binary = Bounds.binary()
    assert ColumnGuess(0.2).spread_within(binary, "y") == pytest.approx(0.4)
    assert ColumnGuess(0.2, 0.4).spread_within(binary, "y") == pytest.approx(0.4)


@pytest.mark.parametrize("correlation", [-1.0, 1.0, 2.0, float("nan")])
def test_a_correlation_lies_strictly_between_its_ends(correlation: float) -> None:
    with pytest.raises(InvalidInput, match="between -1 and 1"):
        Guess(ColumnGuess(0.5, 0.1), ColumnGuess(0.5), correlation=correlation)


def test_a_denominator_of_mean_zero_has_no_ratio() -> None:
    with pytest.raises(InvalidInput, match="cannot be 0"):
        Guess(ColumnGuess(0.5, 0.1), ColumnGuess(0.0, 1.0))


@pytest.mark.parametrize("sd", [0.0, -1.0, 0.5, 0.51, float("nan")])
def test_a_spread_the_bounds_do_not_allow_is_refused(sd: float) -> None:
    with pytest.raises(InvalidInput, match=r"between 0 and 0\.5"):
        ColumnGuess(0.5, sd).spread_within(Bounds(0, 1), "s")


@pytest.mark.parametrize(
    ("bounds", "mean"),
    [
        (Bounds(0, 1), 0.5),
        (Bounds(2, 6), 4.0),
        (Bounds(-6, -2), -4.0),
        (Bounds.binary(), 0.5),
        # A middle near zero says nothing of a ratio: a quarter of the reach does.
        (Bounds(-1, 1), 0.25),
        (Bounds(-4, 3), 1.0),
        (Bounds(-3, 4), 1.0),
        (Bounds(-8, 2), -3.0),
    ],
)
def test_the_middle_of_a_range_stands_in_for_a_guess(
    bounds: Bounds, mean: float
) -> None:
    guess = middle_guess({"s": Bounds(0, 1), "y": bounds})
    assert guess.per.mean == mean
    assert guess.numerator == ColumnGuess(0.5, 0.25)
    assert guess.weight is None
    assert guess.correlation == 0


def test_the_middle_spreads_by_a_quarter_of_the_width() -> None:
    box = {"s": Bounds(-1, 3), "y": Bounds.binary(), "w": Bounds(0, 2)}
    guess = middle_guess(box)
    assert guess.numerator == ColumnGuess(1.0, 1.0)
    assert guess.per == ColumnGuess(0.5)
    assert guess.weight == ColumnGuess(1.0, 0.5)


@pytest.mark.parametrize(
    "bounds",
    [Bounds(0, 1), Bounds(-1, 1), Bounds(-4, 3), Bounds.binary(), Bounds(1, 1.5)],
)
def test_the_middle_is_a_guess_that_its_bounds_allow(bounds: Bounds) -> None:
    guess = middle_guess({"s": bounds, "y": bounds})
    assert guess.numerator.spread_within(bounds, "s") > 0
