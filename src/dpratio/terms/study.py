"""A study: everything that is promised before data are seen, and what is approved."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePath

from dpratio.checks import require
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.guess import Guess
from dpratio.terms.question import (
    Asked,
    Partition,
    Question,
    default_name,
    is_share,
    settle_bounds,
    told_apart,
)
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import PERIOD, CsvFile, ParquetFiles, checked_path
from dpratio.terms.unit import PrivacyUnit

__all__ = ["CLIPPINGS", "MEASURED", "UNMEASURED", "Study", "as_title", "read_title"]

MEASURED, UNMEASURED = CLIPPINGS = ("measured", "unmeasured")
Source = str | CsvFile | ParquetFiles | DatabaseTable

_LONGEST_TITLE = 200
_PERIOD = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(r"\S[^\n\r]{0,199}")


@dataclass(frozen=True, slots=True, init=False)
class Study:
    """What is asked, of whom, within which bounds, at what price, and of which data.

    Args:
        questions: A `Ratio`, a `Question`, or a list of them. A ratio is asked of all
            ``groups``; a question names its own.
        bounds: The public range of each column of the ratios, and of binned columns.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer. A list asks
            for several partitions at once, from one budget.
        unit: Who is protected; by default one row, added or removed.
        weights: How the budget is shared between partitions; equally by default.
        answers: What is wanted of every ratio.
        strategy: Which sums are measured; see `make_plan`.
        mechanism: Which noise they get; see `make_plan`.
        n: About how many people an answer is about: a public guess, or None.
        guess: What they are like: a public guess, or None.
        stage: The share of epsilon that a first stage spends on finding the guess of
            every ratio, 0 for none, or None where the planner decides; see `make_plan`.
        clipping: Whether a release counts how many units the bounds cut: by default it
            does; see `make_plan`.
        data: Which table is read: a path, `CsvFile`, `ParquetFiles`,
            `DatabaseTable`, or None.
        scope: The dataset's name in the ledger, or None.
        bounds_from: Where the bounds of a column come from, in words, for whoever
            approves the study. It is no term: no price and no hash depends on it.
        title: What its reports are called, or None; published with every release.
        folder: Where paths of its data begin: the folder of a study file, or None for
            the one that a program runs in.
        period: What ``{period}`` in the path of its data stands for, as ``2026-W46``;
            it may stand there once. None where nothing is released. Like the folder it
            is no term: studies that differ in nothing else are equal, and approved
            once.

    Raises:
        InvalidInput: When a question breaks a rule. Terms that do not fit each other
            are refused by `make_plan`.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.Study(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={
        ...         "score": dpr.Bounds(0, 1, natural=True),
        ...         "label": dpr.Bounds.binary(),
        ...     },
        ...     groups=[None, dpr.Groups("region", ["north", "south"])],
        ...     budget=dpr.Budget(epsilon=1),
        ...     data="loans.parquet",
        ... )
        >>> [question.name for question in study.questions]
        ['score per label', 'score per label by region']
    """

    questions: tuple[Question, ...]
    bounds: Mapping[str, Bounds]
    budget: Budget
    unit: PrivacyUnit
    strategy: str
    mechanism: str
    n: int | None
    guess: Guess | None
    stage: Fraction | None
    clipping: str
    data: Source | None
    scope: str | None
    bounds_from: Mapping[str, str] = field(compare=False)
    title: str | None
    folder: str | None = field(compare=False)
    period: str | None = field(compare=False)

    def __init__(  # noqa: PLR0913 (keyword-only terms)
        self,
        questions: Ratio | Question | Sequence[Ratio | Question],
        *,
        bounds: Mapping[str, Bounds],
        budget: Budget,
        groups: Asked | Sequence[Asked] = None,
        unit: PrivacyUnit | None = None,
        weights: Sequence[float | Fraction] | None = None,
        answers: Sequence[str] = ("ratio",),
        strategy: str = "focused",
        mechanism: str = "auto",
        n: int | None = None,
        guess: Guess | None = None,
        stage: float | Fraction | None = None,
        clipping: str = MEASURED,
        data: Source | None = None,
        scope: str | None = None,
        bounds_from: Mapping[str, str] | None = None,
        title: str | None = None,
        folder: str | None = None,
        period: str | None = None,
    ) -> None:
        partitions = tuple(groups) if isinstance(groups, list | tuple) else (groups,)
        asked = _questions(questions, partitions, weights, answers)
        unit = PrivacyUnit() if unit is None else unit
        settled, unit = settle_bounds(asked, bounds, unit)
        fields = {
            "questions": asked,
            "bounds": settled,
            "budget": budget,
            "unit": unit,
            "strategy": strategy,
            "mechanism": mechanism,
            "n": n,
            "guess": guess,
            "stage": _read_stage(stage),
            "clipping": clipping,
            "data": checked_path(data) if isinstance(data, str) else data,
            "scope": scope,
            "bounds_from": _read_origins(bounds_from or {}, settled),
            "title": as_title(title),
            "folder": folder,
            "period": _read_period(period, data),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The groups that are asked of, each once, in the order of the questions."""
        kept: list[Partition] = []
        for question in self.questions:
            if question.groups not in kept:
                kept.append(question.groups)
        return tuple(kept)

    @property
    def table(self) -> Source | None:
        """Its data, as seen from where a program runs; None where it names none."""
        data = self.data
        if data is None:
            return None
        if isinstance(data, DatabaseTable):
            return data if self.folder is None else data.beside(PurePath(self.folder))
        path = data if isinstance(data, str) else data.path
        if self.period is not None:
            path = path.replace(PERIOD, self.period)
        if self.folder is not None:
            path = _beside(self.folder, path)
        return path if isinstance(data, str) else data.at(path)

    def require_period(self) -> None:
        """Refuse data of which nobody said the period.

        Raises:
            InvalidInput: When their path holds ``{period}`` and no period is given.
        """
        path = _path_of(self.data)
        open_path = self.period is None and path is not None and PERIOD in path
        hint = "Say --period 2026-W46, or in Python replace(study, period='2026-W46')."
        rule = "the data of this study are those of one period"
        require(not open_path, rule, path, hint)


