"""Commands of the holder of a release: estimate.

Floor: cli. Imports: release, analyst, output.
"""

from pathlib import Path
from typing import Annotated

import typer

from dpratio.cli.output import Format, check_format, print_lines, print_table
from dpratio.errors import DocumentRefused

__all__ = ["estimate"]

ReleaseFile = Annotated[Path, typer.Argument(help="A release, JSON or Parquet.")]


def estimate(  # noqa: PLR0913 (one command, one answer)
    release: ReleaseFile,
    method: Annotated[
        str, typer.Option(help="pivot, analytical, monte_carlo or no_correction.")
    ] = "pivot",
    scale: Annotated[str, typer.Option(help="ratio or log.")] = "ratio",
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    variance: Annotated[
        str | None, typer.Option(help="linearised or kish; by default as planned.")
    ] = None,
    draws: Annotated[int, typer.Option(help="Redraws of monte_carlo.")] = 200,
    rng: Annotated[int | None, typer.Option(help="Seed of monte_carlo.")] = None,
    layout: Format = "table",
) -> None:
    """Estimate ratios with confidence intervals from a release."""
    from dpratio.analyst.estimate import estimate_ratios
    from dpratio.release.files import read_release

    check_format(layout)
    try:
        read = read_release(release)
    except DocumentRefused as error:
        raise DocumentRefused(f"{release}: {error}") from None
    estimates = estimate_ratios(
        read,
        method=method,
        scale=scale,
        level=level,
        variance=variance,
        draws=draws,
        rng=rng,
    )
    print_lines([estimates.summary(), *estimates.notes(), ""], layout)
    print_table(estimates, layout)
