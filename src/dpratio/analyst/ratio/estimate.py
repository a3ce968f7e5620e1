"""From a release to ratios with intervals."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpratio.analyst.ratio.interval import (
    Options,
    RatioIntervals,
    Signs,
    intervals,
    ratios_of,
    standard_errors,
)
from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.ratio.wald import LINKS, WALD_METHODS
from dpratio.analyst.sums.effective import effective_size
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.variance import choose_variance
from dpratio.analyst.tables.clipping import LEVEL, Clipping
from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.tables.facets import facets_of
from dpratio.analyst.tables.labels import labels_of
from dpratio.analyst.tables.options import require_draws, require_level
from dpratio.arrays import Floats
from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import CUT
from dpratio.plan.settle import FALSE_ALARMS
from dpratio.plan.words import describe_bounds, describe_totals
from dpratio.release.release import Release, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.ratio import Ratio


def clipping_of(
    moments: Sequence[Moments], weighted: Sequence[bool], noun: str
) -> Clipping | None:
    """Read off who was cut, question by question; None where nothing was counted.

    Rows are called clipped by one rule for all of them and their sum (Bonferroni).

    Args:
        moments: Of every question.
        weighted: Whether Σw of it adds weights, and is no number of people.
        noun: What those are called who are counted, in the plural.
    """
    if not any(CUT.name in each.names for each in moments):
        return None
    parts = [_counted(*each) for each in zip(moments, weighted, strict=True)]
    rows = np.concatenate(parts, axis=1)
    counted = rows[:3, ~np.isnan(rows[0])]
    # The fourth powers of scales add up, as in fourth_moment_scale.
    total = (*counted[:2].sum(axis=1), np.linalg.norm(counted[2], 4), np.nan)
    count, variance, scale, everyone = np.column_stack([rows, total])
    level = 1 - 2 * FALSE_ALARMS / (counted.shape[1] + 1)
    within = noisy_quantile(LEVEL, variance, scale)
    surely = count - noisy_quantile(level, variance, scale)
    # People are whole numbers, and none is cut less than never.
    ends = (np.rint(count), np.ceil(count - within), np.floor(count + within))
    read = [np.maximum(each, 0.0) for each in (*ends, np.ceil(surely))] + [everyone]
    together = replace(Clipping(*(each[-1:] for each in read)), noun=noun)
    apart = Clipping(*(each[:-1] for each in read))
    return replace(apart, together=together, noun=noun)


def _counted(moments: Moments, weighted: bool) -> Floats:  # noqa: FBT001
    """The count of each row, its variance, its Laplace scale, and all people."""
    rows = np.full((4, len(moments.values)), np.nan)
    if CUT.name not in moments.names:
        return rows
    loading = np.abs(moments.loading(CUT.name))
    rows[0] = moments[CUT.name]
    rows[1] = moments.noise_covariance(CUT.name, CUT.name)
    rows[2] = fourth_moment_scale(
        [moments.noise.laplace[:, at] * loading[at] for at in np.flatnonzero(loading)]
    )
    if "w" in moments.names and not weighted:
        rows[3] = np.where(moments["w"] > 0, moments["w"], np.nan)
    return rows


METHODS = ("pivot", *WALD_METHODS)


def estimate_ratios(
    release: Release,
    *,
    method: str = "pivot",
    link: str = "ratio",
    level: float = 0.95,
    variance: str | None = None,
    draws: int = 200,
    rng: int | np.random.Generator | None = None,
) -> Estimates:
    """Estimate every ratio of a release, with confidence intervals.

    Args:
        release: Noisy sums; no data and no budget are needed.
        method: ``"pivot"`` keeps every ratio that a test does not reject, with the
            exact law of the noise, and stays right where the denominator is weak.
            Those of Miao & Li (2022): ``"analytical"`` adds the noise variance to
            the sampling variance, ``"monte_carlo"`` estimates it by redrawing the
            noise, ``"no_correction"`` ignores it and is there to be compared with.
        link: ``"ratio"``, or ``"log"`` for intervals built on the logarithm.
        level: Confidence level, between 0 and 1.
        variance: ``"linearised"`` or ``"kish"``; by default what the release holds.
        draws: Redraws of the Monte Carlo method.
        rng: Seed or generator of the redraws.

    Returns:
        One row per group of every question. A denominator that cannot be told from zero
        gives an unbounded interval and the status ``"unbounded"``, never an error.

    Raises:
        InvalidInput: When an option is not one of the known ones, or needs sums that
            the release does not hold; the message names the plan to make.

    Example:
        >>> import dpratio as dpr
        >>> estimates = dpr.estimate_ratios(dpr.example_release())
        >>> estimates.ratio.round(2)
        array([1.01, 1.05, 1.11, 1.22, 1.03, 1.1 , 1.13, 1.06, 1.08])
        >>> print(estimates.summary())
        9 ratios of score per label, from 1.01 (region north) to 1.22 ...
    """
    require_release(release)
    require_one_of(method, METHODS, "method")
    require_one_of(link, LINKS, "link")
    require_level(level)
    require_draws(draws, rng)
    questions = release.questions
    reaches = [
        Signs.of(release.measured.box(question.measurement)) for question in questions
    ]
    hint = "Use link 'ratio'."
    rule = "link 'log' needs a numerator and denominator that cannot be negative"
    positive = all(each.is_positive for each in reaches)
    require(positive or link == "ratio", rule, link, hint)
    columns, statuses, form = [], [], ""
    held = [moments_of(release, question) for question in questions]
    weighted = [
        "w" in release.measured.box(question.measurement) for question in questions
    ]
    for moments, reach in zip(held, reaches, strict=True):
        form = choose_variance(moments, variance)
        options = Options(method, link, level, form, draws, rng)
        found = intervals(moments, reach, options)
        columns.append(_columns(moments, reach, found, link))
        statuses.append(found.status)
    return Estimates(
        labels=labels_of(release),
        codes=np.concatenate(statuses),
        method=method,
        link=link,
        level=level,
        variance=form,
        is_simulated=release.is_simulated,
        origin=release.origin,
        within=_within(release),
        clipping=clipping_of(held, weighted, release.measured.unit.people),
        effective=effective_size(held, weighted),
        **_asked(release),
        **_joined(columns),  # type: ignore[arg-type]  # columns are arrays
    )


def _columns(
    moments: Moments, reach: Signs, found: RatioIntervals, link: str
) -> dict[str, Floats]:
    """Lay the columns out."""
    ratio = ratios_of(moments, reach)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        columns = {
            "ratio": ratio,
            "ci_lower": found.lower,
            "ci_upper": found.upper,
            **standard_errors(found.sampling, found.privacy, np.isinf(found.upper)),
        }
        if found.public is not None:
            columns["public_squared"], columns["public_doubt"] = found.public
        if link == "log":
            # A negative numerator has no logarithm, though its ratio is shown as 0.
            centre = np.log(moments["ws"] / moments["wy"])
            columns |= {
                "log_ratio": np.where(np.isnan(ratio), np.nan, centre),
                "log_ci_lower": np.log(found.lower),
                "log_ci_upper": np.log(found.upper),
            }
    return columns


def _joined(columns: Sequence[dict[str, Floats]]) -> dict[str, Floats]:
    """Stack the questions; a single one is not copied."""
    if len(columns) == 1:
        return columns[0]
    return {
        name: np.concatenate([each[name] for each in columns]) for name in columns[0]
    }


def _within(release: Release) -> tuple[str, ...]:
    """Say to what values were clipped, where that was done here."""
    plan = release.measured
    if not isinstance(plan, Plan):
        return ()
    return (describe_bounds(plan.bounds), *describe_totals(plan.study))


def _asked(release: Release) -> dict[str, Any]:
    """Name what was asked, where it is one thing, and what to hold it to."""
    plan = release.measured
    natural = [
        _natural(question.ratio, plan.box(question.measurement))
        for question in release.questions
    ]
    facets = facets_of(release, natural)
    reference = natural[0] if len(set(natural)) == 1 else None
    # Questions with other totals may be measured around other guesses.
    asked = {str(each.ratio): each.ratio.totals for each in plan.measurements}
    found: dict[str, Any] = {"reference": reference, "facets": facets}
    if len(asked) == 1:
        found |= {"totals": next(iter(asked.values())), "around_one": reference == 1}
    return found


def _natural(ratio: Ratio, box: dict[str, Bounds]) -> float | None:
    """Give the ratio at which both sides agree; a guess is made to plan, not to judge.

    Columns of the same range agree at 1 and differences at 0, unless the guess says
    that they are not meant to.
    """
    alike = (box["s"].lower, box["s"].upper) == (box["y"].lower, box["y"].upper)
    if ratio.minus is None and not alike:
        return None
    agreed = 1.0 if ratio.minus is None else 0.0
    return agreed if ratio.guess in {None, agreed} else None
