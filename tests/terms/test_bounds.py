"""A range is a promise: finite, in order, and of a size engines can hold."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, require_bounds

NO_ENDS = [True, None, "0", Decimal("0.5"), 1j, [0], b"0", math.nan, math.inf, 10**400]


@pytest.mark.parametrize(
    ("lower", "upper", "reach"),
    [
        (Fraction(1, 4), 3, 3.0),
        (np.float64(0.25), np.int64(3), 3.0),
        (-5, 2, 5.0),
        (-3, -1, 3.0),
        (0, 2.0**-100, 2.0**-100),
        (-(2.0**100), 0, 2.0**100),
    ],
)
def test_any_real_number_may_be_an_end(
    lower: float, upper: float, reach: float
) -> None:
    bounds = Bounds(lower, upper)
    assert (bounds.lower, bounds.upper, bounds.reach) == (lower, upper, reach)
    assert type(bounds.lower) is type(bounds.upper) is float


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        *((end, 9) for end in NO_ENDS),
        *((-9, end) for end in NO_ENDS),
        (1, 1),
        (1, 0),
        (0.0, -0.0),
        (2**60, 2**60 + 1),  # They meet once they are floats.
    ],
)
def test_ends_are_two_finite_numbers_in_order(lower: Any, upper: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bounds must be two finite numbers, the "):
        Bounds(lower, upper)


@pytest.mark.parametrize(
    ("lower", "upper"), [(0, 2.0**-101), (0, 2.0**101), (-(2.0**101), 0), (0, 1e308)]
)
def test_extreme_ranges_ask_for_another_unit(lower: float, upper: float) -> None:
    with pytest.raises(InvalidInput, match=r"2\^-100 and 2\^100 .* another unit"):
        Bounds(lower, upper)


@pytest.mark.parametrize(("lower", "upper"), [(0, 2), (-1, 1), (0.5, 1)])
def test_only_0_and_1_are_binary(lower: float, upper: float) -> None:
    with pytest.raises(InvalidInput, match=r"^binary bounds are 0 and 1, got "):
        Bounds(lower, upper, is_binary=True)


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


def test_four_kinds_of_bounds_differ() -> None:
    plain, natural = Bounds(0, 1), Bounds(0, 1, natural=True)
    kinds = [plain, natural, Bounds.binary(), Bounds.ones()]
    assert len(set(kinds)) == 4
    assert [bounds.can_cut for bounds in kinds] == [True, False, False, False]
    texts = ["0 to 1", "0 to 1 (natural)", "0 or 1", "always 1"]
    assert list(map(str, kinds)) == texts
    with pytest.raises(AttributeError):
        plain.lower = 2.0  # type: ignore[misc]
    assert Bounds(0, 1, is_one=True) == Bounds.ones()


@pytest.mark.parametrize("table", [None, [], [("s", 1)], {"s": (0, 1)}, {"s": None}])
def test_bounds_are_declared_by_column(table: object) -> None:
    with pytest.raises(InvalidInput, match="must map column names") as refused:
        require_bounds(table, "totals")
    assert refused.value.field == "totals"


@pytest.mark.parametrize(
    ("lower", "upper", "middle"),
    [(0, 2, 1.0), (-4, 2, -1.0), (-1, 1, 0.25), (-3, 4, 1.0)],
)
def test_the_middle_of_a_range_lies_away_from_zero(
    lower: float, upper: float, middle: float
) -> None:
    assert Bounds(lower, upper).middle == middle
