"""Public keys from a file or a frame: one row per cell.

The table of keys is public, made for this purpose, and never the data themselves.
"""

import contextlib
import csv
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn

from dpratio.checks import import_extra, require, require_one_of
from dpratio.errors import FileRefused
from dpratio.terms.dimensions import KINDS, Key
from dpratio.terms.groups import Groups

__all__ = ["groups_from"]


def groups_from(
    table: object,
    columns: Sequence[str],
    *,
    kinds: Mapping[str, str] | None = None,
) -> Groups:
    """Declare cells by a public table of keys.

    Args:
        table: The path of a CSV or Parquet file, a pandas, Polars or Arrow table, or a
            mapping of columns to lists; one row per cell, in the order of the answers.
        columns: Which of its columns hold keys.
        kinds: For CSV files: ``"integer"``, ``"boolean"`` or ``"date"`` for columns
            whose keys are not text. An empty cell is the key None there.

    Returns:
        Groups of these cells, for `make_plan`.

    Raises:
        FileRefused: When a file cannot be read.
        InvalidInput: When a column is missing, or keys break a rule.

    Example:
        >>> groups_from({"sex": ["f", "m"], "age": [30, 40]}, ["sex", "age"]).keys
        (('f', 30), ('m', 40))
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    require(names, "name the columns that hold keys", columns)
    read = _read_file(table, kinds or {}) if _is_path(table) else table
    values = [_column(read, name) for name in names]
    if len(names) == 1:
        return Groups(names[0], values[0])
    return Groups(names, list(zip(*values, strict=True)))


def _is_path(table: object) -> bool:
    return isinstance(table, str | PathLike)


def _read_file(path: Any, kinds: Mapping[str, str]) -> Mapping[str, list[Key]]:  # noqa: ANN401
    name = str(fspath(path))
    for kind in kinds.values():
        require_one_of(kind, KINDS, "kind of key")
    hint = "Name a .csv or .parquet file."
    known = name.endswith((".csv", ".parquet"))
    require(known, "a file of keys is CSV or Parquet", name, hint)
    if name.endswith(".parquet"):
        return _read_parquet(name)
    try:
        with Path(name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        _refuse(name)
    found = list(rows[0]) if rows else []
    return {
        column: [_key(row[column], kinds.get(column, "text"), column) for row in rows]
        for column in found
    }


def _read_parquet(name: str) -> Mapping[str, list[Key]]:
    arrow = import_extra("pyarrow", "arrow")
    parquet = import_extra("pyarrow.parquet", "arrow")
    try:
        read: dict[str, list[Key]] = parquet.read_table(name).to_pydict()
    except (OSError, ValueError, arrow.ArrowException):
        _refuse(name)
    return read


def _refuse(name: str) -> NoReturn:
    raise FileRefused(f"the keys in '{name}' cannot be read.") from None


def _key(text: str | None, kind: str, column: str) -> Key:
    if not text:
        return None
    makers: dict[str, Callable[[str], Key]] = {
        "text": str,
        "integer": int,
        "boolean": lambda word: {"true": True, "false": False}[word.lower()],
        "date": dt.date.fromisoformat,
    }
    key = None
    with contextlib.suppress(ValueError, KeyError):
        key = makers[kind](text)
    require(key is not None, f"a key of '{column}' is no {kind}", text)
    return key


def _column(table: Any, name: str) -> Sequence[Key]:  # noqa: ANN401
    named = getattr(table, "column_names", None) or getattr(table, "columns", table)
    known = list(named)
    hint = f"The table has: {', '.join(str(each) for each in known)}."
    require(name in known, "a column of keys is missing", name, hint)
    column = table[name]
    for verb in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, verb):
            return [_plain(key) for key in getattr(column, verb)()]
    return list(column)


def _plain(key: Any) -> Key:  # noqa: ANN401
    """Make a missing key None, and a time without a time of day a date."""
    if key is None or key != key:  # noqa: PLR0124 (NaN is not itself)
        return None
    if isinstance(key, dt.datetime):
        return key.date()
    return key  # type: ignore[no-any-return]
