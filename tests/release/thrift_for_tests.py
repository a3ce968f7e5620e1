"""Thrift structs in the compact protocol, written down: the footer of a Parquet file.

A value is its kind and what it holds; a struct holds fields by number.
"""

from typing import Any

__all__ = ["Value", "field_of_whole", "footer_file", "written_struct"]

Value = tuple[int, Any]

TRUE, FALSE, BYTE, I16, I32, I64 = 1, 2, 3, 4, 5, 6
DOUBLE, TEXT, LIST, SET, MAP, STRUCT = 7, 8, 9, 10, 11, 12


def footer_file(fields: dict[int, Value]) -> bytes:
    """A Parquet file without any data."""
    footer = written_struct(fields)
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def field_of_whole(number: int) -> Value:
    return I32, number


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
    content = b""
    if kind in {TRUE, FALSE}:
        content = bytes([kind])
    elif kind == BYTE:
        content = bytes([held])
    elif kind in {I16, I32, I64}:
        content = _whole(held)
    elif kind == DOUBLE:
        content = bytes(8)
    elif kind == TEXT:
        content = _natural(len(held)) + bytes(held)
    elif kind == STRUCT:
        content = written_struct(held)
    elif kind == MAP:
        content = _map(*held)
    else:
        content = _list(*held)
    return content


def _map(first: int, second: int, pairs: list[tuple[Any, Any]]) -> bytes:
    head = bytes([(first << 4) | second]) if pairs else b""
    items = [_written(first, a) + _written(second, b) for a, b in pairs]
    return _natural(len(pairs)) + head + b"".join(items)


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
