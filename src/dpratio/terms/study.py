"""A study: everything that is promised before data are seen, and what is approved."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds, require_bounds, settle
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.population import Population
from dpratio.terms.question import Asked, Partition, Question, default_name, is_share
from dpratio.terms.ratio import COUNTED, Ratio, require_line
from dpratio.terms.source import PERIOD, DatabaseTable, Source, files_at
from dpratio.terms.unit import PrivacyUnit

MEASURED, UNMEASURED = CLIPPINGS = ("measured", "unmeasured")

_PERIOD = re.compile(r"[A-Za-z0-9_-]+")
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
            groups of it alone. Questions with shares divide it unequally. Equal bins
            get their edges from the bounds as the study is made, and keep them where
            `replace` gives it other bounds.
        unit: Who is protected; by default one row, added or removed.
        answers: ``("ratio",)``, or ``("ratio", "means")`` for means as well;
            ``"spread"`` among them, with ``"joint"`` or ``"even"``, for variances,
            correlation and slope; ``("ratio", "calibration")`` for a plan made for
            the test of calibration over bins.
        strategy: ``"focused"`` measures what the ratio needs most precisely;
            ``"joint"`` and ``"even"`` measure the sums of Miao & Li (2022), as one
            vector or each at an equal share.
        mechanism: ``"laplace"``, ``"analytic_gaussian"``, ``"classical_gaussian"``
            (with ``even``), or ``"auto"``: of the first two, the one that promises
            less width.
        n: About how many people an answer is about: a public guess, or None. It only
            decides how the budget is shared.
        population: What they are like, or their totals: a public guess, or None. It
            decides how the budget is shared, and the guess of a ratio that has none.
        stage: The share of epsilon, such as ``0.05``, that a first stage spends on
            finding the guess of every ratio; ``0`` for one stage. It needs strategy
            ``focused`` and declared groups, and no ``residual_bound``. By default it is
            0.05 if nobody guessed a ratio, and otherwise 0.
        clipping: ``"measured"`` counts the people that bounds cut, if any bound may cut
            and the count would see something; ``"unmeasured"`` does not. Bounds that
            are declared natural cannot cut. The count widens answers by 2 % at most.
        data: Which table is read: a path, `CsvFile`, `ParquetFiles`,
            `DatabaseTable`, or None.
        scope: The dataset's name in the ledger, if the ledger has several. If the scope
            demands approval, the study must run as it was approved, including its data.
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
        InvalidInput: When a term breaks a rule. Terms that do not fit each other are
            refused by `make_plan`.

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
        data: str | Source | None = None,
        scope: str | None = None,
        bounds_from: Mapping[str, str] | None = None,
        title: str | None = None,
        folder: str | None = None,
        period: str | None = None,
    ) -> None:
        unit = PrivacyUnit() if unit is None else unit
        for name, kind, value in (
            ("budget", Budget, budget),
            ("unit", PrivacyUnit, unit),
        ):
            if not isinstance(value, kind):
                raise InvalidInput(
                    f"{name} must be a {kind.__name__}, got {show_given(value)}. Write "
                    f"{kind.__name__}(…).",
                    field=name,
                )
        require_bounds(bounds, "bounds")
        questions = named(_questions(questions, groups, answers))
        bounds, unit = _with_counted(questions, bounds, unit)
        questions = tuple(_with_edges(question, bounds) for question in questions)
        stage = _stage_of(stage)
        data = files_at(data) if isinstance(data, str) else data
        bounds_from = dict(bounds_from or {})
        for name, line in bounds_from.items():
            require_line(line, "bounds_from")
            if name not in bounds:
                raise InvalidInput(
                    f"bounds_from is about bounds that are there, got {name!r}.",
                    field="bounds_from",
                )
        if title is not None:
            require_line(title, "title")
        if period is not None:
            _require_period(period, data)
        settle(self, **locals())

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The groups that are asked of, each once, in the order of the questions."""
        groups = [question.groups for question in self.questions]
        return tuple(dict.fromkeys(groups))

    @property
    def table(self) -> Source | None:
        """Its data, as seen from where a program runs; None where it names none.

        Raises:
            InvalidInput: When the data are of a period, and the study has none.
        """
        data = self.data
        if isinstance(data, DatabaseTable):
            if self.folder is None or data.scheme != "duckdb":
                return data
            return replace(data, url=f"duckdb:///{_beside(self.folder, data.file)}")
        if data is None:
            return None
        path = data.path
        if PERIOD in path and self.period is None:
            raise InvalidInput(
                f"the data of this study are those of one period, got {path!r}. Say "
                "--period 2026-W46, or in Python replace(study, period='2026-W46').",
                field="period",
            )
        path = path.replace(PERIOD, self.period or "")
        if self.folder is not None:
            path = _beside(self.folder, path)
        return replace(data, path=path)


