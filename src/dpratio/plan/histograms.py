"""Histograms: noisy counts in public cells, from which bounds and bins are proposed.

A histogram counts rows, or the totals of people in each group, on a `Ladder`; or rows,
or people, by the bins of one column; or people by how many groups they are in. It is
released as a question is: its groups are its cells, and its one sum is Σ 1. Which cells
there are is public. Every number has one cell, and so has what is no number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.ladder import Ladder, ladder_between
from dpratio.plan.laws import LAPLACE, LARGEST_SCALE, SMALLEST_SCALE, NoiseLaw
from dpratio.plan.sensitivity.sums import MeasuredSum, Summand
from dpratio.plan.words import (
    NOT_COVERED,
    describe_bounds,
    describe_epsilon,
    describe_unit,
    title_words,
)
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds, require_bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import MOST_BINS, Groups, ScoreBins
from dpratio.terms.ratio import Ratio, require_line
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

CELLS = 128

# Rows are counted one by one: no lattice is finer than a person.
_COUNT = Summand("w", ())
_FEWEST_CELLS = 16

# One row reaches so many outer limits at most: fewer than 2^53 cells of a total.
_LARGEST_ROW = 2.0
# Rows are rounded to 2^(highest - 51) before they are added up: 2,000 of them in a
# person's total move it by less than half of 2^lowest.
_WIDEST_TOTALS = 40

_LIMITS = (2.0**-20, 2.0**40)
# The column, its weight and its groups; a ratio that has the same adds nothing.
_Wanted = tuple[str | None, str | None, Any]
# Totals are rounded row by row, so their limits lie nearer to each other.
_LIMITS_OF_TOTALS = (2.0**-8, 2.0**32)


@dataclass(frozen=True, slots=True)
class Histogram:
    """What is counted, in which public cells, and with how much noise.

    Args:
        name: What the histogram is called.
        ratio: The ratio whose columns are counted.
        cells: The ladder, or the bins.
        scale: The scale of the Laplace noise on every count.
        column: The column or the total that is counted, or the column of bins; None
            where people are counted by how many groups they are in.
        within: The groups in which totals are made, or of which people are counted by
            how many they are in; None for the whole table.
    """

    name: str
    ratio: Ratio
    cells: Ladder | ScoreBins
    scale: float
    column: str | None = None
    within: Groups | None = None

    def __post_init__(self) -> None:
        _require("ratio", self.ratio, Ratio, "a Ratio")
        _require("cells", self.cells, Ladder | ScoreBins, "a ladder or bins")
        _require("within", self.within, Groups | None, "groups that are declared")
        scale = self.scale
        if type(scale) is not float or not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            raise InvalidInput(
                "the noise of a histogram is too small or too large, got "
                f"{show_given(scale)}.",
                field="scale",
            )

    @property
    def counts_groups(self) -> bool:
        """Whether a person is in one cell, by the number of their groups."""
        return self.column is None

    @property
    def counts_numbers(self) -> bool:
        """Whether a column or a total is counted on a ladder."""
        return isinstance(self.cells, Ladder) and self.column is not None

    @property
    def groups(self) -> Groups:
        """The cells as groups, each answered on its own."""
        if isinstance(self.cells, Ladder):
            return Groups(self.column or self.name, self.cells.labels)
        return Groups.cross(self.cells)

    @property
    def sums(self) -> tuple[MeasuredSum, ...]:
        """The one sum: the number of those in a cell."""
        return (MeasuredSum(_COUNT, 1.0, 1, self.scale),)

    @property
    def scales(self) -> list[float]:
        """The scale of its noise."""
        return [self.scale]

    def letters(self, unit: PrivacyUnit) -> dict[str, str]:
        """Return the columns that are read: s, and w and m of a total that has them."""
        if not self.counts_numbers:
            return {"s": self.ratio.numerator}
        if unit.column is None:
            return {"s": str(self.column)}
        letters = self.ratio.letters
        per = letters.pop("y")
        if self.column != self.ratio.totals[0]:
            letters.pop("m", None)
            letters["s"] = per
        return letters

    def cells_moved(self, unit: PrivacyUnit) -> int:
        """Return how far one unit moves the counts together.

        A row has one cell, and a person counts in as many as in groups. Counted by
        their groups, a person is in one cell, however many groups there are.
        """
        unit = replace(unit, most_groups=1) if self.counts_groups else unit
        return unit.cells_moved


@dataclass(frozen=True, slots=True)
class HistogramPlan(Tabular):
    """Noisy counts on public cells, from which bounds, bins or limits are proposed.

    Made by `plan_bounds` and `plan_bins`; the curator's door checks it again.
    """

    law: ClassVar[NoiseLaw] = LAPLACE
    delta: ClassVar[Fraction] = Fraction(0)

    unit: PrivacyUnit
    bounds: Mapping[str, Bounds]
    budget: Budget
    measurements: tuple[Histogram, ...]
    title: str | None = None

    def __post_init__(self) -> None:
        if self.title is not None:
            require_line(self.title, "title")
        _require_budget(self.budget)
        _require("unit", self.unit, PrivacyUnit, "a PrivacyUnit")
        _require("measurements", self.measurements or None, tuple, "some histograms")
        for item in self.measurements:
            _require("measurements", item, Histogram, "some histograms")
        require_bounds(self.bounds, "bounds")

    def titled(self, title: str | None) -> "HistogramPlan":
        """Return the same plan under another title, or none."""
        return replace(self, title=title)

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that all histograms cost together: the whole budget."""
        return self.budget.epsilon

    def columns(self) -> dict[str, list[Any]]:
        """One row per histogram."""
        return {
            "histogram": [item.name for item in self.measurements],
            "cells": [item.groups.count for item in self.measurements],
            "noise_sd": [LAPLACE.sd(item.scale) for item in self.measurements],
        }

    def summary(self) -> list[str]:
        """Describe in sentences what is counted, who is protected and at what price."""
        moved = max(item.cells_moved(self.unit) for item in self.measurements)
        moves = f"each moves the counts of every histogram by {moved:,} in all"
        cost = f"Cost: epsilon {decimal_text(self.epsilon)}, delta 0."
        return [
            *title_words(self.title),
            *self.planned(),
            # Names in JSON stand in no order.
            describe_bounds(dict(sorted(self.bounds.items()))),
            *self.protected(),
            f"Mechanism {self.law.name}; {moves}. {cost}",
            *describe_epsilon(self.epsilon, self.unit),
        ]

    def protected(self) -> list[str]:
        """Return a sentence about the unit."""
        return [describe_unit(self.unit)]

    def planned(self) -> list[str]:
        """Return a sentence about what each histogram counts."""
        people = "rows" if self.unit.column is None else f"each {self.unit.column}"
        lines = []
        for item in self.measurements:
            cells, where = item.cells, "between its bounds"
            if isinstance(cells, Ladder):
                where = f"from 2^{cells.lowest} to 2^{cells.highest} on each side of 0"
            if item.within is not None:
                columns = " and ".join(item.within.columns)
                where += f", in {item.within.count:,} declared groups of {columns}"
            count = item.groups.count
            lines.append(f"Counted: {people} by {item.name}, in {count} cells {where}.")
        return lines

    def said(self) -> list[str]:
        """The sentences that stand above the table of histograms."""
        return [*self.summary(), *(f"Not covered: {line}" for line in NOT_COVERED)]


