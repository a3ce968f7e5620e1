"""The guess that noisy totals find: a total rule, the same on every machine."""

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.plan.strategy.realise_contrast import FoundGuess, realise_contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import Ratio

BOX = {"s": Bounds(0, 100), "y": Bounds(0, 20)}
FIRSTS = tuple(
    MeasuredSum(Summand(name, (name,)), 0.5, 200, 400.0) for name in ("z", "h")
)
SD = math.sqrt(2) * 400


def test_a_strong_denominator_finds_the_ratio() -> None:
    found = realise_contrast(BOX, (250_000, 100_000), FIRSTS)
    assert found is not None
    assert found.centre == 2.5
    sd = SD / 100_000 * math.sqrt(1 + 2.5**2)
    assert sd <= found.distance <= sd * math.sqrt(2)


@pytest.mark.parametrize(
    ("totals", "centre"),
    [
        ((1_000_000, 3_000_000), 43 / 128),
        ((255_999, 1_000), 256.0),
        ((-5_000_000, 1_000_000), -5.0),
    ],
)
def test_a_guess_has_six_bits(totals: tuple[int, int], centre: float) -> None:
    box = BOX | {"s": Bounds(-1e6, 1e6)}
    quiet = tuple(replace(each, scale=2.0**-10) for each in FIRSTS)
    found = realise_contrast(box, totals, quiet)
    assert found is not None
    assert found.centre == centre


@pytest.mark.parametrize("bottom", [0, -1, 4 * 565, -100_000, -(2**62)])
def test_a_weak_or_impossible_denominator_finds_nothing(bottom: int) -> None:
    assert realise_contrast(BOX, (250_000, bottom), FIRSTS) is None


def test_a_denominator_is_weak_up_to_four_standard_deviations_of_its_noise() -> None:
    edge = math.floor(4 * SD)
    assert realise_contrast(BOX, (10**6, edge), FIRSTS) is None
    assert realise_contrast(BOX, (10**6, edge + 1), FIRSTS) is not None


def test_a_negative_denominator_finds_a_guess_where_bounds_allow_one() -> None:
    box = {"s": Bounds(0, 100), "y": Bounds(-20, 0)}
    found = realise_contrast(box, (250_000, -100_000), FIRSTS)
    assert found is not None
    assert found.centre == -2.5
    assert realise_contrast(box, (250_000, 100_000), FIRSTS) is None


@pytest.mark.parametrize("top", [0, 1_100, -1_100])
def test_a_ratio_within_its_noise_is_not_found(top: int) -> None:
    assert realise_contrast(BOX, (top, 100_000), FIRSTS) is None


@pytest.mark.parametrize("quiet", [True, False])
def test_a_guess_beyond_all_sizes_is_not_used(quiet: bool) -> None:  # noqa: FBT001
    """By itself, or by its noise."""
    scale = 2.0**-10 if quiet else 2.0**50
    top = replace(FIRSTS[0], step=2.0**60, scale=scale)
    bottom = replace(FIRSTS[1], step=2.0**-60, scale=2.0**-10)
    assert realise_contrast(BOX, (2**40, 2**40), (top, bottom)) is None
    other = replace(FIRSTS[0], step=2.0**-300, scale=2.0**-10)
    assert realise_contrast(BOX, (2**40, 2**40), (other, bottom)) is None


@pytest.mark.parametrize(("noise", "power"), [(1, 2), (2, 4), (3, 5), (4, 6), (5, 6)])
def test_the_distance_is_the_root_of_a_power_of_two(noise: int, power: int) -> None:
    """So that few guesses differ in nothing but their distance."""
    # The variance is 2·noise², and a little more by the denominator.
    top = replace(FIRSTS[0], scale=float(noise), step=1.0)
    bottom = replace(FIRSTS[1], scale=2.0**-10, step=1.0)
    found = realise_contrast(BOX, (2**20, 2**40), (top, bottom))
    assert found == FoundGuess(2.0**-20, math.sqrt(2.0**power) / 2**40)


whole = st.integers(-(2**63) + 1, 2**63 - 1)
sizes = st.integers(-500, 470).map(lambda power: 2.0**power)
scales = st.floats(2.0**-10, 2.0**50)


@given(
    top=whole,
    bottom=whole,
    steps=st.tuples(sizes, sizes),
    noise=st.tuples(scales, scales),
)
@example(top=2**62, bottom=1, steps=(2.0**470, 2.0**-500), noise=(2.0**-10, 2.0**-10))
@example(top=1, bottom=2**62, steps=(2.0**-500, 2.0**470), noise=(2.0**50, 2.0**-10))
def test_whatever_the_totals_the_guess_is_one_or_none(
    top: int, bottom: int, steps: tuple[float, float], noise: tuple[float, float]
) -> None:
    firsts = tuple(
        replace(each, step=step, scale=scale)
        for each, step, scale in zip(FIRSTS, steps, noise, strict=True)
    )
    box = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    found = realise_contrast(box, (top, bottom), firsts)
    if found is not None:
        assert Ratio("a", per="b", guess=found.centre).guess == found.centre
        assert 0 <= found.distance < math.inf
