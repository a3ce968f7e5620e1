"""The command that estimates ratios from a release."""

from typing import Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import read_given_release


def estimate(  # noqa: PLR0913 (one command, one answer)
    release: options.ReleaseFile,
    method: options.Method = "pivot",
    link: Annotated[str, typer.Option(help="ratio or log.")] = "ratio",
    level: options.Level = 0.95,
    variance: options.Variance = None,
    draws: Annotated[int, typer.Option(help="Redraws of monte_carlo.")] = 200,
    seed: Annotated[int | None, typer.Option(help="Seed of monte_carlo.")] = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    view: Annotated[
        str | None, typer.Option(help="Of the chart: forest or deviation.")
    ] = None,
    layout: options.Format = "table",
    wide: options.Wide = False,
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
    )
    output.answer(estimates)
