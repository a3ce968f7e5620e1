"""Watch a ratio: as many looks as you like, with one guarantee for all of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.ratio.interval import Options, intervals, ratios_of
from dpratio.analyst.ratio.statistic import Statistic, silenced_statistic
from dpratio.analyst.tables.options import is_finite_number, require_level
from dpratio.analyst.watch.boundary import Boundary
from dpratio.analyst.watch.detector import Detector, Period
from dpratio.analyst.watch.running import Running
from dpratio.analyst.watch.series import Look, Series, series_of
from dpratio.analyst.watch.watch_results import Watch
from dpratio.arrays import Floats
from dpratio.checks import require, require_one_of
from dpratio.release.release import Release

ADJUSTMENTS = ("bonferroni", "none")
_USUAL = {"day": 90, "week": 52, "month": 12, "quarter": 8, "": 52}
_MOST_LOOKS = 100_000

Band = tuple[float, float] | None


def watch(  # noqa: PLR0913 (one verb, one answer)
    releases: Release | Sequence[Release] | Mapping[str, Release],
    *,
    within: tuple[float, float] | None = None,
    people_are_new: bool = False,
    looks: int | None = None,
    last_look: int | None = None,
    level: float = 0.95,
    adjust: str = "bonferroni",
    question: str | int | None = None,
    variance: str | None = None,
) -> Watch:
    """Watch a ratio over time, with a guarantee for all looks at once.

    Args:
        releases: Releases of one question in order of time, perhaps by name; or one
            release over `Periods`. No data and no budget are needed.
        within: The band of ratios that are tolerated. An alarm says that the running
            ratio lies outside; a change says that periods since some time do. (1, 1)
            asks whether the ratio is 1. Without a band a change is relative to earlier
            periods.
        people_are_new: True if nobody is in two periods. You must make sure of it:
            running ratios rest on it. A release over periods whose plan counts each
            person in one group ensures it. Otherwise each period is answered by itself,
            with its share of the error.
        looks: How many looks are expected: the sequence is narrowest there, and valid
            before and after. By default 90 days, 52 weeks, 12 months or 8 quarters.
        last_look: Instead of ``looks``, the number of looks that was declared before
            the first: the sequence is narrower there, and wider at early looks.
        level: The confidence of the sequence over all looks; the detector has a
            separate error of the same size.
        adjust: ``"bonferroni"`` keeps the level over all groups together, ``"none"`` in
            each group by itself.
        question: Which question, if there are several: its name, or its number.
        variance: ``"linearised"`` or ``"kish"``; by default what the releases hold.

    Returns:
        One row per group and look, with alarms and changes.

    Raises:
        InvalidInput: When releases do not belong together, or an option is not one of
            the known ones; the message gives the reason.

    Example:
        >>> import dpratio as dpr
        >>> found = dpr.watch([dpr.example_release()], question=1, people_are_new=True)
        >>> found.names, found.cs_lower.shape
        (['north', 'east', 'south', 'west'], (1, 4))
    """
    require_level(level)
    require_one_of(adjust, ADJUSTMENTS, "adjustment")
    band = _band(within)
    promised = isinstance(people_are_new, bool)
    require(promised, "people_are_new must be True or False", people_are_new)
    series = series_of(releases, question=question, variance=variance)
    expected = _expected(series, looks, last_look)
    are_new = people_are_new or series.is_disjoint_as_planned
    alpha = (1 - level) / (series.groups if adjust == "bonferroni" else 1)
    boundary = Boundary(alpha, expected, is_last=last_look is not None)
    found = (_together if are_new else _alone)(series, boundary, band, level)
    first = series.releases[0]
    return Watch(
        periods=tuple(look.period for look in series.looks),
        labels=series.labels,
        within=band,
        people_are_new=are_new,
        looks=expected,
        is_last=last_look is not None,
        level=level,
        adjust=adjust,
        asked=" per ".join(series.question.ratio.totals),
        is_simulated=first.is_simulated,
        origin=first.origin,
        release_id=series.releases[-1].id,
        remarks=series.differing,
        **found,
    )


def _together(
    series: Series, boundary: Boundary, band: Band, level: float
) -> dict[str, Any]:
    """Add periods up: nobody is in two of them. No look knows a later one."""
    rows: list[dict[str, Any]] = []
    before: Running | None = None
    detector = Detector.of(series.groups, boundary)
    for look in series.looks:
        lowest = look.reach.lowest
        statistic = silenced_statistic(look.moments, look.variance, lowest=lowest)
        detector = _detected(detector, statistic, before, band)
        before = Running.of(statistic) if before is None else before.plus(statistic)
        found = before.sequence(boundary)
        sequence = {
            "running": found.ratio,
            "cs_lower": found.lower,
            "cs_upper": found.upper,
            "alarm": _outside(found.lower, found.upper, band),
        }
        rows.append(_answer(look, level) | sequence)
    return _stacked(rows, detector)


def _alone(
    series: Series, boundary: Boundary, band: Band, _level: float
) -> dict[str, Any]:
    """Answer each period by itself: shares of alpha add up to alpha at most."""
    rows = []
    unknown = np.full(series.groups, np.nan)
    for number, look in enumerate(series.looks, 1):
        share = boundary.looks if boundary.is_last else number * (number + 1)
        row = _answer(look, 1 - boundary.alpha / share)
        row |= dict.fromkeys(("running", "cs_lower", "cs_upper"), unknown)
        row["alarm"] = _outside(row["ci_lower"], row["ci_upper"], band)
        rows.append(row)
    return _stacked(rows, Detector.of(series.groups, boundary))


def _stacked(rows: Sequence[dict[str, Any]], detector: Detector) -> dict[str, Any]:
    """Lay looks under each other, name by name, with the changes that were seen."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} | {
        "change_seen": detector.seen,
        "change_since": detector.since,
        "change_way": detector.way,
    }


