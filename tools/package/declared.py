"""What pyproject.toml declares: the extras, and the lowest version of every package."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

__all__ = ["ROOT", "asked", "extras", "lowest"]

ROOT = Path(__file__).parent.parent.parent

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


def extras() -> list[str]:
    """Name the extras, in their order."""
    return list(_PROJECT["optional-dependencies"])


def lowest(python: str, wanted: list[str]) -> dict[str, Version]:
    """Give the lowest version that is declared of every package, where there is one.

    Args:
        python: The version of Python, such as ``"3.12"``.
        wanted: Extras.
    """
    here = {"python_version": python}
    return {
        requirement.name: Version(each.version)
        for requirement in asked(wanted)
        if requirement.marker is None or requirement.marker.evaluate(here)
        for each in requirement.specifier
        if each.operator == ">="
    }


def asked(wanted: list[str]) -> list[Requirement]:
    """Give what the core and some extras ask for, on whatever Python."""
    lines = list(_PROJECT["dependencies"])
    for extra in wanted:
        lines += _PROJECT["optional-dependencies"][extra]
    return [Requirement(line) for line in lines]
