"""Files that appear whole or not at all."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from dpratio.checks import show_given
from dpratio.errors import FileRefused, InvalidInput

_PARTS = ("-journal", "-wal", "-shm", ".lock", ".wal")


def as_path(path: object) -> Path:
    """Return the path of a file; raise InvalidInput for what is none."""
    if not isinstance(path, str | PathLike):
        raise InvalidInput(
            f"path must be the path of a file, got {show_given(path)}.", field="path"
        )
    return Path(path)


@contextlib.contextmanager
def refused_as(done: str, path: Path) -> Iterator[None]:
    """Raise FileRefused where the system cannot read or write a file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror
    except ValueError:
        reason = "the name holds NUL"
    else:
        return
    raise FileRefused(f"'{path}' cannot be {done}: {reason}.") from None


def check_writable(path: str | PathLike[str]) -> None:
    """Find out before any work whether a file could be written.

    Raises:
        FileRefused: When it could not: links, devices and pipes are no files, and what
            a database puts beside its file is its own.
    """
    target = as_path(path)
    with refused_as("written", target):
        _require_plain(target)
        for end in _PARTS:
            if target.name.endswith(end) and Path(str(target)[: -len(end)]).exists():
                raise FileRefused(
                    f"'{target}' belongs to the file beside it, by its name. Name "
                    "another file."
                )
        _temporary_beside(target).unlink(missing_ok=True)


def write_whole(
    path: str | PathLike[str],
    content: bytes,
    *,
    replace: bool = False,
    is_private: bool = False,
) -> None:
    """Write a file through a temporary one, so that readers never see half of it.

    Args:
        path: A plain file.
        content: All of it.
        replace: Whether a file that is there may be replaced.
        is_private: Whether a new file is for its owner's eyes alone.

    Raises:
        FileRefused: When it cannot be written, or is there and may not be replaced.
    """
    target = as_path(path)
    with refused_as("written", target):
        temporary = _temporary_beside(target)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            is_there = _require_plain(target)
            new = 0o600 if is_private else 0o644
            temporary.chmod(target.stat().st_mode if is_there else new)
            if replace:
                temporary.replace(target)
            else:
                _name_new(temporary, target)
            _sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _name_new(temporary: Path, target: Path) -> None:
    """Name a file as nobody else has named one meanwhile."""
    try:
        os.link(temporary, target)
    except OSError:  # It is taken, or the file system knows no second names.
        if os.path.lexists(target):
            raise FileRefused(
                f"'{target}' exists. Name another file, or say replace=True to replace "
                "it."
            ) from None
        temporary.replace(target)


def _require_plain(target: Path) -> bool:
    """Raise FileRefused unless a file or nothing is there; return whether one is."""
    try:
        mode = target.lstat().st_mode  # Refuses names that no file can have.
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise FileRefused(
            f"'{target}' is a folder, a link, a device or a pipe. Name a plain file."
        )
    return True


def _sync_folder(folder: Path) -> None:
    """Wait until the new name is on the disk, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _temporary_beside(target: Path) -> Path:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".dpratio-")
    os.close(descriptor)
    return Path(name)
