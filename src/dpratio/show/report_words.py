"""The sentences of a report: what came out, how sure, and what was promised."""

import math

import numpy as np

from dpratio.analyst.comparison.adjust import adjusted
from dpratio.analyst.comparison.compare import compare_ratios
from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.tables.labels import name_of
from dpratio.analyst.tables.sentence import (
    chance_in_words,
    interval_in_words,
    range_in_words,
    short,
)
from dpratio.arrays import Floats
from dpratio.plan.price import AnyPlan
from dpratio.release.external import ExternalSums
from dpratio.release.release import EXTERNAL_WORDS, Release
from dpratio.show.blocks import blocks_of
from dpratio.terms.budget import cost_words, decimal_text

_LONGEST_LINE = 700
_FEW = 4
_TOO_LITTLE = "too little budget for their size"

_METHODS = {
    "pivot": (
        "An interval holds every ratio that a test at its level does not reject. The "
        "test knows the law of the noise and stays right where the denominator is weak."
    ),
    "analytical": (
        "Intervals are those of the delta method, with the variance of the noise added."
    ),
    "monte_carlo": (
        "Intervals are those of the delta method, with the variance of the noise found "
        "by drawing it again."
    ),
    "no_correction": (
        "These intervals ignore the noise that protects people and are too narrow."
    ),
}


def asked_of(release: Release) -> str:
    """Say what the report is about, as a heading."""
    ratios = list(
        dict.fromkeys(str(question.ratio) for question in release.plan.measurements)
    )
    return " and ".join(ratios)


def shortened(line: str, most: int = _LONGEST_LINE) -> str:
    """Cut a line that long names make unreadable."""
    return line if len(line) <= most else f"{line[: most - 1]}…"


def answer_of(
    estimates: Estimates, reference: float | None, chances: Floats | None
) -> str:
    """Say the answer in a sentence or two; no extreme is named that may be noise.

    Args:
        estimates: What the report is about.
        reference: The ratio that they are held to, if there is one.
        chances: Adjusted p-values of the test that each ratio is the reference.
    """
    count = len(estimates)
    if count == 1:
        return f"{estimates.summary()}.{_beside(estimates, reference, chances)}"
    asked = " per ".join(estimates.totals) if estimates.totals else ""
    told = f"{count:,} ratios of {asked}" if asked else f"{count:,} ratios"
    endless = int((~np.isfinite(estimates.ci_upper)).sum())
    if endless == count:
        return f"{told}, all without a bounded interval: {_TOO_LITTLE}."
    verb = "has" if endless == 1 else "have"
    more = f" {endless:,} {verb} no bounded interval: {_TOO_LITTLE}." if endless else ""
    cut = "" if estimates.clipping is None else estimates.clipping.briefly()
    more += cut.replace("; b", " B") + "." if cut else ""
    if reference is None or chances is None:
        return f"{told}: {_middle(estimates)}.{more}"
    told += "."
    found = chances < 1 - estimates.level
    after = f"after adjusting for {count:,} comparisons (Holm)"
    if not found.any():
        return f"{told} None can be told from {reference:g} {after}.{more}"
    above = int((found & (estimates.ratio > reference)).sum())
    below = int(found.sum()) - above
    clearest = int(np.argmin(chances))
    ends = (float(estimates.ci_lower[clearest]), float(estimates.ci_upper[clearest]))
    within = interval_in_words(ends, estimates.level, short)
    odds = chance_in_words(float(chances[clearest]))
    clear = f"{short(float(estimates.ratio[clearest]))}, {within}, {odds}"
    many, name = above + below, name_of(estimates.labels, clearest)
    if many == 1:
        one = f"One {_group(estimates)} differs from {reference:g} {after}"
        return f"{told} {one}: {name}, with {clear}.{more}"
    sides = f"{above:,} above and {below:,} below"
    if not (above and below):
        sides = f"all {'above' if above else 'below'}"
    return (
        f"{told} {many:,} differ from {reference:g} {after}: {sides}. The clearest is "
        f"{name}, with {clear}.{more}"
    )


def _beside(
    estimates: Estimates, reference: float | None, chances: Floats | None
) -> str:
    """Say of one ratio whether it differs from the reference."""
    if reference is None or chances is None or not estimates.is_located[0]:
        return ""
    chance = float(chances[0])
    differs = chance < 1 - estimates.level
    verb = "differs from" if differs else "cannot be told from"
    return f" The ratio {verb} {reference:g}: {chance_in_words(chance)}."


def _group(estimates: Estimates) -> str:
    """Name what a row is: by its column where all rows have the same one."""
    columns = {tuple(facet.orders) for facet in estimates.facets}
    (only,) = columns if len(columns) == 1 else ((),)
    return only[0] if len(only) == 1 else "ratio"


