"""From noisy counts of a check to words: what can be read, and what is likely wrong.

Only the counts say whether something is wrong. The likely cause comes from the declared
terms, never from data. Nothing here costs anything.
"""

import math
from dataclasses import dataclass
from typing import Any

from dpratio.analyst.tables.provenance import stamps
from dpratio.checks import require
from dpratio.plan.histogram.histograms import Histogram, KeyCounts, counted_of
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.tabular import Tabular
from dpratio.terms.dimensions import KINDS, Dimension, Keys, ScoreBins
from dpratio.terms.source import ISO_DATES, CsvFile
from dpratio.terms.study import Study

__all__ = ["CHECK_STATUSES", "Checked", "RowCheck", "read_check"]

CHECK_STATUSES = {
    "ok": "nothing gross is wrong",
    "unreadable": "most cells are no numbers",
    "partly_unreadable": "more than one cell in twenty is no number",
    "beyond_bounds": "many numbers lie beyond the declared bounds",
    "no_key": "most have no declared key",
    "no_rows": "a declared key has no rows, or few",
    "too_few": "too few to tell under this noise",
}
_MOST, _MANY, _SOME = 0.5, 0.25, 0.05
_NAMED = 5
_ENOUGH = 4.0  # Faults are told where counts are so many times their noise.


@dataclass(frozen=True, slots=True)
class Checked:
    """One noisy count: of a column's numbers, or of one of its keys."""

    column: str
    counted: str
    about: int
    margin: int
    status: str

    @classmethod
    def of(
        cls, column: str, counted: str, count: float, margin: float, status: str
    ) -> "Checked":
        """Round a noisy count for readers; below zero it is 0."""
        return cls(column, counted, max(round(count), 0), math.ceil(margin), status)


@dataclass(frozen=True, slots=True)
class RowCheck(Tabular):
    """Noisy counts of what can be read, one row each, and faults in words.

    ``margin`` is not exceeded by noise but once in 1,000 times; ``status`` is one of
    `CHECK_STATUSES`.
    """

    rows: tuple[Checked, ...]
    words: tuple[str, ...]
    is_simulated: bool

    def columns(self) -> dict[str, list[Any]]:
        """One row per count."""
        names = Checked.__slots__
        return {name: [getattr(each, name) for each in self.rows] for name in names}

    def said(self) -> list[str]:
        """Say what is likely wrong."""
        fine = ["Nothing gross is wrong with how the data are written."]
        return [*stamps(is_simulated=self.is_simulated), *(self.words or fine)]

    def __len__(self) -> int:
        return len(self.rows)


def read_check(release: Release, study: Study) -> RowCheck:
    """Say what a release of `plan_check` tells about how data are written.

    Args:
        release: The noisy counts.
        study: The study that was checked: its terms name likely causes.

    Returns:
        A table with one row per count, and the likely cause of each fault in words.

    Raises:
        InvalidInput: When the release is not one of a check.
    """
    known = isinstance(release, Release) and release.plan.strategy == HISTOGRAM
    hint = "Make it with `dpratio check STUDY --rows`."
    require(known, "a check is read from its own release", release, hint)
    require(isinstance(study, Study), "study must be a Study", type(study).__name__)
    plan = release.plan
    counted = [(each, counted_of(plan, each.asked)) for each in release.questions]
    has_ids = plan.unit.column is not None
    numbers = {
        asked.name: _Numbers(
            tuple(map(float, question.values[:, 0])), question.asked.scales[0]
        )
        for question, asked in counted
        if isinstance(asked, Histogram)
    }
    tops = {
        each.asked.ratio.totals[0] if has_ids else each.asked.ratio.numerator
        for each, _ in counted
    }
    require(tops <= set(numbers), "a check is read from its own release", "less", hint)
    most = max(each.readable for each in numbers.values())
    rows: list[Checked] = []
    words: list[str] = []
    for name, each in numbers.items():
        # Of people, those without a number are not counted: others tell how many.
        row = each.checked(name, most if has_ids else each.every)
        rows.append(row)
        words.append(_number_words(row, study))
    for question, asked in counted:
        if isinstance(asked, KeyCounts):
            ratio = question.asked.ratio
            base = numbers[ratio.totals[0] if has_ids else ratio.numerator].readable
            found = _keys(question, asked, base)
            rows += found
            words.append(_key_words(found, asked, study))
    if any(each.status == "unreadable" for each in rows) and len(rows) > len(numbers):
        words.append(
            "Keys are counted where the numerator is a number: check them again "
            "once it is read."
        )
    said = tuple(each for each in words if each)
    return RowCheck(tuple(rows), said, release.is_simulated)


