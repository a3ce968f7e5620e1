"""The command that writes a report: what was asked first, then all the ratios."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import require
from dpratio.cli import options
from dpratio.cli.output import say
from dpratio.cli.release_holder.compare import keys_named
from dpratio.cli.replace import require_report_place
from dpratio.cli.studies import as_question, read_given_release

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.release.release import Release
    from dpratio.show.sections.answers import Answer


def report(  # noqa: PLR0913 (one command, one answer)
    release: options.ReleaseFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The HTML file to write.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="B A", help="Answer first how group B differs from group A."
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER|GROUP",
            help="The ratio that verdicts are about; or a group, and the report "
            "answers first how all others differ from it.",
        ),
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Answer first how calibrated scores are.")
    ] = False,
    question: options.WhichQuestion = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Publish what the ledger says of the release: scope, dates, who "
            "asked, who approved, what was left.",
        ),
    ] = None,
    anchor: Annotated[
        Path | None,
        typer.Option(help="With --ledger, the file that keeps its heads."),
    ] = None,
    level: options.Level = 0.95,
    method: options.Method = "pivot",
    force: options.Replace = False,
) -> None:
    """Write what a release says as one HTML file that opens anywhere."""
    from dpratio.analyst.comparison.compare import compare_ratios
    from dpratio.analyst.curve.curve import calibration_curve
    from dpratio.show.report import write_report

    require_report_place(out, force=force)
    read = read_given_release(release)
    place = as_question(question)
    value = _number(reference)
    baseline = reference is not None and value is None
    asked = compare is not None or baseline or curve
    hint = "Say also --compare, --curve, or --reference with a group."
    require(asked or place is None, "a question needs an answer to it", question, hint)
    answers: list[Answer] = []
    if compare is not None:
        pair = keys_named(read, compare)
        answers.append(compare_ratios(read, *pair, level=level, question=place))
    if baseline:
        answers.append(
            compare_ratios(
                read,
                *keys_named(read, [str(reference)]),
                design="baseline",
                adjust="holm",
                level=level,
                question=place,
            )
        )
    if curve:
        beside = compare is not None or baseline
        whose = _binned(read, place) if beside else place
        answers.append(calibration_curve(read, question=whose, level=level))
    write_report(
        out,
        read,
        title=title,
        level=level,
        method=method,
        reference=value,
        answers=answers,
        ledger=_opened(ledger, anchor),
        replace=force,
    )
    say(f"Written to {out}.")


def _binned(release: "Release", place: str | int | None) -> str | int | None:
    """Give the question of a comparison where it has bins; the curve finds others."""
    from dpratio.terms.groups import ScoreBins

    groups = None if place is None else release.question(place).groups
    dimensions = () if groups is None else groups.dimensions
    has_bins = any(isinstance(each, ScoreBins) for each in dimensions)
    return place if has_bins else None


def _opened(location: str | None, anchor: Path | None) -> "Ledger | None":
    """Open the ledger that was named; no variable names one: it would be published."""
    if location is None:
        hint = "Name the ledger with --ledger."
        require(anchor is None, "an anchor needs its ledger", anchor, hint)
        return None
    from dpratio.cli.data_holder.ledger import open_ledger

    return open_ledger(location, anchor)


def _number(text: str | None) -> float | None:
    """Read a reference that is a number; other texts name groups."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
