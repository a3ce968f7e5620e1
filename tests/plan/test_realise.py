"""The second stage: decided by noisy totals alone, whatever they are."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dpratio.plan.laws import GAUSSIAN, NoiseLaw
from dpratio.plan.price import price
from dpratio.plan.realise import found_guesses, is_realised, realise
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import refuse, scaled
from plan.staged_plans import BOUNDS, GROUPS, cells_for, staged_plan

RATIO = Ratio("spend", per="visits", guess=7.0)
PLAN = staged_plan(RATIO)
TWO = staged_plan([Question(RATIO), Question(RATIO, groups=GROUPS)])
STRONG = (50_000.0, 20_000.0)
WEAK = (50_000.0, 10.0)


def test_each_question_is_measured_around_the_guess_that_its_totals_find() -> None:
    """And around the declared one where noise hides them."""
    totals = [cells_for(TWO, *WEAK), cells_for(TWO, *STRONG, at=1)]
    weak, strong = realise(TWO, totals)
    assert weak.ratio == TWO.measurements[0].ratio
    guess = float(found_guesses(TWO, totals)[1].centre)
    assert guess == pytest.approx(2.5, rel=0.1)
    assert strong.ratio == replace(RATIO, guess=guess)
    assert is_realised(TWO, (weak, strong), totals)
    # A guess that is near has more of the budget where it counts.
    (near,) = realise(PLAN, [cells_for(PLAN, *STRONG)])
    declared = PLAN.measurements[0].sums[0]
    assert near.sums[0].scale * near.sums[0].step < declared.scale * declared.step


def test_a_plan_in_one_stage_is_measured_as_it_is() -> None:
    plain = replace(PLAN, stage=None)
    assert realise(plain, []) == plain.measurements


def test_several_groups_are_not_taken_to_be_like_their_total() -> None:
    """Groups differ: the square that a guess far off needs has more of the budget."""
    terms: dict[str, Any] = {"budget": Budget(4), "clipping": "unmeasured"}
    plans = [staged_plan(RATIO, groups=groups, **terms) for groups in (None, GROUPS)]
    (one,), (many,) = (realise(plan, [cells_for(plan, 5e6, 2e6)]) for plan in plans)
    assert many.basis == one.basis
    assert many.sums[-1].scale < one.sums[-1].scale


# Around their ratio, 10, nearly all cancels; on so fine a lattice noise is too large.
NARROW = {"spend": Bounds(10, 10 + 2e-9), "visits": Bounds(1, 1 + 2e-10)}
UNKNOWN = replace(RATIO, guess_is="unknown")
PAIR = staged_plan(
    [UNKNOWN, Ratio("a", per="b", guess=7.0)],
    bounds={**NARROW, "a": Bounds(0, 100), "b": Bounds(0, 20)},
    budget=Budget("0.002"),
)
PAIR_TOTALS = [cells_for(PAIR, 1e8, 1e7), cells_for(PAIR, 5e9, 2e9, at=1)]


def test_what_cannot_be_planned_around_its_guess_is_measured_as_declared() -> None:
    plan = staged_plan(UNKNOWN, bounds=NARROW, budget=Budget("0.001"))
    totals = [cells_for(plan, 1e8, 1e7)]
    assert found_guesses(plan, totals)[0].centre == 10.0
    assert realise(plan, totals) == plan.measurements
    assert is_realised(plan, plan.measurements, totals)


def test_one_question_that_falls_back_binds_no_other_to_its_planner() -> None:
    """Files outlive the planner: noise a little larger than ours is read as well."""
    first, second = realise(PAIR, PAIR_TOTALS)
    assert first == PAIR.measurements[0]
    assert second.ratio.guess == pytest.approx(2.5, rel=0.01)
    noisier = scaled(PAIR.measuring([first, second]), 1.01, 1)
    assert is_realised(PAIR, noisier.measurements, PAIR_TOTALS)


def test_what_would_be_refused_together_is_measured_as_declared() -> None:
    """Where the first question has more than its share of the second stage."""
    plan = scaled(scaled(PAIR, 1 / 1.5), 3.5, 1)
    price(plan)
    assert realise(plan, PAIR_TOTALS) == plan.measurements
    assert is_realised(plan, plan.measurements, PAIR_TOTALS)


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        (lambda asked: asked, True),
        # Noise that another planner would share otherwise is read as well.
        (
            lambda asked: replace(
                asked, sums=tuple(replace(b, scale=b.scale * 1.25) for b in asked.sums)
            ),
            True,
        ),
        (
            lambda asked: replace(
                asked, sums=tuple(replace(b, scale=b.scale / 2) for b in asked.sums)
            ),
            False,
        ),
        (lambda asked: replace(asked, sums=asked.sums[::-1]), False),
        (lambda asked: asked.around(2.25, asked.sums, asked.basis), False),
        (
            lambda asked: replace(
                asked, question=replace(asked.question, name="another")
            ),
            False,
        ),
        (
            lambda asked: replace(
                asked, question=replace(asked.question, budget_share=Fraction(1, 2))
            ),
            False,
        ),
    ],
    ids=["same", "more noise", "less noise", "sums", "guess", "name", "weight"],
)
def test_a_second_stage_is_what_the_totals_lead_to(change: Any, fits: bool) -> None:  # noqa: ANN401, FBT001
    totals = [cells_for(PLAN, *STRONG)]
    (asked,) = realise(PLAN, totals)
    assert is_realised(PLAN, [change(asked)], totals) is fits


@pytest.mark.parametrize("guess", [0.0, 2.5])
def test_a_fallback_must_be_the_declared_one(guess: float) -> None:
    totals = [cells_for(PLAN, *WEAK)]
    (asked,) = realise(PLAN, totals)
    moved = asked.around(guess, asked.sums, asked.basis)
    assert not is_realised(PLAN, [moved], totals)
    assert not is_realised(PLAN, [asked], [])
    assert not is_realised(PLAN, [], totals)


TOTALS = {"spend": Bounds(0, 300), "visits": Bounds(0, 60)}
PEOPLE = Population(MeanSd(10, 5), MeanSd(3, 1), MeanSd(1, 0.3), 0.5)
PLANS = {
    "rows": PLAN,
    "two": TWO,
    "weights": staged_plan(
        Ratio("spend", per="visits", weight="w"),
        bounds={**BOUNDS, "w": Bounds(0, 2)},
        population=PEOPLE,
        n=10**6,
    ),
    "means": staged_plan(answers=("ratio", "means"), budget=Budget("0.01")),
    "signs": staged_plan(
        bounds={"spend": Bounds(-5, 1), "visits": Bounds(-1e6, 3e-6)},
        budget=Budget(100),
    ),
    "people": staged_plan(
        groups=GROUPS, unit=PrivacyUnit("id", totals=TOTALS, most_groups=2)
    ),
    "changed": staged_plan(unit=PrivacyUnit(neighbours="change-one")),
    "gaussian": staged_plan(
        [Question(RATIO), Question(RATIO, groups=GROUPS)],
        unit=PrivacyUnit("id", totals=TOTALS, most_groups=2),
        mechanism="analytic_gaussian",
        budget=Budget(1, "1e-6"),
    ),
    "minus": staged_plan(
        Ratio("spend", per="visits", minus="cost"),
        bounds={**BOUNDS, "cost": Bounds(0, 90)},
    ),
}
whole = st.integers(-(2**63) + 1, 2**63 - 1)
some = st.integers(0, 62).flatmap(lambda power: st.integers(-(2**power), 2**power))


@pytest.mark.parametrize("name", PLANS)
@given(numbers=st.lists(whole | some, min_size=4, max_size=4))
@example(numbers=[0, 0, 0, 0])
@example(numbers=[2**62, 1, 2**62, 2**62])
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.differing_executors],
)
def test_whatever_the_totals_there_is_a_second_stage_within_its_price(
    name: str, numbers: list[int]
) -> None:
    plan = PLANS[name]
    pairs = [tuple(numbers[:2]), tuple(numbers[2:])][: len(plan.measurements)]
    found = realise(plan, pairs)
    assert is_realised(plan, found, pairs)
    assert realise(plan, pairs) == found
    assert price(plan.measuring(found)) == price(plan)


def test_any_gaussian_second_stage_costs_what_was_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pure for the first stage, and the most that (epsilon, delta) leaves for sums."""
    plan = PLANS["gaussian"]
    cost = price(plan)
    assert (cost.epsilon, cost.delta) == (Fraction(1), Fraction("1e-6"))
    assert cost.pure == (Fraction(1, 5),)
    share = Fraction(4, 5), Fraction("1e-6")
    most = GAUSSIAN.largest_ratio(*share)
    assert cost.gaussian == most**2
    assert cost.rho == (Fraction(1, 25) + most**2) / 2

    # Less noise is refused, also where (epsilon, delta) would allow it.
    monkeypatch.setattr(
        NoiseLaw, "largest_ratio", lambda *_: most * (1 - Fraction(1, 10**6))
    )
    refuse(plan, "too small for what is charged")
