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

import datetime as dt
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.checks import require
from dpratio.codec import (
    EXACT,
    NUMBER,
    TEXT,
    choice,
    many,
    mapping,
    record,
)
from dpratio.errors import DocumentRefused, FileRefused, InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.guess import Guess
from dpratio.terms.question import Partition, Question, default_name
from dpratio.terms.ratio import COUNTED, GUESSES, Ratio
from dpratio.terms.study import MEASURED, Study, named
from dpratio.terms.study_fields import (
    BOUNDS,
    DATA,
    GROUPS,
    POPULATION,
    UNIT,
    GroupsTable,
    one_or_many,
    with_others,
)
from dpratio.terms.unit import PrivacyUnit

__all__ = ["STUDY", "parse_study", "read_study", "study_to_toml"]

_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# Names joined by dots: the time that they take to read grows with their square.
_LONG_NAME = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{50}}", re.MULTILINE
)
# How dpratio begins what it writes as JSON.
_OTHER = re.compile(r'\s*\{.{0,200}?"format": ?"dpratio-(release|plan)"', re.DOTALL)
_FILE_NAME = re.compile(r"[^\n=\[]+\.toml")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _RatioTable:
    """One table of ratios, asked of all groups or, where it has its own, of these."""

    ratio: Ratio
    answers: tuple[str, ...] = ("ratio",)
    name: str = ""
    groups: tuple[GroupsTable, ...] | None = None


_WHOLE_TABLE = GroupsTable(None)


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
        >>> study = dpr.parse_study('''
        ... ratio = { numerator = "score", per = "label" }
        ... bounds = { score = [0, 1], label = "binary" }
        ... privacy = { epsilon = 1 }
        ... ''')
        >>> study.questions[0].name, study.budget
        ('score per label', Budget(epsilon=1, delta=0))
    """
    hint = "Read a file with read_study('study.toml')."
    is_text = isinstance(text, str) and not _FILE_NAME.fullmatch(text)
    require(is_text, "a study is parsed from its text", text, hint)
    if _LONG_NAME.search(text):
        raise DocumentRefused(
            "$: a field of the study has more than 50 names in a row."
        )
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        found = _OTHER.match(text)
        if found:
            raise DocumentRefused(
                f"$: this is a {found[1]} (JSON), and a study is wanted: the TOML file "
                f"that the {found[1]} was made from."
            ) from None
        raise DocumentRefused(f"$: the study is not valid TOML: {error}.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise DocumentRefused(
            "$: the study is not valid TOML: a number is too long or a list too deep."
        ) from None
    study: Study = STUDY.read(document, "$")
    return study


def study_to_toml(study: Study, comments: Mapping[str, str] | None = None) -> str:
    """Write a study as the text of a TOML file.

    Args:
        study: It need not come from a file.
        comments: Lines to write above tables, by their names.

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
    for name, table in tables.items():
        head = f"[{name}]" if isinstance(table, dict) else f"[[{name}]]"
        for part in [table] if isinstance(table, dict) else table:
            said = (comments or {}).get(name)
            lines += [] if said is None else [f"# {said}"]
            lines.append(head)
            lines += [f"{_key(key)} = {_inline(held)}" for key, held in part.items()]
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
        pairs = (f"{_key(name)} = {_inline(held)}" for name, held in value.items())
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


def _study_of(
    ratio: Sequence[_RatioTable],
    bounds: Mapping[str, Bounds],
    privacy: Mapping[str, Any],
    groups: Sequence[GroupsTable] = (_WHOLE_TABLE,),
    population: tuple[int | None, Guess | None] = (None, None),
    **others: Any,  # noqa: ANN401
) -> Study:
    added = {name for table in ratio for name in table.ratio.totals}
    unknown = [name for table in groups for name in table.totals if name not in added]
    if unknown:
        raise InvalidInput(f"no ratio adds up '{unknown[0]}'", field="groups")
    n, guess = population
    questions = _questions(ratio, groups)
    return Study(questions, bounds=bounds, n=n, guess=guess, **privacy, **others)


