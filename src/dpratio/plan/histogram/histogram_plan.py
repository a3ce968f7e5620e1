"""A plan of histograms, and its sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.histogram import COUNT, Histogram
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.plan_words import (
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
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.study import as_title
from dpratio.terms.unit import PrivacyUnit

__all__ = ["HistogramPlan"]


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
    def is_external(self) -> bool:
        """Histograms are measured here."""
        return False

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
        """What the promise leaves out, in sentences."""
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
        """Say in sentences what is counted, who is protected and at what price."""
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
        """Say who is protected, and what their totals are held to."""
        is_grouped = any(item.within is not None for item in self.histograms)
        totals = totals_words(self.unit, self.unit.totals, grouped=is_grouped)
        return [describe_unit(self.unit), *totals]

    def planned(self) -> list[str]:
        """Say what each histogram counts."""
        return [f"Counted: {_described(self, item)}." for item in self.histograms]

    def __str__(self) -> str:
        return plan_as_text(self)

    def _repr_html_(self) -> str:
        return plan_as_html(self)


def _described(plan: HistogramPlan, histogram: Histogram) -> str:
    """Say what one histogram counts, on which public cells."""
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
