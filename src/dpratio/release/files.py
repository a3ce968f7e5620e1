"""Releases as files."""

from os import PathLike

from dpratio.checks import show_given
from dpratio.errors import FileRefused, InvalidInput
from dpratio.release.checked_json import DocumentKind
from dpratio.release.document import RELEASE
from dpratio.release.release import Release
from dpratio.release.writing import write_whole

_RELEASES = DocumentKind("release", RELEASE)


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
    if not isinstance(release, Release):
        raise InvalidInput(
            f"release must be a Release, got {show_given(release)}. "
            "Call write_release(release, path).",
            field="release",
        )
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
    if not isinstance(replace, bool):
        raise InvalidInput(
            f"replace must be true or false, got {show_given(replace)}.",
            field="replace",
        )
    advice = "Name another file, or say replace=True to replace a release."
    there = _RELEASES.value_at(path, advice)
    if there is None:
        return False
    if not replace and there.id != again:
        raise FileRefused(f"'{path}' holds a release already. {advice}")
    return True


def release_to_bytes(release: Release) -> bytes:
    """Return the content of the file of a release."""
    return _RELEASES.to_bytes(release)


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
    release: Release = _RELEASES.read(path)
    return release


def release_from_bytes(content: bytes) -> Release:
    """Read a release from the content of a file; exceptions as `read_release`.

    Raises:
        UnicodeDecodeError: When it is not UTF-8.
    """
    release: Release = _RELEASES.from_bytes(content)
    return release
