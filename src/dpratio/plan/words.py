"""A plan in sentences, for the person who must approve it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpratio.plan.laws import LAPLACE, threshold_of
from dpratio.plan.measurement import Measurement, Stage
from dpratio.plan.sensitivity.sums import contrast_of
from dpratio.plan.settle import rows_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import decimal_text
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import Partition, Question
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

# The limits of the promise, of a plan of any kind.
NOT_COVERED = (
    (
        "how columns were made, above all scores and weights: a model fitted on these "
        "rows, weights raked or normalised over them, or another value computed from "
        "several of them, carry one row's values into other rows. Take each value from "
        "its own row, and fit models and weights on a disjoint split."
    ),
    (
        "the terms themselves: bounds, keys, guesses and budget are public, and must "
        "not be read off these rows."
    ),
)
_KEYS_SHOWN = 12
_FOUND = 0.95  # The chance with which a key is found that has as many people as told.
_LARGE_DELTA = Fraction(1, 1000)
_LARGE_EPSILON = 10


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


def describe_bounds(bounds: Mapping[str, Bounds], *, is_uncounted: bool = False) -> str:
    """Describe the bounds to which values are clipped, and whether nobody counts it."""
    line = f"Counted within: {_within(bounds)}; values outside are clipped."
    return f"{line} How many, the release will not tell." if is_uncounted else line


def describe_clipping(counting: Sequence[Question], seen: int, people: str) -> str:
    """Describe how many cuts a release sees that counts them."""
    rows = rows_of(counting)
    where = f" in one of {rows:,} answers" if rows > 1 else ""
    line = (
        "Clipping is measured: c is 1 for whoever is cut by a bound that is not "
        f"natural, and 0 for others. Cuts of {seen:,} {people} or more{where} are seen "
        "19 times in 20."
    )
    if any(isinstance(question.groups, PrivateKeys) for question in counting):
        line += " With more keys, more are needed."
    return line


def describe_totals(study: Study) -> list[str]:
    """Describe the bounds of the totals of people with many rows, in each group."""
    column, questions = study.unit.column, study.questions
    if column is None:
        return []
    parts = [("", study.unit.totals, questions)]
    if any(question.totals for question in questions):
        parts = []
        for number, question in enumerate(questions, 1):
            totals = study.unit.with_totals(question.totals).totals
            own = {name: totals[name] for name in question.ratio.totals}
            parts.append((f" of question {number}", own, (question,)))
    lines = []
    for which, totals, counted in parts:
        is_grouped = any(question.groups is not None for question in counted)
        where = " in each group" if is_grouped else ""
        within = f"within: {_within(totals)}; totals are clipped."
        lines.append(f"Totals of one {column}{where}{which}, {within}")
    return lines


def _within(bounds: Mapping[str, Bounds]) -> str:
    return ", ".join(f"{name} {pair}" for name, pair in sorted(bounds.items()))


def describe_delta(
    delta: Fraction, unit: PrivacyUnit, n: int | None = None
) -> list[str]:
    """Return a warning of a delta that promises little to n people, or to any number.

    Publishing one row in a thousand as it is would cost a delta of 0.001.
    """
    limit = _LARGE_DELTA if n is None else min(_LARGE_DELTA, Fraction(1, n))
    if delta < limit:
        return []
    many = "" if n is None else f" for {n:,} {unit.people}"
    note = (
        f"Note: delta {decimal_text(delta)} is large{many}. It is the probability "
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


def describe_contrast(measurement: Measurement, unit: PrivacyUnit) -> str:
    """Describe the guess around which a ratio is measured."""
    ratio = measurement.ratio
    contrast = contrast_of(ratio, measurement.basis)
    guess, limit = contrast.centre, contrast.limit
    times = "w·" if ratio.weight and unit.column is None else ""
    z = f"{times}(s − {guess:g}·y)"
    h = f"{times}(s + {guess:g}·y)" if contrast.has_numerator else f"{times}y"
    line = f"Measured around the guess {guess:g}: z = {z}, h = {h}"
    if unit.column is not None:
        where = "" if measurement.groups is None else " in each group"
        line += f", of one {unit.column}'s totals{where}"
    if limit is None:
        return f"{line}."
    return (
        f"{line}. Promised: |z| is at most {limit:g}; what lies beyond is clipped, "
        "and the ratio moves by as much."
    )


def describe_stage(stage: Stage, epsilon: Fraction) -> list[str]:
    """Describe what is spent on finding guesses, and what happens with them."""
    spent, left = decimal_text(stage.epsilon), decimal_text(epsilon - stage.epsilon)
    noise = "; ".join(
        " and ".join(f"{LAPLACE.sd(total.scale) * total.step:.5g}" for total in first)
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
        line = "Answers: the ratio, with variance 'kish', and means"
        if "spread" in answers:
            return f"{line}; variances, correlation and slope with their intervals."
        return f"{line}."
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
