"""How a Parquet file says it is stored: rows, and the compression of each column.

PyArrow knows it too, but ends the whole process over some broken footers when it is
asked. A footer is a Thrift struct in the compact protocol; what is not looked for here
is stepped over.
"""

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Stored", "read_footer"]

_MAGIC = b"PAR1"
_UNCOMPRESSED = 0
_DEEPEST = 16  # structs in structs; Parquet has seven

# Kinds of values in the compact protocol.
_KINDS = range(1, 13)
_TRUE, _FALSE, _BYTE, _DOUBLE = 1, 2, 3, 7
_WHOLE = {4, 5, 6}
_TEXT, _LIST, _SET, _MAP, _STRUCT = 8, 9, 10, 11, 12
_LENGTHS = {_TRUE: 0, _FALSE: 0, _BYTE: 1, _DOUBLE: 8}

# Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData.
_ROWS, _GROUPS = 3, 4
_COLUMNS, _GROUP_ROWS = 1, 3
_META = 3
_CODEC = 4


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows of a file, those of all its pieces, and whether none is compressed."""

    rows: int
    rows_of_pieces: int
    is_plain: bool


def read_footer(content: bytes) -> Stored:
    """Read how a Parquet file is stored.

    Raises:
        ValueError: When the footer is none, or names something twice.
    """
    length = int.from_bytes(content[-8:-4], "little")
    if content[-4:] != _MAGIC or length + 12 > len(content):
        raise ValueError("no footer")
    cursor = _Cursor(content, len(content) - 8 - length, len(content) - 8)
    rows, pieces, is_plain = 0, 0, True
    for field, kind in cursor.fields():
        if field == _ROWS and kind in _WHOLE:
            rows = cursor.whole()
        elif field == _GROUPS and kind == _LIST:
            for _ in cursor.structs():
                held, plain = _piece(cursor)
                pieces += held
                is_plain &= plain
        else:
            cursor.skip(kind)
    return Stored(rows, pieces, is_plain)


def _piece(cursor: "_Cursor") -> tuple[int, bool]:
    """Read the rows of a piece, and whether no column of it is compressed."""
    rows, is_plain = 0, True
    for field, kind in cursor.fields():
        if field == _COLUMNS and kind == _LIST:
            for _ in cursor.structs():
                is_plain &= _codec(cursor) == _UNCOMPRESSED
        elif field == _GROUP_ROWS and kind in _WHOLE:
            rows = cursor.whole()
        else:
            cursor.skip(kind)
    return rows, is_plain


def _codec(cursor: "_Cursor") -> int | None:
    """Read the compression of a column, which may not be told."""
    codec = None
    for field, kind in cursor.fields():
        if field == _META and kind == _STRUCT:
            for inner, its_kind in cursor.fields():
                if inner == _CODEC and its_kind in _WHOLE:
                    codec = cursor.whole()
                else:
                    cursor.skip(its_kind)
        else:
            cursor.skip(kind)
    return codec


class _Cursor:
    """A place in the bytes of a Thrift struct, which only moves on."""

    def __init__(self, content: bytes, at: int, end: int) -> None:
        self._content, self._at, self._end = content, at, end

    def fields(self) -> Iterator[tuple[int, int]]:
        """Go through a struct: each field by number and kind, to be read or skipped."""
        field, seen = 0, set()
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self.whole()
            if field in seen:
                raise ValueError("a field twice")  # Readers differ in which one counts.
            seen.add(field)
            yield field, kind

    def structs(self) -> Iterator[None]:
        """Go through a list of structs."""
        count, kind = self._list()
        if kind != _STRUCT:
            raise ValueError("no structs")
        for _ in range(count):
            yield

    def whole(self) -> int:
        """Read a whole number."""
        folded = self._natural()
        return (folded >> 1) ^ -(folded & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        """Step over a value of a field."""
        if depth > _DEEPEST or kind not in _KINDS:
            raise ValueError("no value of Parquet")
        if kind in _WHOLE:
            self._natural()
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in {_LIST, _SET}:
            count, inner = self._list()
            for _ in range(count):
                self._skip_item(inner, depth + 1)
        elif kind == _MAP:
            count = self._natural()
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._skip_item(kinds >> 4, depth + 1)
                self._skip_item(kinds & 15, depth + 1)
        else:
            self._move(self._natural() if kind == _TEXT else _LENGTHS[kind])

    def _skip_item(self, kind: int, depth: int) -> None:
        """Step over an item: truths take a byte here, and none in fields."""
        self.skip(_BYTE if kind in {_TRUE, _FALSE} else kind, depth)

    def _list(self) -> tuple[int, int]:
        head = self._byte()
        count, kind = head >> 4, head & 15
        return (self._natural() if count == 15 else count), kind  # noqa: PLR2004

    def _natural(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:  # noqa: PLR2004
                return number
            if shift > 63:  # noqa: PLR2004
                raise ValueError("a number that is too long")

    def _byte(self) -> int:
        at = self._at
        self._move(1)
        return self._content[at]

    def _move(self, length: int) -> None:
        if length > self._end - self._at:
            raise ValueError("the footer ends too early")
        self._at += length
