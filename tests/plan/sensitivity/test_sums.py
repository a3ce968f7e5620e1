"""Which sums a ratio needs, how each is written, and the columns z and h."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.sensitivity.sums import (
    MOMENTS,
    Contrast,
    Summand,
    contrast_of,
    focused_summands,
    guess_from,
    summands_for,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import Ratio
from plan.boxes_for_tests import guesses

FOURTH = ["wsss", "wyss", "wyys", "wyyy", "wssss", "wysss", "wyyss", "wyyys", "wyyyy"]
RATIO = ["z", "h", "zz", "zh", "hh"]


@pytest.mark.parametrize(
    ("weighted", "binary", "spread", "names"),
    [
        (True, False, False, [*MOMENTS]),
        (True, True, False, ["w", "wy", "ws", "ww", "wss", "wys"]),
        (False, False, False, ["w", "wy", "ws", "wyy", "wss", "wys"]),
        (False, True, False, ["w", "wy", "ws", "wss", "wys"]),
        (True, False, True, [*MOMENTS, *FOURTH]),
    ],
)
def test_the_sums_of_the_paper_are_named_by_their_factors(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
    spread: bool,  # noqa: FBT001
    names: list[str],
) -> None:
    """Without weights a sum has no factor w."""
    summands = summands_for(weighted=weighted, binary=binary, spread=spread)
    assert [each.name for each in summands] == names
    factors = [tuple(name if weighted else name[1:]) for name in names]
    assert [each.factors for each in summands] == factors


@pytest.mark.parametrize(
    ("weighted", "means", "names"),
    [
        # With weights as without: z and h hold the weight already.
        (False, False, RATIO),
        (True, False, RATIO),
        (False, True, [*RATIO, "w"]),
        (True, True, [*RATIO, "w", "ww", "wz", "wh"]),
    ],
)
def test_the_ratio_needs_five_sums_and_means_a_count(
    weighted: bool,  # noqa: FBT001
    means: bool,  # noqa: FBT001
    names: list[str],
) -> None:
    summands = focused_summands(weighted=weighted, means=means)
    assert [each.name for each in summands] == names
    factors = [() if not weighted and name == "w" else tuple(name) for name in names]
    assert [each.factors for each in summands] == factors


@pytest.mark.parametrize(
    ("factors", "label"), [("", "Σ 1"), ("ws", "Σ w·s"), ("ss", "Σ s·s")]
)
def test_a_sum_is_labelled_as_a_formula(factors: str, label: str) -> None:
    assert Summand("x", tuple(factors)).label == label


values = st.fractions(-100, 100)


@given(guess=guesses, s=values, y=values)
@example(guess=-0.0, s=Fraction(3), y=Fraction(1, 2))
def test_z_is_zero_at_the_guess_and_numerator_and_denominator_come_back(
    guess: float, s: Fraction, y: Fraction
) -> None:
    contrast = Contrast(guess)
    z, h = contrast.of(s, y)
    assert z == s - Fraction(guess) * y
    assert h == (s + Fraction(guess) * y if guess else y)
    assert contrast.of(Fraction(guess) * y, y)[0] == 0
    for row, wanted in zip(contrast.rows, (z, h), strict=True):
        assert Fraction(row[0]) * s + Fraction(row[1]) * y == wanted
    for row, wanted in zip(contrast.inverse(), (s, y), strict=True):
        on_z, on_h = Fraction(row[0]) * z, Fraction(row[1]) * h
        # Weights are doubles, rounded at most twice.
        assert abs(on_z + on_h - wanted) <= (abs(on_z) + abs(on_h)) / 2**51


def test_the_limit_is_not_part_of_what_is_measured() -> None:
    """Engines clip z; the columns are the same with and without a limit."""
    free, bound = Contrast(1.0), Contrast(1.0, 0.25)
    assert free.of(Fraction(1), Fraction(0)) == bound.of(Fraction(1), Fraction(0))
    assert free.inverse() == bound.inverse()
    # A z within rounding of its limit is not cut.
    assert (free.uncut, bound.uncut) == (math.inf, 0.25 + 2.0**-22)


def test_a_ratio_gives_its_guess_and_its_bound() -> None:
    ratio = Ratio("s", per="y", guess=1.5, residual_bound=0.25)
    assert contrast_of(ratio) == Contrast(1.5, 0.25)
    assert contrast_of(Ratio("s", per="y", guess=0)) == Contrast(0.0, None)
    assert contrast_of(Ratio("s", per="y")) == Contrast(1.0, None)


@pytest.mark.parametrize(
    ("s", "y", "guess"),
    [
        ((0, 12), (0, 2), 1.0),
        ((1, 25), (1, 3), 1.5),  # 1 + 24/12 = 3, over 2.
        ((-25, -1), (1, 3), -1.5),
        ((-1, 3), (0, 2), 0.17),
        ((0, 12), (0.5, 1.5), 1.0),
        ((0, 12), (-1.5, -0.5), -1.0),
        ((0, 12), (-2, 0), -1.0),
        ((0, 12), (-2, 1), 0.0),
        ((0, 12), (-0.5, 0.25), 0.0),
        ((0.5, 0.75), (1, 3), 0.26),  # 0.5 + 0.25/12 = 0.5208, over 2.
        ((0, 1e-20), (0, 1e9), 0.0),
        ((0, 1e9), (0, 1e-20), 0.0),
    ],
)
def test_a_ratio_is_guessed_near_the_end_that_is_closer_to_zero(
    s: tuple[float, float], y: tuple[float, float], guess: float
) -> None:
    """Worked by hand: a twelfth of the range above that end, over the middle of y."""
    assert guess_from({"s": Bounds(*s), "y": Bounds(*y)}) == guess
