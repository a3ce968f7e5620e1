"""From a study to histograms that tell where its bounds and its bins should lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import (
    Histogram,
    Ladder,
    called,
    groups_called,
    ladder_of_groups,
)
from dpratio.plan.histogram.histogram_plan import HistogramPlan, moves_of
from dpratio.plan.laws import LAPLACE
from dpratio.plan.settle import settle_groups
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import MOST_BINS, Groups, ScoreBins
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

_LIMITS = (2.0**-20, 2.0**40)
# Totals are rounded row by row, so their limits lie nearer to each other.
_LIMITS_OF_TOTALS = (2.0**-8, 2.0**32)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A column or a total, its ratio, and the groups in which totals are made."""

    name: str
    ratio: Ratio
    groups: Partition


def plan_bounds(
    study: Study,
    *,
    budget: Budget,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    most_groups: bool = False,
) -> HistogramPlan:
    """Plan noisy histograms of a study's columns, from which bounds are proposed.

    Args:
        study: What will be asked; its own budget is left alone.
        budget: What the histograms may cost together: an epsilon.
        columns: Which columns to look at; with ids, which totals. By default those
            for which the study gives no bounds.
        limits: The sizes between which cells are told apart, on each side of zero.
            They must hold every bound that the study gives for these columns. By
            default 2^-20 and 2^40; with ids 2^-8 and 2^32, and no further apart.
        most_groups: Whether to count people by how many declared groups they are in,
            too, for `propose_groups`: one more histogram for each list of groups.

    Returns:
        A plan for `release_sums`; `propose_bounds` reads what it releases.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.Study(
        ...     dpr.Ratio("spent", per="orders"),
        ...     bounds={"orders": dpr.Bounds(0, 4)},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> plan = plan_bounds(study, budget=dpr.Budget("0.1"))
        >>> [(histogram.name, histogram.scale) for histogram in plan.histograms]
        [('spent', 10.0)]
    """
    require_budget(study, budget)
    limits = limits_of(study) if limits is None else limits
    if not isinstance(limits, tuple | list) or len(limits) != len(_LIMITS):
        raise InvalidInput(
            "outer limits are two positive numbers, the smaller first, got "
            f"{show_given(limits)}.",
            field="limits",
        )
    if not isinstance(most_groups, bool):
        raise InvalidInput(
            f"most_groups must be true or false, got {show_given(most_groups)}.",
            field="most_groups",
        )
    ladder = Ladder.between(*limits)
    counted = _counted(study, columns, may_be_none=most_groups)
    for item in counted:
        _require_within(study, item.name, ladder)
    grouped = _grouped(study) if most_groups else []
    bounds = _row_bounds(study, ladder, counted, grouped)
    has_ids = study.unit.column is not None
    totals = {item.name: ladder.outer for item in counted} if has_ids else {}
    unit = replace(study.unit, totals=totals)
    epsilon = budget.epsilon / (len(counted) + len(grouped))
    histograms = []
    for item in counted:
        within = settle_groups(item.groups, bounds)
        several = sum(other.name == item.name for other in counted) > 1
        names = called(item.name, item.ratio.weight, within)
        histograms.append(
            Histogram(
                name=names[-1 if several else 0],
                ratio=counted_ratio(item.ratio),
                column=item.name,
                cells=ladder,
                scale=scale_of(unit, epsilon),
                within=_declared(within),
            )
        )
    for ratio, groups in grouped:
        within, name = groups.within(bounds), groups_called(str(unit.column))
        histograms.append(
            Histogram(
                name=called(name, None, within)[-1 if len(grouped) > 1 else 0],
                ratio=counted_ratio(ratio),
                column=name,
                cells=ladder_of_groups(within),
                scale=scale_of(replace(unit, most_groups=1), epsilon),
                within=within,
                counts_groups=True,
            )
        )
    plan = HistogramPlan(unit, bounds, budget, tuple(histograms))
    moves_of(plan)
    return plan


def require_budget(study: object, budget: object) -> None:
    """Raise InvalidInput unless a study and a budget without delta were given."""
    if not isinstance(study, Study):
        raise InvalidInput(
            f"study must be a Study, got {show_given(study)}.", field="study"
        )
    if not isinstance(budget, Budget) or budget.delta != 0:
        raise InvalidInput(
            f"histograms cost a Budget of epsilon alone, got {show_given(budget)}. "
            "Write budget=Budget(epsilon=0.1).",
            field="budget",
        )


