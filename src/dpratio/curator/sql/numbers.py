"""Numbers in SQL: clipped to their bounds, placed between edges, counted in cells."""

import sys
from collections.abc import Sequence

from dpratio.curator.reading.statement import smallest_factor
from dpratio.curator.sql.dialect import Dialect
from dpratio.terms.bounds import Bounds

_LARGEST = sys.float_info.max

# Cells up to this size are added up in 64 bits, which holds for 2^36 rows.
_LARGEST_NARROW = 2**27


def clip(
    dialect: Dialect,
    number: str,
    bounds: Bounds,
    *,
    is_factor: bool,
    tests: dict[str, str] | None = None,
) -> str:
    """Return a number clipped to its bounds, or rounded to 0 or 1.

    One that is missing or not finite is missing: NaN lies above infinity, or is NULL.
    A factor of a product counts as zero where it is smaller than `smallest_factor`, so
    that no product vanishes, which would stop PostgreSQL.

    Args:
        dialect: Of the database.
        number: A double.
        bounds: Of the number.
        is_factor: Whether products are taken of it.
        tests: The names of tests that are worked out before, by the tests; the one
            whether the number lies inside is added.
    """
    if bounds.is_binary:
        one = dialect.double(1.0)
        if not bounds.is_one:
            one = dialect.one_if(f"{number} >= {dialect.double(0.5)}")
        return f"CASE WHEN {dialect.is_finite(number)} THEN {one} END"
    pieces = [
        (between(dialect, number, low, high), value)
        for low, high, value in _pieces(dialect, number, bounds, is_factor=is_factor)
    ]
    if tests is not None:
        inside, value = pieces[0]
        pieces[0] = tests.setdefault(inside, f"in{len(tests)}"), value
    cases = [f"\n      WHEN {test} THEN {value}" for test, value in pieces]
    return f"CASE{''.join(cases)} END"


def _pieces(
    dialect: Dialect, number: str, bounds: Bounds, *, is_factor: bool
) -> list[tuple[float, float, str]]:
    """Return the value of a clipped number by ranges; of an end, the first counts."""
    tiny = smallest_factor(bounds) if is_factor else 0.0
    low, high = (
        end if abs(end) >= tiny else 0.0 for end in (bounds.lower, bounds.upper)
    )
    lower, upper = dialect.double(low), dialect.double(high)
    if low >= 0:
        start = max(low, tiny)
        return [
            (start, high, number),
            (high, _LARGEST, upper),
            (-_LARGEST, start, lower),
        ]
    if high <= 0:
        end = min(high, -tiny)
        return [(low, end, number), (-_LARGEST, low, lower), (end, _LARGEST, upper)]
    inside = [(low, high, number)]
    if tiny:
        zero = dialect.double(0.0)
        inside = [(tiny, high, number), (low, -tiny, number), (-tiny, tiny, zero)]
    return [*inside, (high, _LARGEST, upper), (-_LARGEST, low, lower)]


def less(dialect: Dialect, number: str, other: str, bounds: Bounds) -> str:
    """Return a difference within bounds; as a factor it is never too small."""
    difference, tiny = f"{number} - {other}", smallest_factor(bounds)
    is_tiny = between(dialect, f"({difference})", -tiny, tiny)
    return f"CASE WHEN {is_tiny} THEN {dialect.double(0.0)} ELSE {difference} END"


def between(dialect: Dialect, number: str, low: float, high: float) -> str:
    """Return the test whether a number lies between two others, both included."""
    return f"{number} BETWEEN {dialect.double(low)} AND {dialect.double(high)}"


def is_outside(dialect: Dialect, number: str, low: float, high: float) -> str:
    """Return the test whether a number that is there lies outside a range."""
    return f"{number} NOT BETWEEN {dialect.double(low)} AND {dialect.double(high)}"


def place_between(
    dialect: Dialect, number: str, edges: Sequence[float], *, is_ladder: bool = False
) -> str:
    """Return the place of a number among rising edges, found by halves.

    An edge belongs to the place above it; on a ladder to the one further from zero.
    """

    def within(low: int, high: int) -> str:
        if low == high:
            return str(low)
        middle = (low + high) // 2
        edge = edges[middle]
        sign = "<=" if is_ladder and edge < 0 else "<"
        test = f"{number} {sign} {dialect.double(edge)}"
        below, above = within(low, middle), within(middle + 1, high)
        return f"CASE WHEN {test} THEN {below} ELSE {above} END"

    return within(0, len(edges))


def is_wide(largest: float) -> bool:
    """Whether sums of cells of such a size may need more than 64 bits."""
    return largest > _LARGEST_NARROW


def cell_of(
    dialect: Dialect, factors: Sequence[str], step: float, largest: float
) -> str:
    """Return a product, taken from left to right, in whole cells.

    Args:
        dialect: Of the database.
        factors: Of the product; without any it is 1.
        step: Of the lattice.
        largest: The largest size of such a cell.
    """
    product = " * ".join(factors) or dialect.double(1.0)
    # Multiplying by 1/step is dividing by step: both are powers of two.
    scaled = f"{product} * {dialect.double(1 / step)} + {dialect.double(0.5)}"
    return dialect.cell(scaled, is_wide(largest))
