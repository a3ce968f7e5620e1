"""The command of calibration curves.

Floor: cli. Imports: release, analyst, output.
"""

from pathlib import Path
from typing import Annotated

import typer

from dpratio.cli.output import Format, check_format, print_lines, print_table
from dpratio.errors import DocumentRefused

__all__ = ["curve"]


def curve(
    release: Annotated[Path, typer.Argument(help="A release, JSON or Parquet.")],
    bins: Annotated[
        str | None, typer.Option(help="The binned column, where there are several.")
    ] = None,
    part: Annotated[int, typer.Option(help="Which part of the plan, from 1.")] = 1,
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    errors: Annotated[
        bool, typer.Option("--errors", help="Show calibration errors, not bins.")
    ] = False,
    layout: Format = "table",
) -> None:
    """Draw calibration curves from a release over score bins."""
    from dpratio.analyst.curve import calibration_curve
    from dpratio.release.files import read_release

    check_format(layout)
    try:
        read = read_release(release)
    except DocumentRefused as error:
        raise DocumentRefused(f"{release}: {error}") from None
    found = calibration_curve(read, bins=bins, part=part - 1, level=level)
    print_lines([*found.notes(), ""], layout)
    print_table(found.errors if errors else found, layout)
