"""Places in a document: looked up by their path, changed, listed."""

from collections.abc import Iterator
from typing import Any

__all__ = ["alter", "at", "edit", "leaves", "split"]


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
