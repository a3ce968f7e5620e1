"""Columns of Arrow, DuckDB and Python of every type, with cells at their ends."""

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from curator.ends_of_types import TEXTS, date_ends, decimal_ends, time_ends, whole_ends
from curator.parquet_at_ends import BROKEN, DOUBLES, SINGLES
from soak import IS_SOAK

__all__ = ["Column", "arrow_columns", "object_columns", "relation_columns"]

Column = Any
Type = Any
BYTES = [*(text.encode() for text in TEXTS), *BROKEN]
ZONES: tuple[str | None, ...] = (None, "Asia/Tokyo")
if IS_SOAK:
    ZONES += ("UTC", "America/New_York", "+23:59", "Nowhere/At_All")
HALVES = [np.float16(x) for x in (math.nan, math.inf, -math.inf, 0, 65504, 0.5, 6e-8)]
DECIMALS = [(38, 0), (38, 38), (38, 10), (18, 2), (9, 9), (4, 0), (5, -3)]


def arrow_columns() -> dict[str, Column]:
    """Every type of Arrow."""
    return dict([*_numbers(), *_times(), *_decimals(), *_texts(), *_others()])


def _raw(cells: list[int], width: int, type_: Type) -> Column:
    """An array of a fixed width from whole numbers, past every check, and a null."""
    stored = [cell % 2 ** (8 * width) for cell in [*cells, 0]]
    data = b"".join(cell.to_bytes(width, "little") for cell in stored)
    buffers = [_valid(len(cells)), pa.py_buffer(data)]
    return pa.Array.from_buffers(type_, len(stored), buffers)


def _raw_text(type_: Type, cells: list[bytes]) -> Column:
    """A column of text whose bytes nobody has looked at, and a null."""
    width = np.int64 if pa.types.is_large_string(type_) else np.int32
    offsets = np.cumsum([0, *map(len, cells), 0]).astype(width)
    data = [pa.py_buffer(offsets.tobytes()), pa.py_buffer(b"".join(cells))]
    return pa.Array.from_buffers(type_, len(cells) + 1, [_valid(len(cells)), *data])


