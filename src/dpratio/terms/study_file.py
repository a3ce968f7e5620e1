"""A study as a document: TOML that a privacy officer reads, and tables inside a plan.

::

    title = "Is the score calibrated?"  # of its reports; public

    [data]
    path = "loans.parquet"  # or url = "postgres://host/database" and table = "loans"

    [ratio]                 # or several [[ratio]]
    numerator = "score"
    per = "label"
    weight = "weight"

    [bounds]
    score = { natural = [0, 1] }  # a probability; without natural, cuts are counted
    label = "binary"
    weight = [0.25, 3]

    [groups]                # or several [[groups]]; each is asked every ratio
    column = "region"
    keys = ["north", "south"]

    [privacy]
    epsilon = 1.0

The fields below are the only description of the format: they read a study and write it,
as TOML and inside a plan, and state its JSON Schema.
"""

import contextlib
import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from pathlib import Path
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
    list_or,
    made,
    many,
    mapping,
    one_of,
    parse_toml,
    record,
    refuse,
)
from dpratio.errors import DocumentRefused, FileRefused, InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
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
from dpratio.terms.question import Partition, Question, default_name, name_of_groups
from dpratio.terms.ratio import GUESSES, Ratio
from dpratio.terms.source import ISO_DATES, DatabaseTable, files_at
from dpratio.terms.study import MEASURED, Study, named
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")


