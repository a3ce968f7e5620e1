"""Which files a path, pattern or folder names, each physical file once.

A row that is read twice moves a sum twice as far as it was priced. Names do not
identify a file: one file may have many, by symbolic links to it or to its folder, by
hard links, by a folder that is mounted twice, and by patterns that reach it in several
ways (``**/**``). What others expand or combine, a relation or a lazy frame, can only be
checked by the files and tables that its plan reads.
"""

import contextlib
import glob
import os
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dpratio.curator.reading.keys import day_in_text
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.groups import Key
from dpratio.terms.ratio import is_unicode
from dpratio.terms.source import Partitions

_MISSING = "__HIVE_DEFAULT_PARTITION__"  # As Hive and Spark write it.
_WHOLE = "-?[0-9]{1,18}"
_TRUTHS = {"true": True, "false": False}


def find_files(path: str | Sequence[str]) -> list[str]:
    """Return the files of a path or glob, or of several paths, each once, in order.

    Of the names of one file the first is kept, in the order of the real paths: which
    of them a folder lists first does not matter.

    Raises:
        FileRefused: When there is none.

    Guarantee:
        No two of the names are of the same physical file of one file system.
        Proof: docs/proofs/sensitivity.md.
    """
    names = _expanded(path) if isinstance(path, str) else path
    ordered = sorted((os.path.realpath(name), name) for name in names)
    kept: dict[Hashable, str] = {}
    for _, name in ordered:
        kept.setdefault(identity_of(name), name)
    return list(kept.values())


def find_parquet(path: str) -> list[str]:
    """Return the Parquet files of a path, glob or folder, each once, in a fixed order.

    Of a folder all files below it that end in .parquet are read, but for those whose
    name, or whose folder's, begins with ``.`` or ``_``: writers keep what is no data
    there.

    Raises:
        FileRefused: When there is none, or a link leads to another folder.
    """
    if "://" in path or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return find_files(path)
    files = []
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not _is_hidden(name))
        if any(Path(folder, name).is_symlink() for name in inner):
            raise FileRefused(
                f"the folder '{path}' holds a link to another folder, which engines "
                "do not follow alike. Name the folders by a pattern, or move them."
            )
        kept = (name for name in names if name.endswith(".parquet"))
        files += [str(Path(folder, name)) for name in kept if not _is_hidden(name)]
    if not files:
        raise FileRefused(
            f"no .parquet file is in the folder '{path}', nor below it. Files and "
            "folders whose names begin with '.' or '_' are not read."
        )
    return find_files(files)


def values_of(file: str, partitions: Partitions) -> tuple[Key, ...]:
    """Return what the folders of a file say of its rows, a key for each column.

    The name of a folder may hold a cell of a person: no value decides the type of its
    column, stops a release or appears in a message. The innermost folder of a name
    counts; where there is none, or it holds nothing of the declared type, the key is
    missing.

    Example:
        >>> values_of("a/year=2026/month=03/x.parquet", (("month", "integer"),))
        (3,)
    """
    folders = dict(part.split("=", 1) for part in Path(file).parts[:-1] if "=" in part)
    return tuple(_value_of(folders.get(name, ""), kind) for name, kind in partitions)


def shown(file: str) -> str:
    """Return the name of a file for a message, without what folders say of rows.

    Example:
        >>> shown("lake/region=north/a.parquet")
        'lake/region=…/a.parquet'
    """
    return re.sub(r"(?<![^/])([^/=]+)=[^/]*(?=/)", r"\1=…", file)


def require_same_schema(files: Sequence[str], schemas: Sequence[object]) -> None:
    """Raise SchemaRefused unless all Parquet files have the same columns and types."""
    for file, schema in zip(files, schemas, strict=True):
        if schema != schemas[0]:
            raise SchemaRefused(
                f"the schema of '{shown(file)}' differs from that of "
                f"'{shown(files[0])}'. "
                "Files of one glob must share their columns and types."
            )


def require_once(reads: Iterable[Hashable]) -> None:
    """Raise SchemaRefused if a source reads a file or a table more than once.

    Args:
        reads: What is read, as often as it is.

    Guarantee:
        What passes reads each file and each table it is seen to read once.
        Proof: docs/proofs/sensitivity.md.
    """
    if any(count > 1 for count in Counter(reads).values()):
        raise SchemaRefused(
            "the source reads a file or a table more than once, so that one row could "
            "be counted many times. Read each of them once, without names that lead "
            "to the same file; or store the rows in a table of their own."
        )


def source_at(address: str) -> Hashable:
    """Return what an address leads to: a file of this machine, or an object elsewhere.

    Example:
        >>> source_at("s3://lake/a.parquet") == source_at("s3://lake/b.parquet")
        False
    """
    parts = urlsplit(address)
    if parts.scheme == "file":
        return identity_of(unquote(parts.path))
    return address if "://" in address else identity_of(address)


def identity_of(path: str) -> Hashable:
    """Return what no two physical files share: a device, and a number there.

    A file system that does not number files, or a file that cannot be examined, is
    known by its real path, in the case in which the system compares names.
    """
    with contextlib.suppress(OSError):
        status = Path(path).stat()
        if status.st_ino:
            return status.st_dev, status.st_ino
    return os.path.normcase(os.path.realpath(path))


def _expanded(path: str) -> list[str]:
    names = [path] if _is_file(path) else []
    with contextlib.suppress(OSError, ValueError):
        # May be absolute, which Path.glob does not take.
        matches = names or glob.glob(_once_recursive(path), recursive=True)  # noqa: PTH207
        names = list(filter(_is_file, matches))
    if not names and "://" in path:
        raise FileRefused(
            f"files are read from this machine, got the address '{path}'. Let a "
            'cluster read them: url = "spark://host:7077" and path = "…" under '
            "[data]; or mount them, or copy them here."
        )
    if not names:
        raise FileRefused(
            f"no file at '{path}'. Give the path or glob of a file that exists."
        )
    return names


def _once_recursive(path: str) -> str:
    """Write ``**/**/`` as ``**/``: it matches the same, and each on one way only."""
    return re.sub(r"(?<![^/])(\*\*/+)+(?=\*\*(/|$))", "", path)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _is_hidden(name: str) -> bool:
    # As Spark has it: a column may begin with a line.
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _value_of(written: str, kind: str) -> Key:
    """Return the name of a folder as a key of a declared type."""
    try:
        text = unquote(written, errors="strict")
    except ValueError:
        return None
    if not text or text == _MISSING or not is_unicode(text):
        return None
    if kind == "date":
        return day_in_text(text)
    if kind == "integer":
        return int(text) if re.fullmatch(_WHOLE, text) else None
    return _TRUTHS.get(text.lower()) if kind == "boolean" else text
