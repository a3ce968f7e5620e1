"""Documents as TOML text: what `tomllib` reads, written again."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeGuard

from dpratio.web.study.keys_text import quote

__all__ = ["Written", "are_tables", "write_document", "write_key"]


class Written(str):
    """A value that is TOML already."""

    __slots__ = ()


def write_document(document: Mapping[str, Any]) -> str:
    """Write values of the top first, then tables, each under its name.

    Example:
        >>> print(write_document({"title": "Who?", "data": {"path": "a b.csv"}}))
        title = "Who?"
        <BLANKLINE>
        [data]
        path = "a b.csv"
    """
    plain = {name: each for name, each in document.items() if not _tables(each)}
    parts = [_rows(plain)] if plain else []
    for name, each in document.items():
        key = write_key(name)
        head = f"[[{key}]]" if isinstance(each, list) else f"[{key}]"
        parts += [f"{head}\n{_rows(rows)}".rstrip() for rows in _tables(each)]
    return "\n\n".join(parts)


def write_key(name: str) -> str:
    """Write the name of a field; TOML takes plain words without quotes."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else quote(name)


def are_tables(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    """Tell whether a value is several tables, as ``[[name]]`` writes them."""
    if not isinstance(value, list):
        return False
    return bool(value) and all(isinstance(each, Mapping) for each in value)


def _tables(value: object) -> list[Mapping[str, Any]]:
    """Give a value as tables of the top; none where it is something else."""
    if isinstance(value, Mapping):
        return [value]
    return value if are_tables(value) else []


def _rows(rows: Mapping[str, Any]) -> str:
    return "\n".join(f"{write_key(key)} = {_value(each)}" for key, each in rows.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        held = ", ".join(f"{write_key(k)} = {_value(v)}" for k, v in value.items())
        return f"{{ {held} }}" if held else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return str(value) if isinstance(value, Written) else quote(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    # Numbers, truths, dates and times.
    return value.isoformat() if hasattr(value, "isoformat") else str(value).lower()


def _decimal(value: Decimal) -> str:
    """Write a decimal so that it is read as one, not as a whole number."""
    if not value.is_finite():
        return str(value).lower().replace("infinity", "inf")
    text = str(value).lower()
    return text if {"e", "."} & set(text) else f"{text}.0"
