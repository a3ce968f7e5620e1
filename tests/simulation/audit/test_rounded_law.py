"""The chances that noise is held to are those of the rounded law, digit by digit."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest

from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.simulation.audit.question import QUESTIONS, plan_for
from dpratio.simulation.audit.rounded_law import RoundedLaw, laws_of, names_of

SCALES = [0.3, 7.0, 100.5, 8.56e6, 4.2e9]
CLOSE = 1e-12


def tail(noise: NoiseLaw, x: mpmath.mpf) -> mpmath.mpf:
    """P(N > x) of the standard law, for x from 0, to forty digits."""
    if noise == LAPLACE:
        return mpmath.exp(-x) / 2
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def above(noise: NoiseLaw, scale: float, mark: int) -> mpmath.mpf:
    return tail(noise, (mpmath.mpf(int(mark)) + 0.5) / mpmath.mpf(scale))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("noise", LAWS.values(), ids=LAWS)
def test_tails_centre_and_bins_have_their_exact_chances(
    noise: NoiseLaw, scale: float
) -> None:
    law = RoundedLaw(noise, scale)
    places = np.array([0.0, 1e-7, 1e-3, 0.02, 0.4, 0.6, 1.3, 3.0, 7.0, 20.0])
    marks = np.unique(np.rint(places * scale).astype(np.int64))
    given = [law.above(marks), law.within(marks), law.between(marks[:-1], marks[1:])]
    with mpmath.workdps(60):
        far = [above(noise, scale, mark) for mark in marks]
        wanted = [
            far,
            [1 - 2 * each for each in far],
            [one - two for one, two in pairwise(far)],
        ]
        for got, exact in zip(given, wanted, strict=True):
            assert got == pytest.approx([float(each) for each in exact], rel=CLOSE)


@pytest.mark.parametrize("chance", [0.97, 0.5, 2.0**-6, 2.0**-48])
@pytest.mark.parametrize("noise", LAWS.values(), ids=LAWS)
def test_marks_are_exceeded_with_nearly_the_chance_that_is_asked(
    noise: NoiseLaw, chance: float
) -> None:
    law = RoundedLaw(noise, 8.56e6)
    mark = law.mark_beyond(np.array(chance))
    assert 2 * law.above(mark) == pytest.approx(chance, rel=1e-5)


@pytest.mark.parametrize("scale", [64.0, 91.3])
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=lambda law: law.name)
def test_low_bits_have_the_chances_of_all_numbers_that_share_them(
    noise: NoiseLaw, scale: float
) -> None:
    """Every number is added up, as far as doubles can tell it from nothing."""
    law = RoundedLaw(noise, scale)
    assert law.uniform_bits == 4
    far = round(40 * scale)
    values = np.arange(-far, far + 1)
    tails = [above(noise, scale, mark) for mark in range(far + 1)]
    each = [1 - 2 * tails[0], *(one - two for one, two in pairwise(tails))]
    chances = np.array([float(chance) for chance in [*each[:0:-1], *each]])
    assert chances.sum() == pytest.approx(1, abs=CLOSE)
    for bits in (1, 2, 4):
        summed = np.bincount(values % 2**bits, weights=chances)
        assert law.residues(2**bits) == pytest.approx(summed, rel=1e-10)
    is_set = [(chances * (values >> bit & 1)).sum() for bit in range(4)]
    assert law.bits_set(4) == pytest.approx(is_set, rel=1e-10)


def test_low_bits_of_laplace_noise_are_nearly_even_at_the_scales_of_a_plan() -> None:
    """The kink at zero moves them by 16²/(12·b²), which the closed form knows."""
    law = RoundedLaw(LAPLACE, 8.56e6)
    assert law.residues(16) == pytest.approx(np.full(16, 1 / 16), rel=1e-11)
    assert law.residues(16).sum() == pytest.approx(1, abs=1e-15)
    assert law.bits_set(law.uniform_bits) == pytest.approx(0.5, rel=0.01)
    small = RoundedLaw(LAPLACE, 64.0)
    assert small.residues(16)[0] > small.residues(16)[8] * 1.004


@pytest.mark.parametrize(("scale", "bits"), [(0.1, 0), (4.0, 0), (8.0, 1), (2**24, 22)])
def test_bits_below_a_quarter_of_the_scale_are_uniform(scale: float, bits: int) -> None:
    assert RoundedLaw(LAPLACE, scale).uniform_bits == bits


def test_a_plan_states_the_law_of_each_sum() -> None:
    row = QUESTIONS["row"]
    plan = plan_for(row, strategy="even", mechanism="laplace", epsilon="1")
    laws = laws_of(plan)
    assert {each.law for each in laws} == {LAPLACE}
    assert [each.scale for each in laws] == plan.measurements[0].scales
    assert names_of(plan) == ["w", "wy", "ws", "ww", "wss", "wys"]
