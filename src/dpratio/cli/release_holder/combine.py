"""Commands that make one release out of others: roll-up, merge."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import say
from dpratio.cli.studies import as_question, read_given_release, require_place

if TYPE_CHECKING:
    from dpratio.release.release import Release


def roll_up(
    release: options.ReleaseFile,
    out: options.ReleaseOut,
    to: Annotated[
        list[str] | None,
        typer.Option(help="A group column to keep; may be repeated. None: the whole."),
    ] = None,
    question: options.WhichQuestion = None,
    force: options.Force = False,
) -> None:
    """Add groups up into coarser ones, such as states into a nation. Costs nothing."""
    from dpratio.release.combine import roll_up as roll_up_release

    require_place(out, force=force)
    read = read_given_release(release)
    _write(
        roll_up_release(read, to or [], question=as_question(question)),
        out,
        force,
    )


def merge(
    releases: Annotated[
        list[Path],
        typer.Argument(
            metavar="RELEASE", help="Releases of one question, about different people."
        ),
    ],
    out: options.ReleaseOut,
    units_are_disjoint: Annotated[
        bool,
        typer.Option(
            "--units-are-disjoint",
            help="The promise that no row and no person is in two of them.",
        ),
    ] = False,
    force: options.Force = False,
) -> None:
    """Add releases of several sites or months up into one.

    It costs nothing more, and states what all of them cost together.
    """
    from dpratio.release.combine import merge as merge_releases

    require_place(out, force=force)
    read = [read_given_release(each) for each in releases]
    _write(merge_releases(read, units_are_disjoint=units_are_disjoint), out, force)


def _write(made: "Release", out: Path, force: bool) -> None:
    from dpratio.release.files import write_release

    write_release(made, out, replace=force)
    say(str(made), f"Written to {out}.")