def named(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return the questions, numbered where nobody named them and names are the same."""
    names = [question.name for question in questions]
    counts = [names[:index].count(name) for index, name in enumerate(names, 1)]
    return tuple(
        replace(question, name=f"{question.name} ({count})")
        if count > 1 and question.name == default_name(question.ratio, question.groups)
        else question
        for question, count in zip(questions, counts, strict=True)
    )


def _questions(
    questions: Ratio | Question | Sequence[Ratio | Question],
    groups: Asked | Sequence[Asked],
    answers: Sequence[str],
) -> list[Question]:
    """Return a question for every ratio and partition; questions stay as they are."""
    listed: Any = questions if isinstance(questions, list | tuple) else [questions]
    partitions: Any = groups if isinstance(groups, list | tuple) else [groups]
    if groups is not None and any(isinstance(part, Question) for part in listed):
        raise InvalidInput(
            "questions name their own groups. Write Question(Ratio(…), groups=…).",
            field="groups",
        )
    return [
        part
        if isinstance(part, Question)
        else Question(part, groups=partition, answers=answers)
        for partition in partitions
        for part in listed
    ]


def _with_counted(
    questions: Sequence[Question], bounds: Mapping[str, Bounds], unit: PrivacyUnit
) -> tuple[Mapping[str, Bounds], PrivacyUnit]:
    """Return bounds and unit with those of what is counted, which are 1."""
    for question in questions:
        name = question.ratio.per
        if name in COUNTED and name not in bounds:
            bounds = {**bounds, name: Bounds.ones()}
        if name == "people" and bounds[name].is_one:
            _require_once(question, unit)
            unit = unit.with_totals({name: _ONCE})
    return bounds, unit


def _require_once(question: Question, unit: PrivacyUnit) -> None:
    """Raise InvalidInput unless every person counts once."""
    own = unit.totals.get("people", _ONCE)
    is_once = (own.lower, own.upper) == (0, 1) and "people" not in question.totals
    if not is_once or question.ratio.weight is not None:
        raise InvalidInput(
            "people count once each, without weights and totals of their own. Leave "
            "these out, or count 'rows'.",
            field="unit",
        )


def _with_edges(question: Question, bounds: Mapping[str, Bounds]) -> Question:
    """Return a question whose bins have edges, where their columns have bounds."""
    groups = question.groups
    if not isinstance(groups, Groups) or not groups.score_bins:
        return question
    return replace(question, groups=groups.within(bounds))


def _stage_of(share: object) -> Fraction | None:
    """Return the share of a first stage; 0 for none, None if the planner decides."""
    if share is None:
        return None
    is_none = share == 0 and share is not False
    if not is_none and (not is_share(share) or share >= 1):  # type: ignore[operator]
        raise InvalidInput(
            "the share of a first stage must lie between 0 and 1, got "
            f"{show_given(share)}. Write stage=0.05, or stage=0 for none.",
            field="stage",
        )
    return Fraction(str(share))  # The decimal that was written.


def _require_period(period: object, data: Source | None) -> None:
    """Raise InvalidInput unless a period is a word, and has a place in the path."""
    path = None if isinstance(data, DatabaseTable | None) else data.path
    is_word = isinstance(period, str) and _PERIOD.fullmatch(period) is not None
    if not is_word or path is None or PERIOD not in path:
        raise InvalidInput(
            "a period is a word of letters, digits and hyphens, such as 2026-W46, that "
            "goes where the path of the data says {period}, got "
            f"{show_given(period)} for {show_given(path)}.",
            field="period",
        )


def _beside(folder: str, path: str) -> str:
    """Return a path as seen from a folder."""
    # An address would lose a slash, and so would a folder; a variable may hold a
    # whole path.
    is_whole = "://" in path or path.startswith("${")
    slash = "/" if path.endswith("/") else ""
    return path if is_whole else f"{PurePath(folder, path)}{slash}"
