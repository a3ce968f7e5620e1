"""Thrift structs in the compact protocol, written down, as in Parquet files.

A value is its kind and what it holds; a struct holds fields by number.
"""

from typing import Any

__all__ = ["Value", "written_struct"]

Value = tuple[int, Any]

TRUE, FALSE, BYTE, I32, I64, TEXT, STRUCT = 1, 2, 3, 5, 6, 8, 12


def written_struct(fields: dict[int, Value]) -> bytes:
    """Fields in order, short headers where steps are short."""
    content, last = b"", 0
    for field, (kind, held) in fields.items():
        step = field - last
        short = 0 < step < 16
        content += bytes([(step << 4 if short else 0) | kind])
        content += b"" if short else _whole(field)
        content += b"" if kind in {TRUE, FALSE} else _written(kind, held)
        last = field
    return content + b"\0"


def _written(kind: int, held: Any) -> bytes:  # noqa: ANN401 (any value of Thrift)
    if kind == BYTE:
        return bytes([held])
    if kind in {I32, I64}:
        return _whole(held)
    if kind == TEXT:
        return _natural(len(held)) + bytes(held)
    return written_struct(held) if kind == STRUCT else _list(*held)


def _list(inner: int, items: list[Any]) -> bytes:
    head = bytes([min(len(items), 15) << 4 | inner])
    more = _natural(len(items)) if len(items) > 14 else b""
    return head + more + b"".join(_written(inner, each) for each in items)


def _whole(number: int) -> bytes:
    return _natural((number << 1) ^ (number >> 63))


def _natural(number: int) -> bytes:
    content = b""
    while number > 127:
        content += bytes([number & 127 | 128])
        number >>= 7
    return content + bytes([number])
