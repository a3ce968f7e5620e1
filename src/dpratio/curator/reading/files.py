"""Which files a path or pattern names, each physical file once.

A row that is read twice moves a sum twice as far as it was priced. Names do not
identify a file: one file may have many, by symbolic links to it or to its folder, by
hard links, by a folder that is mounted twice, and by patterns that reach it in several
ways (``**/**``).
"""

import contextlib
import glob
import os
import re
from collections.abc import Hashable, Sequence
from pathlib import Path

from dpratio.errors import FileRefused, SchemaRefused


def find_files(path: str | Sequence[str]) -> list[str]:
    """List the files of a path or glob, or of several paths, each once, in order.

    Of the names of one file the first is kept, in the order of the real paths: which
    of them a folder lists first does not matter.

    Raises:
        FileRefused: When there is none.

    Guarantee:
        No two of the names are of the same physical file of one file system.
        Proof: docs/proofs/sensitivity.md.
    """
    found = _named(path) if isinstance(path, str) else path
    ordered = sorted((os.path.realpath(name), name) for name in found)
    kept: dict[Hashable, str] = {}
    for _, name in ordered:
        kept.setdefault(identity_of(name), name)
    return list(kept.values())


def shown(file: str) -> str:
    """Give the name of a file for a message, without what folders say of rows.

    Example:
        >>> shown("lake/region=north/a.parquet")
        'lake/region=…/a.parquet'
    """
    return re.sub(r"(?<![^/])([^/=]+)=[^/]*(?=/)", r"\1=…", file)


def _named(path: str) -> list[str]:
    """Expand a path or glob.

    Raises:
        FileRefused: When there is no file.
    """
    found = [path] if _is_file(path) else []
    with contextlib.suppress(OSError, ValueError):
        # May be absolute, which Path.glob does not take.
        named = found or glob.glob(_once_recursive(path), recursive=True)  # noqa: PTH207
        found = list(filter(_is_file, named))
    if not found and "://" in path:
        raise FileRefused(
            f"files are read from this machine, got the address '{path}'. Let a "
            'cluster read them: url = "spark://host:7077" and path = "…" under '
            "[data]; or mount them, or copy them here."
        )
    if not found:
        raise FileRefused(
            f"no file at '{path}'. Give the path or glob of a file that exists."
        )
    return found


def require_same_schema(files: Sequence[str], schemas: Sequence[object]) -> None:
    """Refuse Parquet files whose columns or types differ."""
    for file, schema in zip(files, schemas, strict=True):
        if schema != schemas[0]:
            raise SchemaRefused(
                f"the schema of '{shown(file)}' differs from that of "
                f"'{shown(files[0])}'. "
                "Files of one glob must share their columns and types."
            )


def identity_of(path: str) -> Hashable:
    """Tell a physical file from every other: by its device and its number there.

    A file system that does not number files, or a file that cannot be asked, is told
    by its real path, in the case in which the system compares names.
    """
    with contextlib.suppress(OSError):
        asked = Path(path).stat()
        if asked.st_ino:
            return asked.st_dev, asked.st_ino
    return os.path.normcase(os.path.realpath(path))


def _once_recursive(path: str) -> str:
    """Write ``**/**/`` as ``**/``: it finds the same, and each on one way only."""
    return re.sub(r"(?<![^/])(\*\*/+)+(?=\*\*(/|$))", "", path)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False