def plan_bounds(
    study: Study,
    *,
    budget: Budget,
    columns: Sequence[str] | None = None,
    limits: tuple[float | None, float | None] = (None, None),
    most_groups: bool = False,
) -> HistogramPlan:
    """Plan noisy histograms of a study's columns, from which bounds are proposed.

    Args:
        study: What will be asked; its own budget is left alone.
        budget: What the histograms may cost together: an epsilon.
        columns: Which columns to look at; with ids, which totals. By default those
            for which the study gives no bounds.
        limits: The sizes between which cells are told apart, on each side of zero.
            They must hold every bound that the study gives for these columns. For None
            they are 2^-20 and 2^40; with ids 2^-8 and 2^32, and no further apart.
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
        >>> [(histogram.name, histogram.scale) for histogram in plan.measurements]
        [('spent', 10.0)]
    """
    _require("study", study, Study, "a Study")
    _require_budget(budget)
    _require("most_groups", most_groups, bool, "true or false")
    has_ids = study.unit.column is not None
    ladder = ladder_between(limits, _LIMITS_OF_TOTALS if has_ids else _LIMITS)
    lists = _group_lists(study) if most_groups else {}
    if most_groups and not lists:
        raise InvalidInput(
            "most_groups is proposed for people with ids, in declared groups. Leave "
            "most_groups out.",
            field="most_groups",
        )
    wanted = {**_wanted(study, columns, ladder), **lists}
    if not wanted:
        raise InvalidInput(
            "a study that has all of its bounds needs none. Say which to look at: "
            f"columns={[study.questions[0].ratio.totals[0]]!r}.",
            field="columns",
        )
    # Private keys are no cells that are declared: `Histogram` refuses them.
    histograms = tuple(
        Histogram("", ratio, ladder, 1.0, column, groups)
        for (column, _, groups), ratio in wanted.items()
    )
    for item in histograms:
        for bins in item.within.score_bins if item.within else ():
            _require_bounds(bins.column, study.bounds)
    read = [name for question in study.questions for name in question.ratio.columns]
    bounds = {**dict.fromkeys(read, ladder.outer), **study.bounds}
    return _with_noise(HistogramPlan(study.unit, bounds, budget, histograms))