def _middle(estimates: Estimates) -> str:
    """Say where most ratios lie; the outermost of many may be there by chance."""
    known = np.flatnonzero(np.isfinite(estimates.ci_upper))
    ratios = estimates.ratio[known]
    if len(known) > _FEW:
        low, high = (short(float(each)) for each in np.quantile(ratios, (0.25, 0.75)))
        return f"half of them are estimated between {low} and {high}"
    rows = [row for block in blocks_of(estimates) for row in block.rows]
    said = [f"{rows[at].name} is {short(float(estimates.ratio[at]))}" for at in known]
    return ", ".join(said)


def chances_of(release: Release, reference: float | None) -> Floats | None:
    """Test every ratio against the reference, adjusted for all of them by Holm."""
    if reference is None:
        return None
    found = [
        compare_ratios(release, reference=reference, link="difference", question=at)
        for at in range(1, len(release.questions) + 1)
    ]
    return adjusted(np.concatenate([each.pvalue for each in found]), "holm")


def sure_of(estimates: Estimates) -> list[str]:
    """Say how the intervals were made, and what sampling and privacy put into them."""
    often = f"In the long run {100 * estimates.level:g} % of such intervals hold"
    lines = [f"{_METHODS[estimates.method]} {often} the true ratio."]
    if len(estimates) > 1:
        lines.append(
            "Each interval is at this level on its own; of many, some miss by chance."
        )
    widened = estimates.privacy_widens()
    if estimates.clipping is not None:
        lines += estimates.clipping.said(estimates.labels)
    if widened is not None:
        whose = "the" if len(estimates) == 1 else "the median"
        lines.append(
            "Uncertainty has two parts: who happened to be in the data (sampling) and "
            f"the noise that protects them (privacy). Privacy widens {whose} interval "
            f"here {range_in_words(widened)}."
        )
    return lines


def promised_of(release: Release) -> list[str]:
    """Say in plain words, and exactly, what was promised to whom."""
    if isinstance(release.plan, ExternalSums):
        return [EXTERNAL_WORDS.format(origin=release.origin)]
    plain, exact = _promise_in_words(release.plan)
    free = (
        "Everything here was computed from that release. Reading, sorting or drawing "
        "it again costs nobody any more privacy."
    )
    return [plain, exact, *_promised_apart(release), free]


def _promise_in_words(plan: AnyPlan) -> tuple[str, str]:
    """Say what a plan promises to whom: in plain words, and exactly."""
    unit, whom, be, hold = plan.unit, "a row", "is", "holds"
    if unit.column is not None:
        whom, be, hold = f"all rows of one '{unit.column}'", "are", "hold"
    adding = unit.neighbours == "add-or-remove-one"
    hidden = f"whether {whom} {be} in the data" if adding else f"what {whom} {hold}"
    statement = hidden if adding else f"one value of {whom} rather than another"
    odds = math.exp(min(float(plan.epsilon), 700.0))
    epsilon, delta = decimal_text(plan.epsilon), decimal_text(plan.delta)
    slack = f", but for a probability of {delta}" if plan.delta else ""
    plain = (
        f"Protected is {hidden}. Whatever a reader knows besides, this report changes "
        f"the odds they can give to {statement} by at most a factor {odds:.3g}{slack}."
    )
    exact = (
        f"Exactly: the release is differentially private with epsilon {epsilon} and "
        f"delta {delta}, for {unit}, neighbours by {unit.neighbours}."
    )
    return plain, exact


def merged_of(release: Release) -> list[str]:
    """Say that sums around several guesses were merged, where they were."""
    ways = max(len(question.sums) for question in release.questions)
    if ways == 1:
        return []
    centres = {
        sums.contrast.centre
        for question in release.questions
        for sums in question.sums
        if sums.contrast is not None
    }
    low, high = min(centres), max(centres)
    guesses = "the guess" if low == high else f"guesses from {low:g} to"
    noise = "The guess above and the noise below are those of one of them"
    measured = f"measured in {ways} ways, around {guesses} {high:g}"
    return [f"It was merged from sums that were {measured}. {noise}."]


def _promised_apart(release: Release) -> list[str]:
    """Say what merged releases cost together, and apart."""
    apart = release.cost_if_disjoint
    if apart is None:
        return []
    said = (
        f"It was merged from {len(release.sources)} releases, whose costs are added up "
        "here. Whoever merged them promised that nobody is in two of them; if that is "
        f"so, nobody pays more than {cost_words(apart)}."
    )
    return [said]
