"""A public guess of a population."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

SCORE, LABEL, HEAVY = MeanSd(0.5, 0.2), MeanSd(0.2), MeanSd(2.0, 1.0)
GUESS = Population(SCORE, LABEL, HEAVY, correlation=0.3)


def test_weights_that_go_with_a_column_move_the_ratio() -> None:
    assert not GUESS.weights_follow
    assert GUESS.ratio == pytest.approx(2.5)
    together = Population(SCORE, LABEL, HEAVY, 0.3, 0.1, 0.25)
    assert together.weights_follow
    # E(ws)/E(w) = 0.5 + 0.1 · 1 · 0.2/2, and of the label 0.2 + 0.25 · 1 · 0.4/2.
    assert together.ratio == pytest.approx(0.51 / 0.25)


@pytest.mark.parametrize(
    ("guess", "bounds", "spread"),
    [
        (MeanSd(0.2), Bounds.binary(), 0.4),
        (MeanSd(0.2, 0.4), Bounds.binary(), 0.4),
        (MeanSd(0.999), Bounds.ones(), math.sqrt(0.999 * 0.001)),
        (MeanSd(0.5, 0.1), Bounds(0, 1), 0.1),
        (MeanSd(1), Bounds.ones(), None),
        (MeanSd(0.5), Bounds.ones(), None),
        (MeanSd(0.2, 0.3), Bounds.binary(), None),
        (MeanSd(0.5), Bounds(0, 2), None),
        (MeanSd(2, 0.1), Bounds(0, 2), None),
        *((MeanSd(0.5, sd), Bounds(0, 1), None) for sd in (0, -1, 0.5, 0.51, math.nan)),
    ],
    ids=str,
)
def test_a_spread_is_one_that_the_bounds_allow(
    guess: MeanSd, bounds: Bounds, spread: float | None
) -> None:
    if spread is None:
        with pytest.raises(InvalidInput, match=r"'s'|for what is counted"):
            guess.spread_within(bounds, "s")
    else:
        assert guess.spread_within(bounds, "s") == pytest.approx(spread)


CORRELATIONS = ("correlation", "weight_with_numerator", "weight_with_per")
REFUSED: list[tuple[Callable[[], Any], str]] = [
    *(
        (lambda name=name, odd=odd: replace(GUESS, **{name: odd}), name)
        for name in CORRELATIONS
        for odd in (-1.0, 1.0, 2.0, math.nan)
    ),
    (lambda: Population(SCORE, LABEL, weight_with_per=0.2), "weight"),
    (lambda: Population(SCORE, LABEL, MeanSd(0.0, 1.0), 0.0, 0.2), "weight"),
    (lambda: Population(SCORE, MeanSd(0.0, 1.0)), "per"),
    (lambda: Population(SCORE, MeanSd(1.0, 1.0), MeanSd(1, 2), 0, 0, -0.5), "per"),
]


@pytest.mark.parametrize(("make", "field"), REFUSED)
def test_a_guess_that_is_no_population_is_refused(
    make: Callable[[], Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        make()
    assert refused.value.field == field
