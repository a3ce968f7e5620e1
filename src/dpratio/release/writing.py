"""Files that appear whole or not at all."""

import contextlib
import os
import stat
import tempfile
from os import PathLike
from pathlib import Path
from typing import NoReturn

from dpratio.checks import require
from dpratio.errors import FileRefused

__all__ = ["check_writable", "write_whole"]

_PARTS = ("-journal", "-wal", "-shm", ".lock", ".wal")


def check_writable(path: str | PathLike[str]) -> None:
    """Find out before any work whether a file could be written.

    Raises:
        FileRefused: When it could not: links, devices and pipes are no files, and what
            a database puts beside its file is its own.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise FileRefused(f"'{target}' is a folder. Name a file.")
        _require_plain(target)
        _require_no_part(target)
        _remove(_temporary_beside(target))
    except (OSError, ValueError) as error:
        _refuse(target, error)


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
    require(isinstance(path, str | PathLike), "a file is written to a path", path)
    target = Path(path)
    temporary = None
    try:
        temporary = _temporary_beside(target)
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
    except (OSError, ValueError) as error:
        _refuse(target, error)
    finally:
        if temporary is not None:
            _remove(temporary)


def _name_new(temporary: Path, target: Path) -> None:
    """Give a file a name that nobody else has taken meanwhile."""
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
    """Refuse what is there and is no plain file; tell whether anything is there."""
    try:
        mode = target.lstat().st_mode  # Refuses names that no file can have.
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise FileRefused(
            f"'{target}' is a folder, a link, a device or a pipe. Name a plain file."
        )
    return True


def _require_no_part(target: Path) -> None:
    """Refuse the names that a database or a ledger gives to files beside its own."""
    for end in _PARTS:
        if target.name.endswith(end) and Path(str(target)[: -len(end)]).exists():
            raise FileRefused(
                f"'{target}' belongs to the file beside it, by its name. Name another "
                "file."
            )


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


def _remove(temporary: Path) -> None:
    temporary.unlink(missing_ok=True)


def _refuse(target: Path, error: OSError | ValueError) -> NoReturn:
    reason = error.strerror if isinstance(error, OSError) else "the name holds NUL"
    raise FileRefused(f"'{target}' cannot be written: {reason}.") from None
