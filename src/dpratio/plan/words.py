"""A plan in sentences, for the person who must approve it."""

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from dpratio.plan.laws import LAPLACE, LAWS, threshold_of
from dpratio.plan.measurement import Measurement
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.plan.sensitivity.sums import contrast_of
from dpratio.plan.settle import (
    Allowance,
    allowances,
    counts_cuts,
    grid_for,
    may_cut,
    unit_of,
)
from dpratio.plan.strategy.first_stage import Stage
from dpratio.tabular import printable
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import decimal_text
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, Study
from dpratio.terms.unit import PrivacyUnit

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
    """Describe the cells that are answered."""
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
        " and ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        for key in keys
    ]
    more = ["…"] if partition.count > _KEYS_SHOWN else []
    columns = ", ".join(partition.columns)
    return (
        f"one answer for each of {partition.count} declared keys of "
        f"{columns} ({', '.join(shown + more)})"
    )


def describe_unit(unit: PrivacyUnit) -> str:
    """Describe the unit that is protected."""
    if unit.neighbours == "change-one":
        return f"Protected: {unit}, changed."
    number = "rows" if unit.column is None else f"{unit.column} ids"
    return f"Protected: {unit}, added or removed; the number of {number} too."


def title_words(title: str | None) -> list[str]:
    """Describe the title of reports, if there is one."""
    if title is None:
        return []
    return [f"Title, which is published with every release: {title}"]


def describe_bounds(bounds: Mapping[str, Bounds]) -> str:
    """Describe the bounds to which values are clipped."""
    return f"Counted within: {_within(bounds)}; values outside are clipped."


def describe_clipping(study: Study, measurements: Sequence[Measurement]) -> list[str]:
    """Describe how many cuts a release will see, if it counts them."""
    counting = _counting(study)
    if not counting:
        return []
    rows = _answers(counting)
    where = f" in one of {rows:,} answers" if rows > 1 else ""
    private = any(isinstance(question.groups, PrivateKeys) for question in counting)
    line = (
        "Clipping is measured: c is 1 for whoever is cut by a bound that is not "
        f"natural, and 0 for others. Cuts of {cuts_seen_from(study, measurements):,} "
        f"{study.unit.people} or "
        f"more{where} are seen 19 times in 20."
    )
    return [f"{line} With more keys, more are needed." if private else line]


def cuts_seen_from(study: Study, measurements: Sequence[Measurement]) -> int:
    """Return from how many people on a plan that counts cuts sees them, mostly."""
    counting = _counting(study)
    # The count is the last sum of a question.
    counts = [
        measurement.sums[-1]
        for measurement in measurements
        if measurement.question in counting
    ]
    scale = max(count.scale * count.step for count in counts)
    return math.ceil(_scales_seen(study, counting) * scale)


def _counting(study: Study) -> list[Question]:
    return [item for item in study.questions if counts_cuts(study, item)]


def describe_uncounted(
    study: Study, left: tuple[Fraction, Fraction], *, in_stages: bool
) -> str:
    """Describe what counting the cuts would cost, where they are not counted."""
    law = LAWS[study.mechanism]
    unseen = [
        (question, allowed)
        for question, allowed in zip(
            study.questions, allowances(study, law, left), strict=True
        )
        if may_cut(study, question) and not counts_cuts(study, question)
    ]
    if not unseen:
        return ""
    scale = _ENOUGH / _scales_seen(study, [question for question, _ in unseen])
    moved = max(
        _moved_by_cuts(study, question, allowed, scale, in_stages=in_stages)
        / float(allowed.ratio)
        for question, allowed in unseen
    )
    share = moved**law.power
    cost = f"{share:.2g} of the budget" if share < 1 else "more than the budget"
    return (
        "How many, the release will not tell: a count that sees "
        f"{_ENOUGH} {study.unit.people} cut, 19 times in 20, would take {cost}."
    )