def scale_of(unit: PrivacyUnit, epsilon: Fraction) -> float:
    """Return the scale of noise on counts of a unit, at a share of epsilon."""
    return LAPLACE.calibrate(
        sensitivity=unit.cells_moved, epsilon=epsilon, delta=Fraction(0)
    )


def counted_ratio(ratio: Ratio) -> Ratio:
    """Return a ratio without a guess: counts depend on its columns alone."""
    return Ratio(ratio.numerator, per=ratio.per, weight=ratio.weight, minus=ratio.minus)


def _declared(groups: Partition) -> Groups | None:
    """Return groups that are declared, in which totals can be made."""
    if isinstance(groups, Groups | None):
        return groups
    raise InvalidInput(
        "totals are counted in groups that are declared, got private keys of "
        f"{show_given(groups.column)}. Declare the keys.",
        field="groups",
    )


def may_group(study: Study) -> bool:
    """Whether a study leaves open in how many of its groups a person counts."""
    unit = study.unit
    return unit.column is not None and unit.most_groups == 1 and bool(_many(study))


def _many(study: Study) -> list[tuple[Ratio, Groups]]:
    """List the groups of which a person may be in several, each once, with a ratio."""
    ratios: dict[Groups, Ratio] = {}
    for question in study.questions:
        groups = question.groups
        # Bins that are a number are none yet.
        if isinstance(groups, Groups) and groups.count != 1:
            ratios.setdefault(groups, question.ratio)
    return [(ratio, groups) for groups, ratio in ratios.items()]


def _grouped(study: Study) -> list[tuple[Ratio, Groups]]:
    many = _many(study) if study.unit.column is not None else []
    if not many:
        raise InvalidInput(
            "most_groups is proposed for people with ids, in declared groups. Leave "
            "most_groups out.",
            field="most_groups",
        )
    name = groups_called(str(study.unit.column))
    if any(name in question.ratio.totals for question in study.questions):
        raise InvalidInput(
            f"no total is called '{name}', which counts groups. Rename the column.",
            field="ratio",
        )
    return many


def limits_of(study: Study) -> tuple[float, float]:
    """Return the outer limits of a study's histograms, unless others are wanted."""
    return _LIMITS if study.unit.column is None else _LIMITS_OF_TOTALS


def _counted(
    study: Study, columns: Sequence[str] | None, *, may_be_none: bool
) -> list[_Counted]:
    """List what is counted, each once: columns of rows, or totals in their groups."""
    every: dict[object, _Counted] = {}
    for item in _countable(study):
        # A total is the same in every ratio that gives it the same weight.
        every.setdefault((item.name, item.ratio.weight, item.groups), item)
    names = list(dict.fromkeys(item.name for item in every.values()))
    if columns is None:
        known = study.bounds if study.unit.column is None else _known_totals(study)
        wanted = [name for name in names if name not in known]
        if not wanted and not may_be_none:
            raise InvalidInput(
                "a study that has all of its bounds needs none, got those of "
                f"{show_given(names)}. Say which to look at: columns={names[:1]!r}.",
                field="columns",
            )
    else:
        if not isinstance(columns, list | tuple) or not columns:
            raise InvalidInput(
                f"columns must be a list of names, got {show_given(columns)}. Write "
                f"columns={names[:1]!r}.",
                field="columns",
            )
        wanted = list(columns)
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise InvalidInput(
                "histograms are of columns, or with ids of totals, of the study, got "
                f"{show_given(unknown)}. There are: {', '.join(names)}.",
                field="columns",
            )
    return [item for item in every.values() if item.name in wanted]


def _countable(study: Study) -> Iterator[_Counted]:
    if study.unit.column is not None:
        for question in study.questions:
            for name in question.ratio.totals:
                yield _Counted(name, question.ratio, question.groups)
        return
    # A column is what it is, whichever ratio it stands in.
    ratios = [question.ratio for question in study.questions]
    for name in dict.fromkeys(name for ratio in ratios for name in ratio.columns):
        ratio = next(ratio for ratio in ratios if name in ratio.columns)
        yield _Counted(name, ratio, None)


def _known_totals(study: Study) -> set[str]:
    """Return the totals of which every question that adds them up has bounds."""
    pairs = [
        (name, name in study.unit.of_question(question.totals).totals)
        for question in study.questions
        for name in question.ratio.totals
    ]
    return {name for name, _ in pairs} - {name for name, known in pairs if not known}


