"""How commands answer: sentences, tables in the format asked for, files, progress."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dpratio.tabular import Tabular, printable

if TYPE_CHECKING:
    from dpratio.simulation.progress import Report

__all__ = ["Output", "progress_bar"]


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
        from dpratio.release.writing import write_whole
        from dpratio.show.charts import draw
        from dpratio.show.text import render

        for path, layout in ((self.json, "json"), (self.csv, "csv")):
            if path is not None:
                content = (render(shown, layout) + "\n").encode()
                write_whole(path, content, replace=self.force)
        if self.chart is not None:
            drawn = draw(shown, self.chart.suffix, self.view)
            write_whole(self.chart, drawn, replace=self.force)

    def say(self, lines: Iterable[str]) -> None:
        """Print sentences around a table, unless a program reads the output."""
        if self.layout == "table":
            for line in lines:
                typer.echo(printable(line))

    def print_table(self, table: Tabular) -> None:
        """Print a table: drawn on a terminal, plain where it is piped."""
        from dpratio.show.text import render, rich_table

        text = render(table, self.layout)
        if self.layout == "table" and sys.stdout.isatty():
            from rich.console import Console

            console = Console()
            drawn_wider = 3 * len(table.columns())
            # A table wider than the terminal would lose digits; plain, it runs over.
            if len(text.splitlines()[0]) + drawn_wider <= console.width:
                console.print(rich_table(table))
                return
        typer.echo(text)


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
