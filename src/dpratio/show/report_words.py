"""The sentences of a report: what came out, how sure, and what was promised."""

import math

from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.tables.sentence import range_in_words
from dpratio.release.release import EXTERNAL_WORDS, Release, cost_words
from dpratio.show.blocks import blocks_of
from dpratio.terms.budget import decimal_text

__all__ = [
    "answer_of",
    "asked_of",
    "merged_of",
    "promised_of",
    "shortened",
    "sure_of",
]

_LONGEST_LINE = 700

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
        dict.fromkeys(str(question.ratio) for question in release.plan.questions)
    )
    return " and ".join(ratios)


def shortened(line: str) -> str:
    """Cut a line that long names make unreadable."""
    cut = _LONGEST_LINE
    return line if len(line) <= cut else f"{line[: cut - 1]}…"


def answer_of(estimates: Estimates, reference: float | None) -> str:
    """Say the answer in a sentence or two."""
    told = f"{estimates.summary()}."
    verdicts = [
        row.verdict for block in blocks_of(estimates, reference) for row in block.rows
    ]
    nothing = verdicts.count("no finite interval") == len(estimates)
    if len(estimates) == 1 or reference is None or nothing:
        return told
    counts = {side: verdicts.count(side) for side in ("above", "below")}
    if not any(counts.values()):
        return f"{told} None lies wholly above or below {reference:g}."
    # The side with none comes second: "3 lie below 1, none above".
    first, second = sorted(counts, key=lambda side: counts[side] == 0)
    verb = "lies" if counts[first] == 1 else "lie"
    others = f"{counts[second]:,}" if counts[second] else "none"
    return f"{told} {counts[first]:,} {verb} {first} {reference:g}, {others} {second}."


def sure_of(estimates: Estimates) -> list[str]:
    """Say how the intervals were made, and what sampling and privacy put into them."""
    often = f"In the long run {100 * estimates.level:g} % of such intervals hold"
    lines = [f"{_METHODS[estimates.method]} {often} the true ratio."]
    if len(estimates) > 1:
        lines.append(
            "Each interval is at this level on its own; of many, some miss by chance."
        )
    widened = estimates.privacy_widens()
    if widened is not None:
        lines.append(
            "Uncertainty has two parts: who happened to be in the data (sampling) and "
            "the noise that protects them (privacy). Privacy widens the usual interval "
            f"here {range_in_words(widened)}."
        )
    return lines


def promised_of(release: Release) -> list[str]:
    """Say in plain words, and exactly, what was promised to whom."""
    plan, unit = release.plan, release.plan.unit
    if release.origin is not None:
        return [EXTERNAL_WORDS.format(origin=release.origin)]
    whom = "a row" if unit.column is None else f"all rows of one '{unit.column}'"
    adding = unit.neighbours == "add-or-remove-one"
    hidden = f"whether {whom} is in the data" if adding else f"what {whom} holds"
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
    free = (
        "Everything here was computed from that release. Reading, sorting or drawing "
        "it again costs nobody any more privacy."
    )
    return [plain, exact, *_promised_apart(release), free]


def merged_of(release: Release) -> list[str]:
    """Say that sums around several guesses were merged, where they were."""
    ways = release.ways_measured
    if not ways:
        return []
    noise = "The guess above and the noise below are those of one of them"
    return [f"It was merged from sums that were {ways}. {noise}."]


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
