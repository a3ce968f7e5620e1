"""Commands of the holder of a release: estimate.

Floor: cli. Imports: release, analyst, output.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.cli.output import Format, check_format, print_lines, print_table

if TYPE_CHECKING:
    from dpratio.analyst.results import Estimates

__all__ = ["estimate", "explain"]

ReleaseFile = Annotated[Path, typer.Argument(help="A release, a JSON file.")]


def estimate(
    release: ReleaseFile,
    method: Annotated[
        str, typer.Option(help="analytical, monte_carlo, no_correction or pivot.")
    ] = "analytical",
    scale: Annotated[str, typer.Option(help="ratio or log.")] = "ratio",
    level: Annotated[float, typer.Option(help="Confidence level.")] = 0.95,
    draws: Annotated[int, typer.Option(help="Redraws of monte_carlo.")] = 200,
    rng: Annotated[int | None, typer.Option(help="Seed of monte_carlo.")] = None,
    layout: Format = "table",
) -> None:
    """Estimate ratios with confidence intervals from a release."""
    from dpratio.analyst.estimate import estimate_ratios
    from dpratio.release.files import read_release

    check_format(layout)
    read = read_release(release)
    estimates = estimate_ratios(
        read, method=method, scale=scale, level=level, draws=draws, rng=rng
    )
    print_lines([*explain(estimates), ""], layout)
    print_table(estimates, layout)


def explain(estimates: "Estimates") -> list[str]:
    """Say how the intervals were made and what their statuses mean."""
    from dpratio.analyst.results import STATUSES

    lines = ["SIMULATED: the people in this release are invented."]
    if not estimates.is_simulated:
        lines = []
    lines.append(
        f"Intervals at level {estimates.level:g}, method {estimates.method}, "
        f"scale {estimates.scale}."
    )
    if estimates.method == "no_correction":
        lines.append("These intervals ignore the noise and are too narrow.")
    seen = [status for status in STATUSES if status in estimates.status]
    lines += [f"{status}: {STATUSES[status]}." for status in seen if status != "ok"]
    return lines
