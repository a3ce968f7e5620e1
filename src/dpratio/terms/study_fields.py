"""The fields of a study's terms: how each is read, written and stated."""

import contextlib
import datetime as dt
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

from dpratio.codec import (
    EXACT,
    NUMBER,
    TEXT,
    Field,
    Whole,
    choice,
    integer,
    list_or,
    made,
    many,
    mapping,
    one_of,
    record,
    refuse,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import (
    EVERY,
    KINDS,
    MOST_BINS,
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
    DatabaseTable,
    files_at,
)
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_WORDS = {"binary": Bounds.binary(), "ones": Bounds.ones()}
_PAIR = many(NUMBER, 2, 2)
_NATURAL = record(dict, None, natural=_PAIR)


def _read_bounds(value: Any, path: str) -> Bounds:  # noqa: ANN401
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    natural = isinstance(value, dict)
    ends = _NATURAL.read(value, path)["natural"] if natural else _PAIR.read(value, path)
    return made(path, lambda: Bounds(*ends, natural=natural))  # type: ignore[no-any-return]


def _write_bounds(bounds: Bounds) -> Any:  # noqa: ANN401
    if bounds.is_binary:
        return "ones" if bounds.is_one else "binary"
    ends = [bounds.lower, bounds.upper]
    return {"natural": ends} if bounds.natural else ends


BOUNDS = mapping(
    Field(
        _read_bounds,
        _write_bounds,
        {"anyOf": [{"enum": list(_WORDS)}, _PAIR.schema, _NATURAL.schema]},
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
        if kind == "integer" and _WHOLE_NUMBER.fullmatch(str(text)):
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
_DIMENSIONS = {
    "bins": record(
        ScoreBins,
        column=TEXT,
        bins=list_or(many(NUMBER), integer(1, MOST_BINS)),
    ),
    "every": record(Periods, column=TEXT, every=choice(*EVERY), first=_DAY, last=_DAY),
    "keys": record(
        Keys,
        lambda keys: {"column": keys.column, "keys": keys.values},
        column=TEXT,
        keys=many(_KEY),
    ),
}
_NAME_OF_DIMENSION = {ScoreBins: "bins", Periods: "every", Keys: "keys"}


def _one_dimension(dimension: Field) -> Field:
    """Return the field of groups of one dimension."""
    return replace(
        dimension,
        read=lambda value, path: Groups.cross(dimension.read(value, path)),
        write=lambda groups: dimension.write(groups.dimensions[0]),
    )


def _read_true(value: Any, path: str) -> bool:  # noqa: ANN401
    if value is not True:
        refuse(path, "must be true, or left out", value)
    return True


TRUE = Field(_read_true, bool, {"const": True})


def _kind_of_groups(groups: Partition) -> str:
    if groups is None:
        return "whole"
    if isinstance(groups, PrivateKeys):
        return "find"
    if groups.listed is not None:
        return "columns"
    is_one = len(groups.dimensions) == 1
    return _NAME_OF_DIMENSION[type(groups.dimensions[0])] if is_one else "cross"


PARTITION = one_of(
    {
        "whole": record(
            lambda **_: None,
            lambda _: {"whole": True},
            whole=TRUE.described("One answer for the whole table"),
        ),
        "cross": record(
            lambda cross: Groups.cross(*cross),
            lambda groups: {"cross": groups.dimensions},
            cross=many(
                one_of(_DIMENSIONS, lambda part: _NAME_OF_DIMENSION[type(part)])
            ).described("Tables of which every combination of keys is a group"),
        ),
        "find": record(
            lambda column, find, kind="text": PrivateKeys(column, find, kind),
            lambda keys: {
                "column": keys.column,
                "find": keys.budget,
                "kind": keys.kind,
            },
            (PrivateKeys,),
            column=TEXT,
            find=record(Budget, epsilon=EXACT, delta=EXACT).described(
                "The ``epsilon`` and ``delta`` that finding the keys may cost"
            ),
            kind=choice(*KINDS).optional("text"),
        ),
        "columns": record(Groups, columns=many(TEXT), keys=many(many(_KEY))),
        **{name: _one_dimension(part) for name, part in _DIMENSIONS.items()},
    },
    _kind_of_groups,
)
_CONSTANT = Field(
    lambda value, path: (NUMBER if isinstance(value, float | Decimal) else _KEY).read(
        value, path
    ),
    _write_key,
    {"type": ["string", "boolean", "number", "object"]},
)
WHERE = many(many(list_or(many(_CONSTANT), _CONSTANT)))
_ROWS = {
    "partitions": replace(mapping(TEXT), write=dict).optional(()),
    "where": WHERE.optional(()),
}
_DIALECT = {
    "columns": many(TEXT).optional(),
    "delimiter": TEXT.optional(","),
    "quote": TEXT.optional('"'),
    "decimal": TEXT.optional("."),
    "dates": TEXT.optional(ISO_DATES),
}


DATA = one_of(
    {
        "url": record(
            DatabaseTable,
            url=TEXT,
            table=list_or(many(TEXT), TEXT).optional(()),
            path=TEXT.optional(),
            **_ROWS,
        ),
        "path": record(
            files_at,
            lambda files: {
                name: getattr(files, name, part.default)
                for name, part in {"path": TEXT, **_DIALECT, **_ROWS}.items()
            },
            path=TEXT,
            **_DIALECT,
            **_ROWS,
        ),
    },
    lambda source: "url" if isinstance(source, DatabaseTable) else "path",
)
