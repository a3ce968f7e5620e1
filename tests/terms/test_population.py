"""A public guess of a population, and the middle of a range."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population


def test_the_ratio_is_that_of_the_means() -> None:
    guess = Population(MeanSd(0.6, 0.2), MeanSd(0.5))
    assert guess.ratio == pytest.approx(1.2)


def test_weights_that_go_with_a_column_move_the_ratio() -> None:
    weight = MeanSd(2.0, 1.0)
    numerator, per = MeanSd(0.5, 0.2), MeanSd(0.2)
    apart = Population(numerator, per, weight, correlation=0.3)
    assert not apart.weights_follow
    assert apart.ratio == pytest.approx(2.5)
    together = Population(numerator, per, weight, 0.3, 0.1, 0.25)
    assert together.weights_follow
    # E(ws)/E(w) = 0.5 + 0.1 · 1 · 0.2/2, and of the label 0.2 + 0.25 · 1 · 0.4/2.
    assert together.weighted_mean("numerator") == pytest.approx(0.51)
    assert together.weighted_mean("per") == pytest.approx(0.25)
    assert together.ratio == pytest.approx(0.51 / 0.25)


def test_a_binary_column_spreads_as_its_mean_says() -> None:
    binary = Bounds.binary()
    assert MeanSd(0.2).spread_within(binary, "y") == pytest.approx(0.4)
    assert MeanSd(0.2, 0.4).spread_within(binary, "y") == pytest.approx(0.4)


@pytest.mark.parametrize("correlation", [-1.0, 1.0, 2.0, float("nan")])
@pytest.mark.parametrize(
    "name", ["correlation", "weight_with_numerator", "weight_with_per"]
)
def test_a_correlation_lies_strictly_between_its_ends(
    name: str, correlation: float
) -> None:
    guess = Population(MeanSd(0.5, 0.1), MeanSd(0.5), MeanSd(1, 0.5))
    changed: dict[str, Any] = {name: correlation}
    with pytest.raises(InvalidInput, match=f"{name} must lie between -1 and 1"):
        replace(guess, **changed)


@pytest.mark.parametrize("weight", [None, MeanSd(0.0, 1.0)])
def test_weights_that_go_with_a_column_must_be_guessed(
    weight: MeanSd | None,
) -> None:
    with pytest.raises(InvalidInput, match="needs a guess of its mean, above 0"):
        Population(MeanSd(0.5, 0.1), MeanSd(0.5), weight, weight_with_per=0.2)


def test_a_denominator_of_mean_zero_has_no_ratio() -> None:
    with pytest.raises(InvalidInput, match="cannot be 0"):
        Population(MeanSd(0.5, 0.1), MeanSd(0.0, 1.0))
    columns = MeanSd(0.5, 0.1), MeanSd(1.0, 1.0), MeanSd(1, 2)
    with pytest.raises(InvalidInput, match="the weighted mean of 'per' is 0"):
        Population(*columns, weight_with_per=-0.5)


@pytest.mark.parametrize("sd", [0.0, -1.0, 0.5, 0.51, float("nan")])
def test_a_spread_the_bounds_do_not_allow_is_refused(sd: float) -> None:
    with pytest.raises(InvalidInput, match=r"between 0 and 0\.5"):
        MeanSd(0.5, sd).spread_within(Bounds(0, 1), "s")


def test_a_spread_that_only_a_binary_column_may_leave_out_is_missed() -> None:
    with pytest.raises(InvalidInput, match="the guessed sd of 's' is missing"):
        MeanSd(0.5).spread_within(Bounds(0, 2), "s")


@pytest.mark.parametrize(
    ("bounds", "middle"),
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
def test_the_middle_of_a_range_lies_away_from_zero(
    bounds: Bounds, middle: float
) -> None:
    assert bounds.middle == middle


def test_what_is_counted_is_guessed_as_nearly_always_one() -> None:
    ones = Bounds.ones()
    assert MeanSd(0.999).spread_within(ones, "per") == pytest.approx(0.0316, abs=1e-4)
    for mean in (1, 0.5):
        with pytest.raises(InvalidInput, match=r"Write 0\.999 for what is counted"):
            MeanSd(mean).spread_within(ones, "per")
