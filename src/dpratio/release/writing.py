"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
from os import PathLike
from pathlib import Path
from typing import NoReturn

from dpratio.checks import require
from dpratio.errors import FileRefused

__all__ = ["check_writable", "write_whole"]


def check_writable(path: str | PathLike[str]) -> None:
    """Find out before any work whether a file could be written.

    Raises:
        FileRefused: When it could not.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise FileRefused(f"'{target}' is a folder. Name a file.")
        with contextlib.suppress(FileNotFoundError):
            target.lstat()  # Refuses names that no file can have.
        _remove(_temporary_beside(target))
    except (OSError, ValueError) as error:
        _refuse(target, error)


def write_whole(path: str | PathLike[str], content: bytes) -> None:
    """Write a file through a temporary one, so that readers never see half of it.

    Raises:
        FileRefused: When it cannot be written.
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
        temporary.chmod(target.stat().st_mode if target.exists() else 0o644)
        temporary.replace(target)
        _sync_folder(target.parent)
    except (OSError, ValueError) as error:
        if temporary is not None:
            _remove(temporary)
        _refuse(target, error)


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
