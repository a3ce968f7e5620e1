"""The command that watches a ratio over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.replace import require_report_place
from dpratio.cli.studies import as_question, read_given_release

if TYPE_CHECKING:
    from dpratio.analyst.watch.watch_results import Watch
    from dpratio.release.release import Release
    from dpratio.tabular import Tabular


def watch(  # noqa: PLR0913 (one command, one answer)
    releases: Annotated[
        list[Path],
        typer.Argument(
            metavar="RELEASE",
            help="Releases of one question in order of time, as week-*.json; or one "
            "over periods.",
        ),
    ],
    within: Annotated[
        tuple[float, float] | None,
        typer.Option(help="The band of ratios that are tolerated, as 0.95 1.05."),
    ] = None,
    people_are_new: Annotated[
        bool,
        typer.Option(
            "--people-are-new", help="The promise that nobody is in two periods."
        ),
    ] = False,
    looks: Annotated[
        int | None,
        typer.Option(help="How many looks are expected; the sequence is narrow there."),
    ] = None,
    last_look: Annotated[
        int | None,
        typer.Option(help="Instead: how many looks were declared, and no more."),
    ] = None,
    adjust: Annotated[
        str, typer.Option(help="Over groups: bonferroni or none.")
    ] = "bonferroni",
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="B A", help="Say at every look how group B differs from group A."
        ),
    ] = None,
    series: Annotated[
        bool,
        typer.Option(
            "--series", help="With groups, print every look and not the newest."
        ),
    ] = False,
    question: options.WhichQuestion = None,
    level: options.Level = 0.95,
    variance: options.Variance = None,
    json_file: options.JsonFile = None,
    csv_file: options.CsvFile = None,
    chart_file: options.ChartFile = None,
    report_file: Annotated[
        Path | None,
        typer.Option(
            "--report", help="Write a report of the newest release, with a time view."
        ),
    ] = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Watch a ratio over time: a guarantee for all looks, alarms, changes."""
    from dpratio.analyst.watch.watch import watch as watch_releases

    output = Output(layout, json_file, csv_file, chart_file, force=force, wide=wide)
    if report_file is not None:
        require_report_place(report_file, force=force)
    named = _named(releases)
    found = watch_releases(
        named,
        within=within,
        people_are_new=people_are_new,
        looks=looks,
        last_look=last_look,
        level=level,
        adjust=adjust,
        question=as_question(question),
        variance=variance,
    )
    arms = None if compare is None else found.compare(*compare)
    if report_file is not None:
        from dpratio.show.report import write_report

        newest = list(named.values())[-1]
        write_report(report_file, newest, level=level, answers=[found], replace=force)
    if arms is None:
        output.answer(found, _shown(found, layout, is_series=series, wide=wide))
    else:
        output.answer(arms)


def _named(paths: Sequence[Path]) -> "dict[str, Release]":
    """Name each release by its file; by its number too where names repeat."""
    stems = [path.name.removesuffix(path.suffix) for path in paths]
    if len(set(stems)) < len(stems):
        stems = [f"{at} {stem}" for at, stem in enumerate(stems, 1)]
    return {
        name: read_given_release(path) for name, path in zip(stems, paths, strict=True)
    }


def _shown(found: "Watch", layout: str, *, is_series: bool, wide: bool) -> "Tabular":
    """Give the table that is printed: for people, one that fits 80 columns."""
    from dpratio.tabular import Table

    if found.groups > 1 and not is_series and layout == "table":
        return found.newest()
    if found.groups > 1 or wide or layout != "table":
        return found
    kept = found.shown()
    # What these two say stands in the sentences above.
    kept.pop("status", None)
    kept.pop("change_since", None)
    return Table(kept)
