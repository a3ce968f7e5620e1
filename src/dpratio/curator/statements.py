"""What engines add up for the questions of a plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpratio.curator.reading.statement import CellSum, Reading, Statement, UnitRule
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import AnyPlan
from dpratio.plan.sensitivity.joint import RAW
from dpratio.plan.sensitivity.sums import Total, totals_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Dimension, Groups, ScoreBins
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import DatabaseTable
from dpratio.terms.unit import PrivacyUnit


def partitions_of(plan: AnyPlan) -> list[Partition]:
    """Return the groups that are read together; those of a histogram by themselves.

    Engines answer a partition for all of its questions at once, as sums of the same
    cells; two histograms are not that, even where their cells are called alike.
    """
    if isinstance(plan, HistogramPlan):
        return [histogram.groups for histogram in plan.measurements]
    return list(plan.study.partitions)


def places_of(plan: AnyPlan) -> list[int]:
    """Return the place of each question's groups among those of `partitions_of`."""
    if isinstance(plan, HistogramPlan):
        return list(range(len(plan.measurements)))
    partitions = plan.study.partitions
    return [partitions.index(measured.groups) for measured in plan.measurements]


def readings_of(
    plan: AnyPlan, groups: Sequence[Groups | None], key: str = ""
) -> list[Reading]:
    """Return what is added up: one reading for all questions of a partition.

    Args:
        plan: What is measured.
        groups: The cells of each of `partitions_of`; none yet of private keys.
        key: Chooses the groups in which a person counts; nobody knows that of a
            release.
    """
    if isinstance(plan, HistogramPlan):
        return [
            Reading((_histogram_statement(plan, histogram, key),))
            for histogram in plan.measurements
        ]
    statements: list[list[Statement]] = [[] for _ in groups]
    for measured, place in zip(plan.measurements, places_of(plan), strict=True):
        statements[place].append(_statement(plan, measured, groups[place], key))
    return [Reading(tuple(listed)) for listed in statements]


def _statement(
    plan: Plan, question: Measurement, groups: Groups | None, key: str
) -> Statement:
    """Return what a question of a plan needs added up, over given groups."""
    dimensions = () if groups is None else groups.dimensions
    columns = _with_bins(question.ratio.letters, dimensions)
    bounds = {letter: plan.bounds[name] for letter, name in columns.items()}
    if bounds["y"].is_one:
        # Every row whose numerator is there counts as 1; no other column is read.
        columns["y"] = columns["s"]
    return Statement(
        factor_columns=columns,
        factor_bounds=bounds,
        dimensions=dimensions,
        listed=None if groups is None else groups.listed,
        unit=unit_rule(plan.layout(question).unit, key, question.ratio),
        **_counted(plan, question),
    )


def _with_bins(
    letters: Mapping[str, str], dimensions: tuple[Dimension, ...]
) -> dict[str, str]:
    """Return the columns of numbers by letter, those of bins among them."""
    return dict(letters) | {
        f"b{index}": dimension.column
        for index, dimension in enumerate(dimensions)
        if isinstance(dimension, ScoreBins)
    }


def _histogram_statement(
    plan: HistogramPlan, histogram: Histogram, key: str
) -> Statement:
    """Return what is counted on a ladder, or in bins: rows, or people by group."""
    unit, cells, within = plan.unit, histogram.cells, histogram.within
    if isinstance(cells, ScoreBins):
        ladder, within = None, histogram.groups
    else:
        ladder = cells
    dimensions = () if within is None else within.dimensions
    columns = _with_bins(histogram.letters(unit), dimensions)
    bounds = {letter: plan.bounds[name] for letter, name in columns.items()}
    if histogram.counts_numbers and ladder is not None:
        total = ladder.total
    else:
        # Whoever is in a cell is one there, however many rows say so.
        total, bounds["s"] = Total(1.0, 0, 1), Bounds.ones()
    if bounds["s"].is_one and ladder is not None:
        # A person's rows are counted where their numerator is there, as in sums.
        columns["s"] = histogram.ratio.numerator
    rule = None
    if unit.column is not None:
        # Of groups nobody is left out: how many there are is what is counted.
        every = within.count if histogram.counts_groups and within else unit.most_groups
        rule = UnitRule(unit.column, key, every, {"s": total})
    return Statement(
        factor_columns=columns,
        factor_bounds=bounds,
        dimensions=dimensions,
        listed=None if within is None else within.listed,
        unit=rule,
        sums=(CellSum((), 1.0, 1),),
        ladder=ladder,
        counts_groups=histogram.counts_groups,
    )


def _counted(plan: Plan, question: Measurement) -> dict[str, Any]:
    """Return which cells are added up: raw ones where they are mixed later."""
    if plan.stage is None:
        sums = tuple(
            CellSum(part.summand.factors, part.step, part.sensitivity)
            for part in question.sums
        )
        return {"sums": sums, "contrast": plan.layout(question).contrast}
    raw = plan.layout(question).raw_grid
    cells = zip(raw.summands, raw.steps, raw.sensitivities, strict=True)
    sums = tuple(CellSum(part.factors, step, largest) for part, step, largest in cells)
    return {"sums": sums, "contrast": RAW}


def unit_rule(
    unit: PrivacyUnit, key: str = "", ratio: Ratio | None = None
) -> UnitRule | None:
    """Return how the rows of one unit are added up; None where a row is the unit.

    Without a ratio units are counted, and nothing of them is added up.
    """
    if unit.column is None:
        return None
    totals = {} if ratio is None else totals_of(ratio, unit)
    return UnitRule(unit.column, key, unit.most_groups, totals)


def require_ids_of_view(data: object, unit: PrivacyUnit) -> None:
    """Raise InvalidInput where a view is trusted, and single rows are protected."""
    if isinstance(data, DatabaseTable) and data.view and unit.column is None:
        raise InvalidInput(
            "a view that is trusted needs a unit with a column of ids: one row of a "
            "table may be many rows of a view.",
            field="unit",
        )