def _valid(many: int) -> Column:
    return pa.py_buffer((2**many - 1).to_bytes(many // 8 + 1, "little"))


def _numbers() -> Iterator[tuple[str, Column]]:
    for bits in (8, 16, 32, 64):
        for is_signed, name in ((True, f"int{bits}"), (False, f"uint{bits}")):
            cells = [*whole_ends(bits, signed=is_signed), None]
            yield name, pa.array(cells, getattr(pa, name)())
    yield "bool", pa.array([True, False, None])
    yield "float16", pa.array([*HALVES, None], pa.float16())
    yield "float32", pa.array([*SINGLES, None], pa.float32())
    yield "float64", pa.array([*DOUBLES, None], pa.float64())


def _times() -> Iterator[tuple[str, Column]]:
    yield "date32", _raw(date_ends(), 4, pa.date32())
    yield "date64", _raw(time_ends("ms"), 8, pa.date64())
    for unit in ("s", "ms", "us", "ns"):
        for zone in ZONES:
            type_ = pa.timestamp(unit, zone)
            yield str(type_), _raw(time_ends(unit), 8, type_)
        yield f"duration[{unit}]", _raw(time_ends(unit), 8, pa.duration(unit))
    yield "time32[s]", _raw(time_ends("s", 32), 4, pa.time32("s"))
    yield "time64[ns]", _raw(time_ends("ns"), 8, pa.time64("ns"))
    yield "interval", pa.array([(1, 2, 3), None], pa.month_day_nano_interval())


def _decimals() -> Iterator[tuple[str, Column]]:
    for precision, scale in DECIMALS:
        most, last = 2**127 - 1, 10**precision - 1
        cells = [most, -most - 1, 0, 1, -1, last, -last, last + 1, -last - 1]
        type_ = pa.decimal128(precision, scale)
        yield (
            str(type_),
            _raw([each for each in cells if -most - 1 <= each <= most], 16, type_),
        )
    for precision, scale in [(76, 0), (76, 76), (38, 2), (20, 2)]:
        most, last = 2**255 - 1, 10**precision - 1
        cells = [most, -most - 1, 0, 1, -1, last, -last]
        type_ = pa.decimal256(precision, scale)
        yield str(type_), _raw(cells, 32, type_)
    yield "decimal32", _raw(whole_ends(32), 4, pa.decimal32(9, 2))
    yield "decimal64", _raw(whole_ends(64), 8, pa.decimal64(18, 2))


def _texts() -> Iterator[tuple[str, Column]]:
    for type_ in (pa.string(), pa.large_string()):
        yield str(type_), pa.array([*TEXTS, None], type_)
        yield f"{type_}, broken", _raw_text(type_, BYTES)
        yield f"dictionary of {type_}", pa.array(TEXTS, type_).dictionary_encode()
    places = pa.array([*range(len(BYTES)), None], pa.int32())
    broken = _raw_text(pa.string(), BYTES)
    yield "dictionary, broken", pa.DictionaryArray.from_arrays(places, broken)
    missing = pa.array(["a", None])
    yield "dictionary, missing", pa.DictionaryArray.from_arrays([0, 1, None], missing)
    yield "string_view", pa.array([*TEXTS, None], pa.string_view())
    yield "binary", pa.array([*BYTES, None], pa.binary())
    yield "fixed binary", pa.array([b"abc", b"\xff\xfe\xfd", None], pa.binary(3))


def _others() -> Iterator[tuple[str, Column]]:
    days = pa.array([0, 1, None], pa.int32()).cast(pa.date32())
    yield "dictionary of whole", pa.array([*whole_ends(64), None]).dictionary_encode()
    yield "dictionary of dates", days.dictionary_encode()
    for name, cells in {
        "text": pa.array(["a", None]),
        "whole": pa.array([2**63 - 1, None]),
        "dates": days[1:],
    }.items():
        yield f"runs of {name}", pa.RunEndEncodedArray.from_arrays([2, 3], cells)
    yield "null", pa.nulls(3)
    yield "list", pa.array([[1], [], None])
    yield "struct", pa.array([{"a": 1}, None])
    yield "map", pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))
    yield "uuid", pa.array([bytes(16), b"\xff" * 16, None], pa.uuid())
    json = pa.array(["{}", "a", None])
    yield "json", pa.ExtensionArray.from_storage(pa.json_(pa.string()), json)
    truths = pa.array([-128, 0, 1, None], pa.int8())
    yield "bool8", pa.ExtensionArray.from_storage(pa.bool8(), truths)


class _NoZone(dt.tzinfo):
    """A zone that does not say how far it is from UTC."""

    def __init__(self, offset: Column) -> None:
        self.offset = offset

    def utcoffset(self, _: object) -> Column:
        if self.offset is RuntimeError:
            raise RuntimeError("no offset")
        return self.offset

    def dst(self, _: object) -> None:
        return None

    def tzname(self, _: object) -> str:
        return "nowhere"


class _Stopping(int):
    """A whole number that stops whoever asks it for anything."""

    def __float__(self) -> float:
        raise RuntimeError("float")

    def __str__(self) -> str:
        raise RuntimeError("text")

    def bit_length(self) -> int:
        raise RuntimeError("bits")


class _Unhashable(type):
    """A class of classes that stops whoever asks whether two are the same."""

    def __hash__(cls) -> int:
        raise RuntimeError("hash")

    def __eq__(cls, _: object) -> bool:
        raise RuntimeError("equal")


