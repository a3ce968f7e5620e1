"""Writing and reading releases, as strict, versioned JSON or Parquet.

Sums are written as text in JSON: integers of 19 digits are altered by readers that keep
numbers as doubles. A checksum over the canonical document shows accidental edits.
"""

from os import PathLike, fspath
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra, require
from dpratio.errors import DocumentRefused, DpratioError, FileRefused, MissingExtra
from dpratio.release.checked_json import (
    body_of,
    checked_bytes,
    checksum,
    parse,
    require_checksum,
)
from dpratio.release.document import (
    FORMAT,
    VERSION,
    release_from_document,
    release_to_document,
    require_format,
)
from dpratio.release.noisy_sums import integer_of, read_integer
from dpratio.release.release import Release
from dpratio.release.writing import check_writable, write_whole
from dpratio.strict import Node

__all__ = [
    "FORMAT",
    "VERSION",
    "check_format",
    "format_of",
    "read_release",
    "release_from_bytes",
    "release_to_bytes",
    "require_place",
    "write_release",
]


def write_release(
    release: Release, path: str | PathLike[str], *, replace: bool = False
) -> None:
    """Write a release; the file appears whole or not at all.

    Args:
        release: What to write.
        path: Where. A name that ends in ``.parquet`` gives a Parquet file, for many
            groups; any other JSON, for reading.
        replace: Whether another release that is there may be replaced; nothing else
            ever is.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.
        MissingExtra: When Parquet is wanted and PyArrow is not installed.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_release(dpr.example_release(), f"{folder}/release.json")
        ...     dpr.read_release(f"{folder}/release.json").is_simulated
        True
    """
    hint = "Call write_release(release, path)."
    require(isinstance(release, Release), "release must be a Release", release, hint)
    named = isinstance(path, str | PathLike)
    require(named, "a release is written to a path", path)
    is_there = require_place(path, replace=replace, again=release.id)
    write_whole(path, release_to_bytes(release, format_of(path)), replace=is_there)


def require_place(
    path: str | PathLike[str], *, replace: bool, again: str | None = None
) -> bool:
    """Keep data, studies, ledgers and paid-for releases from being replaced.

    Args:
        path: Where a release is to be written.
        replace: Whether another release may be replaced.
        again: The id of a release that may be written once more.

    Returns:
        Whether a release is there that will be replaced.

    Raises:
        FileRefused: When something else is there, or the file cannot be written.
    """
    require(isinstance(replace, bool), "replace must be true or false", replace)
    check_writable(path)
    if not Path(path).exists():
        return False
    hint = "Name another file, or say replace=True to replace a release."
    try:
        there = read_release(path)
    except MissingExtra:
        raise
    except DpratioError:
        raise FileRefused(f"'{path}' exists and is no release. {hint}") from None
    if not replace and there.id != again:
        raise FileRefused(f"'{path}' holds a release already. {hint}")
    return True


def release_to_bytes(release: Release, kind: str) -> bytes:
    """Write a release as the content of a file, ``"json"`` or ``"parquet"``."""
    if kind == "parquet":
        from dpratio.release.parquet import to_parquet

        return to_parquet(release)
    body = release_to_document(release) | {
        "values": [
            [[str(value) for value in row] for row in question.integers.tolist()]
            for question in release.questions
        ]
    }
    return checked_bytes(body)


def read_release(path: str | PathLike[str]) -> Release:
    """Read a release from a JSON or Parquet file.

    Args:
        path: A file written by `write_release`.

    Returns:
        The release, as it was written.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is truncated, edited or of a newer format; the
            message holds the path inside the document.
        MissingExtra: When it is Parquet and PyArrow is not installed.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_release(dpr.example_release(), f"{folder}/release.json")
        ...     len(dpr.read_release(f"{folder}/release.json").questions)
        2
    """
    named = isinstance(path, str | PathLike)
    require(named, "a release is read from a path", path)
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the name holds NUL"
        raise FileRefused(f"'{path}' cannot be read: {reason}.") from None
    try:
        return release_from_bytes(content, format_of(path))
    except UnicodeDecodeError:
        raise FileRefused(f"'{path}' cannot be read: it is not UTF-8.") from None


def release_from_bytes(content: bytes, kind: str) -> Release:
    """Read a release from the content of a file, ``"json"`` or ``"parquet"``."""
    if kind == "parquet":
        from dpratio.release.parquet import from_parquet

        return from_parquet(content)
    return _from_text(content.decode("utf-8"))


def check_format(path: str | PathLike[str]) -> None:
    """Find out before any work whether a format can be written.

    Raises:
        MissingExtra: When Parquet is wanted and PyArrow is not installed.
    """
    if format_of(path) == "parquet":
        import_extra("pyarrow.parquet", "arrow")


def format_of(path: str | PathLike[str]) -> str:
    """Tell the format of a release from the name of its file."""
    return "parquet" if str(fspath(path)).endswith(".parquet") else "json"


def _from_text(text: str) -> Release:
    node = Node(parse(text))
    require_format(node)
    for name in ("values", "parts"):
        if name not in node.entries():
            raise DocumentRefused(f"$: field '{name}' is missing.")
    body = body_of(node)
    require_checksum(node, checksum(body))
    held = node.entries()["values"].items()
    rest = {name: value for name, value in body.items() if name != "values"}
    if len(held) != len(node.entries()["parts"].items()):
        node.entries()["values"].refuse("must have as many parts as the plan")
    return release_from_document(
        Node(rest), lambda at, rows, sums: _read_values(held[at], (rows, sums))
    )


def _read_values(node: Node, shape: tuple[int, int]) -> NDArray[np.int64]:
    rows = node.items()
    if len(rows) != shape[0]:
        raise DocumentRefused(
            f"{node.path}: must have {shape[0]} rows, has {len(rows)}."
        )
    values = np.empty(shape, dtype=np.int64)
    for index, row in enumerate(rows):
        cells = row.value if isinstance(row.value, list) else []
        integers = [integer_of(cell) for cell in cells]
        if len(integers) != shape[1] or None in integers:
            # Cells get their paths only where one of them is refused.
            nodes = row.items()
            if len(nodes) != shape[1]:
                row.refuse(f"must hold {shape[1]} sums")
            integers = [read_integer(cell) for cell in nodes]
        values[index] = integers
    return values
