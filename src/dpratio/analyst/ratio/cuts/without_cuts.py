"""From a release and its histograms to ratios of columns that nothing cut."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from dpratio.analyst.bounds.counted_columns import (
    CountedColumn,
    Histograms,
    counted_columns,
    histograms_of,
)
from dpratio.analyst.bounds.cut_off import NOTHING, CutOff, Lost, lost_beyond
from dpratio.analyst.ratio.cuts.clipped import were_more_cut
from dpratio.analyst.ratio.cuts.uncut import uncut_ends
from dpratio.analyst.ratio.interval import Options, Signs
from dpratio.analyst.ratio.statistic import statistic_of
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.variance import weights_are_lost
from dpratio.analyst.tables.without_cuts import WithoutCuts
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.sensitivity.sums import CUT
from dpratio.release.release import Release, ReleasedQuestion

__all__ = ["without_cuts"]


@dataclass(frozen=True, slots=True)
class _Answered:
    """The ends of one question, and the columns that were put back."""

    lower: Floats
    upper: Floats
    lost: dict[CountedColumn, Lost]


def without_cuts(
    release: Release,
    given: Release | None,
    moments: Sequence[Moments],
    reaches: Sequence[Signs],
    options: Options,
) -> WithoutCuts | None:
    """Give the intervals of every question, where a histogram tells; None elsewhere.

    Args:
        release: The sums.
        given: The release whose histograms counted the same people; by default the
            release's own, where it has any.
        moments: Of every question.
        reaches: Of every question, whether its sums can be negative.
        options: How intervals are made: by pivot.

    Raises:
        InvalidInput: When what is given holds no histogram that fits.
    """
    histograms = histograms_of(release, given)
    if histograms is None or (given is None and options.method != "pivot"):
        return None
    rule = "ratios without cuts are made by method 'pivot'"
    require(options.method == "pivot", rule, options.method)
    rows = zip(release.questions, moments, reaches, strict=True)
    found = [_answered(release, histograms, *row, options) for row in rows]
    told = {each: lost for one in found for each, lost in one.lost.items()}
    if not told:
        rule = "histograms must count a column of the release that may be cut"
        names = [each.name for each in histograms.plan.questions]
        require(given is None, rule, names, "Look for the bounds of its columns.")
        return None
    reach: dict[str, tuple[float, float]] = {}
    for each, lost in told.items():
        low, high = reach.get(each.name, lost.reach.ends)
        ends = lost.reach.ends
        reach[each.name] = min(low, ends[0]), max(high, ends[1])
    return WithoutCuts(
        lower=np.concatenate([each.lower for each in found]),
        upper=np.concatenate([each.upper for each in found]),
        level=options.level,
        reach=reach,
        kept=_kept(release, set(reach)),
        is_part=any(each.is_part for each in told),
    )


def _kept(release: Release, names: set[str]) -> tuple[str, ...]:
    """Name the columns that bounds may cut and no histogram counted."""
    plan = release.measured
    bounds = {**plan.bounds, **plan.unit.totals}
    columns = {
        name
        for each in release.questions
        for name in (*each.ratio.columns, *each.ratio.totals)
    }
    return tuple(
        name
        for name, each in bounds.items()
        if name in columns - names and each.can_cut
    )


def _answered(
    release: Release,
    histograms: Histograms,
    question: ReleasedQuestion,
    moments: Moments,
    reach: Signs,
    options: Options,
) -> _Answered:
    columns = counted_columns(release, question, histograms)
    cells = len(moments.values)
    # A residual bound cuts what no histogram counted.
    if not columns or question.ratio.residual_bound is not None:
        nothing = np.full(cells, np.nan)
        return _Answered(nothing, nothing, {})
    lost = {
        each: lost_beyond(
            each.noisy,
            each.bounds,
            widest=each.widest,
            weights=each.weights,
            is_part=each.is_part,
        )
        for each in columns
    }
    if _were_more_cut(release, question, moments, lost):
        lost = {at: one.opened(at.bounds, at.widest) for at, one in lost.items()}
    above, below = _amounts(lost, "sm"), _amounts(lost, "y")
    from_zero = all(each.reach.ends[0] >= 0 for each in lost.values())
    lowest = reach.lowest if from_zero else -np.inf
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        statistic = statistic_of(moments, options.variance, lowest=lowest)
        empty = weights_are_lost(moments, options.variance)
        if reach.denominator_is_positive:
            empty |= ~(moments["wy"] > 0)
        lower, upper = np.full(cells, lowest), np.full(cells, np.inf)
        told = statistic.only(~empty)
        ends = uncut_ends(
            told,
            above,
            below,
            options.quantile,
            is_positive=reach.denominator_is_positive,
        )
    lower[~empty], upper[~empty] = ends
    _open(lower, upper, lost, is_positive=reach.denominator_is_positive)
    return _Answered(np.maximum(lower, lowest), upper, lost)


def _were_more_cut(
    release: Release,
    question: ReleasedQuestion,
    moments: Moments,
    lost: dict[CountedColumn, Lost],
) -> bool:
    """Tell whether people were cut whom a histogram does not show within its reach.

    The count of cuts is of everybody whom any bound cut: it tells only where each of
    these bounds was counted, for the same people.
    """
    counted = {each.name for each in lost}
    plan, ratio = release.measured, question.ratio
    rows = {name for name in ratio.columns if plan.bounds[name].can_cut}
    of_people = plan.unit.column is not None
    known = not rows if of_people else rows <= counted
    whole = not any(each.is_part for each in lost)
    if not (known and whole and CUT.name in moments.names):
        return False
    people = reduce(CutOff.plus, (each.people for each in lost.values()))
    return bool(were_more_cut(moments, [people])[0])


def _amounts(
    lost: dict[CountedColumn, Lost], letters: str
) -> tuple[list[CutOff], list[CutOff]]:
    """Give what a sum lost at least and at most: one for all of its cells."""
    by_letter = {each.letter: one for each, one in lost.items()}
    least = most = NOTHING
    if letters[0] in by_letter:
        least, most = by_letter[letters[0]].least, by_letter[letters[0]].most
    if letters[-1] in by_letter and len(letters) > 1:
        taken = by_letter[letters[-1]]
        least, most = least.less(taken.most), most.less(taken.least)
    return [least], [most]


def _open(
    lower: Floats, upper: Floats, lost: dict[CountedColumn, Lost], *, is_positive: bool
) -> None:
    """Open the ends of intervals where nobody knows how far a column reaches."""
    for each, one in lost.items():
        low, high = one.reach.ends
        if each.letter == "m":
            low, high = -high, -low
        if each.letter != "y" and is_positive:
            lower[:] = lower if math.isfinite(low) else -np.inf
            upper[:] = upper if math.isfinite(high) else np.inf
        elif each.letter == "y" and math.isfinite(low):
            # A denominator without an end takes the ratio to 0.
            lower[:] = lower if math.isfinite(high) else np.minimum(lower, 0.0)
            upper[:] = upper if math.isfinite(high) else np.maximum(upper, 0.0)
        elif not math.isfinite(low) or not math.isfinite(high):
            lower[:], upper[:] = -np.inf, np.inf
