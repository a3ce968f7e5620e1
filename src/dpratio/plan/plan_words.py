"""A plan in sentences, for the person who must approve it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist

from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.calibration.threshold import threshold_of
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import Partition, PlannedQuestion
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.sensitivity.neighbours import unit_ratio
from dpratio.plan.split_budget import allowances
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.plan.strategy.measure import Allowance
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import decimal_text
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "FALSE_ALARMS",
    "cuts_seen_from",
    "describe_answers",
    "describe_bounds",
    "describe_cells",
    "describe_clipping",
    "describe_contrast",
    "describe_delta",
    "describe_epsilon",
    "describe_not_covered",
    "describe_stage",
    "describe_totals",
    "describe_uncounted",
    "describe_unit",
]

_MAKING = (
    "how scores and weights were made: a model fitted on these rows, or weights "
    "raked or normalised over them, carry one row's values into other rows. "
    "Fit models and weights on a disjoint split."
)
_TERMS = (
    "the terms themselves: bounds, keys, guesses and budget are public, and must "
    "not be read off these rows."
)
_COLUMNS = (
    "how columns were made: a value that was computed from several of these rows, a "
    "model's prediction for instance, carries one row's values into other rows. Take "
    "each value from its own row."
)
_KEYS_SHOWN = 12
_FOUND = 0.95  # The chance with which a key is found that has as many people as told.
_LARGE_DELTA = Fraction(1, 1000)
_LARGE_EPSILON = 10
_ENOUGH = 100  # People cut, whom a count should see.
_SEEN = 0.95  # The chance with which a cut is seen that is as large as told.
# At most so many releases say that bounds cut people where they cut nobody.
FALSE_ALARMS = 0.05


def describe_cells(partition: Partition, unit: PrivacyUnit) -> str:
    """Say which cells are answered."""
    if partition is None:
        return "one answer for the whole table"
    if isinstance(partition, PrivateKeys):
        spent, enough = partition.budget, threshold_of(partition, unit)
        return (
            f"one answer for each key of {partition.column} that enough {unit.people} "
            f"share (found with epsilon {decimal_text(spent.epsilon)}, delta "
            f"{decimal_text(spent.delta)}; a key in which {enough.size_found(_FOUND)} "
            f"{unit.people} count is found with a chance of {100 * _FOUND:g} %)"
        )
    keys = partition.first_keys(_KEYS_SHOWN)
    shown = [
        " and ".join(str(each) for each in key) if isinstance(key, tuple) else str(key)
        for key in keys
    ]
    more = ["…"] if partition.count > _KEYS_SHOWN else []
    columns = ", ".join(partition.columns)
    return (
        f"one answer for each of {partition.count} declared keys of "
        f"{columns} ({', '.join(shown + more)})"
    )


def describe_unit(plan: PlanTerms) -> list[str]:
    """Say who is protected."""
    unit = plan.unit
    number = "rows" if unit.column is None else f"{unit.column} ids"
    line = f"Protected: {unit}, added or removed; the number of {number} too."
    if unit.neighbours == "change-one":
        line = f"Protected: {unit}, changed."
    return [line, *describe_totals(plan)]


def describe_bounds(bounds: Mapping[str, Bounds]) -> str:
    """Say to what values are clipped."""
    return f"Counted within: {_within(bounds)}; values outside are clipped."


def describe_clipping(plan: PlanTerms) -> list[str]:
    """Say that a release will tell how many the bounds cut, and from how many on."""
    counting = [each for each in plan.questions if plan.counts_cuts(each)]
    if not counting:
        return []
    cells = _cells(plan, counting)
    rows = _answers(cells)
    where = f" in one of {rows:,} answers" if rows > 1 else ""
    private = any(isinstance(each, PrivateKeys) for each in cells)
    said = (
        "Clipping is measured: c is 1 for whoever is cut by a bound that is not "
        f"natural, and 0 for others. Cuts of {cuts_seen_from(plan):,} "
        f"{plan.unit.people} or "
        f"more{where} are seen 19 times in 20."
    )
    return [f"{said} With more keys, more are needed." if private else said]


def cuts_seen_from(plan: PlanTerms) -> int:
    """Say from how many people on a plan that counts cuts sees them 19 times in 20."""
    counting = [each for each in plan.questions if plan.counts_cuts(each)]
    # The count is the last sum of a question.
    scale = max(each.sums[-1].scale * each.sums[-1].step for each in counting)
    return math.ceil(_scales_seen(plan, counting) * scale)


def describe_uncounted(plan: PlanTerms) -> str:
    """Say what counting the cuts would cost, where a release will not tell of them."""
    counting = replace(plan, clipping=MEASURED)
    unseen = [
        (each, allowed)
        for each, allowed in zip(plan.questions, allowances(plan), strict=True)
        if plan.may_cut(each) and not plan.counts_cuts(each)
    ]
    if not unseen:
        return ""
    scale = _ENOUGH / _scales_seen(plan, [each for each, _ in unseen])
    moved = max(
        _moved_by_cuts(counting, each, allowed, scale) / float(allowed.ratio)
        for each, allowed in unseen
    )
    share = moved if plan.mechanism == "laplace" else moved**2
    cost = f"{share:.2g} of the budget" if share < 1 else "more than the budget"
    return (
        "How many, the release will not tell: a count that sees "
        f"{_ENOUGH} {plan.unit.people} cut, 19 times in 20, would take {cost}."
    )


def _moved_by_cuts(
    plan: PlanTerms, question: PlannedQuestion, allowed: Allowance, scale: float
) -> float:
    """Say how far one unit moves the count, in units of noise of a scale."""
    grid = plan.grid(question)
    alone = grid.only(len(grid.summands) - 1)
    cells = [scale / alone.steps[0]]
    return float(
        unit_ratio(allowed.mechanism, alone, cells, allowed.unit, allowed.cells)
    )


def _scales_seen(plan: PlanTerms, counting: Sequence[PlannedQuestion]) -> float:
    """Say how many scales of its noise a count must show to be seen."""
    alarm = FALSE_ALARMS / (_answers(_cells(plan, counting)) + 1)
    if plan.mechanism == "laplace":
        return -math.log(2 * alarm) - math.log(2 * (1 - _SEEN))
    return -NormalDist().inv_cdf(alarm) - NormalDist().inv_cdf(1 - _SEEN)


def _cells(plan: PlanTerms, asked: Sequence[PlannedQuestion]) -> list[Partition]:
    return [plan.partitions[each.partition] for each in asked]


def _answers(cells: Sequence[Partition]) -> int:
    return sum(each.count if isinstance(each, Groups) else 1 for each in cells)


def describe_totals(plan: PlanTerms) -> list[str]:
    """Say to what the totals of people with many rows are clipped, in each group."""
    unit = plan.unit
    if unit.column is None:
        return []
    if not any(each.totals for each in plan.questions):
        grouped = any(_has_groups(plan, each) for each in plan.questions)
        where = " in each group" if grouped else ""
        return [f"Totals of one {unit.column}{where}, {_clipped(unit.totals)}"]
    said = []
    for at, each in enumerate(plan.questions, 1):
        totals = plan.unit_of(each).totals
        own = {name: totals[name] for name in each.ratio.totals}
        where = " in each group" if _has_groups(plan, each) else ""
        said.append(
            f"Totals of one {unit.column}{where} of question {at}, {_clipped(own)}"
        )
    return said


def _has_groups(plan: PlanTerms, question: PlannedQuestion) -> bool:
    """Tell whether totals are made in groups, or over the whole table."""
    if plan.strategy == HISTOGRAM:
        return question.within is not None
    return plan.partitions[question.partition] is not None


def _clipped(totals: Mapping[str, Bounds]) -> str:
    return f"within: {_within(totals)}; totals are clipped."


def _within(bounds: Mapping[str, Bounds]) -> str:
    return ", ".join(f"{name} {each}" for name, each in bounds.items())


def describe_delta(
    delta: Fraction, unit: PrivacyUnit, n: int | None = None
) -> list[str]:
    """Return a warning of a delta that promises little to n people, or to any number.

    Publishing one row in a thousand as it is would cost a delta of 0.001.
    """
    limit = _LARGE_DELTA if n is None else min(_LARGE_DELTA, Fraction(1, n))
    if delta < limit:
        return []
    beside = "" if n is None else f" for {n:,} {unit.people}"
    note = (
        f"Note: delta {decimal_text(delta)} is large{beside}. It is the probability "
        "with which the promise may fail; choose it far below one over the number of "
        f"{unit.people}, such as 1e-6."
    )
    return [note]


def describe_epsilon(epsilon: Fraction, unit: PrivacyUnit) -> list[str]:
    """Return a warning of an epsilon that promises little."""
    if epsilon < _LARGE_EPSILON:
        return []
    note = (
        f"Note: epsilon {decimal_text(epsilon)} is large. What anybody believes of one "
        f"of the {unit.people} may change by a factor of e to this power; most "
        "releases stay at 1 or below."
    )
    return [note]


def describe_contrast(
    question: PlannedQuestion, unit: PrivacyUnit, *, grouped: bool
) -> str:
    """Say around which guess a ratio is measured."""
    ratio = question.ratio
    contrast = contrast_of(ratio, question.basis)
    guess, limit = contrast.centre, contrast.limit
    times = "w·" if ratio.weight and unit.column is None else ""
    z = f"{times}(s − {guess:g}·y)"
    h = f"{times}(s + {guess:g}·y)" if contrast.has_numerator else f"{times}y"
    said = f"Measured around the guess {guess:g}: z = {z}, h = {h}"
    if unit.column is not None:
        where = " in each group" if grouped else ""
        said += f", of one {unit.column}'s totals{where}"
    if limit is None:
        return f"{said}."
    return (
        f"{said}. Promised: |z| is at most {limit:g}; what lies beyond is clipped, "
        "and the ratio moves by as much."
    )


def describe_stage(stage: Stage, epsilon: Fraction) -> list[str]:
    """Say what is spent on finding guesses, and what happens with them."""
    spent, left = decimal_text(stage.epsilon), decimal_text(epsilon - stage.epsilon)
    noise = "; ".join(
        " and ".join(
            f"{noise_sd('laplace', one.scale) * one.step:.5g}" for one in first
        )
        for first in stage.firsts
    )
    first = (
        f"Two stages. The first spends epsilon {spent} on finding the guess of every "
        "ratio in two totals over all of its groups, numerator and denominator, with "
        f"noise_sd {noise}."
    )
    second = (
        f"The second spends epsilon {left} and measures around what was found; it is "
        "priced again before it is measured. Where noise hides the totals, that is "
        "close to the guess below."
    )
    return [first, second]


def describe_answers(strategy: str, answers: tuple[str, ...]) -> str:
    """Say what a release of the plan will be able to answer."""
    if strategy != "focused":
        said = "Answers: the ratio, with variance 'kish', and means"
        if "spread" in answers:
            return f"{said}; variances, correlation and slope with their intervals."
        return f"{said}."
    if "calibration" in answers:
        return (
            "Answers: the test of calibration, for which most of the budget is spent "
            "on the gaps, and the ratio, with variance 'linearised'. Curves need a "
            "plan with answers=('ratio', 'means')."
        )
    if "means" in answers:
        return "Answers: the ratio and both means, with variance 'linearised'."
    return (
        "Answers: the ratio, with variance 'linearised'. Means, bin mass and "
        "curves need a plan with answers=('ratio', 'means')."
    )


def describe_not_covered(
    ratios: Iterable[Ratio],
    partitions: Iterable[Partition],
    bounds: Mapping[str, Bounds],
) -> tuple[str, str]:
    """Say what the promise leaves out: how columns were made, and the terms.

    Weights and scores are spoken of where there are any. A column is taken for a score
    where it is binned, or held to another of the same range.
    """
    binned = any(isinstance(each, Groups) and each.score_bins for each in partitions)
    weighted_or_scored = binned or any(
        ratio.weight is not None or _is_held_to_its_like(ratio, bounds)
        for ratio in ratios
    )
    return (_MAKING if weighted_or_scored else _COLUMNS, _TERMS)


def _is_held_to_its_like(ratio: Ratio, bounds: Mapping[str, Bounds]) -> bool:
    ranges = [
        (bounds[name].lower, bounds[name].upper)
        for name in (ratio.numerator, ratio.minus, ratio.per)
        if name is not None and name in bounds
    ]
    return len(set(ranges)) < len(ranges)
