"""A range is a promise: finite, in order, and of a size engines can hold."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds

BAD_ENDS = [True, None, "0", Decimal("0.5"), 1j, [0], b"0"]


def test_bounds_keep_their_ends_as_floats() -> None:
    bounds = Bounds(-2, 5)
    assert (bounds.lower, bounds.upper, bounds.is_binary) == (-2.0, 5.0, False)
    assert isinstance(bounds.lower, float)
    assert isinstance(bounds.upper, float)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(Fraction(1, 4), 3), (np.float64(0.25), np.int64(3)), (0.25, np.float32(3))],
)
def test_any_real_number_may_be_an_end(lower: float, upper: float) -> None:
    assert Bounds(lower, upper) == Bounds(0.25, 3.0)
    assert type(Bounds(lower, upper).upper) is float


@pytest.mark.parametrize(
    ("lower", "upper", "reach"),
    [(0, 1, 1.0), (-2, 5, 5.0), (-5, 2, 5.0), (-3, -1, 3.0), (2, 3, 3.0)],
)
def test_reach_is_the_largest_size(lower: float, upper: float, reach: float) -> None:
    assert Bounds(lower, upper).reach == reach


def test_binary_bounds_are_0_and_1_and_say_so() -> None:
    assert Bounds.binary() == Bounds(0, 1, is_binary=True)
    assert Bounds.binary() != Bounds(0, 1)


@pytest.mark.parametrize("end", BAD_ENDS)
def test_ends_must_be_numbers(end: object) -> None:
    with pytest.raises(InvalidInput, match=r"^bounds must be two numbers, got "):
        Bounds(end, 9)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^bounds must be two numbers, got "):
        Bounds(-9, end)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (1, 1),
        (1, 0),
        (0.0, -0.0),
        (math.nan, 1),
        (0, math.nan),
        (0, math.inf),
        (-math.inf, 0),
    ],
)
def test_ends_must_be_finite_and_in_order(lower: float, upper: float) -> None:
    with pytest.raises(InvalidInput) as caught:
        Bounds(lower, upper)
    assert str(caught.value) == (
        f"bounds must be finite and in order, got ({lower!r}, {upper!r}). "
        "Give two finite numbers, the smaller first."
    )


def test_a_whole_number_beyond_every_float_is_refused_in_our_own_words() -> None:
    with pytest.raises(InvalidInput, match="bound"):
        Bounds(0, 10**400)


def test_ends_that_meet_once_they_are_floats_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^bounds must be finite and in order"):
        Bounds(2**60, 2**60 + 1)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0, 2.0**-101), (0, 2.0**101), (-(2.0**101), 0), (0, 1e308)]
)
def test_extreme_ranges_ask_for_another_unit(lower: float, upper: float) -> None:
    with pytest.raises(InvalidInput, match=r"2\^-100 and 2\^100 .* another unit"):
        Bounds(lower, upper)


@pytest.mark.parametrize("reach", [2.0**-100, 2.0**100])
def test_the_largest_and_the_smallest_reach_are_accepted(reach: float) -> None:
    assert Bounds(0, reach).reach == Bounds(-reach, 0).reach == reach


@pytest.mark.parametrize(("lower", "upper"), [(0, 2), (-1, 1), (0.5, 1)])
def test_only_0_and_1_are_binary(lower: float, upper: float) -> None:
    with pytest.raises(InvalidInput, match=r"^binary bounds are 0 and 1, got "):
        Bounds(lower, upper, is_binary=True)


@pytest.mark.parametrize("flag", ["yes", 1, None, []])
def test_binary_is_true_or_false_and_nothing_else(flag: object) -> None:
    with pytest.raises(InvalidInput, match="binary"):
        Bounds(0, 1, is_binary=flag)  # type: ignore[arg-type]


def test_bounds_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Bounds(0, 1).lower = 2.0  # type: ignore[misc]


@given(st.floats(), st.floats())
@example(0.0, 5e-324)
@example(-0.0, 1.0)
def test_bounds_that_exist_are_valid(lower: float, upper: float) -> None:
    try:
        bounds = Bounds(lower, upper)
    except InvalidInput:
        return
    assert -math.inf < bounds.lower < bounds.upper < math.inf
    assert 2.0**-100 <= bounds.reach <= 2.0**100
    assert abs(bounds.lower) <= bounds.reach >= abs(bounds.upper)


def test_a_natural_bound_is_said_to_cut_nobody() -> None:
    natural = Bounds(0, 1, natural=True)
    assert (natural.natural, natural.can_cut) == (True, False)
    assert natural != Bounds(0, 1)
    assert str(natural) == "0 to 1 (natural)"


def test_what_is_0_or_1_is_natural_by_itself() -> None:
    assert Bounds.binary().natural
    assert Bounds.binary() == Bounds(0, 1, is_binary=True, natural=True)
    assert Bounds(0, 1).can_cut


@pytest.mark.parametrize("given_flag", [1, None, "yes"])
def test_natural_is_true_or_false(given_flag: bool) -> None:  # noqa: FBT001
    with pytest.raises(InvalidInput, match="natural must be true or false"):
        Bounds(0, 1, natural=given_flag)


def test_what_counts_as_one_is_no_column() -> None:
    ones = Bounds.ones()
    assert (str(ones), ones.is_binary, ones.reach) == ("always 1", True, 1.0)
    assert ones != Bounds.binary()
    for is_one, is_binary in ((True, False), (1, True)):
        with pytest.raises(InvalidInput, match=r"is binary|is_one must be true"):
            Bounds(0, 1, is_binary, is_one=is_one)  # type: ignore[arg-type]
