"""Reading what commands are given: studies, plans that were written before, releases.

Floor: cli. Imports: errors, terms, plan, release.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from dpratio.errors import DocumentRefused, FileRefused

if TYPE_CHECKING:
    from dpratio.plan.plan import Plan
    from dpratio.release.release import Release
    from dpratio.terms.study_file import Study

__all__ = [
    "is_plan",
    "plan_of",
    "read_any_plan",
    "read_given_release",
    "read_study",
]


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
        raise DocumentRefused(f"{path}: {error}") from None


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
        raise DocumentRefused(f"{path}: {error}") from None


def plan_of(study: "Study") -> "Plan":
    """Make the plan of a study."""
    from dpratio.plan.study_plan import plan_of_study

    return plan_of_study(study)
