"""Which sums a ratio needs, how each is written, and the columns z and h."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.sensitivity.sums import Contrast, guess_from
from dpratio.terms.bounds import Bounds
from plan.boxes_for_tests import guesses

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