def _moved_by_cuts(
    study: Study,
    question: Question,
    allowed: Allowance,
    scale: float,
    *,
    in_stages: bool,
) -> float:
    """Return how far one unit moves the count, in units of noise of a scale."""
    counting = replace(study, clipping=MEASURED)
    grid = grid_for(counting, question, in_stages=in_stages)
    alone = grid[-1:]
    cells = [scale / alone.steps[0]]
    return float(unit_ratio(allowed.law, alone, cells, allowed.unit, allowed.cells))


def _scales_seen(study: Study, counting: Sequence[Question]) -> float:
    """Return how many scales of its noise a count must show to be seen."""
    alarm = FALSE_ALARMS / (_answers(counting) + 1)
    law = LAWS[study.mechanism]
    return law.tail(alarm) + law.tail(1 - _SEEN)


def _answers(questions: Sequence[Question]) -> int:
    cells = [question.groups for question in questions]
    return sum(part.count if isinstance(part, Groups) else 1 for part in cells)


def describe_totals(study: Study) -> list[str]:
    """Describe the bounds of the totals of people with many rows, in each group."""
    questions = study.questions
    if not any(question.totals for question in questions):
        grouped = any(question.groups is not None for question in questions)
        return totals_words(study.unit, study.unit.totals, grouped=grouped)
    lines = []
    for number, question in enumerate(questions, 1):
        unit = unit_of(study, question)
        own = {name: unit.totals[name] for name in question.ratio.totals}
        grouped = question.groups is not None
        lines += totals_words(unit, own, grouped=grouped, number=number)
    return lines


def totals_words(
    unit: PrivacyUnit,
    totals: Mapping[str, Bounds],
    *,
    grouped: bool,
    number: int | None = None,
) -> list[str]:
    """Describe the bounds of one unit's totals, if it has any."""
    if unit.column is None or not totals:
        return []
    where = " in each group" if grouped else ""
    whose = "" if number is None else f" of question {number}"
    within = f"within: {_within(totals)}; totals are clipped."
    return [f"Totals of one {unit.column}{where}{whose}, {within}"]


def _within(bounds: Mapping[str, Bounds]) -> str:
    return ", ".join(f"{name} {pair}" for name, pair in bounds.items())


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
    measurement: Measurement, unit: PrivacyUnit, *, grouped: bool
) -> str:
    """Describe the guess around which a ratio is measured."""
    ratio = measurement.ratio
    contrast = contrast_of(ratio, measurement.basis)
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
    """Describe what is spent on finding guesses, and what happens with them."""
    spent, left = decimal_text(stage.epsilon), decimal_text(epsilon - stage.epsilon)
    noise = "; ".join(
        " and ".join(f"{LAPLACE.sd(one.scale) * one.step:.5g}" for one in first)
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
    """Describe what a release of the plan will be able to answer."""
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
    """Describe what the promise leaves out: how columns were made, and the terms.

    Weights and scores are spoken of where there are any. A column is taken for a score
    where it is binned, or held to another of the same range.
    """
    binned = any(isinstance(part, Groups) and part.score_bins for part in partitions)
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


class Described(Protocol):
    """A plan of any kind, which describes itself."""

    @property
    def not_covered(self) -> tuple[str, ...]:
        """Sentences about what the promise leaves out."""

    def summary(self) -> list[str]:
        """Describe what is planned, who is protected and at what price."""

    def to_text(self) -> str:
        """Return its table."""

    def to_html(self) -> str:
        """Return its table for a notebook."""


def plan_as_text(plan: Described) -> str:
    """Return a plan as sentences, its table, and what is not covered."""
    lines = [*(printable(line) for line in plan.summary()), "", plan.to_text(), ""]
    lines += [f"Not covered: {sentence}" for sentence in plan.not_covered]
    return "\n".join(lines)


def plan_as_html(plan: Described) -> str:
    """Return a plan for a notebook: sentences, its table, and what is not covered."""
    above = "".join(f"<p>{html.escape(printable(line))}</p>" for line in plan.summary())
    below = "".join(
        f"<li>Not covered: {html.escape(sentence)}</li>"
        for sentence in plan.not_covered
    )
    return f"{above}{plan.to_html()}<ul>{below}</ul>"
