"""What commands are given and make: studies, plans, releases, and their files."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpratio.checks import require
from dpratio.errors import DocumentRefused, InvalidInput

if TYPE_CHECKING:
    from dpratio.plan.plan import Plan
    from dpratio.plan.price import AnyPlan
    from dpratio.release.release import Release
    from dpratio.terms.population import Population
    from dpratio.terms.study import Study

_CONDITION = re.compile(
    r"(.+?)(?:\s+(is null|not null)|\s*(!=|<=|>=|=|<|>|(?<=\s)in(?=\s))\s*(.*))",
    re.DOTALL,
)
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")
_TABLES = {".csv", ".tsv", ".txt"}


def read_terms(path: Path) -> "tuple[Study | None, AnyPlan]":
    """Read a study file and make its plan, or read a plan file: it has no study."""
    from dpratio.release.files import read_plan

    if not is_plan(path):
        study = read_study(path)
        return study, plan_of(study)
    try:
        return None, read_plan(path)
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


def as_question(given: str | None) -> str | int | None:
    """Take digits for the number of a question, and other text for its name."""
    return int(given) if given is not None and given.isdecimal() else given


def described(study: "Study", which: str | int | None) -> "Population | None":
    """Return the people that a study describes, if the question has no other totals."""
    if which is None:
        return study.population
    from dpratio.plan.measurement import pick_question

    totals = pick_question(study.questions, which).totals
    return None if totals.keys() & study.unit.totals.keys() else study.population


def require_place(out: Path, *, force: bool) -> None:
    """Keep data, studies and paid-for releases from being replaced by accident."""
    from dpratio.release import files

    if not files.require_place(out, replace=force):
        require_known_kind(out)


def require_known_kind(out: Path) -> None:
    """Refuse a new file whose name is not that of a release."""
    known = out.suffix == ".json" or out.exists()
    require(known, "a release is JSON", out.name, "Use a name that ends in .json.")


def is_plan(path: Path) -> bool:
    """Tell a plan from a study by its name."""
    return path.suffix == ".json"


def read_study(path: Path) -> "Study":
    """Read a study file; a table that is given for one is named as what it is.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it breaks the format.
    """
    from dpratio.terms import study_file

    try:
        return study_file.read_study(path)
    except DocumentRefused:
        if path.suffix in _TABLES:
            raise DocumentRefused(
                f"'{path}' is no study: by its name it is {_taken_for(path)}. Give the "
                "study, a TOML file that names the table under [data]."
            ) from None
        raise


def table_aside(data: str | None, table: str | None, where: list[str] | None) -> object:
    """Return the table that a command names aside of a study; None if it names none.

    Raises:
        InvalidInput: When a table is named without its database.
    """
    from dpratio.terms.source import SCHEMES, CsvFile, DatabaseTable, ParquetFiles

    conditions = [condition_of(text) for text in where or ()]
    if data is not None and data.partition("://")[0] in SCHEMES:
        return DatabaseTable(data, table=table, where=conditions)
    if table is not None:
        raise InvalidInput(
            f"--table goes with the address of a database in --data, got {table!r}. "
            "Write for instance --data postgres://host/database --table orders."
        )
    if not conditions:
        return data
    if data is None:
        raise InvalidInput(f"--where goes with --data, got {conditions}.")
    is_text = data.endswith((".csv", ".csv.gz"))
    return (CsvFile if is_text else ParquetFiles)(data, where=conditions)


def condition_of(text: str) -> list[Any]:
    """Read a condition as a command is given it.

    Example:
        >>> condition_of("day >= 2026-11-09"), condition_of("age in 5, 7")
        (['day', '>=', '2026-11-09'], ['age', 'in', [5, 7]])
    """
    parts = _CONDITION.fullmatch(text.strip())
    if parts is None:
        raise InvalidInput(
            "--where takes a column, an operator and a value, as 'day >= 2026-11-09', "
            f"'region in north,south' or 'day not null', got {text!r}.",
            field="where",
        )
    column, null, operator, value = parts.groups()
    if null:
        return [column, null]
    if operator == "in":
        return [column, operator, [_constant(word) for word in value.split(",")]]
    return [column, operator, _constant(value)]


def _constant(word: str) -> str | float:
    """Return a number or true or false where that is written, and else a text."""
    word = word.strip()
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return word[1:-1]
    if word in {"true", "false"}:
        return word == "true"
    if _NUMBER.fullmatch(word):
        return float(word) if set(word) & set(".eE") else int(word)
    return word


def as_written(aside: object, study: "Study") -> object:
    """Read CSV files that are named aside as the study says of its own.

    Delimiter, quote, decimal sign, dates and names of columns are how the text is
    written; which rows are read is not.
    """
    from dpratio.terms.source import CsvFile

    path = aside.path if isinstance(aside, CsvFile) else aside
    if not isinstance(path, str) or not path.endswith((".csv", ".csv.gz")):
        return aside
    if not isinstance(study.data, CsvFile):
        return aside
    where = aside.where if isinstance(aside, CsvFile) else ()
    return replace(study.data, path=path, where=where)


def table_of(study: "Study | None") -> object:
    """Give the data of a study: its paths stand beside the study file.

    Raises:
        InvalidInput: When it names none.
    """
    if study is None or study.table is None:
        raise InvalidInput(
            "a release needs data, got none. Name a file or a table in [data], or "
            "with --data."
        )
    return study.table


def _taken_for(path: Path) -> str:
    """Say what a file is by its name, where that is no release."""
    if path.suffix == ".toml":
        return "a study (TOML)"
    return "a table (CSV)" if path.suffix in _TABLES else ""


def plan_of(study: "Study") -> "Plan":
    """Make the plan of a study."""
    from dpratio.plan.make_plan import make_plan

    return make_plan(study)
