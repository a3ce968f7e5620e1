import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess


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
