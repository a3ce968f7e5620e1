"""What one unit puts into the sums: the box of a row, or of a person's totals."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.sensitivity.box import Total, box_of, can_cut, row_box, totals_of
from dpratio.plan.sensitivity.lattice import step_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
ROW = PrivacyUnit()


def test_a_row_has_the_bounds_of_its_columns() -> None:
    bounds = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0.5, 3)}
    assert row_box(RATIO, bounds) == {"s": Bounds(0, 1), "y": Bounds.binary()}
    weighted = Ratio("s", per="y", weight="w")
    assert row_box(weighted, bounds) == bounds
    assert box_of(weighted, bounds, ROW) == bounds


def test_a_difference_lies_between_its_extreme_differences() -> None:
    paired = Ratio("s", per="y", minus="m")
    bounds = {"s": Bounds(0, 3), "y": Bounds.binary(), "m": Bounds(-1, 2)}
    assert row_box(paired, bounds) == {"s": Bounds(-2, 4), "y": Bounds.binary()}
    binary = {"s": Bounds.binary(), "y": Bounds.binary(), "m": Bounds.binary()}
    assert row_box(paired, binary)["s"] == Bounds(-1, 1, natural=True)
    half = binary | {"s": Bounds(0, 1)}
    assert row_box(paired, half)["s"] == Bounds(-1, 1)


ends = st.floats(-1e9, 1e9)


@given(ends, ends, ends, ends, st.floats(0, 1), st.floats(0, 1))
def test_no_difference_of_doubles_leaves_its_box(
    a: float, b: float, c: float, d: float, at: float, off: float
) -> None:
    """The engine subtracts clipped doubles and rounds; rounding is monotone."""
    assume(abs(a - b) > 1e-6 and abs(c - d) > 1e-6)
    first, second = Bounds(min(a, b), max(a, b)), Bounds(min(c, d), max(c, d))
    paired = Ratio("s", per="y", minus="m")
    try:
        box = row_box(paired, {"s": first, "m": second, "y": Bounds.binary()})["s"]
    except InvalidInput:
        assume(False)  # noqa: FBT003
        raise
    s = min(
        max(first.lower + at * (first.upper - first.lower), first.lower), first.upper
    )
    m = min(
        max(second.lower + off * (second.upper - second.lower), second.lower),
        second.upper,
    )
    for one in (first.lower, s, first.upper):
        for other in (second.lower, m, second.upper):
            assert box.lower <= one - other <= box.upper


def test_a_person_has_the_bounds_of_its_totals() -> None:
    unit = PrivacyUnit("user", totals={"s": Bounds(-1, 5), "y": Bounds.binary()})
    weighted = Ratio("s", per="y", weight="w")
    bounds = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)}
    box = box_of(weighted, bounds, unit)
    assert box == {"s": Bounds(-1, 5), "y": Bounds(0, 1)}
    assert totals_of(weighted, unit)["s"] == Total(2.0**-22, -(2**22), 5 * 2**22)


def test_a_total_within_rounding_of_its_bounds_is_not_cut() -> None:
    assert Total(1.0, -5, 9).uncut == (-21, 25)
    assert Total(1.0, -5, 9, can_cut=False).bounds == Bounds(-5, 9, natural=True)


def test_a_bound_can_cut_unless_all_are_natural() -> None:
    ratio = Ratio("s", per="y")
    natural = {"s": Bounds(0, 1, natural=True), "y": Bounds.binary()}
    assert not can_cut(ratio, natural, ROW)
    assert can_cut(ratio, natural | {"s": Bounds(0, 1)}, ROW)
    both = {name: Bounds(0, 5, natural=True) for name in "sy"}
    assert not can_cut(ratio, natural, PrivacyUnit("id", totals=both))
    # A row's label of 0 or 1 is not cut; a person's total of several may be.
    totals = {"s": both["s"], "y": Bounds.binary()}
    assert can_cut(ratio, natural, PrivacyUnit("id", totals=totals))


sizes = st.floats(2.0**-90, 2.0**90)


@given(low=sizes, width=sizes, sign=st.sampled_from([1, -1]), cut=st.booleans())
def test_totals_are_clipped_to_whole_cells_inside_their_bounds(
    low: float,
    width: float,
    sign: int,
    cut: bool,  # noqa: FBT001
) -> None:
    near, far = (0.0, low) if cut else (low, low + width)
    assume(near < far)
    low_end, high_end = sorted((sign * near, sign * far))
    given_bounds = Bounds(low_end, high_end)
    unit = PrivacyUnit("user", totals={"s": given_bounds, "y": Bounds(0, 1)})
    try:
        total = totals_of(RATIO, unit)["s"]
    except InvalidInput as error:
        assert "too narrow a range" in str(error)  # noqa: PT017
        assert far - near < 2 * step_for(far)
        return
    assert total.step == step_for(given_bounds.reach)
    lower = Fraction(total.lowest) * Fraction(total.step)
    upper = Fraction(total.highest) * Fraction(total.step)
    step = Fraction(total.step)
    assert Fraction(given_bounds.lower) <= lower < Fraction(given_bounds.lower) + step
    assert Fraction(given_bounds.upper) - step < upper <= Fraction(given_bounds.upper)
    # The bounds of the box are those very cells, exactly.
    assert (Fraction(total.bounds.lower), Fraction(total.bounds.upper)) == (
        lower,
        upper,
    )


def test_totals_of_a_range_without_two_cells_are_refused() -> None:
    unit = PrivacyUnit("user", totals={"s": Bounds(1, 1 + 1e-9), "y": Bounds(0, 1)})
    rule = "^the totals of 's' have too narrow a range, got \\[1.0, 1.000000001\\]"
    with pytest.raises(InvalidInput, match=rule):
        box_of(RATIO, {}, unit)


def test_a_difference_has_a_total_of_its_own_beside_its_numerator() -> None:
    """One plan may ask for the score and for what it has more than another."""
    unit = PrivacyUnit(
        "user",
        totals={"a": Bounds(0, 4), "a - b": Bounds(-2, 2), "y": Bounds(0, 4)},
    )
    plain, paired = Ratio("a", per="y"), Ratio("a", minus="b", per="y")
    assert totals_of(plain, unit)["s"].bounds == Bounds(0, 4)
    assert totals_of(paired, unit)["s"].bounds == Bounds(-2, 2)
    plan = make_plan(
        [plain, paired],
        bounds={name: Bounds(0, 1) for name in "aby"},
        budget=Budget(1),
        unit=unit,
    )
    assert [question.ratio.guess for question in plan.measurements] == [0.5, 0.0]
