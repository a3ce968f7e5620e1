"""Writing and reading releases, as strict JSON.

Sums are written as text: integers of 19 digits are altered by readers that keep
numbers as doubles. A checksum over the canonical document shows accidental edits.
"""

from os import PathLike
from pathlib import Path

from dpratio.checks import require
from dpratio.codec import parse_json
from dpratio.errors import DpratioError, FileRefused
from dpratio.release.checked_json import (
    body_of,
    checked_bytes,
    checksum,
    require_checksum,
    require_format,
)
from dpratio.release.document import (
    FORMAT,
    release_from_document,
    release_to_document,
)
from dpratio.release.release import Release
from dpratio.release.writing import check_writable, write_whole
from dpratio.strict import Node

__all__ = [
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
        path: Where.
        replace: Whether another release that is there may be replaced; nothing else
            ever is.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.

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
    write_whole(path, release_to_bytes(release), replace=is_there)


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
    except DpratioError:
        raise FileRefused(f"'{path}' exists and is no release. {hint}") from None
    if not replace and there.id != again:
        raise FileRefused(f"'{path}' holds a release already. {hint}")
    return True


def release_to_bytes(release: Release) -> bytes:
    """Write a release as the content of a file."""
    return checked_bytes(release_to_document(release))


def read_release(path: str | PathLike[str]) -> Release:
    """Read a release from a file.

    Args:
        path: A file written by `write_release`.

    Returns:
        The release, as it was written.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is truncated, edited or of another format; the
            message holds the path inside the document.

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
        return release_from_bytes(content)
    except UnicodeDecodeError:
        raise FileRefused(f"'{path}' cannot be read: it is not UTF-8.") from None


def release_from_bytes(content: bytes) -> Release:
    """Read a release from the content of a file; exceptions as `read_release`.

    Raises:
        UnicodeDecodeError: When it is not UTF-8.
    """
    node = Node(parse_json(content.decode("utf-8")))
    require_format(node, FORMAT)
    body = body_of(node)
    require_checksum(node, checksum(body))
    return release_from_document(Node(body))
