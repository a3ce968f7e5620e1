"""From the questions of a plan to what engines are asked."""

from collections.abc import Mapping
from typing import Any

from dpratio.curator.reading.statement import CellSum, Statement, UnitRule
from dpratio.plan.histogram.group_counts import GroupCounts
from dpratio.plan.histogram.histograms import BinCounts, counted_of
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.box import Total, totals_of
from dpratio.plan.sensitivity.mixtures import RAW
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Dimension, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["statement_of", "unit_rule"]


def statement_of(
    plan: Plan, question: PlannedQuestion, groups: Groups | None
) -> Statement:
    """Say what a question of a plan needs added up, over given groups."""
    if plan.strategy == HISTOGRAM:
        return _histogram_statement(plan, question)
    dimensions = () if groups is None else groups.dimensions
    columns = _with_bins(question.ratio.letters, dimensions)
    bounds = {at: plan.bounds[name] for at, name in columns.items()}
    if bounds["y"].is_one:
        # Every row whose numerator is there counts as 1; no other column is read.
        columns["y"] = columns["s"]
    return Statement(
        factor_columns=columns,
        factor_bounds=bounds,
        dimensions=dimensions,
        listed=None if groups is None else groups.listed,
        unit=unit_rule(plan.unit_of(question), question.ratio),
        **_counted(plan, question),
    )


def _with_bins(
    letters: Mapping[str, str], dimensions: tuple[Dimension, ...]
) -> dict[str, str]:
    """Give the columns of numbers by letter, those of bins among them."""
    bins = {
        f"b{at}": each.column
        for at, each in enumerate(dimensions)
        if isinstance(each, ScoreBins)
    }
    return {**letters, **bins}


def _histogram_statement(plan: Plan, question: PlannedQuestion) -> Statement:
    """Say what is counted on a ladder, or in bins: rows, or people in their groups."""
    asked, unit = counted_of(plan, question), plan.unit
    dimensions = () if asked.within is None else asked.within.dimensions
    columns = _with_bins(asked.letters, dimensions)
    bounds = {at: plan.bounds[name] for at, name in columns.items()}
    if isinstance(asked, BinCounts):
        # Whoever is in a bin is one there, however many rows say so.
        ladder, total, bounds["s"] = None, Total(1.0, 0, 1), Bounds.ones()
    elif isinstance(asked, GroupCounts):
        ladder, total, bounds["s"] = asked.ladder, Total(1.0, 0, 1), Bounds.ones()
    else:
        ladder, total = asked.ladder, asked.ladder.total
    if bounds["s"].is_one and ladder is not None:
        # A person's rows are counted where their numerator is there, as in sums.
        columns["s"] = question.ratio.numerator
    rule = None
    if unit.column is not None:
        rule = UnitRule(unit.column, unit.key, unit.most_groups, {"s": total})
    if isinstance(asked, GroupCounts):
        # Nobody is left out of a group: how many there are is what is counted.
        every = asked.within.count
        rule = UnitRule(str(unit.column), unit.key, every, {"s": total})
    return Statement(
        factor_columns=columns,
        factor_bounds=bounds,
        dimensions=dimensions,
        listed=None if asked.within is None else asked.within.listed,
        unit=rule,
        sums=(CellSum((), 1.0, 1),),
        ladder=ladder,
        counts_groups=isinstance(asked, GroupCounts),
    )


def _counted(plan: Plan, question: PlannedQuestion) -> dict[str, Any]:
    """Say which cells are added up: raw ones where they are mixed later."""
    if plan.stage is None:
        sums = [
            CellSum(each.summand.factors, each.step, each.sensitivity)
            for each in question.sums
        ]
        return {"sums": tuple(sums), "contrast": plan.contrast(question)}
    raw = plan.raw_grid(question)
    sums = [
        CellSum(summand.factors, step, largest)
        for summand, step, largest in zip(
            raw.summands, raw.steps, raw.sensitivities, strict=True
        )
    ]
    return {"sums": tuple(sums), "contrast": RAW, "unclamped": True}


def unit_rule(unit: PrivacyUnit, ratio: Ratio | None = None) -> UnitRule | None:
    """Say how the rows of one unit are added up; None where a row is the unit.

    Without a ratio units are counted, and nothing of them is added up.
    """
    if unit.column is None:
        return None
    totals = {} if ratio is None else totals_of(ratio, unit)
    return UnitRule(unit.column, unit.key, unit.most_groups, totals)
