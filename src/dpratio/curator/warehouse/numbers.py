"""Numbers, clips and lattice cells as expressions."""

import math
from collections.abc import Sequence
from functools import reduce
from operator import or_

import ibis

from dpratio.curator.warehouse.dialect import Dialect, Value, double
from dpratio.plan.ladder import Ladder
from dpratio.terms.bounds import Bounds

_EXACT = 2.0**53

# Where a product that vanishes stops a database, smaller factors are taken for zero:
# of five factors, of what a contrast is made from, and of a contrast itself; and so are
# such parts of a cell. None of them moves a cell. Proof: docs/proofs/warehouse.md.
LEAST_FACTOR, LEAST_TERM, LEAST_CONTRAST = 2.0**-210, 2.0**-350, 2.0**-500
_LEAST_CELL = 2.0**-60
_LEAST_EXPONENT = -1074  # Of a double that is not zero.

# A cell of up to 2^56 in pieces of 20 bits: their sums stay in 64 bits up to 2^43 rows.
PIECES = 3
PIECE = 2.0**20


def clip(dialect: Dialect, value: Value, bounds: Bounds, least: float = 0.0) -> Value:
    """Clip a finite number to its bounds, or round it to 0 or 1; none stays missing.

    Where vanishing products stop a query it is zero below `least`.
    """
    if bounds.is_one:
        return double(1.0)
    if bounds.is_binary:
        half, one, zero = (double(each) for each in (0.5, 1.0, 0.0))
        return ibis.cases((value >= half, one), else_=zero)
    ends = bounds.lower, bounds.upper
    if not dialect.vanishing_stops or not least:
        lower, upper = map(double, ends)
        inside = value.between(lower, upper)
        return ibis.cases(
            (inside, value), (value > upper, upper), (value < lower, lower)
        )
    lower, upper = (double(end if abs(end) >= least else 0.0) for end in ends)
    return ibis.cases(
        (value > upper, upper),
        (value < lower, lower),
        else_=settled(dialect, value, least),
    )


def cut(outside: Sequence[Value], before: Value = None) -> Value:
    """Say 1 where a test holds or it was said before, else 0; none stays missing."""
    one, zero = double(1.0), double(0.0)
    if before is None:
        return ibis.cases((reduce(or_, outside), one), else_=zero) if outside else zero
    tests = reduce(or_, outside, before > zero)
    return ibis.cases((tests, one), (before.notnull(), zero))


def settled(dialect: Dialect, value: Value, least: float) -> Value:
    """Give a factor, zero if below `least` where vanishing products stop a query."""
    if not dialect.vanishing_stops:
        return value
    tiny = value.abs() < double(least)
    return ibis.cases((tiny, double(0.0)), else_=value)


def only_where(test: Value, value: Value) -> Value:
    """Give a value where a test holds; elsewhere it is missing."""
    return ibis.cases((test, value))


def place_on(ladder: Ladder, number: Value) -> Value:
    """Find the cell of a number on a ladder, as `Ladder.place` does."""
    found = _halved(ladder.edges, number, 0)
    missing = ibis.literal(ladder.place(None), "int64")
    return ibis.cases((number.isnull(), missing), else_=found)


def _halved(edges: Sequence[float], number: Value, first: int) -> Value:
    """Compare with the edge in the middle, then with those on its side."""
    if not edges:
        return ibis.literal(first, "int64")
    middle = len(edges) // 2
    edge = double(edges[middle])
    below = number <= edge if edges[middle] < 0 else number < edge
    left = _halved(edges[:middle], number, first)
    right = _halved(edges[middle + 1 :], number, first + middle + 1)
    return ibis.cases((below, left), else_=right)


def cell_of(
    dialect: Dialect, factors: Sequence[Value], step: float, least: float
) -> Value:
    """Count a product, taken from left to right, in whole cells, as a double.

    Args:
        dialect: Of the database.
        factors: Each zero or at least `least`, where vanishing products stop a query.
        step: Of the lattice.
        least: What makes no product vanish by itself.
    """
    product = factors[0] if factors else double(1.0)
    for factor in factors[1:]:
        product *= factor
    if len(factors) * math.log2(least) - math.log2(step) < _LEAST_EXPONENT:
        product = settled(dialect, product, step * _LEAST_CELL)
    # Multiplying by 1/step is dividing by step: both are powers of two.
    return dialect.floor(product * double(1 / step) + double(0.5))


def pieces_of(dialect: Dialect, cell: Value) -> list[Value]:
    """Cut a whole double into integers, the lowest first; only the last has a sign."""
    pieces = []
    size, part = double(PIECE), double(1 / PIECE)
    for _ in range(PIECES - 1):
        above = dialect.floor(cell * part)
        pieces.append((cell - above * size).cast("int64"))
        cell = above
    return [*pieces, cell.cast("int64")]


def whole_total(total: Value) -> Value:
    """Give a whole double as an integer: databases may write doubles in few digits.

    Where doubles may have been rounded it is missing.
    """
    most = double(_EXACT)
    return ibis.cases((total.between(-most, most), total.cast("int64")))


def joined(pieces: Sequence[Value]) -> Value:
    """Put sums of pieces together as a double: exact where the total is below 2^53."""
    total = pieces[-1].cast("float64")
    for piece in reversed(pieces[:-1]):
        total = total * double(PIECE) + piece.cast("float64")
    return total
