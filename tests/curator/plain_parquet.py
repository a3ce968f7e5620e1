"""Parquet files written byte by byte: any physical type under any logical one.

Writers check what they write, so none of them stores the cells that a reader has to be
tried with. A column here is its types and the bytes of its cells; None is a null.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator.thrift_for_tests import Value, written_struct

__all__ = ["PHYSICAL", "PlainColumn", "logical", "write_plain_parquet"]

TRUE, FALSE, BYTE, I32, I64, TEXT, LIST, STRUCT = 1, 2, 3, 5, 6, 8, 9, 12

PHYSICAL = {
    "BOOLEAN": 0,
    "INT32": 1,
    "INT64": 2,
    "INT96": 3,
    "FLOAT": 4,
    "DOUBLE": 5,
    "BYTE_ARRAY": 6,
    "FIXED_LEN_BYTE_ARRAY": 7,
}
_LETTERS = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}
_UNITS = {"MILLIS": 1, "MICROS": 2, "NANOS": 3}
_NAMED = {
    "STRING": 1,
    "ENUM": 4,
    "DATE": 6,
    "NULL": 11,
    "JSON": 12,
    "BSON": 13,
    "UUID": 14,
    "FLOAT16": 15,
}


def logical(name: str, *terms: object) -> Value:
    """Write the logical type of a column, as the union that a footer holds."""
    if name in _NAMED:
        held: dict[int, Value] = {_NAMED[name]: (STRUCT, {})}
    elif name == "DECIMAL":
        precision, scale = terms
        held = {5: (STRUCT, {1: (I32, scale), 2: (I32, precision)})}
    elif name in {"TIME", "TIMESTAMP"}:
        unit, is_utc = terms
        times: dict[int, Value] = {
            1: (TRUE if is_utc else FALSE, None),
            2: (STRUCT, {_UNITS[str(unit)]: (STRUCT, {})}),
        }
        held = {7 if name == "TIME" else 8: (STRUCT, times)}
    else:
        bits, is_signed = terms
        whole = {1: (BYTE, bits), 2: (TRUE if is_signed else FALSE, None)}
        held = {10: (STRUCT, whole)}
    return STRUCT, held


@dataclass
class PlainColumn:
    """The types of a column as a footer says them, and its cells as they are stored."""

    physical: str
    cells: Sequence[object]
    terms: dict[int, Value] = field(default_factory=dict)

    def stored(self) -> bytes:
        """The cells of one page: which of them are there, then those."""
        there = [cell is not None for cell in self.cells]
        levels = b"".join(b"\x02" + bytes([each]) for each in there)
        cells = [self._cell(cell) for cell in self.cells if cell is not None]
        if self.physical == "BOOLEAN":
            bits = [bool(cell) for cell in self.cells if cell is not None]
            whole = sum(bit << at for at, bit in enumerate(bits))
            cells = [whole.to_bytes(len(bits) // 8 + 1, "little")]
        return len(levels).to_bytes(4, "little") + levels + b"".join(cells)

    def _cell(self, cell: object) -> bytes:
        if self.physical in _LETTERS:
            return struct.pack(_LETTERS[self.physical], cell)
        assert isinstance(cell, bytes | bool)
        if self.physical == "BYTE_ARRAY":
            assert isinstance(cell, bytes)
            return len(cell).to_bytes(4, "little") + cell
        return bytes(cell)


def write_plain_parquet(path: Path, columns: Mapping[str, PlainColumn]) -> None:
    """Write one row group of one page in each column, uncompressed."""
    content, chunks = b"PAR1", []
    rows = len(next(iter(columns.values())).cells)
    elements: list[dict[int, Value]] = [{4: (TEXT, b"schema"), 5: (I32, len(columns))}]
    for name, column in columns.items():
        start, page = len(content), column.stored()
        of_page = {1: (I32, rows), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)}
        sizes = {1: (I32, 0), 2: (I32, len(page)), 3: (I32, len(page))}
        content += written_struct({**sizes, 5: (STRUCT, of_page)}) + page
        size = len(content) - start
        kind = (I32, PHYSICAL[column.physical])
        meta: dict[int, Value] = {
            1: kind,
            2: (LIST, (I32, [0, 3])),
            3: (LIST, (TEXT, [name.encode()])),
            4: (I32, 0),
            5: (I64, rows),
            6: (I64, size),
            7: (I64, size),
            9: (I64, start),
        }
        chunks.append({2: (I64, start), 3: (STRUCT, meta)})
        own = {1: kind, 3: (I32, 1), 4: (TEXT, name.encode()), **column.terms}
        elements.append(dict(sorted(own.items())))
    group = {
        1: (LIST, (STRUCT, chunks)),
        2: (I64, len(content)),
        3: (I64, rows),
    }
    footer = written_struct(
        {
            1: (I32, 2),
            2: (LIST, (STRUCT, elements)),
            3: (I64, rows),
            4: (LIST, (STRUCT, [group])),
        }
    )
    path.write_bytes(content + footer + len(footer).to_bytes(4, "little") + b"PAR1")
