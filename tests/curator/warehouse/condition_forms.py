"""Conditions that a source may have, hostile rows, and which of them they keep."""

import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["COLUMNS", "CONDITIONS", "REFUSED", "ROWS", "rows_kept"]

# What each column holds: ends, signs, missing cells, and what looks alike.
COLUMNS: dict[str, list[Any]] = {
    "whole": [None, 0, 1, -1, 5, 2**31 - 1, -(2**31), 7],
    "small": [0, None, 1, -1, 5, 32767, -32768],
    "large": [None, 0, 5, -5, 2**63 - 1, -(2**63), 2**53 + 1, 2**53, 1],
    "score": [
        *(0.5, None, math.nan, math.inf, -math.inf, -0.0, 0.0, 0.1, -0.5, 5e-324),
        *(0.30000000000000004, 0.3, 1e15, 123456.789),
    ],
    "single": [
        *(0.5, math.nan, None, -math.inf, 0.1, -0.0, 0.25, math.inf, -0.5, 3e38),
    ],
    "price": [
        None if price is None else Decimal(price)
        for price in ("1.50", None, "-1.50", "0", "9999999.99", "1.49", "-9999999.99")
    ],
    "region": [
        *("north", None, "", " ", "North", "north ", " north", "ß", "ss", "İ", "i̇"),
        *("é", "e\u0301", "it's", "%", "n_rth", "NULL", "5", "😀", "\ufeffnorth"),
        *("\\", "\\'", "${x}", "a\nb", "--", '"'),
    ],
    "code": ["x", None, "x  ", "", "X", "xy", "ß", "y"],
    "adult": [True, False, None],
    "seen": [
        *("2026-01-01", None, "0001-01-01", "9999-12-31", "2026-01-02", "2025-12-31"),
        "1582-10-10",
    ],
    "seen_at": [
        *("2026-01-01 00:00:00", None, "2026-01-01 00:00:00.000001"),
        *("2025-12-31 23:59:59.999999", "0001-01-01 00:00:00", "2026-06-01 12:30:00"),
        "9999-12-31 23:59:59",
    ],
}
# Every cell of one column meets many of another.
ROWS: list[dict[str, Any]] = [
    {
        "id": nth,
        **{
            name: cells[(nth + nth // 11 * place) % len(cells)]
            for place, (name, cells) in enumerate(COLUMNS.items())
        },
    }
    for nth in range(220)
]

_VALUES: dict[str, list[Any]] = {
    "whole": [0, 5, -1],
    "small": [0, 5],
    "large": [2**63 - 1, 2**53, -5],
    "score": [0, 0.3, -0.5, 1e15, 5e-324, 123456.789],
    "single": [0.25, 0.1, 0, 1e39],
    "price": [0, 1.5, -1.5, 9999999.99],
    "region": ["north", "", " ", "ß", "it's", "%", "é", "\\", "\\'", "${x}", "a\nb"],
    "code": ["xy"],
    "adult": [True, False],
    "seen": ["2026-01-01", "1582-10-10"],
    "seen_at": ["2026-01-01 00:00:00", "2025-12-31 23:59:59.999998"],
}
CONDITIONS: list[list[Any]] = [
    *([name, sign] for name in COLUMNS for sign in ("is null", "not null")),
    *(
        [name, sign, value]
        for name, values in _VALUES.items()
        for sign in ("=", "!=", "<", "<=", ">", ">=")
        for value in values
    ),
    *([name, "in", values] for name, values in _VALUES.items()),
    ["region", "in", ["NULL", "😀", "--", '"', "north "]],
]

# What no engine compares.
REFUSED: list[list[Any]] = [
    *(["nobody", "=", 5], ["nobody", "is null"], ["Whole", "=", 5]),
    *(["whole", "=", 0.5], ["whole", "=", "5"], ["whole", "=", True]),
    *(["whole", "in", [1, "5"]], ["region", "=", 5], ["region", "in", ["a", True]]),
    *(["adult", "=", 1], ["adult", "=", "true"], ["score", "=", 2**53 + 1]),
    *(["score", "=", "NaN"], ["score", ">", True], ["price", "=", "1.50"]),
    *(["seen", "=", "20260101"], ["seen", "=", "2026-02-30"], ["seen", "=", "now"]),
    *(["seen", "=", "2026-01-01 00:00:00"], ["seen", "=", 20260101]),
    *(["seen", "=", "2026-01-01'"], ["seen_at", "=", "2026-01-01 00:00:00+00"]),
    *(["seen_at", "=", "infinity"], ["seen_at", "=", 0]),
]


def rows_kept(condition: Sequence[Any]) -> list[int]:
    """The ids of the rows that a condition keeps, by Python's own comparisons."""
    name, sign, *values = condition
    return [row["id"] for row in ROWS if _meets(name, row[name], sign, *values)]


def _meets(name: str, cell: Any, sign: str, value: Any = None) -> bool:  # noqa: ANN401
    if sign in {"is null", "not null"}:
        return (cell is None) == (sign == "is null")
    if cell is None:
        return False
    if sign == "in":
        return any(_meets(name, cell, "=", part) for part in value)
    if name == "single" and abs(cell) < math.inf:
        (cell,) = struct.unpack("<f", struct.pack("<f", cell))
    left = _order(cell)
    right = _order(Decimal(repr(value)) if name == "price" else value)
    signs: dict[str, bool] = {
        "=": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }
    return signs[sign]


def _order(cell: Any) -> Any:  # noqa: ANN401
    """Text by its bytes, and NaN above all numbers."""
    if isinstance(cell, str):
        return cell.encode()
    if isinstance(cell, float) and not math.isfinite(cell):
        return (1, 0) if math.isnan(cell) else (0, cell)
    return (0, Fraction(cell))
