"""Every type of Polars at its ends, in every role: none stops a release."""

import datetime as dt
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from curator.roles import fates, stopped
from soak import IS_SOAK

_ENDS = {
    8: (pl.Int8, pl.UInt8),
    16: (pl.Int16, pl.UInt16),
    32: (pl.Int32, pl.UInt32),
    64: (pl.Int64, pl.UInt64),
    128: (pl.Int128, pl.UInt128),
}
_TICKS = [2**63 - 1, -(2**63), 0, -1, 10**16, -(10**16)]


def _frames() -> dict[str, Any]:
    """A column of each type of Polars, at its ends."""
    found: dict[str, Any] = {}
    for bits, (signed, unsigned) in _ENDS.items():
        found[str(signed)] = pl.Series(
            [2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 0, None], dtype=signed
        )
        found[str(unsigned)] = pl.Series([2**bits - 1, 0, None], dtype=unsigned)
    floats = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1e300, None]
    for kind in (pl.Float64, pl.Float32):
        found[str(kind)] = pl.Series(floats, dtype=pl.Float64).cast(kind)
    for unit in ("ns", "us", "ms"):
        for zone in (None, "UTC", "Asia/Tokyo", "America/New_York"):
            ticks = pl.Series([*_TICKS, None], dtype=pl.Int64)
            found[f"Datetime {unit} {zone}"] = ticks.cast(pl.Datetime(unit, zone))
        found[f"Duration {unit}"] = pl.Series([*_TICKS, None], dtype=pl.Int64).cast(
            pl.Duration(unit)
        )
    found["Date"] = pl.Series([2**31 - 1, -(2**31), 0, None], dtype=pl.Int32).cast(
        pl.Date
    )
    found["Time"] = pl.Series([dt.time(0), dt.time(23, 59, 59, 999_999), None])
    for places in (0, 2, 38):
        ends = [Decimal(f"{sign}{'9' * 38}E-{places}") for sign in ("", "-")]
        found[f"Decimal {places}"] = pl.Series(
            [*ends, None], dtype=pl.Decimal(38, places)
        )
    texts = ["", " ", "a", "é", "9" * 40, "\x00", "2026-01-01", None]
    found["String"] = pl.Series(texts)
    found["Categorical"] = pl.Series(texts, dtype=pl.Categorical)
    found["Enum"] = pl.Series(["a", "é", None], dtype=pl.Enum(["a", "é", ""]))
    found["Binary"] = pl.Series([b"", b"\xff", b"a", None])
    found["Boolean"] = pl.Series([True, False, None])
    found["Null"] = pl.Series([None, None])
    found["List"] = pl.Series([[1], [], None])
    found["Array"] = pl.Series([[1, 2], None], dtype=pl.Array(pl.Int8, 2))
    found["Struct"] = pl.Series([{"a": 1}, None])
    found["Object"] = pl.Series([object(), None], dtype=pl.Object)
    return found


@pytest.mark.parametrize("through", ["lazy", "eager"] if IS_SOAK else ["lazy"])
def test_no_cell_of_polars_stops_a_release(through: str) -> None:
    found = {}
    for kind, cells in _frames().items():
        many = len(cells)
        frame = pl.DataFrame(
            {
                "cell": cells,
                "score": [0.5] * many,
                "label": [1] * many,
                "region": ["ab"[at % 2] for at in range(many)],
                "id": [f"p{at}" for at in range(many)],
            }
        )
        table: Any = frame if through == "eager" else frame.lazy()
        found[kind] = stopped(fates(table))
    wrong = {kind: fate for kind, fate in found.items() if fate}
    assert wrong == {}, wrong