def _answer(look: Look, level: float) -> dict[str, Any]:
    """Give the interval of each group in one period, as `estimate_ratios` does."""
    options = Options("pivot", "ratio", level, look.variance)
    found = intervals(look.moments, look.reach, options)
    return {
        "ratio": ratios_of(look.moments, look.reach),
        "ci_lower": found.lower,
        "ci_upper": found.upper,
        "codes": found.status,
    }


def _detected(
    detector: Detector,
    statistic: Statistic,
    before: Running | None,
    band: Band,
) -> Detector:
    """Hold a period to the edges of the band, or to the periods before it."""
    one = np.ones_like(statistic.numerator)
    if band is not None:
        low, high = (Period.of(statistic, edge * one) for edge in band)
        return detector.after(high, low)
    if before is None:
        nothing = Period(0 * one, np.inf * one, 0 * one, ())
        return detector.after(nothing, nothing)
    ratio = np.nan_to_num(before.ratio)
    period = Period.of(statistic, ratio).beside(
        statistic.denominator, before.variance(ratio), before.denominator
    )
    return detector.after(period, period)


def _outside(lower: Floats, upper: Floats, band: Band) -> NDArray[np.int8]:
    """Say on which side an interval has left the band."""
    low, high = band or (-np.inf, np.inf)
    above, below = lower > high, upper < low
    return above.astype(np.int8) - below.astype(np.int8)


def _band(within: object) -> Band:
    if within is None:
        return None
    two = isinstance(within, list | tuple) and len(within) == 2  # noqa: PLR2004
    hint = "For instance within=(0.95, 1.05)."
    ends: list[Any] = list(within) if two else []  # type: ignore[call-overload]
    known = two and all(is_finite_number(each) for each in ends)
    require(known, "within must be two finite numbers", within, hint)
    low, high = (float(each) for each in ends)
    require(low <= high, "the ends of the band must be in order", (low, high), hint)
    return low, high


def _expected(series: Series, looks: object, last_look: object) -> int:
    """Say for how many looks the sequence is made."""
    rule = "give looks or last_look, not both"
    require(looks is None or last_look is None, rule, (looks, last_look))
    given = looks if last_look is None else last_look
    if given is None:
        return _USUAL[series.every]
    counted = type(given) is int and 1 <= given <= _MOST_LOOKS
    require(counted, "looks must be a whole number from 1 to 100,000", given)
    rule = "no look follows the one that was declared as the last"
    count = len(series.looks)
    require(last_look is None or count <= given, rule, count)  # type: ignore[operator]
    return given  # type: ignore[return-value]  # checked above
