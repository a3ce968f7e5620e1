"""The intervals of all repetitions of a sample, by a method, or without noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from dpratio.analyst.ratio.confidence_set import confidence_set
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import wald
from dpratio.analyst.sums.moments import exact_moments
from dpratio.analyst.sums.variance import choose_variance
from dpratio.arrays import Floats
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.stages import Part

# Intervals from exact sums, to compare with: the delta method's, and Fieller's.
WITHOUT_NOISE = ("public", "fieller")


@dataclass(frozen=True, slots=True)
class Answer:
    """Estimates of repetitions, on their scale."""

    centre: Floats
    lower: Floats
    upper: Floats
    se: Floats


def answer_parts(parts: Sequence[Part], method: str, link: str, level: float) -> Answer:
    """Estimate repetitions that were released in parts, in their own order."""
    whole = join([_answer_of(part, method, link, level) for part in parts])
    order = np.argsort(np.concatenate([part.places for part in parts]))
    return Answer(*(getattr(whole, each.name)[order] for each in fields(Answer)))


def join(answers: Sequence[Answer]) -> Answer:
    """Put the answers of blocks behind each other."""
    columns = [
        np.concatenate([getattr(answer, each.name) for answer in answers])
        for each in fields(Answer)
    ]
    return Answer(*columns)


def _answer_of(part: Part, method: str, link: str, level: float) -> Answer:
    if method in WITHOUT_NOISE:
        return _answer_without_noise(part, method, link, level)
    # The redraws of a method may repeat; seeding by the release keeps them apart.
    seed = int(part.release.id[:8], 16)
    given = estimate_ratios(
        part.release, method=method, link=link, level=level, rng=seed
    )
    if link == "log":
        ends = (given.log_ratio, given.log_ci_lower, given.log_ci_upper)
        centre, lower, upper = (np.asarray(end, dtype=np.float64) for end in ends)
        return Answer(centre, lower, upper, given.se)
    return Answer(given.ratio, given.ci_lower, given.ci_upper, given.se)


def _answer_without_noise(part: Part, method: str, link: str, level: float) -> Answer:
    (question,) = part.release.questions
    moments = exact_moments(part.exact, question.measurement)
    variance = choose_variance(moments, None)
    answer = wald(
        moments,
        "no_correction",
        (link,),
        draws=2,
        rng=np.random.default_rng(0),  # Not drawn from: nothing is noisy.
        variance=variance,
    )[link]
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(answer.sampling)
        if method == "public":
            return Answer(answer.centre, *answer.ends(normal_quantile(level)), se)
        box = part.release.measured.box(question.measurement)
        low = [each.lower for letter, each in box.items() if letter in "sy"]
        lowest = 0.0 if min(low) >= 0 else -np.inf
        statistic = statistic_of(moments, variance, lowest=lowest)
        found = confidence_set(statistic, normal_quantile(level))
        ends = (found.lower, found.upper)
        lower, upper = (np.log(end) if link == "log" else end for end in ends)
        return Answer(answer.centre, lower, upper, se)


def share_rejected(
    answers: Sequence[Answer],
    against: float | DrawPeople | None,
    link: str,
    level: float,
) -> float | None:
    """Give the share of repetitions in which the test of equality rejects."""
    first = answers[0]
    if against is None:
        return None
    with np.errstate(invalid="ignore"):
        if callable(against):
            # Miao & Li (2022), section 2.4: variances of disjoint samples add.
            gap = np.abs(first.centre - answers[1].centre)
            reach = normal_quantile(level) * np.hypot(first.se, answers[1].se)
            return float((gap > reach).mean())
        at = math.log(against) if link == "log" else against
        return float(((at < first.lower) | (at > first.upper)).mean())
