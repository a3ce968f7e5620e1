"""The guess of a focused plan: given, or found from bounds and people."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
PAIRED = Ratio("s", per="y", minus="m")
BOX = {"s": Bounds(0, 1), "y": Bounds.binary()}
WIDE = {"s": Bounds(0, 20), "y": Bounds(0, 20)}


def settled(ratio: Ratio = RATIO, **terms: Any) -> Ratio:  # noqa: ANN401
    """Return the ratio of a plan."""
    given: dict[str, Any] = {"bounds": BOX, "budget": Budget(1)} | terms
    return make_plan(ratio, **given).measurements[0].ratio


@pytest.mark.parametrize(
    ("s", "y", "guess", "guess_is"),
    [
        (Bounds(0, 1), Bounds.binary(), 1.0, "close"),
        (Bounds(0.1, 0.4), Bounds.binary(), 1.0, "close"),
        # From the middle all shares are near, and 1 is as well.
        (Bounds(0, 1), Bounds(0, 1), 0.5, "unknown"),
        (Bounds.binary(), Bounds.binary(), 0.5, "unknown"),
        (Bounds(-3, 2), Bounds(-3, 2), 0.5, "unknown"),
        (Bounds(0, 1), Bounds.ones(), 0.5, "unknown"),
        (Bounds.binary(), Bounds.ones(), 0.5, "unknown"),
        # A twelfth of the way from the end near zero, over the middle of y, rounded.
        (Bounds(0, 1), Bounds(0, 2), 1 / 12, "unknown"),
        (Bounds(0, 150), Bounds(1, 6), 12.5 / 3.5, "unknown"),
        (Bounds(0, 2), Bounds.binary(), 1 / 3, "unknown"),
        (Bounds(100, 220), Bounds(0, 1), 220.0, "unknown"),
        (Bounds(-220, -100), Bounds(0, 1), -220.0, "unknown"),
        (Bounds(-30, 180), Bounds(1, 4), 5.0, "unknown"),
        (Bounds(-1, 1), Bounds(0, 1), 0.0, "unknown"),
        (Bounds(0, 1), Bounds(-1, 2), 0.0, "unknown"),
        (Bounds(0, 2.0**90), Bounds(0, 1), 0.0, "unknown"),
    ],
)
def test_bounds_tell_what_a_ratio_is_likely_to_be(
    s: Bounds, y: Bounds, guess: float, guess_is: str
) -> None:
    ratio = settled(bounds={"s": s, "y": y})
    assert ratio.guess == pytest.approx(guess, rel=0.05)
    assert (type(ratio.guess), ratio.guess_is) == (float, guess_is)


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
@pytest.mark.parametrize("guess", [0.0, 1.0, -2.5])
def test_a_given_guess_is_kept_and_only_a_focused_plan_needs_one(
    strategy: str, guess: float
) -> None:
    asked = replace(RATIO, guess=guess)
    assert settled(asked, bounds=WIDE, strategy=strategy) == asked
    found = settled(bounds=WIDE, strategy=strategy).guess
    assert found == (0.5 if strategy == "focused" else None)


def test_people_who_are_described_have_the_ratio_that_is_guessed() -> None:
    people = Population(MeanSd(7, 2), MeanSd(3, 1))
    assert settled(bounds=WIDE, population=people) == replace(RATIO, guess=2.3)
    known = replace(RATIO, guess=4.0)
    assert settled(known, bounds=WIDE, population=people) == known


def test_a_difference_is_guessed_to_be_zero() -> None:
    assert settled(PAIRED, bounds={**BOX, "m": Bounds(0, 1)}).guess == 0.0


def test_a_guess_of_totals_follows_from_their_bounds() -> None:
    alike = PrivacyUnit("user", totals={"s": Bounds(0, 5), "y": Bounds(0, 5)})
    bounds = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
    assert settled(unit=alike, bounds=bounds).guess == 0.5


@pytest.mark.parametrize(
    ("ratio", "bounds", "most"),
    [
        (replace(RATIO, guess=1), BOX, 1.0),
        (replace(WEIGHTED, guess=1), {**BOX, "w": Bounds(0.5, 3)}, 3.0),
        (replace(RATIO, guess=2), BOX, 2.0),
        (replace(RATIO, guess=-2), BOX, 3.0),
        (replace(RATIO, guess=0), {"s": Bounds(-4, 1), "y": Bounds(0, 9)}, 4.0),
        (replace(WEIGHTED, guess=0.5), {**BOX, "w": Bounds(0, 0.25)}, 0.25),
    ],
)
def test_a_residual_bound_lies_below_the_largest_residual_of_the_box(
    ratio: Ratio, bounds: dict[str, Bounds], most: float
) -> None:
    below = replace(ratio, residual_bound=most * (1 - 1e-9))
    assert settled(below, bounds=bounds) == below
    for bound in (most, most * 1.5, 2.0**50):
        with pytest.raises(
            InvalidInput, match=f"must be below {most:g}, which the box"
        ):
            settled(replace(ratio, residual_bound=bound), bounds=bounds)
