"""Cells at the ends of every type: whole numbers, times, decimals, texts.

What lies just outside of what Python or DuckDB can hold is among them, as far as the
type can store it. Row 39: no such cell may stop a release.
"""

import struct
from decimal import Decimal

__all__ = [
    "DAY",
    "TEXTS",
    "date_ends",
    "decimal_ends",
    "int96_ends",
    "time_ends",
    "whole_ends",
]

DAY = {"s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}

# Days since 1970: the first and last of Python's calendar, of DuckDB's, of nanoseconds
# in 64 bits, the first Julian day, and days that anyone may have.
_DAYS = [
    *(-719_162, 2_932_896),
    *(-106_751_991, 106_751_991),
    *(-106_751, 106_751),
    *(-2_440_588, 2**31 - 719_163),
    *(0, 365, 20_000),
]

TEXTS = [
    *("", "a", "0", "1", "-1", "0.5", "true", "x" * 20_000),
    *("2026-01-31", "9999-12-31", "10000-01-01", "-0001-01-01"),
    *("9" * 40, "-" + "9" * 18, "é", "😀", "\x00", "a\x00b", "\x01", "nan", "inf"),
    *("\ufeff", "\ufeffa", "null", "NULL", "'", '"', "\\", "%", "{}", "[1]"),
]


def whole_ends(bits: int, *, signed: bool = True) -> list[int]:
    """Whole numbers at the ends of a type, around zero and halfway."""
    low = -(2 ** (bits - 1)) if signed else 0
    high = low + 2**bits - 1
    near = [0, 1, 2, *([-1, -2] if signed else [])]
    odd = [10**18 - 1, 10**18, 2**53, 2**53 + 1, 2**62, 2**63, 2**127, 2**127 - 1]
    every = [low, low + 1, high, high - 1, low // 2, high // 2, *near]
    every += [each for size in odd for each in (size, -size)]
    return [each for each in dict.fromkeys(every) if low <= each <= high]


def date_ends() -> list[int]:
    """Days at the ends of 32 bits and of every calendar."""
    near = [day + step for day in _DAYS for step in (-1, 0, 1)]
    every = [*whole_ends(32), *near]
    return [each for each in dict.fromkeys(every) if -(2**31) <= each < 2**31]


def time_ends(unit: str, bits: int = 64) -> list[int]:
    """Ticks at the ends of a type and of every calendar."""
    steps = (-1, 0, 1, DAY[unit] - 1)
    near = [day * DAY[unit] + step for day in _DAYS for step in steps]
    tens = [sign * 10**power for power in range(10, 19) for sign in (-1, 1)]
    scaled = [sign * (2**63 // 10**by) for by in (3, 6, 9) for sign in (-1, 1)]
    scaled = [each + step for each in scaled for step in (-1, 0, 1)]
    limit = 2 ** (bits - 1)
    every = [*whole_ends(bits), *near, *tens, *scaled]
    return [each for each in dict.fromkeys(every) if -limit <= each < limit]


def decimal_ends(precision: int, scale: int) -> list[Decimal]:
    """Decimals at the ends of a precision."""
    most = 10**precision - 1
    whole = [most, -most, most - 1, 0, 1, -1, 10**scale, -(10**scale), 10**scale // 2]
    return [
        Decimal((int(each < 0), tuple(map(int, str(abs(each)))), -scale))
        for each in dict.fromkeys(whole)
        if abs(each) <= most
    ]


def int96_ends() -> list[bytes]:
    """Times of old writers: nanoseconds of a day, and a Julian day."""
    nanos = [0, 1, DAY["ns"] - 1, DAY["ns"], -1, 2**63 - 1, -(2**63)]
    days = [0, 1, -1, 2**31 - 1, -(2**31), 2_440_588, 2_440_587, 2_460_000]
    days += [2_440_588 + day for day in _DAYS if -(2**31) <= 2_440_588 + day < 2**31]
    return [struct.pack("<qi", nano, day) for nano in nanos for day in days]
