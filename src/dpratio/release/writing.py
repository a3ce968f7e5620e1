"""Files that appear whole or not at all.

Floor: release. Imports: errors.
"""

import os
import tempfile
from os import PathLike
from pathlib import Path

from dpratio.errors import FileRefused

__all__ = ["check_writable", "write_whole"]


def check_writable(path: str | PathLike[str]) -> None:
    """Find out before any work whether a file could be written.

    Raises:
        FileRefused: When it could not.
    """
    target = Path(path)
    if target.is_dir():
        raise FileRefused(f"'{path}' is a folder. Name a file.")
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".dpratio-")
        os.close(descriptor)
        Path(name).unlink()
    except OSError as error:
        raise FileRefused(f"'{path}' cannot be written: {error.strerror}.") from None


def write_whole(path: str | PathLike[str], content: bytes) -> None:
    """Write a file through a temporary one, so that readers never see half of it.

    Raises:
        FileRefused: When it cannot be written.
    """
    target = Path(path)
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=".dpratio-", delete=False
        ) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            Path(file.name).replace(target)
        except OSError:
            Path(file.name).unlink()
            raise
    except OSError as error:
        raise FileRefused(f"'{target}' cannot be written: {error.strerror}.") from None
