"""The fields of a study: how each of its tables is read, written and stated."""

import contextlib
import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpratio.codec import (
    EXACT,
    NUMBER,
    TEXT,
    Field,
    Whole,
    choice,
    integer,
    made,
    many,
    mapping,
    one_of,
    record,
    refuse,
)
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.dimensions import (
    EVERY,
    KINDS,
    MOST_BINS,
    Dimension,
    Key,
    Keys,
    Periods,
    ScoreBins,
)
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Partition
from dpratio.terms.source import ISO_DATES, CsvFile, ParquetFiles, checked_path
from dpratio.terms.study import Source
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit
from dpratio.terms.where import Condition, as_condition

__all__ = [
    "BOUNDS",
    "DATA",
    "GROUP",
    "GROUPS",
    "GUESS",
    "POPULATION",
    "UNIT",
    "WHERE",
    "GroupsTable",
    "one_or_many",
    "with_others",
]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class GroupsTable:
    """One table of groups, with what holds for them alone."""

    partition: Partition
    weight: Fraction = Fraction(1)
    totals: Mapping[str, Bounds] = field(default_factory=dict, hash=False)
    population: Guess | None = None


def one_or_many(item: Field) -> Field:
    """Return the field of one table, or of a list of them."""
    several = many(item, least=1)

    def read(value: Any, path: str) -> tuple[Any, ...]:  # noqa: ANN401
        if isinstance(value, list):
            return several.read(value, path)  # type: ignore[no-any-return]
        return (item.read(value, path),)

    def write(values: Sequence[Any]) -> Any:  # noqa: ANN401
        return item.write(values[0]) if len(values) == 1 else several.write(values)

    return Field(read, write, {"anyOf": [item.schema, several.schema]})


def _pair(value: Any, path: str, *, natural: bool = False) -> Bounds:  # noqa: ANN401
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004
        refuse(path, "must be [lower, upper] or 'binary'", value)
    lower, upper = many(NUMBER).read(value, path)
    bounds: Bounds = made(path, lambda: Bounds(lower, upper, natural=natural))
    return bounds


_ENDS = {"type": "array", "items": NUMBER.schema, "minItems": 2, "maxItems": 2}
_NATURAL = record(
    lambda natural: natural,
    lambda bounds: {"natural": bounds},
    natural=Field(
        lambda value, path: _pair(value, path, natural=True),
        lambda bounds: [bounds.lower, bounds.upper],
        _ENDS,
    ),
)


def _read_bounds(value: Any, path: str) -> Bounds:  # noqa: ANN401
    if isinstance(value, dict):
        return _NATURAL.read(value, path)  # type: ignore[no-any-return]
    if value == "ones":
        return Bounds.ones()
    return Bounds.binary() if value == "binary" else _pair(value, path)


def _write_bounds(bounds: Bounds) -> Any:  # noqa: ANN401
    if bounds.is_binary:
        return "ones" if bounds.is_one else "binary"
    return _NATURAL.write(bounds) if bounds.natural else [bounds.lower, bounds.upper]


BOUNDS = mapping(
    Field(
        _read_bounds,
        _write_bounds,
        {"anyOf": [{"enum": ["binary", "ones"]}, _ENDS, _NATURAL.schema]},
    )
)

UNIT = record(
    PrivacyUnit,
    column=TEXT.optional(),
    totals=BOUNDS.optional({}),
    most_groups=integer(1).optional(1),
    neighbours=choice(*NEIGHBOURS).optional(NEIGHBOURS[0]),
    key=TEXT.optional("dpratio"),
)


def with_others(
    table: type,
    inner: str,
    make: Callable[..., Any],
    split: Callable[[Any], Mapping[str, Any]],
    own: Mapping[str, Field],
    others: Mapping[str, Field],
) -> Field:
    """Return the field of a table that holds the parts of a value, and others.

    Args:
        table: The dataclass of the table, whose first field is the value.
        inner: The name of that field.
        make: Return the value of its parts.
        split: Return the parts of the value.
        own: The fields of the parts.
        others: The fields of the others.
    """

    def make_table(**parts: Any) -> Any:  # noqa: ANN401
        rest = {name: parts.pop(name) for name in others if name in parts}
        return table(make(**parts), **rest)

    def split_table(value: Any) -> Mapping[str, Any]:  # noqa: ANN401
        rest = {name: getattr(value, name) for name in others}
        return {**split(getattr(value, inner)), **rest}

    return record(make_table, split_table, **own, **others)


