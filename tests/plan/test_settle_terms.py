"""The guess of a focused plan: given, or found from bounds."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.plan_terms import PlanTerms, settle_guess
from dpratio.plan.require_terms import require_terms
from dpratio.terms.bounds import Bounds
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.terms_for_tests import RATIO, UNIT, WEIGHTED, WITH_WEIGHT, plan_of


def settled_of(ratio: Ratio, plan: PlanTerms) -> Ratio:
    """Settle a ratio as if the only question of a plan asked for it."""
    return settle_guess(replace(plan.measurements[0], ratio=ratio), plan)


@pytest.mark.parametrize(
    ("s", "y"),
    [
        (Bounds(0, 1), Bounds.binary()),
        (Bounds(0.1, 0.4), Bounds.binary()),
    ],
)
def test_a_score_per_label_is_compared_with_one(s: Bounds, y: Bounds) -> None:
    settled = settled_of(RATIO, plan_of(bounds={"s": s, "y": y}))
    assert settled == replace(RATIO, guess=1.0)
    assert type(settled.guess) is float


@pytest.mark.parametrize(
    ("s", "y"),
    [
        (Bounds(0, 1), Bounds(0, 1)),
        (Bounds.binary(), Bounds.binary()),
        (Bounds(0, 20), Bounds(0, 20)),
        (Bounds(-3, 2), Bounds(-3, 2)),
    ],
)
def test_others_that_share_bounds_are_guessed_one_half(s: Bounds, y: Bounds) -> None:
    """From the middle all shares are near, and 1 is as well."""
    settled = settled_of(RATIO, plan_of(bounds={"s": s, "y": y}))
    assert settled == replace(RATIO, guess=0.5, guess_is="unknown")


def test_people_who_are_described_have_the_ratio_that_is_guessed() -> None:
    people = Guess(ColumnGuess(7, 2), ColumnGuess(3, 1))
    plan = plan_of(bounds={"s": Bounds(0, 20), "y": Bounds(0, 20)})
    settled = settle_guess(plan.measurements[0], plan, people)
    assert (settled.guess, settled.guess_is) == (2.3, "close")
    told = replace(plan.measurements[0], ratio=replace(RATIO, guess=4.0))
    assert settle_guess(told, plan, people) is told.ratio


@pytest.mark.parametrize("s", [Bounds(0, 1), Bounds.binary()])
def test_a_rate_per_row_is_guessed_one_half(s: Bounds) -> None:
    rate = Ratio("s", per="rows")
    plan = plan_of(ratio=rate, bounds={"s": s, "rows": Bounds.ones()})
    settled = settled_of(rate, plan)
    assert settled == replace(rate, guess=0.5, guess_is="unknown")
    told = replace(rate, guess=1.0)
    assert settled_of(told, plan) is told


@pytest.mark.parametrize(
    ("s", "y", "guess"),
    [
        (Bounds(0, 1), Bounds(0, 2), 1 / 12),
        (Bounds(0, 150), Bounds(1, 6), 12.5 / 3.5),
        (Bounds(0, 2), Bounds.binary(), 1 / 3),
        (Bounds(100, 220), Bounds(0, 1), 220.0),
        (Bounds(-220, -100), Bounds(0, 1), -220.0),
        (Bounds(-30, 180), Bounds(1, 4), 5.0),
        (Bounds(-1, 1), Bounds(0, 1), 0.0),
        (Bounds(0, 1), Bounds(-1, 2), 0.0),
        (Bounds(0, 2.0**90), Bounds(0, 1), 0.0),
    ],
)
def test_columns_with_different_bounds_need_no_guess(
    s: Bounds, y: Bounds, guess: float
) -> None:
    """A twelfth of the way from the end near zero, over the middle of y, rounded."""
    settled = settled_of(RATIO, plan_of(bounds={"s": s, "y": y}))
    assert settled.guess == pytest.approx(guess, rel=0.05)
    assert settled.guess_is == "unknown"
    assert settled_of(settled, plan_of(bounds={"s": s, "y": y})) is settled
    told = replace(RATIO, guess=0.5)
    assert settled_of(told, plan_of(bounds={"s": s, "y": y})) is told


def test_a_given_guess_is_kept() -> None:
    for guess in (0.0, 1.0, -2.5):
        told = replace(RATIO, guess=guess)
        assert settled_of(told, plan_of()) is told


@pytest.mark.parametrize(
    ("ratio", "bounds", "most"),
    [
        (replace(RATIO, guess=1), UNIT, 1.0),
        (replace(WEIGHTED, guess=1), WITH_WEIGHT, 3.0),
        (replace(RATIO, guess=2), UNIT, 2.0),
        (replace(RATIO, guess=-2), UNIT, 3.0),
        (replace(RATIO, guess=0), {"s": Bounds(-4, 1), "y": Bounds(0, 9)}, 4.0),
        (replace(WEIGHTED, guess=0.5), {**UNIT, "w": Bounds(0, 0.25)}, 0.25),
    ],
)
def test_a_residual_bound_binds_somewhere(
    ratio: Ratio, bounds: Mapping[str, Bounds], most: float
) -> None:
    """It must be below the largest |w(s − r₀y)| that the box allows."""
    below = replace(ratio, residual_bound=most * (1 - 1e-9))
    plan = plan_of(bounds=bounds)
    assert settled_of(below, plan).residual_bound == below.residual_bound
    for bound in (most, most * 1.5, 2.0**50):
        with pytest.raises(InvalidInput) as caught:
            settled_of(replace(ratio, residual_bound=bound), plan)
        said = str(caught.value)
        rule = f"the residual bound must be below {most:g}, which the box gives, got "
        assert said.startswith(rule)
        assert said.endswith("Leave it out, or promise less.")


def test_a_difference_is_guessed_to_be_zero() -> None:
    paired = Ratio("s", per="y", minus="m")
    plan = plan_of(ratio=paired, bounds={**UNIT, "m": Bounds(0, 1)})
    require_terms(plan)
    assert settled_of(paired, plan) == replace(paired, guess=0.0)
    told = replace(paired, guess=0.5)
    assert settled_of(told, plan) is told


@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_only_a_focused_plan_needs_a_guess(strategy: str) -> None:
    plan = plan_of(strategy=strategy, bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)})
    assert settled_of(RATIO, plan) is RATIO


def test_a_guess_of_totals_follows_from_their_bounds() -> None:
    alike = PrivacyUnit("user", totals={"s": Bounds(0, 5), "y": Bounds(0, 5)})
    plan = plan_of(unit=alike, bounds={"s": Bounds(0, 1), "y": Bounds(0, 2)})
    assert settled_of(RATIO, plan).guess == 0.5
