"""The command that writes a study: six questions, a commented file, its forecast."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import require
from dpratio.cli import options
from dpratio.cli.data_holder.study_text import Answers, column_bounds, study_text
from dpratio.cli.output import Output, say
from dpratio.cli.replace import require_replaceable
from dpratio.cli.studies import plan_of
from dpratio.errors import InvalidInput

if TYPE_CHECKING:
    from dpratio.curator.reading.statement import ColumnType

__all__ = ["new"]

_ROWS = "rows"
_NONE = "none"


def new(  # noqa: PLR0913 (an option for each question)
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="The study to write, a TOML file.")
    ],
    data: Annotated[
        str,
        typer.Option(help="A Parquet or CSV file beside the study."),
    ],
    columns: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Of a CSV file its columns, as score,label: it is not opened.",
        ),
    ] = "",
    header: Annotated[
        bool,
        typer.Option("--header", help="The first line of the CSV has these names."),
    ] = False,
    protect: Annotated[
        str | None,
        typer.Option(metavar="rows|COLUMN", help="Who: single rows, or ids in COLUMN."),
    ] = None,
    numerator: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="What is added up on top.")
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="What is added up below; or rows."),
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LOW,HIGH:WHY",
            help="Bounds, and where they come from; repeat for the other column.",
        ),
    ] = None,
    totals: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LOW,HIGH:WHY", help="With ids, the same of one id's total."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(metavar="none|COLUMN=KEYS", help="As region=north,south."),
    ] = None,
    n: Annotated[int | None, typer.Option(help="People expected per answer.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="What it may cost.")] = None,
    force: options.Replace = False,
) -> None:
    """Write a study by six questions, and forecast it. Reads no row, costs nothing.

    Who, what ratio, which bounds and why, which groups, how many people, what epsilon.
    On a terminal it asks for what no option says.
    """
    from dpratio.release.writing import write_whole
    from dpratio.simulation.forecast.forecast import forecast
    from dpratio.terms.budget import Budget, decimal_text
    from dpratio.terms.study_file import parse_study

    require_replaceable(study, force=force)
    names = tuple(_listed(columns))
    require(bool(names) or not header, "--header goes with --columns", "none")
    kinds = _kinds(study.parent / data, names)
    if not names:
        shown = (f"{name} ({each.name})" for name, each in kinds.items())
        say(f"Columns: {', '.join(shown)}.")
    unit = _asked("--protect", protect, "1. Who? The column of ids, or rows", _ROWS)
    top = _column(_asked("--numerator", numerator, "2. The ratio: its top"), kinds)
    below = _asked("--per", per, "   per (a column, or rows)")
    summed = [top] if below == _ROWS else [top, _column(below, kinds)]
    if unit != _ROWS:
        _column(unit, kinds)
    ends = _ends("--bounds", bounds, summed, "3. Bounds of {}")
    in_all = {}
    if unit != _ROWS:
        in_all = _ends("--totals", totals, summed, "   of the total of {} of one id")
    text = "4. Groups, as region=north,south"
    grouped = _asked("--groups", groups, text, _NONE)
    people = _asked("--n", None if n is None else str(n), "5. People per answer")
    price = _asked("--epsilon", epsilon, "6. Epsilon, what it may cost")
    rule = "the number of people must be a whole number above 0"
    require(people.isdecimal() and int(people) > 0, rule, people)
    answers = Answers(
        data=data,
        names=() if header else names,
        ids=None if unit == _ROWS else unit,
        numerator=top,
        per=below,
        bounds=ends,
        totals=in_all,
        groups=None if grouped == _NONE else grouped,
        n=int(people),
        epsilon=decimal_text(Budget(price).epsilon),
    )
    written = study_text(answers, kinds)
    plan = plan_of(parse_study(written))  # What has no plan is not written.
    write_whole(study, written.encode(), replace=force)
    say("", f"Written to {study}. Read it, and change what is not so.", "")
    Output().answer(forecast(plan, n=[int(people)]))


def _kinds(path: Path, names: Sequence[str]) -> "Mapping[str, ColumnType]":
    """Give names and types of the columns.

    A CSV file is not opened: its first line may be a person.
    """
    from dpratio.curator.measure import look_at_schema
    from dpratio.curator.reading.statement import ColumnType

    if path.name.endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        rule = "the first line of a CSV file may be a person, so its columns are typed"
        require(bool(names), rule, None, "Name them in order: --columns score,label.")
        return dict.fromkeys(names, ColumnType("csv", "CSV"))
    rule = "--columns and --header are about CSV files"
    require(not names, rule, path.name, "Leave them out.")
    return look_at_schema(str(path))


def _asked(
    option: str, given: str | None, text: str, default: str | None = None
) -> str:
    """Give what an option says; on a terminal ask for what none does."""
    if given is not None:
        return given
    if sys.stdin.isatty():
        answer: str = typer.prompt(text, default=default, err=True)
        return answer
    if default is not None:
        return default
    raise InvalidInput(f"a study needs {option}, got none. Say it, or use a terminal.")


def _ends(
    option: str, given: Sequence[str] | None, columns: Sequence[str], text: str
) -> dict[str, tuple[str, str]]:
    """Read the bounds of each column, or ask for them."""
    ends = dict(column_bounds(each) for each in given or ())
    for name in columns:
        while name not in ends:
            said = _asked(
                option, None, f"{text.format(name)} and why, such as 0,1: a chance"
            )
            try:
                ends |= dict([column_bounds(f"{name}={said}")])
            except InvalidInput as error:  # No other answer is lost.
                typer.echo(error, err=True)
    return ends


def _column(name: str, kinds: "Mapping[str, ColumnType]") -> str:
    rule = f"the data have no such column; they have {', '.join(kinds)}"
    require(name in kinds, rule, name)
    return name


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
