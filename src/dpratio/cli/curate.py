"""Commands of the data holder: plan, release.

Floor: cli. Imports: terms, plan, curator, release, output.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpratio.cli.output import Format, check_format, print_lines, print_table
from dpratio.errors import (
    DocumentRefused,
    DpratioError,
    FileRefused,
    InvalidInput,
)

if TYPE_CHECKING:
    from dpratio.plan.plan import Plan
    from dpratio.terms.study_file import Study

__all__ = ["plan", "plan_of", "read_study", "release"]

StudyFile = Annotated[Path, typer.Argument(help="The study, a TOML file.")]


def plan(study: StudyFile, layout: Format = "table") -> None:
    """Show what a study would release, at what noise and cost. Opens no data."""
    from dpratio.plan.plan_words import NOT_COVERED

    check_format(layout)
    given = read_study(study)
    made = plan_of(given)
    print_lines([*made.summary(), ""], layout)
    print_table(made, layout)
    if layout == "table":
        print_lines(["", _expectation(given, made)], layout)
    print_lines(["", *(f"Not covered: {each}" for each in NOT_COVERED)], layout)


def release(
    study: StudyFile,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Release file to write, .json or .parquet."),
    ],
    data: Annotated[
        str | None, typer.Option(help="Data file, instead of the study's.")
    ] = None,
    engine: Annotated[str, typer.Option(help="auto, duckdb or python.")] = "auto",
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing release file.")
    ] = False,
) -> None:
    """Release the noisy sums of a study into a file."""
    from rich.console import Console

    from dpratio.curator.release_sums import release_sums
    from dpratio.release.files import write_release
    from dpratio.release.writing import check_writable

    given = read_study(study)
    made = plan_of(given)
    table = _table_of(given, data, study.parent)
    check_writable(out)
    _require_free(out, force=force)
    with Console(stderr=True).status("Reading the table and adding noise"):
        released = release_sums(table, made, engine=engine)
    write_release(released, out)
    typer.echo(f"{released}\nWritten to {out}.")


def read_study(path: Path) -> "Study":
    """Read a study file.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it breaks the format.
    """
    from dpratio.terms.study_file import parse_study

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileRefused(f"'{path}' cannot be read: {error.strerror}.") from None
    except ValueError:
        raise FileRefused(f"'{path}' cannot be read: it is not UTF-8.") from None
    try:
        return parse_study(text)
    except DocumentRefused as error:
        raise DocumentRefused(f"{path}: {error}") from None


def plan_of(study: "Study") -> "Plan":
    """Make the plan of a study."""
    from dpratio.plan.make_plan import make_plan

    chosen = {
        "strategy": study.strategy,
        "mechanism": study.mechanism,
        "n": study.people,
    }
    options: dict[str, Any] = {
        name: given for name, given in chosen.items() if given is not None
    }
    return make_plan(
        list(study.ratios),
        bounds=study.bounds,
        budget=study.budget,
        groups=list(study.partitions),
        unit=study.unit,
        weights=study.weights,
        answers=study.answers,
        guess=study.population,
        **options,
    )


def _expectation(study: "Study", plan: "Plan") -> str:
    """Say how wide intervals will be about the people that are expected."""
    from dpratio.plan.make_plan import EXPECTED_PEOPLE
    from dpratio.study.forecast import forecast

    n = study.people or EXPECTED_PEOPLE
    outlook = forecast(plan, n=n, guess=study.population).outlooks[0]
    guessed = (
        "the study's guess" if study.population else "values in the middle of bounds"
    )
    return (
        f"Expected: intervals about {outlook.width:.3g} wide for {n:,} people per "
        f"answer ({outlook.width_public:.3g} without noise), with {guessed}. "
        "`dpratio forecast` shows more."
    )


def _table_of(study: "Study", data: str | None, folder: Path) -> object:
    """Give the data: a path of the study stands beside the study file."""
    from dpratio.terms.source import CsvFile

    if data is not None:
        return data
    if study.data is None:
        raise InvalidInput(
            "a release needs data, got none. Name a file in [data] or with --data."
        )
    if isinstance(study.data, str):
        return str(folder / study.data)
    given = study.data
    return CsvFile(
        folder / given.path,
        columns=given.columns,
        delimiter=given.delimiter,
        quote=given.quote,
    )


def _require_free(out: Path, *, force: bool) -> None:
    """Keep data, studies and paid-for releases from being replaced by accident."""
    from dpratio.release.files import read_release

    if not out.exists():
        return
    hint = "Name another file, or say --force to replace a release."
    try:
        read_release(out)
    except DpratioError:
        raise FileRefused(f"'{out}' exists and is no release. {hint}") from None
    if not force:
        raise FileRefused(f"'{out}' holds a release already. {hint}")
