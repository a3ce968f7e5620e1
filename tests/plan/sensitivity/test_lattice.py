"""The lattice: powers of two, monotone cells, and a fixed number of them."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.plan.sensitivity.sums import step_for, to_cell

# Every size that a summand of an accepted plan can have.
reaches = st.floats(2.0**-495, 2.0**502, allow_nan=False)
parts = st.floats(-1, 1)
NEAR_HALF = math.nextafter(0.5, 0)


@given(reach=reaches)
@example(reach=1.0)
@example(reach=math.nextafter(1.0, 0))
@example(reach=math.nextafter(1.0, 2))
@example(reach=2.0**-495)
@example(reach=2.0**502)
@example(reach=2.0**24 + 0.5)
@example(reach=2.0**25 - 0.5)
def test_a_reach_has_between_2_to_the_24_and_2_to_the_25_cells(reach: float) -> None:
    """Its step is a power of two, and the next one leaves fewer cells."""
    step = step_for(reach)
    assert math.frexp(step)[0] == 0.5
    cells = Fraction(reach) / Fraction(step)
    assert 2**24 <= cells < 2**25
    # floor(−x + ½) is −floor(x + ½), or one nearer to zero at a tie.
    tie = cells % 1 == Fraction(1, 2)
    assert to_cell(-reach, step) == -to_cell(reach, step) + tie


@given(reach=reaches, part=parts)
@example(reach=1.0, part=NEAR_HALF * 2.0**-24)
def test_dividing_by_the_step_is_exact_and_a_cell_half_a_step_away_at_most(
    reach: float, part: float
) -> None:
    """Engines may multiply by its inverse; the quotient is the same double."""
    step, value = step_for(reach), part * reach
    assert value * (1 / step) == value / step
    exact = Fraction(value) / Fraction(step)
    if abs(value) > 2.0**-540:  # Further down the quotient may be subnormal.
        assert Fraction(value / step) == exact
    assert math.floor(value * (1 / step) + 0.5) == to_cell(value, step)
    distance = abs(to_cell(value, step) - exact)
    assert distance <= Fraction(1, 2) + Fraction(1, 2**28)


@given(reach=reaches, pair=st.tuples(parts, parts))
@example(reach=1.0, pair=(NEAR_HALF * 2.0**-24, 0.5 * 2.0**-24))
@example(reach=1.0, pair=(-NEAR_HALF * 2.0**-24, -0.5 * 2.0**-24))
@example(reach=1.0, pair=(-1.0, 1.0))
@example(reach=2.0**502, pair=(5e-324, -5e-324))
def test_cells_are_in_the_order_of_their_values(
    reach: float, pair: tuple[float, float]
) -> None:
    """Whatever rounding does at x/step + ½, it never swaps two values."""
    step = step_for(reach)
    places = [-reach, *sorted(part * reach for part in pair), reach]
    cells = [to_cell(place, step) for place in places]
    assert cells == sorted(cells)


def test_the_double_below_a_half_counts_as_one_cell() -> None:
    """The one place where x/step + ½ rounds up: known, and within the sensitivity."""
    assert to_cell(NEAR_HALF, 1.0) == 1
    assert to_cell(math.nextafter(NEAR_HALF, 0), 1.0) == 0


@pytest.mark.parametrize("tiny", [5e-324, -5e-324, 2.0**-1022, -(2.0**-1022)])
@pytest.mark.parametrize("reach", [2.0**-495, 1.0, 2.0**502])
def test_what_an_engine_may_flush_to_zero_counts_as_zero(
    tiny: float, reach: float
) -> None:
    """Even after the largest remaining factors, 2^402, have multiplied it."""
    step = step_for(reach)
    assert to_cell(tiny, step) == to_cell(tiny * 2.0**402, step) == to_cell(0.0, step)