class _Odd(metaclass=_Unhashable):
    """A value whose class cannot be asked for, nor converted."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("class")


def object_columns() -> dict[str, list[Any]]:
    """Python values of every kind: what mappings and columns of objects hold."""
    ends = [  # without a zone
        *(dt.datetime.min, dt.datetime.max),  # noqa: DTZ901
        dt.datetime(2026, 1, 31, 23),  # noqa: DTZ001
    ]
    zones = [dt.timezone(dt.timedelta(hours=hours)) for hours in (-23, 0, 9, 23)]
    offsets: list[Any] = [None, RuntimeError, dt.timedelta(days=9), "one hour"]
    units = ("D", "s", "ms", "us", "ns", "Y", "M", "W", "h", "m", "ps", "fs", "as")
    ticks = (0, 1, 2**62, -(2**62), 2**63 - 1, -(2**63) + 1, 3_000_000)
    last, first = pd.Timestamp.max, pd.Timestamp.min
    return {
        "naive": [*ends, None],
        "aware": [end.replace(tzinfo=zone) for end in ends for zone in zones],
        "no zones": [ends[2].replace(tzinfo=_NoZone(each)) for each in offsets],
        "dates": [dt.date.min, dt.date.max, dt.date(2026, 1, 31), None],
        "numpy times": [np.datetime64(each, unit) for unit in units for each in ticks],  # type: ignore[call-overload]
        "pandas times": [
            *(pd.NaT, first, last, last.tz_localize("UTC")),
            *(first.tz_localize("America/New_York"), last.tz_localize("Asia/Tokyo")),
        ],
        "whole": [*whole_ends(128), 10**400, -(10**400), 10**5000, True, np.int8(-128)],
        "numbers": [
            *(*DOUBLES, Decimal("NaN"), Decimal("sNaN"), Decimal("1e999999")),
            *(Decimal("-1e-999999"), np.float16(65504), np.longdouble("1e4000"), 1j),
        ],
        "texts": [*TEXTS, "\ud800", "a\udfff", np.str_("a"), b"a", b"\xff", pd.NA],
        "others": [
            *((), [], {}, set(), object(), [1], np.array([1, 2]), np.array(1)),
            *(_Odd(), _Stopping(1), pd.NA, pd.NaT, float, dt.time(1), dt.timedelta.max),
        ],
    }


def relation_columns() -> dict[str, list[str]]:
    """Every type of DuckDB, with cells as SQL."""
    columns: dict[str, list[str]] = {}
    widths = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
    for name, bits in widths.items():
        columns[name] = _cast(whole_ends(bits), name)
        columns[f"U{name}"] = _cast(whole_ends(bits, signed=False), f"U{name}")
    for precision, scale in [(4, 0), (9, 9), (18, 2), (38, 0), (38, 38), (38, 10)]:
        name = f"DECIMAL({precision},{scale})"
        columns[name] = _cast([f"{d:f}" for d in decimal_ends(precision, scale)], name)
    days = ["0001-01-01", "9999-12-31", "10000-01-01", "0001-12-31 (BC)", "2026-01-31"]
    endless = ["infinity", "-infinity", *days]
    far = ["294247-01-10 04:00:54", "290309-12-22 (BC) 00:00:00", "1969-12-31 23:59:59"]
    near = ["2262-04-11 23:47:16", "1677-09-22 00:00:00", "1969-12-31 23:59:59.9999999"]
    columns["DATE"] = _cast([*endless, "5881580-07-10", "5877642-06-25 (BC)"], "DATE")
    for name in ("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS"):
        columns[name] = _cast([*endless, *far], name)
    for name in ("TIMESTAMP_NS", "TIMESTAMPTZ_NS"):
        columns[name] = _cast(["infinity", "-infinity", days[4], *near], name)
    texts = [text.replace("'", "''") for text in TEXTS]
    columns["VARCHAR"] = [
        "'" + text.replace("\x00", "' || chr(0) || '") + "'" for text in texts
    ]
    others: dict[str, list[Any]] = {
        "BIGNUM": [0, 1, -1, 2**200, -(2**200), 10**400],
        "BOOLEAN": ["true", "false"],
        "FLOAT": SINGLES,
        "DOUBLE": DOUBLES,
        "TIME": ["00:00:00", "24:00:00"],
        "TIMETZ": ["00:00:00+15:59:59"],
        "INTERVAL": ["1 year", "2000000000 days"],
        "BIT": ["101"],
        "BLOB": ["\\xff", "a"],
        "UUID": ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
        "ENUM('a', '', 'é')": ["a", "", "é"],
        "JSON": ["{}", "1"],
        "INTEGER[]": ["[1]", "[]"],
        "INTEGER[2]": ["[1, 2]"],
        "VARCHAR[]": ["[a]"],
        "STRUCT(a INTEGER)": ["{a: 1}"],
        "MAP(VARCHAR, INTEGER)": ["{a=1}"],
        "UNION(a INTEGER, b VARCHAR)": ["1"],
    }
    return columns | {name: _cast(cells, name) for name, cells in others.items()}


def _cast(cells: list[Any], type_: str) -> list[str]:
    return [f"'{cell}'::{type_}" for cell in cells]
