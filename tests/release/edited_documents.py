"""Documents of releases, edited at a place and signed again."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import DocumentRefused
from dpratio.release.files import read_release

__all__ = [
    "alter",
    "at",
    "check_reading",
    "checksum",
    "edit",
    "leaves",
    "refusal",
    "signed",
    "split",
]


def checksum(document: dict[str, Any]) -> str:
    """Compute the checksum as the format defines it, from the outside."""
    body = {name: part for name, part in document.items() if name != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def leaves(
    value: object, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """List the paths to all that is no table and no list."""
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    else:
        yield path
    for step, child in children:
        yield from leaves(child, (*path, step))


def at(document: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401
    """Look up what stands at a path."""
    for step in path:
        document = document[step]
    return document


def split(path: str) -> tuple[str | int, ...]:
    """Split a path at its dots; steps of digits are places in lists."""
    steps = filter(None, path.split("."))
    return tuple(int(step) if step.isdigit() else step for step in steps)


def refusal(path: Path, text: str | bytes) -> str:
    """Read the text as a release, which must be refused: the message."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DocumentRefused) as caught:
        read_release(path)
    return str(caught.value)


def edit(document: dict[str, Any], place: str, value: object) -> dict[str, Any]:
    """Put a value at a place of the document, which is changed and returned."""
    steps = split(place)
    at(document, steps[:-1])[steps[-1]] = value
    return document


def alter(document: dict[str, Any], path: tuple[str | int, ...]) -> None:
    """Change a leaf of the document to another value of its kind."""
    parent, last = at(document, path[:-1]), path[-1]
    old = parent[last]
    if isinstance(old, bool) or old is None:
        parent[last] = not old
    else:
        parent[last] = old + "0" if isinstance(old, str) else old + 1


def check_reading(text: str, message: str | None, path: Path) -> None:
    """Expect a refusal that starts with the message, or none where it is None."""
    if message is None:
        path.write_text(text, encoding="utf-8")
        read_release(path)
        return
    assert refusal(path, text).startswith(message)


def signed(document: dict[str, Any]) -> str:
    """The text of the document, with the checksum of what it says now."""
    return json.dumps({**document, "sha256": checksum(document)})
