"""A first stage: what its totals cost, and the guess that they find."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.measurement import Stage
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.realise import Expected, expected_of, learn, realise_contrast
from dpratio.plan.sensitivity.sums import MeasuredSum, Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import refuse
from plan.staged_plans import GROUPS, staged_plan

RATIO = Ratio("spend", per="visits")


def stage_of(plan: Plan) -> Stage:
    assert plan.stage is not None
    return plan.stage


def with_stage(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    return replace(plan, stage=replace(stage_of(plan), **changes))


@pytest.mark.parametrize("share", [0.2, 0.05, Fraction(1, 3)])
def test_totals_cost_what_the_first_stage_spends(share: float | Fraction) -> None:
    plan = staged_plan(stage=share, budget=Budget(1, "1e-6"))
    first = Fraction(str(share))
    assert stage_of(plan).epsilon == first
    whole = price(plan)
    assert (whole.epsilon, whole.delta) == (Fraction(1), Fraction(0))
    # Whatever the second stage measures, it is private at what is left.
    assert plan.for_sums == (1 - first, Fraction(0))
    assert whole.rho == (first**2 + (1 - first) ** 2) / 2
    # A first stage may spend its whole share, and no more; it has no spare noise.
    less = with_stage(plan, epsilon=first * (1 - Fraction(1, 10**9)))
    refuse(less, "first stage is too small for its share")
    more = with_stage(plan, epsilon=first + Fraction(1, 100))
    refuse(more, "noise of the sums is too small")


def test_questions_share_the_first_stage_as_they_share_the_budget() -> None:
    plan = staged_plan(
        [Question(RATIO, budget_share=3), Question(RATIO, groups=GROUPS)]
    )
    large, small = (first[0].scale for first in stage_of(plan).firsts)
    assert small / large == pytest.approx(3, rel=1e-9)
    assert price(plan).epsilon == 1


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
def test_a_person_in_several_groups_needs_as_many_times_the_noise(
    neighbours: str,
) -> None:
    """There are three groups: nobody is in more."""
    totals = {"spend": Bounds(0, 300), "visits": Bounds(0, 60)}
    units = [
        PrivacyUnit("id", totals=totals, most_groups=most, neighbours=neighbours)
        for most in (1, 3, 50)
    ]
    plans = [staged_plan(unit=unit, groups=GROUPS) for unit in units]
    scales = [stage_of(plan).firsts[0][0].scale for plan in plans]
    assert scales[1] / scales[0] == pytest.approx(3, rel=1e-9)
    assert scales[2] == scales[1]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sensitivity": 1}, "sensitivity of"),
        ({"sensitivity": 2.0**24}, "sensitivity of"),
        ({"step": 2.0**-10}, "lattice step"),
        ({"scale": 2.0**51}, "too small or large"),
        ({"scale": 2.0**-11}, "too small or large"),
        ({"scale": 10**9}, "must be a plain number"),
        ({"scale": None}, "too small for its share"),
    ],
)
def test_totals_that_were_edited_are_refused(
    changed: dict[str, Any], message: str, place: int
) -> None:
    plan = staged_plan()
    firsts = list(stage_of(plan).firsts[0])
    if changed == {"scale": None}:
        changed = {"scale": firsts[place].scale * (1 - 2e-9)}
    firsts[place] = replace(firsts[place], **changed)
    refuse(with_stage(plan, firsts=(tuple(firsts),)), message)


def test_other_totals_than_two_of_every_question_are_refused() -> None:
    plan = staged_plan()
    (totals,) = stage_of(plan).firsts
    for firsts in ((), [totals], (totals, totals)):
        refuse(with_stage(plan, firsts=firsts), "totals of every question")
    for other in (totals[::-1], totals[:1]):
        refuse(with_stage(plan, firsts=(other,)), "does not measure these sums")
    for untyped in (list(totals), (1, 2)):
        refuse(with_stage(plan, firsts=(untyped,)), "a tuple of MeasuredSum")


# The guess: a total rule, the same on every machine.

BOX = {"s": Bounds(0, 100), "y": Bounds(0, 20)}
FIRSTS = tuple(
    MeasuredSum(Summand(name, (name,)), 0.5, 200, 400.0) for name in ("z", "h")
)
BEFORE = Expected(Fraction(2), Fraction(4))


def test_what_is_learned_agrees_with_a_case_worked_by_hand() -> None:
    """Totals 300 and 100, noise variances 2 and 8: σ² = 2 + (1 + 1/2)·8 = 14."""
    firsts = (replace(FIRSTS[0], scale=2.0), replace(FIRSTS[1], scale=4.0))
    learned = learn(Expected(Fraction(1), Fraction(1, 2)), BOX, (600, 200), firsts)
    weight = 100**2 + Fraction(14, 1) / Fraction(1, 2)
    assert learned.centre == 1 + 100 * (300 - 100) / weight
    assert learned.variance == 14 / weight


def test_clear_totals_are_believed_and_hidden_ones_are_not() -> None:
    clear = realise_contrast(BEFORE, BOX, (10**9, 4 * 10**8), FIRSTS)
    assert clear.centre == pytest.approx(2.5, abs=clear.distance)
    assert clear.distance < 1e-5
    assert realise_contrast(BEFORE, BOX, (10**6, 0), FIRSTS) == BEFORE
    between = learn(BEFORE, BOX, (1_000, 250), FIRSTS)
    assert 2 < between.centre < 4
    assert 0 < between.variance < BEFORE.variance


def test_what_is_learned_is_closer_than_the_guess_and_than_the_totals() -> None:
    """On average over ratios as they are expected: distances are what they say."""
    rng = np.random.default_rng(3)
    ratios = 2 + 2 * rng.standard_normal(4_000)
    for bottom in (4_000, 20_000):
        noise = rng.laplace(0, 200, (2, len(ratios)))
        tops, bottoms = bottom * ratios + noise[0], bottom + noise[1]
        open_signs = {"s": Bounds(-9, 9), "y": Bounds(-9, 9)}
        learned = [
            learn(BEFORE, open_signs, (round(2 * a), round(2 * b)), FIRSTS)
            for a, b in zip(tops, bottoms, strict=True)
        ]
        missed = np.array([float(each.centre) for each in learned]) - ratios
        said = np.array([float(each.variance) for each in learned])
        error = (missed**2).mean()
        assert error == pytest.approx(said.mean(), rel=0.25)
        assert error < ((ratios - 2) ** 2).mean()
        assert error < ((tops / bottoms - ratios) ** 2).mean()


@pytest.mark.parametrize(
    ("box", "totals", "as_if"),
    [
        (BOX, (250_000, -100_000), (250_000, 0)),
        (BOX, (-250_000, 100_000), (0, 100_000)),
        ({"s": BOX["s"], "y": Bounds(-20, 0)}, (250_000, 100_000), (250_000, 0)),
        ({"s": Bounds(-9, 0), "y": BOX["y"]}, (250_000, 100_000), (0, 100_000)),
    ],
)
def test_a_total_that_bounds_rule_out_counts_as_none(
    box: dict[str, Bounds], totals: tuple[int, int], as_if: tuple[int, int]
) -> None:
    found = realise_contrast(BEFORE, box, totals, FIRSTS)
    assert found == realise_contrast(BEFORE, box, as_if, FIRSTS)
    open_signs = {"s": Bounds(-9, 9), "y": Bounds(-9, 9)}
    assert found != realise_contrast(BEFORE, open_signs, totals, FIRSTS)


whole = st.integers(-(2**63) + 1, 2**63 - 1)
sizes = st.integers(-500, 470).map(lambda power: 2.0**power)
scales = st.floats(2.0**-10, 2.0**50)
spreads = st.integers(-200, 200).map(lambda power: Fraction(2) ** power)


@given(
    top=whole,
    bottom=whole,
    steps=st.tuples(sizes, sizes),
    noise=st.tuples(scales, scales),
    centre=st.sampled_from([0.0, 0.1, -7.0, 2.0**50, 2.0**-50]),
    variance=spreads,
)
@example(2**62, 1, (2.0**470, 2.0**-500), (2.0**-10, 2.0**-10), 1.0, Fraction(2**200))
@example(1, 2**62, (2.0**-500, 2.0**470), (2.0**50, 2.0**-10), 1.0, Fraction(1))
@example(2**20, 2**40, (2.0**-100, 1), (2.0**-10, 2.0**-10), 0.0, Fraction(1, 2**200))
def test_whatever_the_totals_they_lead_to_a_guess(
    top: int,
    bottom: int,
    steps: tuple[float, float],
    noise: tuple[float, float],
    centre: float,
    variance: Fraction,
) -> None:
    firsts = tuple(
        replace(each, step=step, scale=scale)
        for each, step, scale in zip(FIRSTS, steps, noise, strict=True)
    )
    box = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    before = Expected(Fraction(centre), variance)
    found = realise_contrast(before, box, (top, bottom), firsts)
    assert Ratio("a", per="b", guess=float(found.centre)).guess == found.centre
    assert 0 <= found.distance < math.inf
    assert found.variance <= variance


@pytest.mark.parametrize("size", [2.0**-100, 1.0, 2.0**100])
@pytest.mark.parametrize("guess", [0.0, 2.0**-50, 1.5, -(2.0**50)])
def test_a_ratio_is_expected_around_its_guess_at_any_size(
    size: float, guess: float
) -> None:
    box = {"s": Bounds(0, size), "y": Bounds(0, 20)}
    close, unknown = (
        expected_of(box, Ratio("s", per="y", guess=guess, guess_is=word))
        for word in ("close", "unknown")
    )
    assert close.centre == unknown.centre == guess
    assert 0 < close.variance < unknown.variance
    # Without a guess the ratio may be as large as it is at the far end of s.
    assert unknown.variance >= (size / 20 - abs(guess)) ** 2 / 6
