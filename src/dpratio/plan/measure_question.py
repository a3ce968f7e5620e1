"""The sums of one question around its guess, in the basis that promises least width."""

import math

from dpratio.plan.grids import box_for, grid_for, is_described
from dpratio.plan.measurement import Measurement
from dpratio.plan.sensitivity.contrast import BASES, contrast_of
from dpratio.plan.split_budget import Allowance
from dpratio.plan.strategy.measure import measure_focused, measure_gaps
from dpratio.plan.strategy.people import (
    Units,
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.terms.guess import Guess
from dpratio.terms.question import Question
from dpratio.terms.study import Study

__all__ = ["measure_around"]

# Where the ratio may be around a guess that was found, in distances.
_AROUND = (-1.5, -0.5, 0.5, 1.5)
_DIGITS = 9


def measure_around(
    study: Study,
    question: Question,
    allowed: Allowance,
    n: int | None,
    people: Guess | None,
    *,
    in_stages: bool,
    distance: float | None = None,
) -> tuple[Measurement, float]:
    """Return the sums of a question, and a number that falls with their width.

    Args:
        study: The settled terms that the question belongs to.
        question: It has a guess of its ratio.
        allowed: What it may spend.
        n: About how many people there are, and
        people: what they are like; None for a family of people. It is about the totals
            of the unit, and not used where the question has others.
        in_stages: Whether the sums are mixed of raw ones.
        distance: How far the ratio may be from its guess, where that is known;
            otherwise its ``guess_is`` tells.
    """
    if "calibration" in question.answers:
        sums = measure_gaps(grid_for(study, question, in_stages=in_stages), allowed)
        gap = allowed.law.sd(sums[0].scale) * sums[0].step
        return Measurement(question, sums), math.log(gap)
    # Around zero h is the denominator anyway.
    bases = BASES if question.ratio.guess else BASES[:1]
    known = people if is_described(study, question) else None
    tried = []
    for basis in bases:
        units = units_of(box_for(study, question), contrast_of(question.ratio, basis))
        ratios = (
            likely_ratios(units, question.ratio.guess_is)
            if distance is None
            else _ratios_within(units, distance)
        )
        family = family_of(units, ratios, likely_counts(n), known)
        grid = grid_for(study, question, basis, in_stages=in_stages)
        sums, width = measure_focused(grid, allowed, units, family)
        tried.append((Measurement(question, sums, basis), width))
    # Near ties go to the first, whatever the last bits of a processor say.
    return min(tried, key=lambda pair: round(pair[1], _DIGITS))


def _ratios_within(units: Units, distance: float) -> list[float]:
    """Return where the ratio may be, in the units of the box."""
    unit = distance * units.factors["y"] / units.factors["s"]
    return [units.contrast.centre + part * unit for part in _AROUND]
