"""A mutant: code as it stands, and the same code without its guard.

A file holds one change or more, each as

    <<<<<<<
    code as it stands
    =======
    code without the guard
    >>>>>>>

The code is looked for in the whole source, by its lines. Its file, its place there and
its indentation do not matter, so code may move and its mutants stay.
"""

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Change", "apply_changes", "read_changes"]

_CHANGE = re.compile(r"<{7}\n(.*?)={7}\n(.*?)>{7}\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """Some whole lines of code, and what stands in their place in the mutant."""

    guard: str
    mutant: str


def read_changes(path: Path) -> list[Change]:
    """Read the changes of a mutant.

    Raises:
        ValueError: When the file holds none, or anything else.
    """
    text = path.read_text(encoding="utf-8")
    changes = [Change(*found) for found in _CHANGE.findall(text)]
    if not changes or _CHANGE.sub("", text).strip():
        raise ValueError(f"{path.name} is not a list of changes")
    return changes


def apply_changes(changes: list[Change], source: Path) -> None:
    """Change the code of a source tree in place.

    Raises:
        LookupError: When the code of a change does not stand there exactly once.
    """
    files = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    for change in changes:
        places = [
            (path, place)
            for path, text in files.items()
            for place in find_lines(change.guard, text)
        ]
        if len(places) != 1:
            found = [str(path.relative_to(source)) for path, _ in places] or "nowhere"
            raise LookupError(f"the code stands {found}:\n{change.guard}")
        ((path, (start, end, margin)),) = places
        mutant = _moved(change.mutant, len(margin) - _margin(change.guard))
        files[path] = files[path][:start] + mutant + files[path][end:]
        path.write_text(files[path], encoding="utf-8")


def find_lines(code: str, text: str) -> list[tuple[int, int, str]]:
    """Find where some lines stand in a text: start, end and their added margin."""
    lines = _moved(code, -_margin(code)).splitlines()
    if not all(line in text for line in lines):
        return []  # Most texts: looking for words is quicker than for a pattern.
    first = re.escape(lines[0])
    rest = "".join(
        rf"\n(?P=margin){re.escape(line)}" if line else r"\n" for line in lines[1:]
    )
    pattern = re.compile(rf"^(?P<margin>[ ]*){first}{rest}\n", re.MULTILINE)
    return [(at.start(), at.end(), at["margin"]) for at in pattern.finditer(text)]


def _margin(code: str) -> int:
    """Count the blanks that all lines of code begin with."""
    lines = [line for line in code.splitlines() if line.strip()]
    return min(len(line) - len(line.lstrip(" ")) for line in lines)


def _moved(code: str, blanks: int) -> str:
    """Move code to the right, or to the left as far as it goes."""
    lines = code.splitlines()
    if blanks >= 0:
        moved = [" " * blanks + line if line.strip() else "" for line in lines]
    else:
        moved = [re.sub(rf"^ {{0,{-blanks}}}", "", line) for line in lines]
    return "".join(f"{line}\n" for line in moved)
