"""One tidy table, converted to whatever the reader works with.

`Tabular` is the only mixin of the house: results differ in what they hold, not in
how a table becomes a frame, so the conversions are written once.
"""

import html
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.checks import import_extra
from dpratio.drawing import drawn

UNKNOWN = "–"
_MOST_DIGITS = 12
_MOST_SHOWN = 20  # rows of a table in a notebook
# What spreadsheets take for the beginning of a formula; some know the wide forms too.
_FORMULA = re.compile(r"['\s]*[-=+@＝＋－＠]")


class Tabular:
    """Conversions of anything that has `columns`."""

    __slots__ = ()

    # Patterns of columns that a narrow table does without; the first goes first.
    spare: ClassVar[tuple[str, ...]] = ()

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The table: column names and their values, all of one length."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """How the table was made, and what it means."""
        return []

    def said(self) -> list[str]:
        """The sentences that stand above the table; the notes."""
        return self.notes()

    def precision(self) -> Mapping[str, Sequence[float]]:
        """The uncertainty of each value, by column, for rounding what people read."""
        return {}

    def shown(self) -> dict[str, list[str]]:
        """The table as text for people: values rounded to their uncertainty.

        Two digits of a standard error say all it knows; a value is written to the same
        place, and as "–" where its uncertainty has no end. `told` keeps every digit.
        """
        precision = self.precision()
        return {
            name: [
                show_rounded(*pair) for pair in zip(cells, precision[name], strict=True)
            ]
            if name in precision
            else [show_value(cell) for cell in cells]
            for name, cells in self.columns().items()
        }

    def told(self) -> dict[str, list[Any]]:
        """The table with every digit; NaN, not a number, where a value says nothing.

        What people read as "–" must not be a number to a program.
        """
        precision = self.precision()
        return {
            name: [
                math.nan if unsure == math.inf and _is_finite(cell) else cell
                for cell, unsure in zip(cells, precision[name], strict=True)
            ]
            if name in precision
            else list(cells)
            for name, cells in self.columns().items()
        }

    def chart(self, view: str | None = None) -> Any:  # noqa: ANN401 (of `show`)
        """A chart: of answers, curves, bounds, bins, forecasts, coverage, ledgers.

        A notebook shows it; ``chart.save("ratios.svg")`` writes it, as .svg or .html.

        Args:
            view: For estimates ``"forest"`` or ``"deviation"`` from the reference.

        Raises:
            InvalidInput: When there is no chart of this.
        """
        return drawn(self, view)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        columns = self.told()
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def to_pandas(self) -> Any:  # noqa: ANN401 (pandas is optional)
        """A pandas DataFrame."""
        return import_extra("pandas", "pandas").DataFrame(self.told())

    def to_polars(self) -> Any:  # noqa: ANN401 (Polars is optional)
        """A Polars DataFrame."""
        return import_extra("polars", "polars").DataFrame(self.told())

    def to_arrow(self) -> Any:  # noqa: ANN401 (PyArrow is optional)
        """A PyArrow table."""
        return import_extra("pyarrow", "arrow").table(self.told())

    def to_markdown(self) -> str:
        """A Markdown table, rounded for reading; texts are written as in `harmless`."""
        shown, cells = self.shown(), self.columns()
        names = [_escape_markdown(harmless(name)) for name in shown]
        lines = [names, ["---"] * len(names)]
        written = [
            [
                _escape_markdown(harmless(text) if isinstance(cell, str) else text)
                for text, cell in zip(texts, cells[name], strict=True)
            ]
            for name, texts in shown.items()
        ]
        lines += [list(row) for row in zip(*written, strict=True)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def to_html(self) -> str:
        """An HTML table, rounded for reading; every text is escaped."""
        return _html_table(self.shown())

    def _repr_html_(self) -> str:
        shown = self.shown()
        said = "".join(f"<p>{_escape_html(line)}</p>" for line in self.said())
        first = {name: cells[:_MOST_SHOWN] for name, cells in shown.items()}
        more = len(next(iter(shown.values()), ())) - _MOST_SHOWN
        left = f"<p>and {more:,} more {'row' if more == 1 else 'rows'}</p>"
        return f"{said}{_html_table(first)}{left if more > 0 else ''}"

    def to_text(self) -> str:
        """A plain table of aligned columns, rounded for reading."""
        shown = [
            [printable(name), *(printable(cell) for cell in cells)]
            for name, cells in self.shown().items()
        ]
        widths = [max(len(text) for text in column) for column in shown]
        return "\n".join(
            "  ".join(
                text.rjust(width) for text, width in zip(row, widths, strict=True)
            )
            for row in zip(*shown, strict=True)
        )

    def __str__(self) -> str:
        said = [printable(line) for line in self.said()]
        return "\n".join([*said, "", self.to_text()] if said else [self.to_text()])


@dataclass(frozen=True, slots=True)
class Table(Tabular):
    """A table made of plain columns."""

    cells: Mapping[str, Sequence[Any]]

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The columns as they were given."""
        return self.cells


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn rows with the same names into columns; no rows have none.

    Example:
        >>> columns_of([{"n": 1, "width": 0.5}, {"n": 2, "width": 0.4}])
        {'n': [1, 2], 'width': [0.5, 0.4]}
    """
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def show_value(value: object) -> str:
    """Show one cell with as many digits as a reader needs.

    Example:
        >>> show_value(1.0983344), show_value(math.inf), show_value("north")
        ('1.0983', '∞', 'north')
    """
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.5g}"


def show_rounded(value: object, uncertainty: object) -> str:
    """Show a number to the second digit of its uncertainty.

    Example:
        >>> show_rounded(1.0983344, 0.0312), show_rounded(41234.5, 310.2)
        ('1.098', '41230')
        >>> show_rounded(0.58073, math.inf)
        '–'
    """
    if uncertainty == math.inf:
        return UNKNOWN
    sized = isinstance(uncertainty, float) and 0 < uncertainty < math.inf
    if not isinstance(value, float) or not math.isfinite(value) or not sized:
        return show_value(value)
    place = 1 - math.floor(math.log10(float(f"{uncertainty:.1e}")))
    digits = min(max(place, 0), _MOST_DIGITS)
    text = f"{round(value, place):.{digits}f}"
    return text if float(text) != 0 else f"{0:.{digits}f}"


def _is_finite(cell: object) -> bool:
    return isinstance(cell, float) and math.isfinite(cell)


def _escape_markdown(text: str) -> str:
    """Keep a cell in its place: no column, row or tag comes out of it."""
    for letter in "\\|<":
        text = text.replace(letter, f"\\{letter}")
    return text


def _html_table(shown: Mapping[str, Sequence[str]]) -> str:
    head = "".join(f"<th>{_escape_html(name)}</th>" for name in shown)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{_escape_html(cell)}</td>" for cell in row) + "</tr>"
        for row in zip(*shown.values(), strict=True)
    )
    head = f"<thead><tr>{head}</tr></thead>"
    return f"<table>\n{head}\n<tbody>\n{body}\n</tbody></table>"


def _escape_html(text: str) -> str:
    return html.escape(printable(text))


def harmless(text: str) -> str:
    """Write a text so that neither a terminal nor a spreadsheet acts on it.

    Control characters and marks of direction become escapes. A text that a spreadsheet
    would take for a formula begins with an apostrophe, which makes it text there; one
    that looks like that already gets another, so that no two texts become the same.

    Example:
        >>> print(harmless("=1+1"), harmless("'=1+1"), harmless("north"))
        '=1+1 ''=1+1 north
    """
    plain = printable(text)
    return f"'{plain}" if _FORMULA.match(plain) else plain


def printable(text: str) -> str:
    """Write control characters and marks of direction as escapes.

    A key may come from anywhere, and a terminal would do what it says. Spaces of any
    width stay.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or unicodedata.category(letter) == "Zs"
        else ascii(letter).strip("'")
        for letter in text
    )
