"""How commands print: tables in the format asked for, notes where they disturb no one.

Floor: cli. Imports: show, tabular.
"""

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from dpratio.tabular import Tabular

__all__ = ["Format", "print_lines", "print_table"]

Format = Annotated[
    str,
    typer.Option("--format", help="table, csv, json or markdown.", metavar="FORMAT"),
]


def print_table(table: Tabular, layout: str) -> None:
    """Print a table: drawn on a terminal, plain where it is piped."""
    from dpratio.show.text import render, rich_table

    if layout == "table" and sys.stdout.isatty():
        from rich.console import Console

        Console().print(rich_table(table))
    else:
        typer.echo(render(table, layout))


def print_lines(lines: Iterable[str], layout: str) -> None:
    """Print sentences around a table, unless a program reads the output."""
    if layout == "table":
        for line in lines:
            typer.echo(line)
