"""The fields of a study: how each of its tables is read, written and stated."""

import contextlib
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpratio.codec import (
    EXACT,
    NUMBER,
    TEXT,
    Field,
    Whole,
    beside,
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
from dpratio.terms.groups import (
    EVERY,
    KINDS,
    MOST_BINS,
    Dimension,
    Groups,
    Key,
    Keys,
    Periods,
    PrivateKeys,
    ScoreBins,
)
from dpratio.terms.population import MeanSd, Population
from dpratio.terms.question import Partition
from dpratio.terms.source import (
    ISO_DATES,
    Condition,
    CsvFile,
    DatabaseTable,
    ParquetFiles,
    as_condition,
    checked_path,
)
from dpratio.terms.study import Source
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class GroupsTable:
    """One table of groups, with what holds for them alone.

    Args:
        budget_share: Its part of the budget beside the other tables.
        totals: Those of ``[unit]`` for these groups alone, such as monthly totals
            beside yearly ones. Totals that are not named are those of ``[unit]``.
    """

    partition: Partition
    budget_share: Fraction = Fraction(1)
    totals: Mapping[str, Bounds] = field(default_factory=dict, hash=False)


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
    noun=TEXT.optional(),
)


_COLUMN = record(MeanSd, mean=NUMBER, sd=NUMBER.optional())
GUESS = record(
    Population,
    numerator=_COLUMN,
    per=_COLUMN,
    weight=_COLUMN.optional(),
    correlation=NUMBER.optional(0.0),
    weight_with_numerator=NUMBER.optional(0.0),
    weight_with_per=NUMBER.optional(0.0),
)
_GUESS_OR_NONE = replace(
    GUESS,
    read=lambda value, path: GUESS.read(value, path) if value else None,
    write=lambda guess: {} if guess is None else GUESS.write(guess),
)


def _population(
    population: Population | None, n: int | None = None
) -> tuple[int | None, Population | None]:
    """Return how many people there are, and what they are like.

    Args:
        population: What they are like.
        n: About how many people an answer is about. It may stand alone.
    """
    return n, population


POPULATION = beside(
    _GUESS_OR_NONE,
    _population,
    lambda population: (population[1], {"n": population[0]}),
    n=integer().optional(),
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


_DIMENSIONS = {
    "bins": record(
        ScoreBins,
        column=TEXT,
        bins=Field(_read_bins, lambda bins: bins, {"type": ["integer", "array"]}),
    ),
    "every": record(Periods, column=TEXT, every=choice(*EVERY), first=_DAY, last=_DAY),
    "keys": record(
        Keys,
        lambda keys: {"column": keys.column, "keys": keys.values},
        column=TEXT,
        keys=many(_KEY),
    ),
}


def _kind_of_dimension(dimension: Dimension) -> str:
    if isinstance(dimension, Keys):
        return "keys"
    return "bins" if isinstance(dimension, ScoreBins) else "every"


def _one_dimension(dimension: Field) -> Field:
    """Return the field of groups of one dimension."""
    return replace(
        dimension,
        read=lambda value, path: Groups.cross(dimension.read(value, path)),
        write=lambda groups: dimension.write(groups.dimensions[0]),
    )


def _crossed(
    cross: Sequence[Dimension], cells: Sequence[tuple[int, ...]] | None = None
) -> Groups:
    """Return crossed groups.

    Args:
        cross: Tables of keys, bins and periods, of which every combination is a cell.
        cells: Some of the combinations, by the places of their keys from 0.
    """
    groups = Groups.cross(*cross)
    return groups if cells is None else groups.only(cells)


def _listed(columns: Sequence[str], keys: Sequence[tuple[Key, ...]]) -> Groups:
    """Return groups of several columns.

    Args:
        columns: Several columns.
        keys: The cells, each a list with one key per column.
    """
    return Groups(columns, keys)


def _whole(whole: bool) -> None:  # noqa: FBT001 (the field itself says it)
    """Return no groups.

    Args:
        whole: One answer for the whole table.
    """


def _read_true(value: Any, path: str) -> bool:  # noqa: ANN401
    if value is not True:
        refuse(path, "must be true, or left out", value)
    return True


def _found(column: str, find: Budget, kind: str = "text") -> PrivateKeys:
    """Return keys that are found privately.

    Args:
        column: The column that holds the keys.
        find: The ``epsilon`` and ``delta`` that finding the keys takes from the budget.
        kind: ``"text"``, ``"integer"``, ``"boolean"`` or ``"date"``.
    """
    return PrivateKeys(column, find, kind)


_PARTITIONS = {
    "whole": record(
        _whole,
        lambda _: {"whole": True},
        whole=Field(_read_true, bool, {"const": True}),
    ),
    "cross": record(
        _crossed,
        lambda groups: {"cross": groups.dimensions, "cells": groups.listed},
        cross=many(one_of(_DIMENSIONS, _kind_of_dimension)),
        cells=many(many(integer())).optional(),
    ),
    "find": record(
        _found,
        lambda keys: {"column": keys.column, "find": keys.budget, "kind": keys.kind},
        column=TEXT,
        find=record(Budget, epsilon=EXACT, delta=EXACT),
        kind=choice(*KINDS).optional("text"),
    ),
    # Written as those that are crossed.
    "columns": record(_listed, columns=many(TEXT), keys=many(many(_KEY))),
    **{name: _one_dimension(dimension) for name, dimension in _DIMENSIONS.items()},
}


def _kind_of_table(table: GroupsTable) -> str:
    groups = table.partition
    if groups is None:
        return "whole"
    if isinstance(groups, PrivateKeys):
        return "find"
    is_one = groups.listed is None and len(groups.dimensions) == 1
    return _kind_of_dimension(groups.dimensions[0]) if is_one else "cross"


def _split_table(table: GroupsTable) -> tuple[Partition, Mapping[str, Any]]:
    return table.partition, {"budget_share": table.budget_share, "totals": table.totals}


GROUP = one_of(
    {
        name: beside(
            partition,
            GroupsTable,
            _split_table,
            budget_share=EXACT.optional(1),
            totals=BOUNDS.optional({}),
        )
        for name, partition in _PARTITIONS.items()
    },
    _kind_of_table,
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
