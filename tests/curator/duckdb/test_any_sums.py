"""Any sums of the letters, not only those of today's plans, leave bad rows out."""

import math
from itertools import product

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curator import oracle
from curator.tables_for_tests import fixed
from dpratio.curator.choose_engine import open_reading
from dpratio.curator.reading.statement import CellSum, Reading, Statement
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys

COLUMNS = ("one", "two", "three", "four")
# Every company of good, zero, clipped and bad cells; each row is a group.
ROWS = list(product((0.75, 0.0, 1e300, None, math.nan), repeat=len(COLUMNS)))
TABLE = pa.table(
    {
        "row": range(len(ROWS)),
        **{
            name: pa.array([row[at] for row in ROWS], pa.float64())
            for at, name in enumerate(COLUMNS)
        },
    }
)
GROUPS = (Keys("row", range(len(ROWS))),)
BOX = st.sampled_from([Bounds(-1, 2), Bounds(0.5, 3), Bounds.binary()])


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """Sums of any factors, of columns in any roles, around any centre."""
    letters = draw(st.sampled_from(["sy", "syw", "sym", "sywm"]))
    columns = dict(zip(letters, draw(st.permutations(COLUMNS)), strict=False))
    bounds = {letter: draw(BOX) for letter in letters}
    if draw(st.integers(0, 3)) == 0:
        columns["y"], bounds["y"] = columns["s"], Bounds.ones()
    contrasts = st.builds(
        Contrast,
        st.sampled_from([0.0, 1.0, 0.5]),
        st.sampled_from([None, 1.25]),
        st.sampled_from(["sum", "denominator"]),
    )
    contrast = draw(st.none() | contrasts)
    factors = letters.replace("m", "") + ("" if contrast is None else "zh")
    products = st.lists(st.sampled_from(factors), max_size=3).map(tuple)
    products |= st.just(("c",))
    sums = draw(st.lists(products, min_size=1, max_size=4))
    return Statement(
        factor_columns=columns,
        factor_bounds=bounds,
        dimensions=GROUPS,
        listed=None,
        unit=None,
        sums=tuple(CellSum(each, 2.0**-10, 2**30) for each in sums),
        contrast=contrast,
    )


@given(reading=st.lists(statements(), min_size=1, max_size=2))
@fixed(12)
def test_any_sums_of_any_letters_count_a_row_in_all_of_them_or_in_none(
    reading: list[Statement],
) -> None:
    asked = Reading(tuple(reading))
    found = open_reading(TABLE, asked, "duckdb")()
    expected = oracle.add_up(TABLE.to_pydict(), asked)
    for one, other in zip(found, expected, strict=True):
        assert (one._cells == other._cells).all()
