"""Folders of Parquet files, and the columns that the names of folders hold.

``year=2026/a.parquet`` says of all rows of a file that their year is 2026. Such a name
may hold a cell of a person, so no value decides the type of its column, stops a
release, or appears in a message. Types are declared, and a value of another type is
missing. Every engine uses the values that are read here.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote

from dpratio.curator.reading.days import day_in_text
from dpratio.curator.reading.files import find_files
from dpratio.curator.reading.statement import ColumnType
from dpratio.errors import FileRefused, SchemaRefused
from dpratio.terms.groups import Key
from dpratio.terms.ratio import is_unicode
from dpratio.terms.source import Partitions

_MISSING = "__HIVE_DEFAULT_PARTITION__"  # As Hive and Spark write it.
_WHOLE = "-?[0-9]{1,18}"
_TRUTHS = {"true": True, "false": False}


def find_parquet(path: str) -> list[str]:
    """List the Parquet files of a path, glob or folder, each once, in a fixed order.

    Of a folder all files below it that end in .parquet are read, but for those whose
    name, or whose folder's, begins with ``.`` or ``_``: writers keep what is no data
    there.

    Raises:
        FileRefused: When there is none, or a link leads to another folder.
    """
    if "://" in path or not os.path.isdir(path):  # noqa: PTH112 (never raises)
        return find_files(path)
    found = []
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not _is_hidden(name))
        if any(Path(folder, name).is_symlink() for name in inner):
            raise FileRefused(
                f"the folder '{path}' holds a link to another folder, which engines "
                "do not follow alike. Name the folders by a pattern, or move them."
            )
        kept = (name for name in names if name.endswith(".parquet"))
        found += [str(Path(folder, name)) for name in kept if not _is_hidden(name)]
    if not found:
        raise FileRefused(
            f"no .parquet file is in the folder '{path}', nor below it. Files and "
            "folders whose names begin with '.' or '_' are not read."
        )
    return find_files(found)


def values_of(file: str, partitions: Partitions) -> tuple[Key, ...]:
    """Read what the folders of a file say of its rows, a key for each column.

    The innermost folder of a name counts; where there is none, or it holds nothing of
    the declared type, the key is missing.

    Example:
        >>> values_of("a/year=2026/month=03/x.parquet", (("month", "integer"),))
        (3,)
    """
    held = dict(each.split("=", 1) for each in Path(file).parts[:-1] if "=" in each)
    return tuple(_value(held.get(name, ""), kind) for name, kind in partitions)


def require_apart(
    types: dict[str, ColumnType], partitions: Partitions
) -> dict[str, ColumnType]:
    """Add the columns of folders to those of the files.

    Raises:
        SchemaRefused: When the files hold a column of the same name.
    """
    # Some engines take "Year" and "year" for one column.
    taken = {name.lower() for name in types}
    for name, _ in partitions:
        if name.lower() in taken:
            raise SchemaRefused(
                f"column '{name}' is declared under partitions, and the files hold a "
                "column of that name. Leave it out there."
            )
    return types | {name: ColumnType.here(kind, kind) for name, kind in partitions}


def _value(written: str, kind: str) -> Key:
    """Read the name of a folder as a key of a declared type."""
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


def _is_hidden(name: str) -> bool:
    # As Spark has it: a column may begin with a line.
    return name.startswith(".") or (name.startswith("_") and "=" not in name)