_COLUMN = record(ColumnGuess, mean=NUMBER, sd=NUMBER.optional())
_GUESS = {
    "numerator": _COLUMN,
    "per": _COLUMN,
    "weight": _COLUMN.optional(),
    "correlation": NUMBER.optional(0.0),
    "weight_with_numerator": NUMBER.optional(0.0),
    "weight_with_per": NUMBER.optional(0.0),
}


GUESS = record(Guess, **_GUESS)
_LOOSE = {
    name: part.optional() if name in {"numerator", "per"} else part
    for name, part in _GUESS.items()
}


def _population(n: int | None = None, **given: Any) -> tuple[int | None, Guess | None]:  # noqa: ANN401
    """Return what people are like, or only how many they are."""
    missing = [name for name in ("numerator", "per") if name not in given]
    if given and missing:
        raise InvalidInput(f"field '{missing[0]}' is missing.")
    return n, Guess(**given) if given else None


POPULATION = record(
    _population,
    lambda held: {
        "n": held[0],
        **{name: getattr(held[1], name, part.default) for name, part in _LOOSE.items()},
    },
    n=integer().optional(),
    **_LOOSE,
)


def _read_key(value: Any, path: str) -> Key:  # noqa: ANN401
    """Read a key: as TOML has it, or as text with its kind, which JSON needs."""
    if isinstance(value, bool | int) or type(value) is dt.date:
        return value
    if not isinstance(value, dict):
        return TEXT.read(value, path)  # type: ignore[no-any-return]
    if value.get("missing") is True and len(value) == 1:
        return None
    with contextlib.suppress(ValueError):
        ((kind, text),) = value.items()
        if kind == "integer" and _WHOLE.fullmatch(str(text)):
            return int(text)
        if kind == "date" and isinstance(text, str):
            return dt.date.fromisoformat(text)
    return refuse(path, "must be a key such as 'north' or { missing = true }", value)


def _write_key(key: Key) -> object:
    if key is None:
        return {"missing": True}
    return Whole(key) if type(key) is int else key


_KEY = Field(_read_key, _write_key, {"type": ["string", "boolean", "object"]})
_DAY = Field(_read_key, dt.date.isoformat, {"type": "string", "format": "date"})


def _read_bins(value: Any, path: str) -> Any:  # noqa: ANN401
    is_list = isinstance(value, list)
    return (many(NUMBER) if is_list else integer(1, MOST_BINS)).read(value, path)


def _keys(column: str, keys: Sequence[Key]) -> Keys:
    return Keys(column, keys)


_BINS = Field(_read_bins, lambda bins: bins, {"type": ["integer", "array"]})
_PERIODS = {"column": TEXT, "every": choice(*EVERY), "first": _DAY, "last": _DAY}
# How each kind of dimension is made, split into the parts of its table, and read.
_DIMENSIONS: dict[str, tuple[Any, Any, dict[str, Field]]] = {
    "bins": (
        ScoreBins,
        lambda held: {"column": held.column, "bins": held.bins},
        {"column": TEXT, "bins": _BINS},
    ),
    "every": (
        Periods,
        lambda held: {name: getattr(held, name) for name in _PERIODS},
        _PERIODS,
    ),
    "keys": (
        _keys,
        lambda held: {"column": held.column, "keys": held.values},
        {"column": TEXT, "keys": many(_KEY)},
    ),
}


def _dimension_kind(dimension: Dimension) -> str:
    if isinstance(dimension, Keys):
        return "keys"
    return "bins" if isinstance(dimension, ScoreBins) else "every"


def _cells(
    cross: Sequence[Dimension], cells: Sequence[tuple[int, ...]] | None = None
) -> Groups:
    crossed = Groups.cross(*cross)
    return crossed if cells is None else crossed.only(cells)


def _true(value: Any, path: str) -> bool:  # noqa: ANN401
    if value is not True:
        refuse(path, "must be true, or left out", value)
    return True