def _questions(
    ratios: Sequence[_RatioTable], groups: Sequence[GroupsTable]
) -> list[Question]:
    """Ask every ratio of all groups, and then each of its own."""
    pairs = [
        *((asked, table) for table in groups for asked in ratios if not asked.groups),
        *((asked, table) for asked in ratios for table in asked.groups or ()),
    ]
    return [
        Question(
            asked.ratio,
            groups=table.partition,
            answers=asked.answers,
            share=table.weight,
            # Questions of several groups are told apart where their ratio has a name.
            name=asked.name
            and asked.name + _by(table.partition, asked.groups or groups),
            totals={
                name: bounds
                for name, bounds in table.totals.items()
                if name in asked.ratio.totals
            },
            guess=table.population,
        )
        for asked, table in pairs
    ]


def _by(partition: Partition, tables: Sequence[GroupsTable]) -> str:
    columns = getattr(partition, "columns", ()) if len(tables) > 1 else ()
    return f" by {' and '.join(columns)}" if columns else ""


def _tables_of(study: Study) -> dict[str, Any]:
    """Return the tables of a study: each ratio and each groups once, if possible."""
    groups: dict[Any, GroupsTable] = {}
    for asked in study.questions:
        same = (asked.groups, asked.share, asked.guess)
        before = groups[same].totals if same in groups else {}
        totals = {**before, **asked.totals}
        groups[same] = GroupsTable(asked.groups, asked.share, totals, asked.guess)
    tables = tuple(groups.values())
    ratios: Sequence[_RatioTable] = list(
        dict.fromkeys(
            _RatioTable(
                asked.ratio,
                asked.answers,
                _own_name(asked).removesuffix(_by(asked.groups, tables)),
            )
            for asked in study.questions
        )
    )
    if named(_questions(ratios, tables)) != study.questions:
        ratios = [
            _RatioTable(asked.ratio, asked.answers, _own_name(asked), (_alone(asked),))
            for asked in study.questions
        ]
        tables = (_WHOLE_TABLE,)
    # What is counted as 1 has bounds of its own accord.
    counted = {asked.ratio.per for asked in study.questions} & set(COUNTED)
    budget = {"epsilon": study.budget.epsilon, "delta": study.budget.delta}
    own = ("title", "data", "bounds_from", "unit")
    chosen = ("strategy", "mechanism", "clipping", "stage", "scope")
    return {
        **{name: getattr(study, name) for name in own},
        "ratio": ratios,
        "bounds": {
            name: bounds
            for name, bounds in study.bounds.items()
            if not (bounds.is_one and name in counted)
        },
        "groups": tables,
        "privacy": {**budget, **{name: getattr(study, name) for name in chosen}},
        "population": (study.n, study.guess),
    }


def _own_name(question: Question) -> str:
    usual = default_name(question.ratio, question.groups)
    return "" if question.name == usual else question.name


def _alone(asked: Question) -> GroupsTable:
    return GroupsTable(asked.groups, asked.share, asked.totals, asked.guess)


_RATIO = {
    "numerator": TEXT,
    "per": TEXT,
    "weight": TEXT.optional(),
    "minus": TEXT.optional(),
    "guess": NUMBER.optional(),
    "guess_is": choice(*GUESSES).optional(GUESSES[0]),
    "residual_bound": NUMBER.optional(),
}
_RATIOS = one_or_many(
    with_others(
        _RatioTable,
        "ratio",
        Ratio,
        lambda ratio: {name: getattr(ratio, name) for name in _RATIO},
        _RATIO,
        {
            "answers": many(TEXT).optional(("ratio",)),
            "name": TEXT.optional(""),
            "groups": GROUPS.optional(),
        },
    )
)

_PRIVACY = {
    "epsilon": EXACT,
    "delta": EXACT.optional(0),
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
    ratio=_RATIOS,
    bounds=BOUNDS,
    bounds_from=mapping(TEXT).optional({}),
    groups=GROUPS.optional((_WHOLE_TABLE,)),
    unit=UNIT.optional(PrivacyUnit()),
    privacy=record(
        lambda epsilon, delta=0, **given: {"budget": Budget(epsilon, delta), **given},
        lambda held: held,
        **_PRIVACY,
    ),
    population=POPULATION.optional((None, None)),
)
