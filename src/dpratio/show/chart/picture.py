"""A chart: panels side by side, what their marks mean, and the files they become.

Colours are those of one style sheet, by class; a picture that stands alone carries it.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from os import PathLike
from pathlib import Path

from dpratio.checks import require
from dpratio.release.files import check_writable, write_whole
from dpratio.show.chart.marks import symbol
from dpratio.show.chart.panel import Margins, Panel, draw_panel, margins_of
from dpratio.show.chart.words import element, escaped, text_at, width_of, wrapped

CHART_FILES = (".svg", ".html")
WIDE, NARROW = 720.0, 360.0

_LINE, _GAP = 18.0, 18.0
_PAGE = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'\"><title>{title}</title>"
    "<style>:root{{color-scheme:light dark}}body{{margin:1rem auto;max-width:60rem}}"
    "</style></head><body><main>{svg}</main></body></html>\n"
)


@dataclass(frozen=True, slots=True)
class Sign:
    """A line of the legend: what a shape or a line of some class means."""

    name: str
    css: str
    shape: str | None = None
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of a result. Notebooks show it, and `save` writes it to a file.

    Args:
        title: What the picture shows.
        panels: Its panels, in order.
        legend: What shapes, lines and colours mean.
        note: A sentence below the picture.
        columns: Most panels side by side; a narrow picture has fewer.
        least: Pixels that a panel needs; panels move below each other before that.
        widest: Pixels that a panel may take.

    Example:
        >>> import dpratio as dpr
        >>> chart = dpr.estimate_ratios(dpr.example_release()).chart()
        >>> chart.svg(width=360)[:4]
        '<svg'
    """

    title: str
    panels: Sequence[Panel]
    legend: Sequence[Sign] = ()
    note: str = ""
    columns: int = 1
    least: float = 170.0
    widest: float = WIDE

    def svg(self, *, width: float = WIDE, is_styled: bool = True) -> str:
        """Draw for a width in pixels, perhaps for a page that has the style sheet."""
        columns = min(self.columns, max(int(width // self.least), 1), len(self.panels))
        width = min(width, columns * self.widest + (columns - 1) * _GAP)
        across = (width - (columns - 1) * _GAP) / columns
        rows = [
            self.panels[at : at + columns] for at in range(0, len(self.panels), columns)
        ]
        body, down = self._head(width)
        for row in rows:
            margins = [margins_of(panel, across) for panel in row]
            top = max(each.top for each in margins)
            low = max(each.bottom for each in margins)
            for at, (panel, room) in enumerate(zip(row, margins, strict=True)):
                if at and (panel.y, panel.y_title) == (row[0].y, row[0].y_title):
                    panel = replace(panel, y_title="")  # noqa: PLW2901 (said once)
                fitted = Margins(room.left, top, room.right, low)
                body.append(
                    draw_panel(panel, at * (across + _GAP), down, across, fitted)
                )
            down += top + max(panel.height for panel in row) + low + _GAP / 2
        if self.note:
            for line in wrapped(self.note, width):
                body.append(text_at(0.0, down + 8, line))
                down += _LINE
        style = _style_element() if is_styled else ""
        return element(
            "svg",
            style,
            *body,
            xmlns="http://www.w3.org/2000/svg",
            class_="dpr",
            viewBox=f"0 0 {width:g} {down:.0f}",
            width=f"{width:g}",
            height=f"{down:.0f}",
            role="figure",
            aria_label=self.title,
        )

    def pictures(self, *, wide: float = WIDE) -> list[str]:
        """Draw for wide and for narrow screens, for a page that has the style sheet."""
        return [self.svg(width=each, is_styled=False) for each in (wide, NARROW)]

    def html(self) -> str:
        """Give a page that holds the picture and needs nothing else."""
        return _PAGE.format(title=escaped(self.title), svg=self.svg(width=WIDE))

    def save(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the picture to a file that ends in .svg or .html.

        Args:
            path: The file; a picture or page that is there is replaced, nothing else.
            replace: Whether another file that is there may be replaced.

        Raises:
            FileRefused: When the file cannot be written, or something else is there.
            InvalidInput: When the name ends in something else.
        """
        check_chart_file(Path(path))
        check_writable(path)
        content = self.content(Path(path).suffix)
        write_whole(path, content, replace=replace or _is_picture(Path(path)))

    def content(self, suffix: str) -> bytes:
        """Give the content of a file of this kind."""
        text = self.html() if suffix == ".html" else f"{self.svg()}\n"
        return text.encode()

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return self.svg()

    def _head(self, width: float) -> tuple[list[str], float]:
        """Write the title and the legend; say how far down they reach."""
        body, down = [], 0.0
        for line in wrapped(self.title, width / 1.15):
            down += _LINE
            body.append(text_at(0.0, down - 3, line, "head"))
        across = 0.0
        for at, sign in enumerate(self.legend):
            wide = 36 + width_of(sign.name)
            if at == 0 or across + wide > width:
                across, down = 0.0, down + _LINE + 2
            body += _sign(sign, across, down - 2)
            across += wide
        return body, down + 8


def _is_picture(path: Path) -> bool:
    if not path.is_file():  # A pipe would be waited for.
        return False
    with path.open("rb") as file:
        return file.read(16).lower().startswith((b"<svg", b"<!doctype html"))


def check_chart_file(path: Path) -> None:
    """Refuse a chart that could not be drawn.

    Raises:
        InvalidInput: When the file name ends in none of `CHART_FILES`.
    """
    hint = f"Use a name that ends in {' or '.join(CHART_FILES)}."
    require(path.suffix in CHART_FILES, "unknown kind of chart", path.name, hint)


@functools.cache
def chart_style() -> str:
    """Give the style sheet of all charts."""
    return (files("dpratio.show") / "page_files" / "chart.css").read_text("utf-8")


@functools.cache
def _style_element() -> str:
    """Give the style sheet for a picture of its own, also where variables are unknown.

    Programs that draw SVG without a browser skip what they do not know; they get the
    light colours.
    """
    sheet = re.sub(r"/\*.*?\*/|\n\s*", "", chart_style(), flags=re.DOTALL)
    light = dict(re.findall(r"(--[\w-]+):light-dark\((#\w+)", sheet.replace(" ", "")))
    plain = re.sub(
        r"([\w-]+): var\((--[\w-]+)\)",
        lambda found: f"{found[1]}: {light[found[2]]}; {found[0]}",
        sheet,
    )
    return element("style", plain)


def _sign(sign: Sign, across: float, down: float) -> list[str]:
    parts = []
    if sign.is_line:
        line = f"M{across:.1f} {down - 4:.1f}h20"
        parts.append(element("path", class_=f"line {sign.css}", d=line))
    if sign.shape is not None:
        parts.append(symbol(sign.shape, across + 10, down - 4, sign.css))
    return [*parts, text_at(across + 25, down, sign.name)]
