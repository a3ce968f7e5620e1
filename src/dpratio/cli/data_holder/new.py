"""The command that writes a study: six questions, a commented file, its forecast."""

import csv
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import refuse, require
from dpratio.cli import options
from dpratio.cli.output import Output, say
from dpratio.cli.replace import require_replaceable
from dpratio.cli.studies import plan_of
from dpratio.errors import InvalidInput

if TYPE_CHECKING:
    from dpratio.curator.reading.statement import ColumnType
    from dpratio.terms.bounds import Bounds
    from dpratio.terms.groups import Groups

    _Reasoned = tuple[Bounds, str]  # and where they come from

_ROWS = "rows"
_NONE = "none"
_WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")
_COMMENTS = {
    "data": "Where the rows are: beside this file.",
    "ratio": "What is asked: the sum of one column per the sum of another.",
    "bounds": "Values outside of these are clipped; never read them off the data.",
    "bounds_from": "For whoever approves it: why these bounds.",
    "unit": "All rows of one id are protected; its totals are clipped to these.",
    "groups": "Keys are public: every one is answered, and no other.",
    "privacy": "What the release may cost. Less is safer, and wider.",
    "population": "How many people are expected in each answer: a guess, not counted.",
}


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
    from dpratio.release.files import write_whole
    from dpratio.simulation.forecast.forecast import forecast
    from dpratio.terms.budget import Budget
    from dpratio.terms.ratio import Ratio
    from dpratio.terms.source import CsvFile
    from dpratio.terms.study import Study
    from dpratio.terms.study_file import study_to_toml
    from dpratio.terms.unit import PrivacyUnit

    require_replaceable(study, force=force)
    names = tuple(_listed(columns))
    require(bool(names) or not header, "--header goes with --columns", "none")
    kinds = _kinds(study.parent / data, names)
    if not names:
        shown = (f"{name} ({kind.name})" for name, kind in kinds.items())
        say(f"Columns: {', '.join(shown)}.")
    ids = _asked("--protect", protect, "1. Who? The column of ids, or rows", _ROWS)
    top = _column(_asked("--numerator", numerator, "2. The ratio: its top"), kinds)
    below = _asked("--per", per, "   per (a column, or rows)")
    summed = [top] if below == _ROWS else [top, _column(below, kinds)]
    if ids != _ROWS:
        _column(ids, kinds)
    ends = _ends("--bounds", bounds, summed, "3. Bounds of {}")
    in_all: dict[str, _Reasoned] = {}
    if ids != _ROWS:
        in_all = _ends("--totals", totals, summed, "   of the total of {} of one id")
    text = "4. Groups, as region=north,south"
    grouped = _asked("--groups", groups, text, _NONE)
    people = _asked("--n", None if n is None else str(n), "5. People per answer")
    price = _asked("--epsilon", epsilon, "6. Epsilon, what it may cost")
    rule = "the number of people must be a whole number above 0"
    require(people.isdecimal() and int(people) > 0, rule, people)
    totalled = {name: held for name, (held, _) in in_all.items()}
    planned = Study(
        Ratio(top, per=below),
        bounds={name: held for name, (held, _) in ends.items()},
        bounds_from=_reasons(ends, in_all),
        groups=None if grouped == _NONE else _groups(grouped, kinds),
        unit=None if ids == _ROWS else PrivacyUnit(ids, totals=totalled),
        budget=Budget(price),
        n=int(people),
        data=CsvFile(data, columns=names) if names and not header else data,
    )
    plan = plan_of(planned)  # What has no plan is not written.
    text = study_to_toml(planned)
    for name, words in _COMMENTS.items():
        text = text.replace(f"[{name}]\n", f"# {words}\n[{name}]\n")
    write_whole(study, text.encode(), replace=force)
    say("", f"Written to {study}. Read it, and change what is not so.", "")
    Output().answer(forecast(plan, n=[int(people)]))


def _bounds_of(text: str) -> "tuple[str, _Reasoned]":
    """Read bounds and their reason, as ``score=natural 0,1: a probability``."""
    from dpratio.terms.bounds import Bounds

    name, _, rest = text.partition("=")
    ends, _, why = rest.partition(":")
    hint = "Write for instance 'score=natural 0,1: a probability', or 'age=0,99: ours'."
    require(bool(why.strip()), "bounds must say where they come from", text, hint)
    if ends.strip() == "binary":
        return name.strip(), (Bounds.binary(), why.strip())
    numbers = ends.removeprefix("natural ").split(",")
    try:
        lower, upper = map(float, numbers)
    except ValueError:
        refuse("bounds are two numbers or binary", text, hint)
    is_natural = ends.startswith("natural ")
    return name.strip(), (Bounds(lower, upper, natural=is_natural), why.strip())


def _reasons(
    ends: "Mapping[str, _Reasoned]", totals: "Mapping[str, _Reasoned]"
) -> dict[str, str]:
    reasons = {name: why for name, (_, why) in ends.items()}
    for name, (_, why) in totals.items():
        reasons[name] = f"{reasons[name]}; its total: {why}" if name in reasons else why
    return reasons


def _groups(text: str, kinds: "Mapping[str, ColumnType]") -> "Groups":
    """Read a column and its keys, which are whole numbers where all of them are."""
    from dpratio.terms.groups import Groups

    name, _, typed = text.partition("=")
    row = next(csv.reader([typed], skipinitialspace=True), [])
    keys = [key.strip() for key in row]
    hint = "Write for instance region=north,south, or none."
    require(bool(keys), "groups are a column and its keys", text, hint)
    kind = kinds[_column(name.strip(), kinds)].kind
    is_whole = kind != "text" and all(map(_WHOLE.fullmatch, keys))
    return Groups(name.strip(), [int(key) if is_whole else key for key in keys])


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
) -> "dict[str, _Reasoned]":
    """Read the bounds of each column, or ask for them."""
    ends = dict(_bounds_of(each) for each in given or ())
    for name in columns:
        while name not in ends:
            said = _asked(
                option, None, f"{text.format(name)} and why, such as 0,1: a chance"
            )
            try:
                ends |= dict([_bounds_of(f"{name}={said}")])
            except InvalidInput as error:  # No other answer is lost.
                typer.echo(error, err=True)
    return ends


def _column(name: str, kinds: "Mapping[str, ColumnType]") -> str:
    rule = f"the data have no such column; they have {', '.join(kinds)}"
    require(name in kinds, rule, name)
    return name


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]
