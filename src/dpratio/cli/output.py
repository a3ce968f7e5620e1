"""How commands answer: sentences, tables in the format asked for, files, progress."""

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dpratio.cli.terminal import WIDTH, table_lines, wrapped
from dpratio.tabular import Tabular, printable

if TYPE_CHECKING:
    from dpratio.simulation.progress import Report


@dataclass(frozen=True, slots=True)
class Output:
    """The format of what is printed, and the files that are written beside it.

    Made before any work: what could not be written, drawn or replaced is refused.
    """

    layout: str = "table"
    json: Path | None = None
    csv: Path | None = None
    chart: Path | None = None
    view: str | None = None
    force: bool = False
    wide: bool = False

    def __post_init__(self) -> None:
        from dpratio.checks import require_one_of
        from dpratio.cli.replace import require_replaceable
        from dpratio.show.chart.picture import check_chart_file
        from dpratio.show.charts import VIEWS
        from dpratio.show.text import FORMATS

        require_one_of(self.layout, FORMATS, "format")
        if self.view is not None:
            require_one_of(self.view, VIEWS, "view")
        if self.chart is not None:
            check_chart_file(self.chart)
        for path in (self.json, self.csv, self.chart):
            if path is not None:
                require_replaceable(path, force=self.force)

    def write_files(self, shown: Tabular) -> None:
        """Write every file that was asked for."""
        from dpratio.release.files import write_whole
        from dpratio.show.charts import draw
        from dpratio.show.text import render

        for path, layout in ((self.json, "json"), (self.csv, "csv")):
            if path is not None:
                content = (render(shown, layout) + "\n").encode()
                write_whole(path, content, replace=self.force)
        if self.chart is not None:
            drawn = draw(shown, self.chart.suffix, self.view)
            write_whole(self.chart, drawn, replace=self.force)

    def answer(self, found: Tabular, table: Tabular | None = None) -> None:
        """Write the files of an answer, then print its sentences and its table.

        Args:
            found: The answer.
            table: What is printed in the place of its own table.
        """
        self.write_files(found)
        self.say([*found.said(), ""])
        self.print_table(found if table is None else table)

    def say(self, lines: Iterable[str]) -> None:
        """Print sentences around a table, unless a program reads the output."""
        if self.layout == "table":
            say(*lines)

    def say_as_is(self, lines: Iterable[str]) -> None:
        """Print lines that are to be copied: none is broken."""
        if self.layout == "table":
            typer.echo("\n".join(printable(line) for line in lines))

    def print_table(self, table: Tabular) -> None:
        """Print a table: for people as wide as they can read, or as asked for."""
        from dpratio.show.text import render

        if self.layout == "table":
            room = None if self.wide else screen_width()
            typer.echo("\n".join(table_lines(table, room)))
        else:
            typer.echo(render(table, self.layout))


def say(*lines: str) -> None:
    """Print sentences, broken between words at 80 columns."""
    room = min(WIDTH, screen_width())
    for line in lines:
        typer.echo("\n".join(wrapped(line, room)))


def screen_width() -> int:
    """Give the width of the terminal; a pipe or a file has 80 columns, always."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


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
