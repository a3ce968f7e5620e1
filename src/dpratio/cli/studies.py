"""What commands are given and make: studies, plans, releases, and their files."""

from pathlib import Path
from typing import TYPE_CHECKING

from dpratio.checks import require
from dpratio.errors import DocumentRefused, FileRefused, InvalidInput

if TYPE_CHECKING:
    from dpratio.plan.plan import Plan
    from dpratio.release.release import Release
    from dpratio.terms.study_file import Study

__all__ = [
    "at_part",
    "is_plan",
    "plan_of",
    "read_any_plan",
    "read_given_release",
    "read_study",
    "require_place",
    "table_of",
]

_TABLES = {".csv", ".tsv", ".txt"}


def read_any_plan(path: Path) -> "Plan":
    """Read a plan file, or make the plan of a study file."""
    from dpratio.release.plan_file import read_plan

    if not is_plan(path):
        return plan_of(read_study(path))
    try:
        return read_plan(path)
    except DocumentRefused as error:
        raise DocumentRefused(f"{path}: {error}") from None


def read_given_release(path: Path) -> "Release":
    """Read a release; a message about its content names the file."""
    from dpratio.release.files import read_release

    try:
        return read_release(path)
    except DocumentRefused as error:
        taken = _taken_for(path)
        if taken:
            raise DocumentRefused(
                f"'{path}' is no release: by its name it is {taken}. Make one with "
                "`dpratio release STUDY -o release.json`, and give that file."
            ) from None
        raise DocumentRefused(f"{path}: {error}") from None


def at_part(part: int, release: "Release") -> int:
    """Give the place of a part that people count from 1."""
    last = len(release.parts)
    require(1 <= part <= last, f"--part must be from 1 to {last}", part)
    return part - 1


def require_place(out: Path, *, force: bool, again: str | None = None) -> None:
    """Keep data, studies and paid-for releases from being replaced by accident.

    ``again`` is the id of a release that may be written once more.
    """
    from dpratio.release import files

    if not files.require_place(out, replace=force, again=again):
        hint = "Use a name that ends in .json or .parquet."
        known = out.suffix in {".json", ".parquet"}
        require(known, "unknown kind of file", out.name, hint)


def is_plan(path: Path) -> bool:
    """Tell a plan from a study by its name."""
    return path.suffix == ".json"


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
        if path.suffix in _TABLES:
            raise DocumentRefused(
                f"'{path}' is no study: by its name it is {_taken_for(path)}. Give the "
                "study, a TOML file that names the table under [data]."
            ) from None
        raise DocumentRefused(f"{path}: {error}") from None


def table_of(study: "Study | None", folder: Path) -> object:
    """Give the data of a study: its paths stand beside the study file.

    Raises:
        InvalidInput: When it names none.
    """
    from dpratio.terms.database import DatabaseTable
    from dpratio.terms.source import CsvFile

    given = None if study is None else study.data
    if given is None:
        raise InvalidInput(
            "a release needs data, got none. Name a file in [data] or with --data."
        )
    if isinstance(given, str):
        # An address would lose a slash.
        return given if "://" in given else str(folder / given)
    if isinstance(given, DatabaseTable):
        return given.beside(folder)
    return CsvFile(
        folder / given.path,
        columns=given.columns,
        delimiter=given.delimiter,
        quote=given.quote,
    )


def _taken_for(path: Path) -> str:
    """Say what a file is by its name, where that is no release."""
    if path.suffix == ".toml":
        return "a study (TOML)"
    return "a table (CSV)" if path.suffix in _TABLES else ""


def plan_of(study: "Study") -> "Plan":
    """Make the plan of a study."""
    from dpratio.plan.study_plan import plan_of_study

    return plan_of_study(study)
