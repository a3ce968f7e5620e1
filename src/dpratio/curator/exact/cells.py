"""What is wrong with how the cells of a column are written.

Only the kinds of fault that occurred are remembered: no cell, no number of cells and no
place. So nothing here can reveal more.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from dpratio.curator.reading.csv_lines import number_pattern
from dpratio.curator.reading.days import day_in_text
from dpratio.curator.reading.keys import KEY_FORMS

__all__ = [
    "DECIMAL",
    "EITHER",
    "FORM",
    "LABELS",
    "NO_DAY",
    "ORDER",
    "SPELLING",
    "TEXT",
    "THOUSANDS",
    "UNIT",
    "WORDS",
    "ZEROS",
    "Cells",
    "DayCells",
    "NumberCells",
    "TextCells",
    "WholeCells",
]

DECIMAL, THOUSANDS, EITHER = "decimal sign", "thousands separator", "decimal or not"
UNIT, TEXT, LABELS = "sign or unit", "text", "labels 1 and 2"
ORDER, FORM, NO_DAY = "order of day and month", "form of dates", "no dates"
ZEROS, WORDS, SPELLING = "zeros or decimals", "words for true", "capitals or spaces"

_BLANKS = " '\u00a0\u202f\u2009"
_SIGNS = "%€$£¥"
_FORMS = (
    *("YYYY-MM-DD", "DD.MM.YYYY", "D.M.YYYY", "MM.DD.YYYY"),
    *("DD/MM/YYYY", "MM/DD/YYYY", "D/M/YYYY", "M/D/YYYY", "YYYY/MM/DD"),
    *("DD-MM-YYYY", "MM-DD-YYYY", "YYYY.MM.DD"),
    *("YYYYMMDD", "DDMMYYYY", "MMDDYYYY"),
)


class Cells(Protocol):
    """Sees the cells of a column, and knows afterwards which faults were there."""

    def see(self, cell: str) -> None:
        """Look at one cell."""

    def faults(self) -> list[tuple[str, str]]:
        """Give the kinds of fault, each with what it makes likely, or nothing."""


@dataclass(frozen=True, slots=True)
class NumberCells:
    """Cells that must be numbers, of 0 and 1 alone where they are labels."""

    decimal: str
    is_binary: bool = False
    kinds: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)

    def see(self, cell: str) -> None:
        """Look at one cell; an empty one is missing, and no fault."""
        text = cell.strip(" \t")
        if _is_number(text, self.decimal):
            value = float(text.replace(self.decimal, "."))
            self.labels.add(f"{value:g}" if value in {1.0, 2.0} else "other")
        elif text.lower() in {"true", "false"}:
            self.labels.add("other")
        elif text:
            self.kinds.update(_kinds_of_number(text, self.decimal))

    def faults(self) -> list[tuple[str, str]]:
        """Give the kinds; a cell that could be both is what the others are."""
        kinds = set(self.kinds)
        if EITHER in kinds and kinds & {DECIMAL, THOUSANDS}:
            kinds.remove(EITHER)
        if self.is_binary and "2" in self.labels and "other" not in self.labels:
            kinds.add(LABELS)
        order = (DECIMAL, THOUSANDS, EITHER, UNIT, TEXT, LABELS)
        return [(each, "") for each in order if each in kinds]


@dataclass(frozen=True, slots=True)
class DayCells:
    """Cells that must be days, written in one form."""

    form: str
    wrong: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=lambda: set(_FORMS))

    def see(self, cell: str) -> None:
        """Look at one cell; leave those forms that all cells so far may have."""
        if not cell:
            return
        for each in (self.form, *self.possible):
            if day_in_text(cell, each) is None:
                self.possible.discard(each)
                self.wrong.add(each)

    def faults(self) -> list[tuple[str, str]]:
        """Name the forms that all cells have; two where nothing tells them apart."""
        if self.form not in self.wrong:
            return []
        likely: list[str] = []
        for each in _FORMS:
            # One that allows one digit adds nothing to one that is written with two.
            known = [_plain(other) for other in likely]
            if each in self.possible and _plain(each) not in known:
                likely.append(each)
        swapped = {_plain(each) for each in likely} == {_swapped(_plain(self.form))}
        kind = ORDER if swapped else FORM if likely else NO_DAY
        return [(kind, " or ".join(f"'{each}'" for each in likely))]


@dataclass(frozen=True, slots=True)
class WholeCells:
    """Cells that must be keys of whole numbers, or of true and false."""

    kind: type
    kinds: set[str] = field(default_factory=set)

    def see(self, cell: str) -> None:
        """Look at one cell."""
        text = cell.lower() if self.kind is bool else cell
        if not text or re.fullmatch(KEY_FORMS[self.kind], text):
            return
        if self.kind is bool:
            self.kinds.add(WORDS)
        else:
            nearly = re.fullmatch(r"\s*[+-]?[0-9]+(?:[.,]0*)?\s*", text)
            self.kinds.add(ZEROS if nearly else TEXT)

    def faults(self) -> list[tuple[str, str]]:
        """Give the kinds."""
        return [(each, "") for each in (ZEROS, WORDS, TEXT) if each in self.kinds]


@dataclass(frozen=True, slots=True)
class TextCells:
    """Cells that must be declared keys of text; how they are spelt is looked at."""

    keys: frozenset[str]
    folded: frozenset[str]
    kinds: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, declared: Iterable[object]) -> "TextCells":
        """Make it of the declared keys; one that stands for nothing is no text."""
        keys = frozenset(each for each in declared if isinstance(each, str))
        return cls(keys, frozenset(map(_folded, keys)))

    def see(self, cell: str) -> None:
        """Look at one cell: a key in other letter case, or with spaces around it."""
        if cell not in self.keys and _folded(cell) in self.folded:
            self.kinds.add(SPELLING)

    def faults(self) -> list[tuple[str, str]]:
        """Give the kind."""
        return [(each, "") for each in self.kinds]


def _folded(key: str) -> str:
    return " ".join(key.casefold().split())


@cache
def _number(decimal: str) -> re.Pattern[str]:
    return re.compile(number_pattern(decimal))


@cache
def _grouped(between: str, decimal: str) -> re.Pattern[str]:
    """Give the pattern of numbers whose digits are parted in threes."""
    signs = f"[{re.escape(between)}]"
    return re.compile(
        rf"[+-]?[0-9]{{1,3}}(?:{signs}[0-9]{{3}})+(?:{re.escape(decimal)}[0-9]*)?"
    )


def _is_number(text: str, decimal: str) -> bool:
    return _number(decimal).fullmatch(text) is not None


def _kinds_of_number(text: str, decimal: str) -> set[str]:
    """Say why a text is no number of the declared form."""
    bare = text.strip(_SIGNS + _BLANKS)
    if bare != text:
        rest = set() if _is_number(bare, decimal) else _kinds_of_number(bare, decimal)
        return {TEXT} if TEXT in rest or not bare else {UNIT, *rest}
    other = "," if decimal == "." else "."
    if _is_number(text, other):
        whole = _grouped(other, decimal).fullmatch(text)
        return {EITHER if whole else DECIMAL}
    if _grouped(_BLANKS + other, decimal).fullmatch(text):
        return {THOUSANDS}
    if _grouped(_BLANKS + decimal, other).fullmatch(text):
        return {THOUSANDS, DECIMAL} if other in text else {THOUSANDS}
    return {TEXT}


def _plain(form: str) -> str:
    """Write a form with two digits for months and days."""
    return re.sub("M+", "MM", re.sub("D+", "DD", form))


def _swapped(form: str) -> str:
    return form.translate(str.maketrans("DM", "MD"))
