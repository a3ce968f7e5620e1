"""The command that estimates ratios from a release."""

from pathlib import Path
from typing import Annotated

import typer

from dpratio.cli.options import (
    ChartFile,
    Format,
    Level,
    ReleaseFile,
    Replace,
    Variance,
    Wide,
)
from dpratio.cli.output import Output
from dpratio.cli.studies import read_given_release

__all__ = ["Method", "estimate"]

Method = Annotated[
    str, typer.Option(help="pivot, analytical, monte_carlo or no_correction.")
]


def estimate(  # noqa: PLR0913 (one command, one answer)
    release: ReleaseFile,
    method: Method = "pivot",
    link: Annotated[str, typer.Option(help="ratio or log.")] = "ratio",
    level: Level = 0.95,
    variance: Variance = None,
    draws: Annotated[int, typer.Option(help="Redraws of monte_carlo.")] = 200,
    seed: Annotated[int | None, typer.Option(help="Seed of monte_carlo.")] = None,
    histograms: Annotated[
        Path | None,
        typer.Option(
            help="What `dpratio bounds` released of the same people: says what the "
            "ratio may be without cuts."
        ),
    ] = None,
    chart_file: ChartFile = None,
    force: Replace = False,
    view: Annotated[
        str | None, typer.Option(help="Of the chart: forest or deviation.")
    ] = None,
    layout: Format = "table",
    wide: Wide = False,
) -> None:
    """Estimate ratios with confidence intervals from a release."""
    from dpratio.analyst.ratio.estimate import estimate_ratios

    output = Output(layout, chart=chart_file, view=view, force=force, wide=wide)
    estimates = estimate_ratios(
        read_given_release(release),
        method=method,
        link=link,
        level=level,
        variance=variance,
        draws=draws,
        rng=seed,
        histograms=None if histograms is None else read_given_release(histograms),
    )
    output.write_files(estimates)
    output.say([estimates.summary(), *estimates.notes(), ""])
    output.print_table(estimates)
