"""A plan of histograms, its sentences and its rules, and how far one unit moves it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import (
    COUNT,
    Histogram,
    Ladder,
    called,
    groups_called,
    ladder_of_groups,
)
from dpratio.plan.laws import LAPLACE, LARGEST_SCALE, SMALLEST_SCALE, NoiseLaw
from dpratio.plan.sensitivity.sums import row_box
from dpratio.plan.words import (
    describe_bounds,
    describe_epsilon,
    describe_not_covered,
    describe_unit,
    plan_as_html,
    plan_as_text,
    title_words,
    totals_words,
)
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.question import is_plain
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import as_title
from dpratio.terms.unit import PrivacyUnit


@dataclass(frozen=True, slots=True)
class HistogramPlan(Tabular):
    """Noisy counts on public cells, from which bounds, bins or limits are proposed.

    Made by `plan_bounds` and `plan_bins`; the curator's door checks it again.
    """

    unit: PrivacyUnit
    bounds: Mapping[str, Bounds]
    budget: Budget
    histograms: tuple[Histogram, ...]
    title: str | None = None

    def __post_init__(self) -> None:
        as_title(self.title)
        for name, kind, value in (
            ("budget", Budget, self.budget),
            ("unit", PrivacyUnit, self.unit),
        ):
            if not isinstance(value, kind):
                raise InvalidInput(
                    f"{name} must be a {kind.__name__}, got {show_given(value)}.",
                    field=name,
                )

    def titled(self, title: str | None) -> "HistogramPlan":
        """Return the same plan under another title, or none."""
        return replace(self, title=title)

    @property
    def measurements(self) -> tuple[Histogram, ...]:
        """The histograms, each of which is measured as a question is."""
        return self.histograms

    @property
    def law(self) -> NoiseLaw:
        """The law of the noise."""
        return LAPLACE

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that all histograms cost together: the whole budget."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """Histograms cost no delta."""
        return Fraction(0)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """Sentences about what the promise leaves out."""
        ratios = [histogram.ratio for histogram in self.histograms]
        cells = [histogram.groups for histogram in self.histograms]
        return describe_not_covered(ratios, cells, self.bounds)

    def columns(self) -> dict[str, list[Any]]:
        """One row per histogram."""
        count = len(self.histograms)
        numbers = list(range(1, count + 1))
        return {
            **({"question": numbers} if count > 1 else {}),
            "sum": [COUNT.label] * count,
            "sensitivity": [1.0] * count,
            "noise_sd": [LAPLACE.sd(item.scale) for item in self.histograms],
            "share": [1 / count] * count,
        }

    def summary(self) -> list[str]:
        """Describe in sentences what is counted, who is protected and at what price."""
        most = max(item.counted_in(self.unit).most_groups for item in self.histograms)
        moved = "each moves one cell of every histogram by 1"
        if most > 1:
            moved = f"each moves {most:,} counts of every histogram by 1"
        if self.unit.neighbours == "change-one":
            moved += ", and as many back"
        in_bins = any(isinstance(item.cells, ScoreBins) for item in self.histograms)
        answers = "how many lie beyond any bound, and a bound to choose"
        if in_bins:
            answers = f"bins of as many {self.unit.people} each"
        cost = f"Cost: epsilon {decimal_text(self.epsilon)}, delta 0."
        return [
            *title_words(self.title),
            *self.planned(),
            describe_bounds(self.bounds),
            *self.protected(),
            f"Histograms, mechanism {self.law.name}; {moved}. {cost}",
            *describe_epsilon(self.epsilon, self.unit),
            f"Answers: {answers}.",
        ]

    def protected(self) -> list[str]:
        """Return sentences about the unit and the bounds of its totals."""
        is_grouped = any(item.within is not None for item in self.histograms)
        totals = totals_words(self.unit, self.unit.totals, grouped=is_grouped)
        return [describe_unit(self.unit), *totals]

    def planned(self) -> list[str]:
        """Return a sentence about what each histogram counts."""
        return [f"Counted: {_described(self, item)}." for item in self.histograms]

    def __str__(self) -> str:
        return plan_as_text(self)

    def _repr_html_(self) -> str:
        return plan_as_html(self)


def _described(plan: HistogramPlan, histogram: Histogram) -> str:
    """Return words for what one histogram counts, on which public cells."""
    unit, cells, within = plan.unit, histogram.cells, histogram.within
    if isinstance(cells, ScoreBins):
        who = "rows" if unit.column is None else f"each {unit.column}"
        return (
            f"{who} by {histogram.column}, in {cells.size:,} declared cells between "
            "its bounds"
        )
    groups = ""
    if within is not None:
        columns = " and ".join(within.columns)
        groups = f"{within.count:,} declared groups of {columns}"
    if histogram.counts_groups:
        return (
            f"each {unit.column} once, by how many of {groups} they are in, in cells "
            "between powers of two"
        )
    counted = f"rows by {histogram.column}"
    if unit.column is not None:
        counted = f"totals of {histogram.column}, one for each {unit.column}"
        counted += f" in each of {groups}" if groups else ""
    return (
        f"{counted}, in {len(cells.labels)} cells from 2^{cells.lowest} to "
        f"2^{cells.highest} on each side of zero, {cells.steps} for each power of two"
    )


# One row reaches so many outer limits at most: fewer than 2^53 cells of a total.
_LARGEST_ROW = 2.0
# Rows are rounded to 2^(highest - 51) before they are added up: 2,000 of them in a
# person's total move it by less than half of 2^lowest.
_WIDEST_TOTALS = 40
_TYPES = {
    "ratio": Ratio,
    "cells": Ladder | ScoreBins,
    "within": Groups | None,
    "counts_groups": bool,
}


def moves_of(plan: HistogramPlan) -> list[Fraction]:
    """Check every rule of a plan of histograms.

    Returns:
        How far one unit moves the cells of each histogram, in units of their noise.

    Raises:
        InvalidInput: When a term breaks a rule.

    Guarantee:
        A release of the plan is the composition of as many answers as there are
        histograms, each private at the epsilon that is returned for it.
        Proof: docs/proofs/histogram.md.
    """
    _require_types(plan)
    if plan.budget.delta != 0:
        _refuse(f"histograms need no delta, got {plan.budget.delta}", "budget")
    _require_names(plan)
    for histogram in plan.histograms:
        _require_counted(plan, histogram)
        _require_scale(histogram)
    _require_terms(plan)
    return [
        histogram.counted_in(plan.unit).cells_moved / Fraction(histogram.scale)
        for histogram in plan.histograms
    ]


def _refuse(rule: str, field: str) -> NoReturn:
    raise InvalidInput(f"{rule}. Make the plan with plan_bounds.", field=field)


def _require_types(plan: HistogramPlan) -> None:
    """Raise InvalidInput unless the parts of a plan can be read as what they are."""
    parts = plan.histograms
    is_tuple = isinstance(parts, tuple)
    if (
        not is_tuple
        or not parts
        or not all(isinstance(one, Histogram) for one in parts)
    ):
        _refuse("a plan of histograms needs at least one", "histograms")
    if not isinstance(plan.bounds, Mapping):
        _refuse(f"bounds are by column, got {show_given(plan.bounds)}", "bounds")
    for histogram in parts:
        for name, kind in _TYPES.items():
            part = getattr(histogram, name)
            if not isinstance(part, kind):
                _refuse(
                    "a histogram counts columns of a ratio on a ladder or in bins, "
                    f"within groups that are declared, got {show_given(part)}",
                    name,
                )


def _require_names(plan: HistogramPlan) -> None:
    names = [histogram.name for histogram in plan.histograms]
    if not all(map(is_plain, names)) or len(set(names)) != len(names):
        _refuse(f"histograms must differ in name, got {show_given(names)}", "name")
    counted = [
        (item.column, item.within, item.letters(plan.unit).get("w"))
        for item in plan.histograms
    ]
    if any(item in counted[:place] for place, item in enumerate(counted)):
        _refuse(f"each histogram is planned once, got {show_given(names)}", "name")


def _require_counted(plan: HistogramPlan, histogram: Histogram) -> None:
    """Raise InvalidInput unless a histogram counts what its name says."""
    ratio, unit, column = histogram.ratio, plan.unit, histogram.column
    within = histogram.within
    weight = histogram.letters(unit).get("w")
    if isinstance(histogram.cells, ScoreBins):
        names, is_known = [column], histogram.cells.column == column
        is_placed = within is None and not histogram.counts_groups
    elif histogram.counts_groups:
        names = called(column, None, within)
        is_known = unit.column is not None and column == groups_called(unit.column)
        is_placed = within is not None
    elif unit.column is None:
        names, is_known = [column], column in ratio.columns
        is_placed = within is None
    else:
        names, is_known = called(column, weight, within), column in ratio.totals
        is_placed = True
    if not is_known:
        _refuse(
            "a histogram counts a column of its ratio; with ids a total of it, or "
            f"groups of people, got {show_given(column)}",
            "column",
        )
    if not is_placed:
        _refuse(
            "rows and bins are counted over the whole table, and groups of people "
            "among those that are declared",
            "within",
        )
    if histogram.counts_groups and histogram.cells != ladder_of_groups(within):  # type: ignore[arg-type]  # placed above
        _refuse("groups of people are counted in cells of powers of two", "cells")
    if histogram.name not in names:
        _refuse(
            f"a histogram of '{column}' must be called so, got "
            f"{show_given(histogram.name)}",
            "name",
        )


def _require_scale(histogram: Histogram) -> None:
    scale = histogram.scale
    if type(scale) is not float or not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        _refuse(
            "the noise of a histogram is too small or too large, got "
            f"{show_given(scale)}",
            "scale",
        )


def _require_terms(plan: HistogramPlan) -> None:
    """Raise InvalidInput unless bounds and totals are just those that are needed."""
    unit, totals, wanted = plan.unit, {}, set()
    for histogram in plan.histograms:
        columns = histogram.letters(unit).values()
        binned = histogram.binned_columns()
        within = () if histogram.within is None else histogram.within.columns
        if unit.column in {*histogram.ratio.columns, *within, *binned}:
            _refuse(
                "ids cannot be a column of the ratio, or a group, got "
                f"{show_given(unit.column)}",
                "unit",
            )
        wanted |= {*columns, *binned}
        if unit.column is not None and histogram.counts_numbers():
            totals[histogram.column] = histogram.cells.outer  # type: ignore[union-attr]
    are_bounds = all(isinstance(pair, Bounds) for pair in plan.bounds.values())
    if set(plan.bounds) != wanted or not are_bounds:
        given = sorted(map(str, plan.bounds))
        _refuse(
            f"bounds are those of columns that are counted, got {show_given(given)}",
            "bounds",
        )
    if unit.totals != totals:
        _refuse_totals(unit)
    for histogram in plan.histograms:
        _require_edges(plan, histogram)
        if histogram.counts_numbers():
            _require_reach(plan, histogram, histogram.cells)  # type: ignore[arg-type]


def _refuse_totals(unit: PrivacyUnit) -> NoReturn:
    _refuse(
        "the totals of a histogram reach its outer limits, got totals of "
        f"{show_given(list(unit.totals))}",
        "totals",
    )


def _require_edges(plan: HistogramPlan, histogram: Histogram) -> None:
    """Raise InvalidInput unless edges of bins are stated, in cells and in groups."""
    within, cells = histogram.within, histogram.cells
    is_settled = within is None or within.within(plan.bounds) == within
    if isinstance(cells, ScoreBins):
        is_settled = cells.within(plan.bounds[cells.column]) == cells
    if not is_settled:
        _refuse("a plan states the edges of its bins, got a number of bins", "bins")


def _require_reach(plan: HistogramPlan, histogram: Histogram, ladder: Ladder) -> None:
    """Keep one row within what its cells hold."""
    outer, name = ladder.outer, histogram.column
    if plan.unit.column is None:
        if plan.bounds[name] != outer:
            _refuse(
                "the bounds of a histogram are its outer limits, got "
                f"{plan.bounds[name]}",
                "bounds",
            )
        return
    if plan.unit.totals[name] != outer:
        # One total in two histograms, of which the last was looked at.
        _refuse_totals(plan.unit)
    low, high = ladder.lowest, ladder.highest
    if high - low > _WIDEST_TOTALS:
        raise InvalidInput(
            f"the outer limits of totals must lie within a factor 2^{_WIDEST_TOTALS}, "
            f"got 2^{low} to 2^{high}. Give narrower limits, such as "
            f"(2.0**{high - _WIDEST_TOTALS}, 2.0**{high}).",
            field="limits",
        )
    letters = histogram.letters(plan.unit)
    row = plan.bounds[letters["s"]].reach
    if "m" in letters:
        # A plan of histograms has no bounds of a denominator that is counted.
        bounds = {histogram.ratio.per: Bounds.ones(), **plan.bounds}
        row = row_box(histogram.ratio, bounds)["s"].reach
    row *= plan.bounds[letters["w"]].reach if "w" in letters else 1.0
    if row > outer.reach * _LARGEST_ROW:
        raise InvalidInput(
            f"one row of '{name}' may reach {row / outer.reach:g} times its outer "
            f"limit, and {_LARGEST_ROW:g} times are allowed. Widen the outer limits, "
            "or declare narrower bounds of the column.",
            field="limits",
        )