def _margin(cells: int, scale: float) -> float:
    """Bound a sum of so many Laplace draws: beyond lies less than one in 1,000.

    One draw exceeds 7.67 scales less often than once in 2,000; sums of more are nearer
    to normal, of which 3.3 deviations leave as little.
    """
    return scale * (3.3 * math.sqrt(2 * cells) + 3)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The counts of one column on its ladder, and the scale of their noise."""

    counts: tuple[float, ...]
    scale: float

    @property
    def every(self) -> float:
        """About how many were counted."""
        return sum(self.counts)

    @property
    def readable(self) -> float:
        """About how many are numbers."""
        return sum(self.counts[:-1])

    def checked(self, name: str, whole: float) -> Checked:
        """Judge a column of which there should be so many numbers."""
        margin = _margin(len(self.counts) - 1, self.scale)
        missing = whole - self.readable
        beyond = self.counts[0] + self.counts[-2]
        status = "ok"
        if whole < _ENOUGH * _margin(len(self.counts), self.scale):
            status = "too_few"
        elif missing > _MOST * whole:
            status = "unreadable"
        elif beyond > max(_MANY * whole, _margin(2, self.scale)):
            status = "beyond_bounds"
        elif missing > _SOME * whole + margin:
            status = "partly_unreadable"
        return Checked.of(name, "a number", self.readable, margin, status)


def _number_words(row: Checked, study: Study) -> str:
    own = study.bounds.get(row.column)
    if row.status == "beyond_bounds" and study.unit.column is not None:
        return (
            f"Many people have a larger total of `{row.column}` than is declared, "
            f"{study.unit.totals.get(row.column, own)}: do they have more rows than "
            "you thought, or is it in another unit?"
        )
    if row.status == "beyond_bounds" and own is not None and own.is_binary:
        return (
            f"Many cells of `{row.column}` are 2 or more, where 0 and 1 are declared: "
            "are the labels 1 and 2?"
        )
    if row.status == "beyond_bounds":
        return (
            f"Many of `{row.column}` lie far beyond what is declared, {own}: are they "
            "per cent, or in another unit?"
        )
    if row.status not in {"unreadable", "partly_unreadable"}:
        return ""
    is_none = row.about <= row.margin
    reads = "reads as a number" if is_none else "is no number"
    much = f"{'Nearly no' if is_none else 'Many a'} cell of `{row.column}` {reads}"
    file = _text_file(study)
    if file is None:
        return f"{much}: are they missing?"
    other = "comma? Say decimal = ','"
    other = other if file.decimal == "." else "point? Leave decimal out"
    return (
        f"{much}: is the decimal sign a {other}. Signs such as % and €, and spaces "
        "within, make a cell unreadable, too."
    )


def _keys(question: ReleasedQuestion, asked: KeyCounts, base: float) -> list[Checked]:
    """Judge the declared keys of one column beside the rows that can be read."""
    scale, counts = question.asked.scales[0], question.values[:, 0].tolist()
    margin, wide = _margin(1, scale), _margin(len(counts), scale)
    enough = base >= _ENOUGH * wide
    is_lost = enough and sum(counts) < (1 - _MOST) * base
    # A bin or a period may well be empty; a key that was declared by name is not.
    is_named = isinstance(asked.within.dimensions[0], Keys)
    is_seen = base / len(counts) >= _ENOUGH * margin
    rows = []
    for key, count in zip(question.keys, counts, strict=True):
        status = "ok" if enough else "too_few"
        if is_lost:
            status = "no_key"
        elif enough and is_named and count <= margin:
            status = "no_rows" if is_seen else "too_few"
        rows.append(Checked.of(asked.name, str(key), float(count), margin, status))
    return rows


def _key_words(rows: list[Checked], asked: KeyCounts, study: Study) -> str:
    dimension = asked.within.dimensions[0]
    if rows[0].status == "no_key":
        lost = f"Less than half have a declared key of `{dimension.column}`"
        return f"{lost}: {_cause(dimension, study)}"
    empty = [f"'{row.counted}'" for row in rows if row.status == "no_rows"]
    if not empty:
        return ""
    more = f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else ""
    named = ", ".join(empty[:_NAMED])
    return (
        f"Nearly none have the key {named}{more} of `{dimension.column}`: "
        f"{_cause(dimension, study)}"
    )


def _cause(dimension: Dimension, study: Study) -> str:
    """Ask about the likeliest cause, from what was declared."""
    file = _text_file(study)
    if isinstance(dimension, ScoreBins):
        return "do its numbers lie between the declared edges?"
    if isinstance(dimension, Keys) and dimension.kind is not KINDS["date"]:
        if dimension.kind is int and file is not None:
            return "are they written 07 or 7.0, where 7 is declared?"
        return "are they spelt as declared? Capital letters and spaces count."
    form = ISO_DATES if file is None else file.dates
    other = "" if file is None else " Say dates = 'DD.MM.YYYY', or what it is."
    return f"are its dates in the declared range, and written {form}?{other}"


def _text_file(study: Study) -> CsvFile | None:
    """Give the dialect of a study's data, where they are a file of text."""
    if isinstance(study.data, CsvFile):
        return study.data
    is_text = isinstance(study.data, str) and study.data.endswith((".csv", ".csv.gz"))
    return CsvFile(study.data) if is_text else None
