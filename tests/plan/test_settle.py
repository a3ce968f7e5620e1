"""A study settled: guesses where nobody guessed, and a budget for each question."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.make_plan import make_plan
from dpratio.plan.settle import allowances, left_for_sums
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
BOX = {"s": Bounds(0, 1), "y": Bounds.binary()}
WIDE = {"s": Bounds(0, 20), "y": Bounds(0, 20)}


def settled(ratio: Ratio = RATIO, **terms: Any) -> Ratio:  # noqa: ANN401
    """Return the ratio of a plan."""
    wanted: dict[str, Any] = {"bounds": BOX, "budget": Budget(1)} | terms
    return make_plan(ratio, **wanted).measurements[0].ratio


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


ALIKE = PrivacyUnit("user", totals={"s": Bounds(0, 5), "y": Bounds(0, 5)})
PEOPLE = Population(MeanSd(7, 2), MeanSd(3, 1))


@pytest.mark.parametrize(
    ("ratio", "terms", "guess"),
    [
        *((replace(RATIO, guess=guess), {}, guess) for guess in (0.0, 1.0, -2.5)),
        (RATIO, {"bounds": WIDE}, 0.5),
        *(
            (RATIO, {"bounds": WIDE, "strategy": name}, None)
            for name in ("joint", "even")
        ),
        (RATIO, {"bounds": WIDE, "population": PEOPLE}, 2.3),
        (replace(RATIO, guess=4.0), {"bounds": WIDE, "population": PEOPLE}, 4.0),
        (Ratio("s", per="y", minus="m"), {"bounds": {**BOX, "m": Bounds(0, 1)}}, 0.0),
        (RATIO, {"unit": ALIKE, "bounds": {**BOX, "y": Bounds(0, 2)}}, 0.5),
    ],
)
def test_a_guess_is_the_one_of_the_study_or_found_where_a_plan_needs_one(
    ratio: Ratio, terms: dict[str, Any], guess: float | None
) -> None:
    assert settled(ratio, **terms).guess == guess


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
    with pytest.raises(InvalidInput, match=f"must be below {most:g}"):
        settled(replace(ratio, residual_bound=most), bounds=bounds)


KEYS = PrivateKeys("k", Budget("0.25", "1e-7"))
THIRDS = (Fraction(1, 3), Fraction(2, 3))


def study_of(shares: Sequence[Fraction] = (Fraction(1),)) -> Study:
    groups = [None, Groups("g", ["a", "b", "c"]), KEYS]
    questions = [
        Question(RATIO, groups=groups[number % 3], budget_share=share)
        for number, share in enumerate(shares)
    ]
    budget = Budget(1, "1e-6")
    return Study(questions, bounds=BOX, budget=budget, strategy="even")


@pytest.mark.parametrize("law", LAWS.values())
def test_questions_share_what_keys_leave_and_moves_add_up_to_it(law: NoiseLaw) -> None:
    """Under Laplace noise to epsilon, under Gaussian noise in squares."""
    study = study_of(THIRDS)
    epsilon, delta = left_for_sums(study, law, bought=[KEYS])
    assert epsilon == Fraction(3, 4)
    assert delta == (0 if law == LAPLACE else Fraction("9e-7"))
    shares = allowances(study, law, epsilon, delta)
    assert [part.epsilon for part in shares] == [w * epsilon for w in THIRDS]
    assert [part.delta for part in shares] == [w * delta for w in THIRDS]
    assert [part.cells for part in shares] == [1, 3]
    whole = epsilon if law == LAPLACE else GAUSSIAN.largest_ratio(epsilon, delta)
    total = law.total(part.ratio for part in shares)
    assert total <= whole**law.power
    assert float(total / whole**law.power) == pytest.approx(1, rel=1e-12)
    # One question has it all; its price is not rounded.
    assert allowances(study_of(), law, epsilon, delta)[0].ratio == whole


@given(share=st.fractions(Fraction(1, 10**9), 1))
def test_squares_of_shares_never_add_up_to_more_than_the_whole(share: Fraction) -> None:
    study = study_of([share, 1 - share] if share < 1 else [share])
    terms = Fraction(1), Fraction(1, 10**6)
    spent = GAUSSIAN.total(part.ratio for part in allowances(study, GAUSSIAN, *terms))
    whole = GAUSSIAN.largest_ratio(*terms) ** 2
    assert whole * (1 - Fraction(1, 10**12)) <= spent <= whole
