"""The command of calibration curves."""

from typing import Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import as_question, read_given_release


def curve(  # noqa: PLR0913 (one command, one answer)
    release: options.ReleaseFile,
    bins: Annotated[
        str | None, typer.Option(help="The binned column, where there are several.")
    ] = None,
    question: options.WhichQuestion = None,
    level: options.Level = 0.95,
    errors: Annotated[
        bool, typer.Option("--errors", help="Show calibration errors, not bins.")
    ] = False,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Draw calibration curves from a release over score bins."""
    from dpratio.analyst.curve.curve import calibration_curve

    output = Output(layout, chart=chart_file, force=force, wide=wide)
    read = read_given_release(release)
    found = calibration_curve(
        read, bins=bins, question=as_question(question), level=level
    )
    output.answer(found, found.errors if errors else found)
