"""What one unit puts into the sums: the box of a row, or of a person's totals."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import Total, box_of, row_box, step_for, totals_of
from dpratio.plan.settle import layout_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
PAIRED = Ratio("s", per="y", minus="m")
ROW = PrivacyUnit()
BINARY = Bounds.binary()


def unit_of(**totals: Bounds) -> PrivacyUnit:
    return PrivacyUnit("user", totals=totals)


def test_a_row_has_the_bounds_of_its_columns_and_a_person_those_of_its_totals() -> None:
    bounds = {"s": Bounds(0, 1), "y": BINARY, "w": Bounds(0.5, 3)}
    assert row_box(RATIO, bounds) == {"s": Bounds(0, 1), "y": BINARY}
    assert box_of(WEIGHTED, bounds, ROW) == bounds
    unit = unit_of(s=Bounds(-1, 5), y=BINARY)
    box = box_of(WEIGHTED, bounds, unit)
    assert box == {"s": Bounds(-1, 5), "y": Bounds(0, 1)}
    assert totals_of(WEIGHTED, unit)["s"] == Total(2.0**-22, -(2**22), 5 * 2**22)


@pytest.mark.parametrize(
    ("s", "m", "box"),
    [
        (Bounds(0, 3), Bounds(-1, 2), Bounds(-2, 4)),
        (BINARY, BINARY, Bounds(-1, 1, natural=True)),
        (Bounds(0, 1), BINARY, Bounds(-1, 1)),
    ],
)
def test_a_difference_lies_between_its_extreme_differences(
    s: Bounds, m: Bounds, box: Bounds
) -> None:
    assert row_box(PAIRED, {"s": s, "y": BINARY, "m": m}) == {"s": box, "y": BINARY}


ends = st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)).map(sorted)
inside = st.floats(0, 1)


@given(ends, ends, inside, inside)
def test_no_difference_of_doubles_leaves_its_box(
    first: list[float], second: list[float], at: float, off: float
) -> None:
    """The engine subtracts clipped doubles and rounds; rounding is monotone."""
    assume(min(high - low for low, high in (first, second)) > 1e-6)
    s, m = (Bounds(low, high) for low, high in (first, second))
    try:
        box = row_box(PAIRED, {"s": s, "m": m, "y": BINARY})["s"]
    except InvalidInput:
        assume(False)  # noqa: FBT003
        raise
    ones, others = (
        (b.lower, min(b.lower + part * (b.upper - b.lower), b.upper), b.upper)
        for b, part in ((s, at), (m, off))
    )
    for one in ones:
        for other in others:
            assert box.lower <= one - other <= box.upper


def test_a_total_within_rounding_of_its_bounds_is_not_cut() -> None:
    assert Total(1.0, -5, 9).uncut == (-21, 25)
    assert Total(1.0, -5, 9, can_cut=False).bounds == Bounds(-5, 9, natural=True)


def test_a_bound_can_cut_unless_all_are_natural() -> None:
    wide = Bounds(0, 5, natural=True)
    natural = {"s": Bounds(0, 1, natural=True), "y": BINARY}

    def can_cut(bounds: dict[str, Bounds], unit: PrivacyUnit) -> bool:
        study = Study(RATIO, bounds=bounds, unit=unit, budget=Budget(1))
        return layout_of(study, study.questions[0]).can_cut

    assert not can_cut(natural, ROW)
    assert can_cut(natural | {"s": Bounds(0, 1)}, ROW)
    assert not can_cut(natural, unit_of(s=wide, y=wide))
    # A row's label of 0 or 1 is not cut; a person's total of several may be.
    assert can_cut(natural, unit_of(s=wide, y=BINARY))


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
    bounds = Bounds(near, far) if sign > 0 else Bounds(-far, -near)
    try:
        total = totals_of(RATIO, unit_of(s=bounds, y=Bounds(0, 1)))["s"]
    except InvalidInput as error:
        assert "the totals of 's' have too narrow a range" in str(error)  # noqa: PT017
        assert far - near < 2 * step_for(far)
        return
    assert total.step == step_for(bounds.reach)
    step = Fraction(total.step)
    lower, upper = total.lowest * step, total.highest * step
    assert Fraction(bounds.lower) <= lower < Fraction(bounds.lower) + step
    assert Fraction(bounds.upper) - step < upper <= Fraction(bounds.upper)
    # The bounds of the box are those very cells, exactly.
    assert (Fraction(total.bounds.lower), Fraction(total.bounds.upper)) == (
        lower,
        upper,
    )


def test_a_difference_has_a_total_of_its_own_beside_its_numerator() -> None:
    """One plan may ask for the score and for what it has more than another."""
    unit = unit_of(**{"s": Bounds(0, 4), "s - m": Bounds(-2, 2), "y": Bounds(0, 4)})
    assert totals_of(RATIO, unit)["s"].bounds == Bounds(0, 4)
    assert totals_of(PAIRED, unit)["s"].bounds == Bounds(-2, 2)
