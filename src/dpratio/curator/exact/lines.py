"""What is wrong with the lines of a text file: its encoding, its separator, its header.

As with cells, only the kinds of fault that occurred are remembered.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dpratio.curator.exact.cells import Cells
from dpratio.curator.reading.csv_lines import LONGEST_LINE, MARK, split_line
from dpratio.terms.source import CsvFile

__all__ = ["ENCODING", "HEADER", "LINES", "MISSING", "SEPARATOR", "FileLines"]

ENCODING, SEPARATOR, LINES = "encoding", "separator", "cells in a line"
MISSING, HEADER = "missing column", "header"

_DELIMITERS = {",": "','", ";": "';'", "\t": "'\\t'", "|": "'|'"}


@dataclass(frozen=True, slots=True)
class FileLines:
    """Reads the lines of one file, and shows its cells to those who look at them."""

    source: CsvFile
    wanted: Mapping[str, list[Cells]]
    kinds: dict[str, str] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)

    def see(self, lines: Iterator[bytes]) -> None:
        """Look at every line once."""
        names = self._names(lines)
        if names is None:
            return
        missing = set(self.wanted) - set(names)
        other = self._other_delimiter(names) if missing else ""
        if other:
            self.kinds[SEPARATOR] = other
            return
        self.missing.update(missing)
        seen = [
            (names.index(name), each)
            for name, listed in self.wanted.items()
            if name in names
            for each in listed
        ]
        is_split = has_others = False
        for line in lines:
            cells = self._cells(line)
            if cells is None or len(cells) != len(names):
                has_others |= line.strip() != b""
                continue
            is_split = True
            for at, each in seen:
                each.see(cells[at])
        if has_others and ENCODING not in self.kinds:
            self.kinds[LINES if is_split else SEPARATOR] = ""

    def _names(self, lines: Iterator[bytes]) -> list[str] | None:
        """Give the names of columns: those that were declared, or of the first line."""
        if self.source.columns is not None:
            return list(self.source.columns)
        names = self._cells(next(lines, b""))
        if names is None or len(set(names)) != len(names):
            if ENCODING not in self.kinds:
                self.kinds[HEADER] = ""
            return None
        return names

    def _cells(self, line: bytes) -> list[str] | None:
        """Split a line; None for one that no engine would read."""
        try:
            text = line.decode().removeprefix(MARK)
        except UnicodeDecodeError:
            self.kinds[ENCODING] = ""
            return None
        if not text or len(text) > LONGEST_LINE or "\x01" in text:
            return None
        return split_line(text, self.source)

    def _other_delimiter(self, names: list[str]) -> str:
        """Name the sign that parts the first line into all wanted names, if one does.

        Only a first line that is one name is split again.
        """
        if len(names) > 1:
            return ""
        for sign, shown in _DELIMITERS.items():
            if sign not in {self.source.delimiter, self.source.quote}:
                dialect = CsvFile(self.source.path, delimiter=sign)
                found = split_line(names[0], dialect)
                if found is not None and set(self.wanted) <= set(found):
                    return shown
        return ""
