"""A fault in words: the column, the kind, the likely cause, what to write.

The words say only the kind of fault and, for dates, the form that all of them have.
"""

from dataclasses import dataclass

from dpratio.curator.exact.cells import (
    DECIMAL,
    EITHER,
    FORM,
    LABELS,
    NO_DAY,
    ORDER,
    SPELLING,
    TEXT,
    THOUSANDS,
    UNIT,
    WORDS,
    ZEROS,
)
from dpratio.curator.exact.lines import ENCODING, HEADER, LINES, MISSING, SEPARATOR
from dpratio.terms.source import CsvFile

__all__ = ["FILE", "ORDER_OF_KINDS", "Fault", "fault_of"]

FILE = "The whole file"
_AT_HOME = "A study has no word for it: mend it where the data are made."

# What the kind is called where it is printed, the likely cause, and what to write.
_WORDS = {
    ENCODING: (
        "another encoding",
        "Lines are not UTF-8.",
        "Rewrite the file: iconv -f latin1 -t utf-8 OLD.csv > NEW.csv",
    ),
    HEADER: (
        "no header",
        "The first line does not name each column once.",
        'If there is no header, write columns = ["…", "…"] under [data].',
    ),
    SEPARATOR: (
        "separator that splits no line",
        "Cells are parted by another sign than the declared one.",
        "Write delimiter = {likely} under [data].",
    ),
    LINES: (
        "other numbers of cells in lines",
        "A cell with the separator in it has no quotes, or a quote is left open.",
        "Write delimiter and quote as the file has them, or quote such cells.",
    ),
    MISSING: (
        "missing column",
        "No column has this name; capital letters and spaces count.",
        "Write the name as the header has it; without a header, write columns.",
    ),
    DECIMAL: (
        "decimal {sign}",
        "Numbers are written with a {sign}.",
        "{decimal}",
    ),
    THOUSANDS: (
        "thousands separator",
        "Digits are parted in threes.",
        _AT_HOME,
    ),
    EITHER: (
        "decimal {sign}, or a thousands separator",
        "Nothing tells them apart: all such cells have three digits behind the {sign}.",
        "Ask who made the data. {decimal} Otherwise take the separators out.",
    ),
    UNIT: (
        "signs or units beside numbers",
        "Per cent, currencies or spaces stand beside numbers.",
        _AT_HOME,
    ),
    TEXT: (
        "text where numbers are declared",
        "Words, or marks for what is missing, stand among numbers.",
        "Leave cells empty where a number is missing, or name another column.",
    ),
    LABELS: (
        "labels 1 and 2",
        "0 and 1 are declared, and the numbers are 1 and 2.",
        "Write 0 and 1 where the data are made.",
    ),
    ORDER: (
        "order of day and month",
        "Day and month stand the other way round.",
        "Write dates = {likely} under [data].",
    ),
    FORM: (
        "another form of dates",
        "Dates are not written {dates}.",
        "Write dates = {likely} under [data].",
    ),
    NO_DAY: (
        "text where dates are declared",
        "Cells are no dates, or dates of several forms.",
        "Write all of them in one form, and say dates = 'DD.MM.YYYY', or what it is.",
    ),
    ZEROS: (
        "whole numbers with zeros or decimals",
        "They are written 07 or 7.0, where 7 is declared.",
        "Declare the keys as text, just as they are written.",
    ),
    WORDS: (
        "other words for true and false",
        "Cells are 0 and 1, or yes and no.",
        "Declare the keys as whole numbers or text, as they are written.",
    ),
    SPELLING: (
        "capital letters or spaces",
        "Keys differ from those that are declared in these alone.",
        "Write the keys in the study as the data have them.",
    ),
}
ORDER_OF_KINDS = tuple(_WORDS)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where it is, of which kind, why, and what to do."""

    column: str
    kind: str
    cause: str
    write: str

    def __str__(self) -> str:
        name = self.column if self.column == FILE else f"`{self.column}`"
        return f"{name}: {self.kind}. {self.cause} {self.write}"


def fault_of(column: str, kind: str, likely: str, source: CsvFile) -> Fault:
    """Put a fault into words."""
    other = "comma" if source.decimal == "." else "point"
    decimal = "Write decimal = ',' under [data]."
    if source.decimal == ",":
        decimal = "Leave decimal out of [data]."
    words = {
        "sign": other,
        "decimal": decimal,
        "dates": source.dates,
        "likely": likely or "';', '\\t' or what it is",
    }
    said = [each.format(**words) if "{" in each else each for each in _WORDS[kind]]
    return Fault(column, *said)