def may_group(study: Study) -> bool:
    """Whether a study leaves open in how many of its groups a person counts."""
    return study.unit.most_groups == 1 and bool(_group_lists(study))


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
        >>> plan.measurements[0].cells.size, plan.measurements[0].scale
        (128, 10.0)
    """
    _require("study", study, Study, "a Study")
    _require_budget(budget)
    grid = _grid(column, cells, study.bounds)
    # Rows are counted as the question counts them that bins the column.
    binning = (
        question.ratio
        for question in study.questions
        if column in getattr(question.groups, "columns", ())
    )
    ratio = next(binning, study.questions[0].ratio)
    histogram = Histogram(column, ratio, grid, 1.0, column)
    return _with_noise(HistogramPlan(study.unit, study.bounds, budget, (histogram,)))


def _with_noise(plan: HistogramPlan) -> HistogramPlan:
    """Return a settled plan whose histograms share its budget equally."""
    epsilon = plan.epsilon / len(plan.measurements)
    noisy = tuple(
        replace(
            item,
            scale=LAPLACE.calibrate(
                sensitivity=item.cells_moved(plan.unit),
                epsilon=epsilon,
                delta=Fraction(0),
            ),
        )
        for item in plan.measurements
    )
    return settled(replace(plan, measurements=noisy))


def settled(plan: HistogramPlan) -> HistogramPlan:
    """Return a plan with the names, cells, bounds and totals that its terms demand.

    Planning ends with it, and the door refuses a plan that it would change. It does not
    look at the noise, which `price` certifies.

    Raises:
        InvalidInput: When a term breaks a rule.
    """
    unit, bounds, totals = plan.unit, dict[str, Bounds](), dict[str, Bounds]()
    histograms = tuple(_settled(plan, item) for item in plan.measurements)
    names = [item.name for item in histograms]
    if len(set(names)) != len(names):
        raise InvalidInput(
            f"histograms must differ in name, got {show_given(names)}.", field="name"
        )
    for item in histograms:
        where, letters = item.within or item.groups, item.letters(unit)
        if unit.column in {*item.ratio.columns, *where.columns}:
            raise InvalidInput(
                "ids cannot be a column of the ratio, or a group, got "
                f"{show_given(unit.column)}.",
                field="unit",
            )
        for column in (*letters.values(), *(bins.column for bins in where.score_bins)):
            _require_bounds(column, plan.bounds)
            bounds[column] = plan.bounds[column]
        if item.column is not None and isinstance(item.cells, Ladder):
            if unit.column is None:
                bounds[item.column] = item.cells.outer
            else:
                totals[item.column] = item.cells.outer
                box = {letter: plan.bounds[name] for letter, name in letters.items()}
                _require_reach(item.column, item.cells, box)
    unit = replace(unit, totals=totals)
    return replace(plan, unit=unit, bounds=bounds, measurements=histograms)


def _settled(plan: HistogramPlan, item: Histogram) -> Histogram:
    """Return one histogram with the name, cells and groups that its terms demand."""
    unit, column, within = plan.unit, item.column, item.within
    cells = plan.measurements[0].cells
    if isinstance(cells, ScoreBins):
        # Two of them would have one name: bins are counted by themselves.
        column, within = cells.column, None
        cells = _grid(column, cells.size, plan.bounds)
    elif column is None and within is not None and unit.column is not None:
        # Cells of 1, of 2 to 3, of 4 to 7 and so on, as far as there are groups.
        cells = Ladder(0, max(2, within.count.bit_length()), steps=1)
    else:
        within = None if unit.column is None else within
        if column not in (item.ratio.totals if unit.column else item.ratio.columns):
            raise InvalidInput(
                "a histogram counts a column of its ratio; with ids a total of it, or "
                f"people by groups that are declared, got {show_given(column)}.",
                field="column",
            )
        cells = Ladder(cells.lowest, cells.highest)
    within = within and within.within(plan.bounds)
    name = column or f"groups per {unit.column}"
    if sum(other.column == column for other in plan.measurements) > 1:
        weight = item.letters(unit).get("w")
        name += f" weighted by {weight}" if weight else ""
        name += f" by {' and '.join(within.columns)}" if within else ""
    ratio = replace(item.ratio, guess=None, guess_is="close", residual_bound=None)
    return Histogram(name, ratio, cells, item.scale, column, within)


def _grid(column: str, cells: object, bounds: Mapping[str, Bounds]) -> ScoreBins:
    """Return equal cells from end to end of the bounds of a column.

    Edges that were chosen by hand would come back as if they had been found.
    """
    if type(cells) is not int or not _FEWEST_CELLS <= cells <= MOST_BINS:
        raise InvalidInput(
            f"a grid of bins has 16 to 1,000 cells, got {show_given(cells)}. Write "
            "cells=128.",
            field="cells",
        )
    grid = ScoreBins(column, cells)
    _require_bounds(column, bounds)
    return grid.within(bounds[column])


def _require_bounds(column: str, bounds: Mapping[str, Bounds]) -> None:
    if column not in bounds:
        raise InvalidInput(
            f"what is counted needs bounds. Add bounds for: {column}.", field="bounds"
        )


def _require_reach(name: str, ladder: Ladder, box: Mapping[str, Bounds]) -> None:
    """Keep one row within what the cells of totals hold."""
    low, high = ladder.lowest, ladder.highest
    if high - low > _WIDEST_TOTALS:
        raise InvalidInput(
            f"the outer limits of totals must lie within a factor 2^{_WIDEST_TOTALS}, "
            f"got 2^{low} to 2^{high}. Give narrower limits, such as "
            f"(2.0**{high - _WIDEST_TOTALS}, 2.0**{high}).",
            field="limits",
        )
    score, minus = box["s"], box.get("m")
    row = score.reach
    if minus is not None:
        row = max(score.upper - minus.lower, minus.upper - score.lower)
    times = row * (box["w"].reach if "w" in box else 1.0) / ladder.outer.reach
    if times > _LARGEST_ROW:
        raise InvalidInput(
            f"one row of '{name}' may reach {times:g} times its outer limit, and "
            f"{_LARGEST_ROW:g} times are allowed. Widen the outer limits, or declare "
            "narrower bounds of the column.",
            field="limits",
        )


def _wanted(
    study: Study, columns: Sequence[str] | None, ladder: Ladder
) -> dict[_Wanted, Ratio]:
    """List the columns or totals to look at: by default those without bounds."""
    numbers: dict[_Wanted, Ratio] = {}
    declared: dict[str, list[Bounds | None]] = {}
    for question in study.questions:
        ratio, weight, groups = question.ratio, question.ratio.weight, question.groups
        names: Sequence[str] = ratio.totals
        known = study.unit.with_totals(question.totals).totals
        if study.unit.column is None:
            names, known, weight, groups = ratio.columns, study.bounds, None, None
        for name in names:
            numbers.setdefault((name, weight, groups), ratio)
            declared.setdefault(name, []).append(known.get(name))
    if columns is None:
        columns = [name for name, pairs in declared.items() if None in pairs]
    _require("columns", columns, list | tuple, "a list of names")
    for name in columns:
        if name not in declared:
            raise InvalidInput(
                "histograms are of columns, or with ids of totals, of the study, got "
                f"{show_given(name)}. There are: {', '.join(declared)}.",
                field="columns",
            )
        if any(pair and pair.reach > 2.0**ladder.highest for pair in declared[name]):
            raise InvalidInput(
                f"the outer limits must hold the bounds of '{name}' that the study "
                f"gives, got 2^{ladder.highest}. Widen them, or leave bounds out.",
                field="limits",
            )
    return {key: ratio for key, ratio in numbers.items() if key[0] in columns}


def _group_lists(study: Study) -> dict[_Wanted, Ratio]:
    """List the groups of which people may be in several."""
    lists: dict[_Wanted, Ratio] = {}
    for question in study.questions if study.unit.column is not None else ():
        groups = question.groups
        # Bins that are a number are none yet.
        if isinstance(groups, Groups) and groups.count != 1:
            lists.setdefault((None, None, groups), question.ratio)
    return lists


def _require(field: str, value: object, kind: Any, words: str) -> None:  # noqa: ANN401
    if not isinstance(value, kind):
        raise InvalidInput(
            f"{field} must be {words}, got {show_given(value)}.", field=field
        )


def _require_budget(budget: object) -> None:
    if not isinstance(budget, Budget) or budget.delta != 0:
        raise InvalidInput(
            f"histograms cost a Budget of epsilon alone, got {show_given(budget)}. "
            "Write budget=Budget(epsilon=0.1).",
            field="budget",
        )