def read_study(path: str | PathLike[str]) -> Study:
    """Read a study file.

    Args:
        path: A TOML file. Paths in it are kept as they are written, and begin at its
            folder.

    Returns:
        The study; `make_plan` makes its plan, and `release_sums` releases it.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is not TOML, or a field breaks a rule.

    Example:
        >>> import dpratio as dpr, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "study.toml")
        ...     _ = path.write_text('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')
        ...     dpr.read_study(path).budget
        Budget(epsilon=1, delta=0)
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise FileRefused(f"'{file}' cannot be read: {error.strerror}.") from None
    except ValueError:
        raise FileRefused(f"'{file}' cannot be read: it is not UTF-8.") from None
    try:
        return replace(parse_study(text), folder=str(file.parent))
    except DocumentRefused as error:
        raise DocumentRefused(f"{file}: {error}", field=error.field) from None


def parse_study(text: str) -> Study:
    """Read a study from the text of a TOML file.

    Args:
        text: The whole text of the file.

    Returns:
        The study; what the file leaves open has its default.

    Raises:
        DocumentRefused: When the text is not TOML, or a field breaks a rule; the
            message holds the field's path.

    Example:
        >>> import dpratio as dpr
        >>> dpr.parse_study('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''').budget
        Budget(epsilon=1, delta=0)
    """
    return STUDY.read(parse_toml(text), "$")  # type: ignore[no-any-return]


def study_to_toml(study: Study) -> str:
    """Write a study as the text of a TOML file; it need not come from one.

    Example:
        >>> print(study_to_toml(parse_study('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')))
        [ratio]
        numerator = "score"
        per = "label"
        ...
    """
    tables: dict[str, Any] = STUDY.write(study)
    title = tables.pop("title", None)
    lines = [] if title is None else [f"title = {_inline(title)}", ""]
    for name, written in tables.items():
        head = f"[{name}]" if isinstance(written, dict) else f"[[{name}]]"
        for table in [written] if isinstance(written, dict) else written:
            lines.append(head)
            lines += [f"{_key(key)} = {_inline(part)}" for key, part in table.items()]
            lines.append("")
    return "\n".join(lines)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _inline(name)


def _inline(value: Any) -> str:  # noqa: ANN401
    """Return a value as TOML writes it on one line."""
    if isinstance(value, str):
        # As JSON writes it, and without a bare DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        pairs = (f"{_key(name)} = {_inline(part)}" for name, part in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool | dt.date):
        return str(value).lower()
    if isinstance(value, Fraction | Decimal):
        text = decimal_text(Fraction(value))
        return json.dumps(text) if "/" in text else text
    # As people write it: 20, not 20.0.
    return repr(value).removesuffix(".0")


# --- The tables of ratios and groups --------------------------------------------------


@dataclass(frozen=True, slots=True)
class _GroupsTable:
    """One table of groups, with what holds for them alone; see `Question`."""

    groups: Partition = None
    budget_share: Fraction = Fraction(1)
    totals: Mapping[str, Bounds] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class _RatioTable:
    """One table of ratios.

    Args:
        answers: ``["ratio"]``, or ``["ratio", "means"]`` for means and curves;
            ``["ratio", "calibration"]`` for the test of calibration over bins (rows
            without ids or ``minus``, strategy ``focused``, guess 1, one stage); add
            ``"spread"`` with strategy ``joint`` or ``even`` for variances, correlations
            and slopes.
        name: The name of the question; by default made of its columns and groups.
        groups: Groups that are asked of this ratio alone, in place of those of
            ``[groups]``: a table as there, or a list of them.
    """

    ratio: Ratio
    answers: tuple[str, ...] = ("ratio",)
    name: str = ""
    groups: tuple[_GroupsTable, ...] | None = None


_WHOLE = (_GroupsTable(),)
_AS_THEY_ARE = ("title", "data", "bounds", "bounds_from", "unit")


def _study_of(
    ratio: Sequence[_RatioTable],
    privacy: Mapping[str, Any],
    groups: Sequence[_GroupsTable] = _WHOLE,
    population: Mapping[str, Any] | None = None,
    **others: Any,  # noqa: ANN401
) -> Study:
    summed = {name for table in ratio for name in table.ratio.totals}
    unknown = [name for table in groups for name in table.totals if name not in summed]
    if unknown:
        raise InvalidInput(f"no ratio adds up '{unknown[0]}'.", field="groups")
    questions = _questions(ratio, groups)
    return Study(questions, **privacy, **(population or {}), **others)


def _questions(
    ratios: Sequence[_RatioTable], groups: Sequence[_GroupsTable]
) -> list[Question]:
    """Ask every ratio of all groups, and then each of its own."""
    shared = [
        (ratio, table) for table in groups for ratio in ratios if not ratio.groups
    ]
    own = [(ratio, table) for ratio in ratios for table in ratio.groups or ()]
    return [
        Question(
            ratio.ratio,
            groups=table.groups,
            answers=ratio.answers,
            budget_share=table.budget_share,
            name=ratio.name and ratio.name + _by(table, ratio.groups or groups),
            totals={
                name: bounds
                for name, bounds in table.totals.items()
                if name in ratio.ratio.totals
            },
        )
        for ratio, table in (*shared, *own)
    ]


def _by(table: _GroupsTable, tables: Sequence[_GroupsTable]) -> str:
    """Return what tells questions apart whose ratio has a name and several groups."""
    return name_of_groups(table.groups) if len(tables) > 1 else ""


def _tables_of(study: Study) -> dict[str, Any]:
    """Return the tables of a study: each ratio and each groups once, if possible."""
    alone = [
        (
            _RatioTable(question.ratio, question.answers, "" if is_usual else name),
            _GroupsTable(question.groups, question.budget_share, question.totals),
        )
        for question in study.questions
        for name in [question.name]
        for is_usual in [name == default_name(question.ratio, question.groups)]
    ]
    groups = tuple({(own.groups, own.budget_share): own for _, own in alone}.values())
    ratios = list(
        dict.fromkeys(
            replace(ratio, name=ratio.name.removesuffix(_by(own, groups)))
            for ratio, own in alone
        )
    )
    if named(_questions(ratios, groups)) != study.questions:
        ratios = [replace(ratio, groups=(own,)) for ratio, own in alone]
        groups = _WHOLE
    return {
        **{name: getattr(study, name) for name in _AS_THEY_ARE},
        "ratio": ratios,
        "groups": groups,
        "privacy": study,
        "population": {} if (study.n, study.population) == (None, None) else study,
    }


# --- The fields -----------------------------------------------------------------------


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
            view=TEXT.optional(),
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


def _one_or_many(item: Field) -> Field:
    """Return the field of one table, or of a list of them; its value is a tuple."""
    several = many(item, least=1)
    single = replace(item, read=lambda value, path: (item.read(value, path),))
    return replace(
        list_or(several, single),
        write=lambda values: (
            item.write(values[0]) if len(values) == 1 else several.write(values)
        ),
    )


_POPULATION = beside(
    "population",
    replace(
        GUESS,
        read=lambda value, path: GUESS.read(value, path) if value else None,
        write=lambda guess: {} if guess is None else GUESS.write(guess),
    ),
    dict,
    (Study,),
    n=integer().optional(),
)
_GROUPS = _one_or_many(
    beside(
        "groups",
        PARTITION,
        _GroupsTable,
        (Question,),
        budget_share=EXACT.optional(1),
        totals=BOUNDS.optional({}),
    )
)

_CHOICES = {
    "strategy": TEXT.optional("focused"),
    "mechanism": TEXT.optional("auto"),
    "clipping": TEXT.optional(MEASURED),
    "stage": EXACT.optional(),
    "scope": TEXT.optional(),
}


STUDY = record(
    _study_of,
    _tables_of,
    title=TEXT.optional(),
    data=DATA.optional(),
    ratio=_one_or_many(
        beside(
            "ratio",
            record(
                Ratio,
                numerator=TEXT,
                per=TEXT,
                weight=TEXT.optional(),
                minus=TEXT.optional(),
                guess=NUMBER.optional(),
                guess_is=choice(*GUESSES).optional(GUESSES[0]),
                residual_bound=NUMBER.optional(),
            ),
            _RatioTable,
            answers=many(TEXT).optional(("ratio",)),
            name=TEXT.optional(""),
            groups=_GROUPS.optional(),
        )
    ),
    bounds=BOUNDS,
    bounds_from=mapping(TEXT).optional({}),
    groups=_GROUPS.optional(_WHOLE),
    unit=UNIT.optional(PrivacyUnit()),
    privacy=record(
        lambda epsilon, delta=0, **choices: {
            "budget": Budget(epsilon, delta),
            **choices,
        },
        lambda study: {
            "epsilon": study.budget.epsilon,
            "delta": study.budget.delta,
            **{name: getattr(study, name) for name in _CHOICES},
        },
        (Study, Budget),
        epsilon=EXACT,
        delta=EXACT.optional(0),
        **_CHOICES,
    ),
    population=_POPULATION.optional({}),
)