def _require_within(study: Study, name: str, ladder: Ladder) -> None:
    """Raise InvalidInput if outer limits exclude a bound that was declared."""
    declared = (
        [study.bounds.get(name)]
        if study.unit.column is None
        else [
            study.unit.of_question(question.totals).totals.get(name)
            for question in study.questions
        ]
    )
    largest = 2.0**ladder.highest
    if any(pair is not None and pair.reach > largest for pair in declared):
        raise InvalidInput(
            f"the outer limits must hold the bounds of '{name}' that the study gives, "
            f"got 2^{ladder.highest}. Widen the limits, or leave the bounds out.",
            field="limits",
        )


def _row_bounds(
    study: Study,
    ladder: Ladder,
    counted: list[_Counted],
    grouped: list[tuple[Ratio, Groups]],
) -> dict[str, Bounds]:
    """Return bounds of every column that is read: for people as declared."""
    if study.unit.column is None:
        return {item.name: ladder.outer for item in counted}
    columns: list[str | None] = []
    for item in counted:
        ratio, is_numerator = item.ratio, item.name == item.ratio.totals[0]
        columns += (ratio.numerator, ratio.minus) if is_numerator else (ratio.per,)
        columns.append(ratio.weight)
    columns += [ratio.numerator for ratio, _ in grouped]
    bounds = {
        column: study.bounds.get(column, ladder.outer)
        for column in columns
        if column is not None
    }
    within = [*(item.groups for item in counted), *(groups for _, groups in grouped)]
    for groups in within:
        for bins in groups.score_bins if isinstance(groups, Groups) else ():
            if bins.column not in study.bounds:
                raise InvalidInput(
                    f"a binned column needs bounds, got {show_given(bins.column)}. Add "
                    f"bounds for '{bins.column}'.",
                    field="bounds",
                )
            bounds[bins.column] = study.bounds[bins.column]
    return bounds


CELLS = 128
FEWEST_CELLS = 16


def plan_bins(
    study: Study, column: str, *, budget: Budget, cells: int = CELLS
) -> HistogramPlan:
    """Plan a noisy histogram of a score, from which bins at quantiles are proposed.

    Args:
        study: What will be asked; it must give bounds of the column.
        column: The column that will be binned.
        budget: What the histogram may cost: an epsilon, apart from the study's own.
        cells: How many equal cells lie between the bounds of the column. More of them
            place edges finer and give each bin more noise.

    Returns:
        A plan for `release_sums`; `propose_bins` reads what it releases.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.Study(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget("0.9"),
        ... )
        >>> plan = plan_bins(study, "score", budget=dpr.Budget("0.1"))
        >>> plan.histograms[0].cells.size, plan.histograms[0].scale
        (128, 10.0)
    """
    require_budget(study, budget)
    if type(cells) is not int or not FEWEST_CELLS <= cells <= MOST_BINS:
        raise InvalidInput(
            f"a grid of bins has 16 to 1,000 cells, got {show_given(cells)}. Write "
            "cells=128.",
            field="cells",
        )
    ratio = _ratio_of(study, column)
    columns = dict.fromkeys((ratio.numerator, column))
    missing = [name for name in columns if name not in study.bounds]
    if missing:
        raise InvalidInput(
            f"a binned column needs bounds, got {show_given(column)}. Add bounds for: "
            f"{', '.join(map(str, missing))}.",
            field="bounds",
        )
    unit = replace(study.unit, totals={})
    histogram = Histogram(
        name=column,
        ratio=counted_ratio(ratio),
        column=column,
        cells=ScoreBins(column, cells).within(study.bounds[column]),
        scale=scale_of(unit, budget.epsilon),
    )
    bounds = {name: study.bounds[name] for name in columns}
    plan = HistogramPlan(unit, bounds, budget, (histogram,))
    moves_of(plan)
    return plan


def _ratio_of(study: Study, column: str) -> Ratio:
    """Return the ratio whose rows are counted: of the question that bins the column."""
    binning = (
        question.ratio
        for question in study.questions
        if column in getattr(question.groups, "columns", ())
    )
    return next(binning, study.questions[0].ratio)


def grid_of(plan: object) -> ScoreBins | None:
    """Return the grid of a plan that looks for bins; None where it does not.

    Cells are equal, from end to end of the bounds: edges that were chosen by hand
    would come back as if they had been found.
    """
    if not isinstance(plan, HistogramPlan) or len(plan.histograms) != 1:
        return None
    grid = plan.histograms[0].cells
    if not isinstance(grid, ScoreBins) or not FEWEST_CELLS <= grid.size <= MOST_BINS:
        return None
    bounds = plan.bounds[grid.column]
    return grid if ScoreBins(grid.column, grid.size).within(bounds) == grid else None