_PARTITIONS: dict[str, tuple[Any, Any, dict[str, Field]]] = {
    "whole": (
        lambda whole: None,  # noqa: ARG005 (the field itself says it)
        lambda _: {"whole": True},
        {"whole": Field(_true, bool, {"const": True})},
    ),
    "cross": (
        _cells,
        lambda groups: {"cross": groups.dimensions, "cells": groups.listed},
        {
            "cross": many(
                one_of(
                    {
                        name: record(*form[:2], **form[2])
                        for name, form in _DIMENSIONS.items()
                    },
                    _dimension_kind,
                )
            ),
            "cells": many(many(integer())).optional(),
        },
    ),
    "find": (
        lambda column, find, kind="text": PrivateKeys(column, find, kind),
        lambda keys: {"column": keys.column, "find": keys.budget, "kind": keys.kind},
        {
            "column": TEXT,
            "find": record(Budget, epsilon=EXACT, delta=EXACT),
            "kind": choice(*KINDS).optional("text"),
        },
    ),
    "columns": (
        lambda columns, keys: Groups(list(columns), keys),
        None,  # Written as those that are crossed.
        {"columns": many(TEXT), "keys": many(many(_KEY))},
    ),
}
for _name, (_make, _split, _parts) in _DIMENSIONS.items():
    _PARTITIONS[_name] = (
        lambda _make=_make, **given: Groups.cross(_make(**given)),
        lambda groups, _split=_split: _split(groups.dimensions[0]),
        _parts,
    )


def _table_kind(table: GroupsTable) -> str:
    groups = table.partition
    if groups is None:
        return "whole"
    if isinstance(groups, PrivateKeys):
        return "find"
    is_one = groups.listed is None and len(groups.dimensions) == 1
    return _dimension_kind(groups.dimensions[0]) if is_one else "cross"


GROUP = one_of(
    {
        name: with_others(
            GroupsTable,
            "partition",
            *form,
            {
                "weight": EXACT.optional(1),
                "totals": BOUNDS.optional({}),
                "population": GUESS.optional(),
            },
        )
        for name, form in _PARTITIONS.items()
    },
    _table_kind,
)
GROUPS = one_or_many(GROUP)

_TEXTS = Field(
    lambda value, path: (many(TEXT) if isinstance(value, list) else mapping(TEXT)).read(
        value, path
    ),
    dict,
    {"type": ["array", "object"]},
)
_TABLE_NAME = Field(
    lambda value, path: (many(TEXT) if isinstance(value, list) else TEXT).read(
        value, path
    ),
    list,
    {"type": ["array", "string"]},
)


def _read_condition(value: Any, path: str) -> Condition:  # noqa: ANN401
    if not isinstance(value, list):
        refuse(path, 'must be a list such as ["day", ">=", "2026-11-09"]', value)
    parts = [_read_part(part, f"{path}[{nth}]") for nth, part in enumerate(value)]
    return made(path, lambda: as_condition(parts))  # type: ignore[no-any-return]


def _read_part(value: Any, path: str) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return many(_CONSTANT).read(value, path)
    return _CONSTANT.read(value, path)


def _write_part(part: Any) -> Any:  # noqa: ANN401
    return list(map(_write_key, part)) if isinstance(part, tuple) else _write_key(part)


_CONSTANT = Field(
    lambda value, path: (NUMBER if isinstance(value, float | Decimal) else _KEY).read(
        value, path
    ),
    _write_key,
    {"type": ["string", "boolean", "number", "object"]},
)
WHERE = many(
    Field(
        _read_condition,
        lambda condition: list(map(_write_part, condition)),
        {"type": "array", "minItems": 2, "maxItems": 3},
    )
)
_ROWS = {"partitions": _TEXTS.optional(()), "where": WHERE.optional(())}
_TABLE = {
    "url": TEXT,
    "table": _TABLE_NAME.optional(()),
    "path": TEXT.optional(),
    **_ROWS,
}
_FILES = {
    "path": TEXT,
    "columns": many(TEXT).optional(),
    "delimiter": TEXT.optional(","),
    "quote": TEXT.optional('"'),
    "decimal": TEXT.optional("."),
    "dates": TEXT.optional(ISO_DATES),
    **_ROWS,
}


def _files(path: str, **given: Any) -> Source:  # noqa: ANN401
    if not given:
        return checked_path(path)
    is_csv = not given.keys() <= _ROWS.keys() or path.endswith((".csv", ".csv.gz"))
    if is_csv and "partitions" in given:
        raise InvalidInput(
            "partitions are those of Parquet files, and these are CSV files.",
            field="partitions",
        )
    return (CsvFile if is_csv else ParquetFiles)(path, **given)


def _split_files(held: str | CsvFile | ParquetFiles) -> dict[str, Any]:
    usual = {name: part.default for name, part in _FILES.items()}
    if isinstance(held, str):
        return {**usual, "path": held}
    return {name: getattr(held, name, default) for name, default in usual.items()}


DATA = one_of(
    {
        "url": record(DatabaseTable, **_TABLE),
        "path": record(_files, _split_files, **_FILES),
    },
    lambda held: "url" if isinstance(held, DatabaseTable) else "path",
)
