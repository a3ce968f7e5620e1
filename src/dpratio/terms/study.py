"""A study: everything that is promised before data are seen, and what is approved."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import Population
from dpratio.terms.question import (
    Asked,
    Partition,
    Question,
    default_name,
    is_share,
    told_apart,
)
from dpratio.terms.ratio import COUNTED, Ratio
from dpratio.terms.source import (
    PERIOD,
    CsvFile,
    DatabaseTable,
    ParquetFiles,
    checked_path,
)
from dpratio.terms.unit import PrivacyUnit

MEASURED, UNMEASURED = CLIPPINGS = ("measured", "unmeasured")
Source = str | CsvFile | ParquetFiles | DatabaseTable

_LONGEST_TITLE = 200
_PERIOD = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(r"\S[^\n\r]{0,199}")
# Whoever has several rows counts once all the same: nothing of them is cut.
_ONCE = Bounds(0, 1, natural=True)


@dataclass(frozen=True, slots=True, init=False)
class Study:
    """What is asked, of whom, within which bounds, at what price, and of which data.

    Args:
        questions: A `Ratio`, a `Question`, or a list of them. A ratio is asked of all
            ``groups``; a question names its own.
        bounds: The public range of each column of the ratios, and of binned columns.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer. A list asks
            for several partitions at once, from one budget. A dimension stands for
            groups of it alone. Questions with shares divide it unequally.
        unit: Who is protected; by default one row, added or removed.
        answers: ``("ratio",)``, or ``("ratio", "means")`` for means as well;
            ``"spread"`` among them, with ``"joint"`` or ``"even"``, for variances,
            correlation and slope; ``("ratio", "calibration")`` for a plan made for
            the test of calibration over bins.
        strategy: ``"focused"`` measures what the ratio needs most precisely;
            ``"joint"`` and ``"even"`` measure the sums of Miao & Li (2022), as one
            vector or each at an equal share.
        mechanism: ``"laplace"``, ``"analytic_gaussian"``, ``"classical_gaussian"``
            (only with ``"even"``), or ``"auto"``: the one that promises less width.
        n: About how many people an answer is about; a public guess, as is
        population: what they are like, or their totals. Both only decide how the
            budget is shared, and around which ratio where that has no guess of its own.
        stage: A share of epsilon that a first stage spends on finding the guess of
            every ratio; 0 for one stage. By default 0.05 where nobody guessed, unless
            all ratios are of a score per label.
        clipping: ``"measured"`` counts the units that bounds cut, of each group, where
            any bound may cut; those that are declared natural cannot, and cost nothing.
            The count widens answers by 2 % at most. ``"unmeasured"`` does not count,
            and neither does a plan in which the count would see next to nothing.
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
    population: Population | None
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
        answers: Sequence[str] = ("ratio",),
        strategy: str = "focused",
        mechanism: str = "auto",
        n: int | None = None,
        population: Population | None = None,
        stage: float | Fraction | None = None,
        clipping: str = MEASURED,
        data: Source | None = None,
        scope: str | None = None,
        bounds_from: Mapping[str, str] | None = None,
        title: str | None = None,
        folder: str | None = None,
        period: str | None = None,
    ) -> None:
        settled = _questions(questions, groups, answers)
        unit = PrivacyUnit() if unit is None else unit
        bounds, unit = _with_counted(settled, bounds, unit)
        fields = {
            "questions": settled,
            "bounds": bounds,
            "budget": budget,
            "unit": unit,
            "strategy": strategy,
            "mechanism": mechanism,
            "n": n,
            "population": population,
            "stage": _stage_of(stage),
            "clipping": clipping,
            "data": checked_path(data) if isinstance(data, str) else data,
            "scope": scope,
            "bounds_from": _origins_of(bounds_from or {}, bounds),
            "title": as_title(title),
            "folder": folder,
            "period": _period_of(period, data),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The groups that are asked of, each once, in the order of the questions."""
        groups = [question.groups for question in self.questions]
        return tuple(dict.fromkeys(groups))

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
        return path if isinstance(data, str) else replace(data, path=path)

    def require_period(self) -> None:
        """Raise InvalidInput if the data are of a period, and none is given."""
        path = _path_of(self.data)
        if self.period is None and path is not None and PERIOD in path:
            raise InvalidInput(
                f"the data of this study are those of one period, got {path!r}. Say "
                "--period 2026-W46, or in Python replace(study, period='2026-W46').",
                field="period",
            )


def _path_of(data: Source | None) -> str | None:
    """Return the path of files; None where a database or nothing is named."""
    if data is None or isinstance(data, DatabaseTable):
        return None
    return data if isinstance(data, str) else data.path


def _period_of(period: object, data: Source | None) -> str | None:
    if period is None:
        return None
    if not isinstance(period, str) or not _PERIOD.fullmatch(period):
        raise InvalidInput(
            "a period is named by letters, digits and hyphens, got "
            f"{show_given(period)}. Write for instance 2026-W46.",
            field="period",
        )
    path = _path_of(data)
    if path is None or PERIOD not in path:
        raise InvalidInput(
            "a period goes where the path of the data says {period}, got "
            f"{show_given(path)}. Write for instance path = 'weeks/{{period}}.csv' "
            "under [data].",
            field="data",
        )
    return period


def _origins_of(lines: object, bounds: Mapping[str, Bounds]) -> Mapping[str, str]:
    """Return a line about each column whose bounds come from somewhere."""
    if not isinstance(lines, Mapping) or not all(
        name in bounds and isinstance(line, str) and _LINE.fullmatch(line)
        for name, line in lines.items()
    ):
        raise InvalidInput(
            "bounds_from says in a line where the bounds of a column come from, got "
            f"{show_given(lines)}. Write for instance spend = 'the till refuses more "
            "than 400'.",
            field="bounds_from",
        )
    return dict(lines)


def _beside(folder: str, path: str) -> str:
    # An address would lose a slash, and so would a folder; a variable may hold a
    # whole path.
    is_whole = "://" in path or path.startswith("${")
    slash = "/" if path.endswith("/") else ""
    return path if is_whole else f"{PurePath(folder, path)}{slash}"


def _questions(
    questions: Ratio | Question | Sequence[Ratio | Question],
    groups: Asked | Sequence[Asked],
    answers: Sequence[str],
) -> tuple[Question, ...]:
    """Return a question for every ratio and partition; questions stay as they are."""
    listed: Any = questions if isinstance(questions, list | tuple) else [questions]
    partitions: Any = groups if isinstance(groups, list | tuple) else [groups]
    if groups is not None and any(isinstance(part, Question) for part in listed):
        raise InvalidInput(
            "questions name their own groups. Write Question(Ratio(…), groups=…).",
            field="groups",
        )
    return named(
        [
            part
            if isinstance(part, Question)
            else Question(part, groups=partition, answers=answers)
            for partition in partitions
            for part in listed
        ]
    )


def _with_counted(
    questions: Sequence[Question], bounds: Mapping[str, Bounds], unit: PrivacyUnit
) -> tuple[Mapping[str, Bounds], PrivacyUnit]:
    """Return bounds and unit with those of what is counted, which are 1."""
    if not isinstance(bounds, Mapping) or not isinstance(unit, PrivacyUnit):
        return bounds, unit  # Refused by `make_plan`.
    for question in questions:
        name = question.ratio.per
        if name in COUNTED and name not in bounds:
            bounds = {**bounds, name: Bounds.ones()}
        if name == "people" and bounds[name] == Bounds.ones():
            _require_people(question, unit)
            unit = replace(unit, totals={**unit.totals, name: _ONCE})
    return bounds, unit


def _require_people(question: Question, unit: PrivacyUnit) -> None:
    """Raise InvalidInput unless every person has an id, and counts once."""
    if unit.column is None:
        raise InvalidInput(
            "people are counted by their ids, got rows without ids. Name the column of "
            "their ids: PrivacyUnit(…), or [unit] in a study.",
            field="unit",
        )
    own = unit.totals.get("people", _ONCE)
    if (own.lower, own.upper) != (0, 1) or "people" in question.totals:
        raise InvalidInput(
            "people count once each: totals of 'people' are 0 to 1. Leave them out.",
            field="unit",
        )
    if question.ratio.weight is not None:
        raise InvalidInput(
            "people are counted without weights, got "
            f"{show_given(question.ratio.weight)}. Leave the weight out, or count "
            "'rows'.",
            field="ratio",
        )


def _stage_of(share: object) -> Fraction | None:
    """Return the share of a first stage; 0 for none, None if the planner decides."""
    if share is None:
        return None
    if share == 0 and share is not False:
        return Fraction(0)
    if not is_share(share) or share >= 1:  # type: ignore[operator]
        raise InvalidInput(
            "the share of a first stage must lie between 0 and 1, got "
            f"{show_given(share)}. Write stage=0.05, or stage=0 for none.",
            field="stage",
        )
    return Fraction(str(share))  # The decimal that was written.


def named(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the questions, numbered where nobody named them and names are the same."""
    names = told_apart([question.name for question in questions])
    return tuple(
        replace(question, name=name)
        if question.name == default_name(question.ratio, question.groups)
        else question
        for question, name in zip(questions, names, strict=True)
    )


def as_title(title: object) -> str | None:
    """Return a title, which is one line of words; None if there is none."""
    if title is None:
        return None
    is_line = isinstance(title, str) and title.isprintable() and title.strip() == title
    if not is_line or not 0 < len(str(title)) <= _LONGEST_TITLE:
        raise InvalidInput(
            f"a title is one line of up to {_LONGEST_TITLE} letters, got "
            f"{show_given(title)}. It is published with every release.",
            field="title",
        )
    return str(title)