def _path_of(data: Source | None) -> str | None:
    """The path of files; None where a database or nothing is named."""
    if data is None or isinstance(data, DatabaseTable):
        return None
    return data if isinstance(data, str) else data.path


def _read_period(period: object, data: Source | None) -> str | None:
    """Take the name of a period, where the path of files has a place for it."""
    if period is None:
        return None
    rule = "a period is named by letters, digits and hyphens"
    named = isinstance(period, str) and _PERIOD.fullmatch(period) is not None
    require(named, rule, period, "Write for instance 2026-W46.")
    path = _path_of(data)
    rule = "a period goes where the path of the data says {period}"
    hint = "Write for instance path = 'weeks/{period}.csv' under [data]."
    require(path is not None and PERIOD in path, rule, path, hint)
    return str(period)


def _read_origins(told: object, bounds: Mapping[str, Bounds]) -> Mapping[str, str]:
    """Take a line about each column whose bounds come from somewhere."""
    rule = "bounds_from says in a line where the bounds of a column come from"
    lines = told if isinstance(told, Mapping) else {}
    read = lines is told and all(
        name in bounds and isinstance(line, str) and _LINE.fullmatch(line)
        for name, line in lines.items()
    )
    hint = "Write for instance spend = 'the till refuses more than 400'."
    require(read, rule, told, hint)
    return dict(lines)


def _beside(folder: str, path: str) -> str:
    # An address would lose a slash, and so would a folder; a variable may hold a
    # whole path.
    is_whole = "://" in path or path.startswith("${")
    slash = "/" if path.endswith("/") else ""
    return path if is_whole else f"{PurePath(folder, path)}{slash}"


def _questions(
    given: Ratio | Question | Sequence[Ratio | Question],
    partitions: tuple[Asked, ...],
    weights: Sequence[float | Fraction] | None,
    answers: Sequence[str],
) -> tuple[Question, ...]:
    """Ask every ratio of every partition; take questions as they are."""
    asked = tuple(given) if isinstance(given, list | tuple) else (given,)
    if any(isinstance(each, Question) for each in asked):
        free = partitions == (None,) and weights is None
        hint = "Write Question(Ratio(…), groups=…, share=…)."
        require(free, "questions name their own groups and shares", partitions, hint)
        return _named([_as_question(each, None, answers, 1) for each in asked])
    shares = [1] * len(partitions) if weights is None else list(weights)
    fits = len(shares) == len(partitions) and all(map(is_share, shares))
    require(fits, "each partition has one positive weight", shares)
    return _named(
        [
            _as_question(ratio, groups, answers, share)
            for groups, share in zip(partitions, shares, strict=True)
            for ratio in asked
        ]
    )


def _read_stage(share: object) -> Fraction | None:
    """Take the share of a first stage; 0 for none, None where the planner decides."""
    if share is None:
        return None
    if share == 0 and share is not False:
        return Fraction(0)
    rule = "the share of a first stage must lie between 0 and 1"
    hint = "Write stage=0.05, or stage=0 for none."
    require(is_share(share) and share < 1, rule, share, hint)  # type: ignore[operator]
    # The decimal that was written.
    return Fraction(str(share))


def _as_question(
    given: Ratio | Question,
    groups: Asked,
    answers: Sequence[str],
    share: float | Fraction,
) -> Question:
    if isinstance(given, Question):
        return given
    return Question(given, groups=groups, share=share, answers=answers)


def _named(questions: list[Question]) -> tuple[Question, ...]:
    """Number questions that nobody named and that would be called the same."""
    names = told_apart([each.name for each in questions])
    return tuple(
        replace(each, name=name) if _is_unnamed(each) else each
        for each, name in zip(questions, names, strict=True)
    )


def _is_unnamed(question: Question) -> bool:
    return question.name == default_name(question.ratio, question.groups)


def as_title(given: object) -> str | None:
    """Take a title; None where there is none.

    Raises:
        InvalidInput: When it is not one line of words.
    """
    if given is None:
        return None
    is_line = isinstance(given, str) and given.isprintable() and given.strip() == given
    rule = f"a title is one line of up to {_LONGEST_TITLE} letters"
    fits = is_line and 0 < len(str(given)) <= _LONGEST_TITLE
    require(fits, rule, given, "It is published with every release.")
    return str(given)


def read_title(node: Node | None) -> str | None:
    """Read the title of a document that may have none."""
    return None if node is None else node.make(lambda: as_title(node.text()))
