"""The guess that noisy totals find: a total rule, the same on every machine."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.sensitivity.sums import MeasuredSum, Summand
from dpratio.plan.strategy.first_stage import (
    Expected,
    FoundGuess,
    learn,
    realise_contrast,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import Ratio

BOX = {"s": Bounds(0, 100), "y": Bounds(0, 20)}
FIRSTS = tuple(
    MeasuredSum(Summand(name, (name,)), 0.5, 200, 400.0) for name in ("z", "h")
)
BEFORE = Expected(Fraction(2), Fraction(4))
NOISE = 2 * 200**2  # Of either total.


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
    assert realise_contrast(BEFORE, BOX, (10**6, 0), FIRSTS) == FoundGuess(2.0, 2.0)
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


def test_what_learning_changes_by_less_than_noise_finds_the_same_guess() -> None:
    """So that few guesses differ: a distance is the root of a power of two."""
    found = {
        realise_contrast(BEFORE, BOX, (500_000 + more, 200_000), FIRSTS)
        for more in range(-200, 200)
    }
    assert len(found) <= 4
    for each in found:
        learned = learn(BEFORE, BOX, (500_000, 200_000), FIRSTS)
        power = math.log2(each.distance**2)
        assert power == pytest.approx(round(power), abs=1e-9)
        assert each.distance**2 <= learned.variance < 2 * each.distance**2 * 1.001
        assert abs(each.centre - learned.centre) <= each.distance


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
    assert Ratio("a", per="b", guess=found.centre).guess == found.centre
    assert 0 <= found.distance < math.inf
    assert found.distance**2 <= variance
