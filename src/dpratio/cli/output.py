"""How commands print and write: tables in the format asked for, progress aside.

Floor: cli. Imports: checks, show, release.writing, tabular, replace.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.tabular import Tabular, printable

if TYPE_CHECKING:
    from dpratio.study.progress import Report

__all__ = [
    "ChartFile",
    "CsvFile",
    "Format",
    "JsonFile",
    "OutputFiles",
    "Replace",
    "check_format",
    "print_lines",
    "print_table",
    "progress_bar",
]

Format = Annotated[
    str,
    typer.Option("--format", help="table, csv, json or markdown.", metavar="FORMAT"),
]


JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Write the rows as JSON.")
]
CsvFile = Annotated[Path | None, typer.Option("--csv", help="Write the rows as CSV.")]
ChartFile = Annotated[
    Path | None, typer.Option("--chart", help="Draw to .svg, .png or .html.")
]
Replace = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """Files a command writes beside what it prints."""

    json: Path | None = None
    csv: Path | None = None
    chart: Path | None = None
    view: str | None = None
    force: bool = False
    study: Path | None = None

    def check(self) -> None:
        """Refuse, before any work, what could not be drawn, or not be replaced."""
        from dpratio.checks import require_one_of
        from dpratio.cli.replace import require_replaceable
        from dpratio.show.charts import VIEWS, check_chart_file

        if self.view is not None:
            require_one_of(self.view, VIEWS, "view")
        if self.chart is not None:
            check_chart_file(self.chart)
        for path in (self.json, self.csv, self.chart):
            if path is not None:
                require_replaceable(path, force=self.force, study=self.study)

    def write(self, shown: Tabular) -> None:
        """Write every file that was asked for."""
        from dpratio.release.writing import write_whole
        from dpratio.show.charts import draw
        from dpratio.show.text import render

        for path, layout in ((self.json, "json"), (self.csv, "csv")):
            if path is not None:
                write_whole(path, (render(shown, layout) + "\n").encode())
        if self.chart is not None:
            write_whole(self.chart, draw(shown, self.chart.suffix, self.view))


def check_format(layout: str) -> None:
    """Refuse an unknown format before any work."""
    from dpratio.checks import require_one_of
    from dpratio.show.text import FORMATS

    require_one_of(layout, FORMATS, "format")


def print_table(table: Tabular, layout: str) -> None:
    """Print a table: drawn on a terminal, plain where it is piped."""
    from dpratio.show.text import render, rich_table

    text = render(table, layout)
    if layout == "table" and sys.stdout.isatty():
        from rich.console import Console

        console = Console()
        drawn_wider = 3 * len(table.columns())
        # A table wider than the terminal would lose digits; plain, it runs over.
        if len(text.splitlines()[0]) + drawn_wider <= console.width:
            console.print(rich_table(table))
            return
    typer.echo(text)


def print_lines(lines: Iterable[str], layout: str) -> None:
    """Print sentences around a table, unless a program reads the output."""
    if layout == "table":
        for line in lines:
            typer.echo(printable(line))


@contextmanager
def progress_bar(words: str) -> "Iterator[Report]":
    """Show progress on standard error, where a person looks at it."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(words, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report
