"""Parquet columns of every physical under every logical type, filled with ends."""

import math
from collections.abc import Iterator
from typing import Any

from curator.ends_of_types import TEXTS, date_ends, int96_ends, time_ends, whole_ends
from curator.plain_parquet import PlainColumn, logical
from curator.thrift_for_tests import Value

__all__ = ["BROKEN", "DOUBLES", "SINGLES", "parquet_columns"]

I32 = 5
UNITS = {"MILLIS": "ms", "MICROS": "us", "NANOS": "ns"}
DOUBLES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1.7e308, -1.7e308, 0.5, 1]
SINGLES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-45, 3.4e38, -3.4e38, 0.5, 1]
HALVES = [0, 1, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xFFFF, 0x3C00]

# Bytes that are no UTF-8.
BROKEN = [
    *(b"\xff", b"a\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"),
    *(b"\xe2\x82", b"a\xe2\x82b", b"?\xff", b"\x80" * 300),
]
# Old ways to write a logical type.
WHOLE = {8: 15, 16: 16, 32: 17, 64: 18}
NATURAL = {8: 11, 16: 12, 32: 13, 64: 14}
OLD_TIMES = {"TIME_MILLIS": 7, "TIME_MICROS": 8}
OLD_TIMES |= {"TIMESTAMP_MILLIS": 9, "TIMESTAMP_MICROS": 10}
TEXT_TYPES = {"STRING": 0, "ENUM": 4, "JSON": 19, "BSON": 20}

FIXED_DECIMALS = [(16, 38, 0), (16, 38, 38), (16, 20, 2), (1, 2, 0), (4, 9, 2)]
FIXED_DECIMALS += [(8, 18, 3), (9, 20, 2), (17, 38, 0), (32, 76, 0), (20, 38, 10)]


def parquet_columns() -> dict[str, PlainColumn]:
    """Every physical type of Parquet under every logical type that it may have."""
    columns = {
        "BOOLEAN": PlainColumn("BOOLEAN", [True, False, None]),
        "DATE": _column("INT32", date_ends(), 6, logical("DATE")),
        "INT96": _column("INT96", int96_ends()),
        "FLOAT": _column("FLOAT", SINGLES),
        "DOUBLE": _column("DOUBLE", DOUBLES),
        "FIXED": _fixed(3, [b"abc", b"\xff\xfe\xfd", bytes(3)]),
        "FIXED STRING": _fixed(3, [b"abc", b"\xff\xfe\xfd"], 0),
        "UUID": _fixed(16, [bytes(16), b"\xff" * 16], None, logical("UUID")),
        "UUID of 8": _fixed(8, [bytes(8), b"\xff" * 8], None, logical("UUID")),
        "UUID of 20": _fixed(20, [bytes(20), b"\xff" * 20], None, logical("UUID")),
        "INTERVAL": _fixed(12, [bytes(12), b"\xff" * 12], 21),
        "NULL": _column("INT32", [], None, logical("NULL")),
    }
    halves = [each.to_bytes(2, "little") for each in HALVES]
    columns["FLOAT16"] = _fixed(2, halves, None, logical("FLOAT16"))
    return columns | dict([*_wholes(), *_times(), *_decimals(), *_texts()])


def _wholes() -> Iterator[tuple[str, PlainColumn]]:
    for physical, bits in (("INT32", 32), ("INT64", 64)):
        yield physical, _column(physical, whole_ends(bits))
        for is_signed, codes in ((True, WHOLE), (False, NATURAL)):
            for width in [64] if bits == 64 else [8, 16, 32]:
                kind = logical("INTEGER", width, is_signed)
                column = _column(physical, whole_ends(bits), codes[width], kind)
                yield f"{'' if is_signed else 'U'}INT_{width}", column


def _times() -> Iterator[tuple[str, PlainColumn]]:
    for unit, short in UNITS.items():
        for is_utc in (True, False):
            for name in ("TIME", "TIMESTAMP"):
                bits = 32 if (name, unit) == ("TIME", "MILLIS") else 64
                kind = logical(name, unit, is_utc)
                column = _column(f"INT{bits}", time_ends(short, bits), None, kind)
                yield f"{name}({unit}, {is_utc})", column
    for name, code in OLD_TIMES.items():
        bits = 32 if name == "TIME_MILLIS" else 64
        short = UNITS[name.split("_")[1]]
        yield name, _column(f"INT{bits}", time_ends(short, bits), code)


def _decimals() -> Iterator[tuple[str, PlainColumn]]:
    for bits, precision, scale in [(32, 9, 0), (32, 9, 9), (64, 18, 0), (64, 18, 18)]:
        name = f"INT{bits} DECIMAL({precision}, {scale})"
        yield name, _decimal(f"INT{bits}", whole_ends(bits), precision, scale)
    # DuckDB keeps these in fewer bits than the file; beyond them numbers differ.
    for bits, precision, scale in [(32, 4, 2), (32, 1, 0), (64, 9, 2), (64, 1, 1)]:
        most = 10**precision - 1
        cells = [most, -most, 0, 1, -1, most // 2]
        name = f"INT{bits} DECIMAL({precision}, {scale})"
        yield name, _decimal(f"INT{bits}", cells, precision, scale)
    for size, precision, scale in FIXED_DECIMALS:
        last = bytes(size - 1)
        cells = [bytes(size), b"\xff" * size, b"\x80" + last, last + b"\x01"]
        cells += [b"\x7f" + b"\xff" * (size - 1), b"\x4b" + last]
        column = _decimal("FIXED_LEN_BYTE_ARRAY", cells, precision, scale)
        column.terms[2] = (I32, size)
        yield f"FIXED({size}) DECIMAL({precision}, {scale})", column
    for precision, scale in [(38, 0), (38, 38), (18, 2), (4, 1)]:
        cells = [b"", b"\x01", b"\xff", b"\x7f" * 16, b"\x80" + bytes(15), b"\x7f" * 8]
        cells += [b"\x00" + b"\x01" * 16, b"\x01" * 17, b"\x01" * 40, bytes(40)]
        column = _decimal("BYTE_ARRAY", cells, precision, scale)
        yield f"BYTE_ARRAY DECIMAL({precision}, {scale})", column


def _texts() -> Iterator[tuple[str, PlainColumn]]:
    cells = [text.encode() for text in TEXTS]
    yield "BYTE_ARRAY", _column("BYTE_ARRAY", [*cells, *BROKEN])
    for name, code in TEXT_TYPES.items():
        kind = logical(name)
        yield name, _column("BYTE_ARRAY", cells, code, kind)
        column = _column("BYTE_ARRAY", [*cells, *BROKEN], code, kind)
        yield f"{name}, broken", column
    yield "old STRING, broken", _column("BYTE_ARRAY", [*BROKEN, *cells], 0)


def _column(
    physical: str,
    cells: list[Any],
    converted: int | None = None,
    kind: Value | None = None,
) -> PlainColumn:
    terms: dict[int, Value] = {} if converted is None else {6: (I32, converted)}
    terms |= {} if kind is None else {10: kind}
    return PlainColumn(physical, [*cells, None], terms)


def _fixed(
    size: int, cells: list[Any], converted: int | None = None, kind: Value | None = None
) -> PlainColumn:
    column = _column("FIXED_LEN_BYTE_ARRAY", cells, converted, kind)
    column.terms[2] = (I32, size)
    return column


def _decimal(
    physical: str, cells: list[Any], precision: int, scale: int
) -> PlainColumn:
    column = _column(physical, cells, 5, logical("DECIMAL", precision, scale))
    column.terms |= {7: (I32, scale), 8: (I32, precision)}
    return column
