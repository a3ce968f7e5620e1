"""A fault: what goes wrong for whom, the change that plants it, the tests that see it.

A file `tests/faults/ROOM/NAME.fault` begins with one sentence and its headers, and
holds one change or more:

    One person with many rows moves a sum further than was paid for.

    row: 14
    test: tests/attacks/test_people.py::test_14_a_person_is_capped

    <<<<<<<
    code as it stands
    =======
    code with the fault
    >>>>>>>

`row` names a row of the table of known breaks and is left out where there is none.
There is one line of `test` or more, and every test named must fail. The code is looked
for in the whole source, by its lines, so it may move to another file or indentation.
"""

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Change", "Fault", "apply_changes", "find_lines", "read_fault", "sources"]

FAULTS = Path(__file__).parents[2] / "tests" / "faults"

_CHANGE = re.compile(r"<{7}\n(.*?)={7}\n(.*?)>{7}\n", re.DOTALL)
_HEAD = re.compile(
    r"(?P<sentence>[^\n]+(?:\n[^\n]+)*)\n\n(?:row: (?P<row>\d+)\n)?"
    r"(?P<tests>(?:test: [^\n]+\n)+)"
)
_SUFFIXES = {".py", ".jinja", ".js", ".css", ".html"}


@dataclass(frozen=True, slots=True)
class Change:
    """Some whole lines of code, and what stands in their place with the fault."""

    code: str
    faulty: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A sentence, its room, its row of the known breaks, its tests and its changes."""

    name: str
    room: str
    sentence: str
    row: int | None
    tests: tuple[str, ...]
    changes: tuple[Change, ...]


def read_fault(path: Path) -> Fault:
    """Read a fault from its file.

    Raises:
        ValueError: When the file holds anything else.
    """
    text = path.read_text(encoding="utf-8")
    changes = tuple(Change(*match) for match in _CHANGE.findall(text))
    head = _HEAD.fullmatch(_CHANGE.sub("", text).strip() + "\n")
    if not changes or not head:
        raise ValueError(f"{path.name} is not a sentence, its tests and changes")
    return Fault(
        name=path.stem,
        room=path.parent.name,
        sentence=" ".join(head["sentence"].split()),
        row=int(head["row"]) if head["row"] else None,
        tests=tuple(re.findall(r"^test: (.+)$", head["tests"], re.MULTILINE)),
        changes=changes,
    )


def sources(folder: Path) -> dict[Path, str]:
    """Return the text of every source file below a folder."""
    return {
        path: path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.suffix in _SUFFIXES
    }


def apply_changes(fault: Fault, source: Path) -> None:
    """Plant a fault in a source tree.

    Raises:
        LookupError: When the code of a change does not stand there exactly once.
    """
    files = sources(source)
    for change in fault.changes:
        places = [
            (path, place)
            for path, text in files.items()
            for place in find_lines(change.code, text)
        ]
        if len(places) != 1:
            names = [str(path.relative_to(source)) for path, _ in places] or "nowhere"
            raise LookupError(f"the code stands {names}:\n{change.code}")
        ((path, (start, end, margin)),) = places
        faulty = _moved(change.faulty, len(margin) - _margin(change.code))
        files[path] = files[path][:start] + faulty + files[path][end:]
        path.write_text(files[path], encoding="utf-8")


def find_lines(code: str, text: str) -> list[tuple[int, int, str]]:
    """Return where some lines stand in a text: start, end and their added margin."""
    lines = _moved(code, -_margin(code)).splitlines()
    if not all(line in text for line in lines):
        return []  # Most texts: looking for words is quicker than for a pattern.
    first, *others = (re.escape(line) for line in lines)
    tail = "".join(rf"\n(?P=margin){line}" if line else r"\n" for line in others)
    pattern = re.compile(rf"^(?P<margin>[ ]*){first}{tail}\n", re.MULTILINE)
    return [
        (match.start(), match.end(), match["margin"])
        for match in pattern.finditer(text)
    ]


def _margin(code: str) -> int:
    """Return how many blanks all lines of code begin with."""
    lines = [line for line in code.splitlines() if line.strip()]
    return min(len(line) - len(line.lstrip(" ")) for line in lines)


def _moved(code: str, blanks: int) -> str:
    """Indent code, or move it to the left as far as it goes."""
    lines = code.splitlines()
    if blanks >= 0:
        moved = [" " * blanks + line if line.strip() else "" for line in lines]
    else:
        moved = [re.sub(rf"^ {{0,{-blanks}}}", "", line) for line in lines]
    return "".join(f"{line}\n" for line in moved)
