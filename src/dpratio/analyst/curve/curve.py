"""From a release over score bins to calibration curves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.curve.calibration_error import (
    Bins,
    Measured,
    absolute_error,
    squared_error,
)
from dpratio.analyst.curve.calibration_test import calibration_test
from dpratio.analyst.curve.curve_results import CURVE_STATUSES, CalibrationErrors, Curve
from dpratio.analyst.function.estimate_function import estimate_function
from dpratio.analyst.function.functions import brier_score, calibration_intercept, slope
from dpratio.analyst.ratio.interval import Options, Signs, intervals
from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.sampling import Sampling
from dpratio.analyst.sums.variance import choose_variance
from dpratio.analyst.tables.estimates import STATUSES
from dpratio.analyst.tables.labels import question_labels
from dpratio.analyst.tables.options import require_level
from dpratio.analyst.tables.statuses import Codes, codes_of
from dpratio.arrays import Flags, Floats
from dpratio.checks import require
from dpratio.errors import InvalidInput
from dpratio.plan.measurement import pick_question
from dpratio.plan.strategy.allowance import allowance
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, ReleasedQuestion, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import ScoreBins
from dpratio.terms.ratio import Ratio

Ends = tuple[float, float] | tuple[Floats, Floats]
Labels = tuple[float, float]


def gap_ends(score: Ends, label: Labels) -> tuple[Floats, Floats]:
    """Bound a mean score less a mean label.

    Example:
        >>> [float(end) for end in gap_ends((0.75, 1.0), (0.0, 1.0))]
        [-0.25, 1.0]
    """
    return np.asarray(score[0]) - label[1], np.asarray(score[1]) - label[0]


def ratio_ends(score: Ends, label: Labels) -> tuple[Floats, Floats]:
    """Bound a mean score per mean label; by nothing where labels take both signs.

    Example:
        >>> [float(end) for end in ratio_ends((0.75, 1.0), (0.0, 1.0))]
        [0.75, inf]
        >>> [float(end) for end in ratio_ends((-1.0, 1.0), (0.5, 2.0))]
        [-2.0, 2.0]
    """
    low, high = (np.asarray(end, dtype=np.float64) for end in score)
    least, most = label
    if least < 0:
        return np.full_like(low, -np.inf), np.full_like(high, np.inf)
    by_least = 1 / least if least > 0 else np.inf
    with np.errstate(invalid="ignore"):
        lower = np.where(low >= 0, low / most, low * by_least)
        upper = np.where(high <= 0, high / most, high * by_least)
    return lower, upper


_FUNCTIONS = {
    "calibration_intercept": calibration_intercept(),
    "calibration_slope": slope(),
    "brier_score": brier_score(),
}
_NEEDED = "wssss"


def fit_of(
    release: Release,
    question: ReleasedQuestion,
    moments: Moments,
    columns: Sequence[str],
    level: float,
) -> dict[str, Measured]:
    """Give intercept, slope and Brier score of every curve; nothing where not told.

    Args:
        release: Noisy sums over bins.
        question: The question that has the bins.
        moments: What its sums tell.
        columns: What there is a curve for each of, beside the bins.
        level: The level of the intervals.
    """
    if _NEEDED not in moments.names:
        return {}
    at = next(
        place
        for place, each in enumerate(release.questions, start=1)
        if each is question
    )
    whole = roll_up(release, list(columns), question=at)
    found = {}
    for name, function in _FUNCTIONS.items():
        told = estimate_function(whole, function, level=level)
        found[name] = Measured(told.estimate, told.ci_lower, told.ci_upper)
    return found


Combination = Mapping[str, float]


def seen_as_ratio(
    sampling: Sampling, top: Combination, bottom: Combination
) -> tuple[Moments, str]:
    """Give moments in which ``ws`` and ``wy`` are other combinations of sums.

    Args:
        sampling: Moments and how they vary together.
        top: Weights of sums in the new numerator, ``{"ws": 1, "wy": -1}`` for instance.
        bottom: Weights in the new denominator.

    Returns:
        The moments, and the variance form that belongs to them.
    """
    moments = sampling.moments
    pairs = {"ss": (top, top), "ys": (top, bottom), "yy": (bottom, bottom)}
    is_kish = any(
        sampling.product_of(one, other)[1]
        for first, second in pairs.values()
        for one, other in product(first, second)
    )
    names = {"ss": "aa", "ys": "ab", "yy": "bb"}
    rows = {"ws": top, "wy": bottom}
    if is_kish:
        names = {"ss": "wss", "ys": "wys", "yy": "wyy"}
        rows |= {"w": {"w": 1.0}, "ww": {"ww": 1.0}}
    for name, pair in pairs.items():
        rows[names[name]] = _product(sampling, *pair, is_kish=is_kish)
    values = [_combined(parts, moments.__getitem__) for parts in rows.values()]
    matrix = [_combined(parts, moments.loading) for parts in rows.values()]
    view = Moments(
        tuple(rows), np.stack(values, axis=1), np.stack(matrix), moments.noise
    )
    return view, "kish" if is_kish else "linearised"


def _product(
    sampling: Sampling, first: Combination, second: Combination, *, is_kish: bool
) -> dict[str, float]:
    """Multiply two combinations out into sums that the release holds."""
    parts: dict[str, float] = {}
    for (one, own), (other, others) in product(first.items(), second.items()):
        name, _ = sampling.product_of(one, other, is_kish=is_kish)
        parts[name] = parts.get(name, 0.0) + own * others
    return parts


def _combined(parts: Combination, give: Callable[[str], Floats]) -> Floats:
    terms = [weight * give(name) for name, weight in parts.items()]
    total: Floats = np.sum(terms, axis=0)
    return total


def share_of(bins: Bins, sampling: Sampling, level: float) -> Measured:
    """Give the share of weight in each bin: all p with (W − pW₊)² ≤ z² variance(p).

    A unit of weight w in bin k moves W − pW₊ by w(1 − p), and one of any other bin by
    −wp; noise does the same. A bin of share p has Σw² in proportion to it: without
    weights and noise this is the interval of Wilson (1927).
    """
    weight = bins.gaps["wy"]
    whole = bins.add(weight)[bins.codes]
    share = weight / whole
    noise = bins.gaps.noise_covariance("wy", "wy") * np.ones(len(weight))
    own = np.maximum(sampling.moments["ww"], 0.0)
    all_squares, all_noise = (bins.add(each)[bins.codes] for each in (own, noise))
    if sampling.is_weighted:
        doubt = sampling.moments.noise_covariance("ww", "ww") * np.ones(len(weight))
        own = own + allowance(own, noise, doubt, normal_quantile(level))
    # The variance is flat + slope p + bend p².
    flat = own - share * all_squares + noise
    slope, bend = all_squares - 2 * flat, all_noise - all_squares
    here = np.maximum(flat + share * (slope + share * bend), np.finfo(float).tiny)
    weights = np.abs(bins.gaps.loading("wy"))
    heavy = fourth_moment_scale(list((weights * bins.gaps.noise.laplace).T))
    squared = noisy_quantile(level, here, np.abs(1 - share) * heavy) ** 2 / here
    leading = whole**2 - squared * bend
    middle = weight * whole + squared * slope / 2
    root = np.sqrt(middle**2 - leading * (weight**2 - squared * flat))
    known = (whole > 0) & (leading > 0) & np.isfinite(root)
    return Measured(
        np.where(whole > 0, np.clip(share, 0.0, 1.0), np.nan),
        np.where(known, np.clip((middle - root) / leading, 0.0, 1.0), 0.0),
        np.where(known, np.clip((middle + root) / leading, 0.0, 1.0), 1.0),
    )


_CODES = codes_of(CURVE_STATUSES)
_FLOORED, _WEAK = (list(STATUSES).index(n) for n in ("variance_floored", "weak"))
_LOST = 2.0
_ANY_SIGN = Signs(numerator_is_positive=False, denominator_is_positive=True)


def calibration_curve(
    release: Release,
    *,
    bins: str | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> Curve:
    """Draw calibration curves: mean score against mean label, bin by bin.

    A score is calibrated if, in every bin, the weighted mean of the scores equals that
    of the labels, both as clipped to their bounds.

    Args:
        release: Planned over `ScoreBins`; other groups crossed with the bins give a
            curve each. With ``answers=("ratio", "means")`` it shows means, gaps and
            calibration errors; without, ratios and the test.
        bins: The binned column, if a release has several.
        question: Which question, if several have bins: its name, or its number from 1.
        level: Confidence level of every interval, between 0 and 1.

    Returns:
        One row per bin of every curve, and for every curve its calibration errors and
        a test of perfect calibration.

    Raises:
        InvalidInput: When the release has no bins or protects people with many rows;
            the message names the plan to make.

    Example:
        >>> import dpratio as dpr
        >>> curve = dpr.calibration_curve(dpr.example_release())
        >>> curve.gap.estimate.round(3)
        array([0.003, 0.028, 0.057, 0.041, 0.066])
        >>> print(curve.summary())
        expected calibration error 0.0405 (0.0338 to 0.0470); p < 0.0001, ...
    """
    require_release(release)
    require_level(level)
    asked = pick_question(release.questions, question, lambda each: bool(_binned(each)))
    laid_out = _lay_out(asked, bins, release)
    ratio = asked.ratio
    hint = "Means would be those of people's totals; use estimate_ratios for each bin."
    unit = release.plan.unit.column
    require(unit is None, "a calibration curve is about rows", unit, hint)
    rule = "a calibration curve must be about one score"
    require(ratio.minus is None, rule, str(ratio), "Plan a ratio without minus.")
    box = release.measured.box(asked.measurement)
    moments = moments_of(release, asked)
    score, label = laid_out.ends(ratio, box), (box["y"].lower, box["y"].upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = _interval(
            moments, None, Signs.of(box), ratio_ends(score, label), level
        )
        test = calibration_test(
            moments,
            box,
            laid_out.codes,
            laid_out.curves,
            laid_out.edges if laid_out.column == ratio.numerator else None,
        )
        points = (
            _with_means(Sampling.of(moments, box), laid_out, score, label, level)
            if "w" in moments.names
            else _without_means(laid_out, ratios[1] == _FLOORED)
        )
    errors = CalibrationErrors(
        labels=laid_out.curve_labels,
        expected=points.expected,
        squared=points.squared,
        test=test,
        bins=np.bincount(laid_out.codes, minlength=laid_out.curves).astype(np.float64),
        left_out=points.left_out,
        level=level,
        has_means="w" in moments.names,
        fit=fit_of(release, asked, moments, list(laid_out.curve_labels), level),
        origin=release.origin,
    )
    return Curve(
        labels=question_labels(asked),
        bins=laid_out.column,
        score=ratio.numerator,
        share=points.share,
        mean_score=points.score,
        mean_label=points.label,
        ratio=ratios[0],
        gap=points.gap,
        codes=_status(points, ratios[1]),
        errors=errors,
        level=level,
        is_simulated=release.is_simulated,
        origin=release.origin,
        release_id=release.id,
        bounds=(
            min(box["s"].lower, box["y"].lower),
            max(box["s"].upper, box["y"].upper),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Points:
    """What means tell of each bin and curve; the last three say where they fail."""

    share: Measured
    score: Measured
    label: Measured
    gap: Measured
    expected: Measured
    squared: Measured
    left_out: Floats
    lost: Flags
    weak: Flags
    floored: Flags


@dataclass(frozen=True, slots=True)
class _Layout:
    """To which curve each cell belongs, and what the curves are called."""

    column: str
    codes: NDArray[np.int64]
    curve_labels: dict[str, list[Any]]
    curves: int
    edges: tuple[Floats, Floats]

    def ends(self, ratio: Ratio, box: dict[str, Bounds]) -> Ends:
        """Give the range of a mean score: its bin's, where bins are of the score."""
        if self.column == ratio.numerator:
            return self.edges
        return box["s"].lower, box["s"].upper


def _binned(question: ReleasedQuestion) -> dict[str, ScoreBins]:
    """Give the binned columns of a question."""
    dimensions = () if question.groups is None else question.groups.dimensions
    return {each.column: each for each in dimensions if isinstance(each, ScoreBins)}


def _lay_out(question: ReleasedQuestion, bins: str | None, release: Release) -> _Layout:
    """Find the binned column; what else groups are by gives a curve each."""
    binned = list(_binned(question))
    wanted = binned if bins is None else [name for name in binned if name == bins]
    if len(wanted) != 1:
        having = [each.name for each in release.questions if _binned(each)]
        _refuse_bins(question.ratio, binned, bins, having)
    (column,) = wanted
    others = {
        name: cells
        for name, cells in question_labels(question).items()
        if name != column
    }
    count = len(question.values)
    keys = list(zip(*others.values(), strict=True)) if others else [()] * count
    places = {key: at for at, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([places[key] for key in keys], dtype=np.int64)
    labels = {name: [key[at] for key in places] for at, name in enumerate(others)}
    edges = _edges(_binned(question)[column], question)
    return _Layout(column, codes, labels, len(places), edges)


def _refuse_bins(
    ratio: Ratio, binned: list[str], bins: str | None, others: list[str]
) -> None:
    """Say which bins there are, or how to plan with some."""
    rule = "a calibration curve needs one binned column"
    if binned:
        which = " or ".join(f"bins='{name}'" for name in binned)
        given = binned if bins is None else bins
        require(False, rule, given, f"Say which: {which}.")  # noqa: FBT003
    if others:
        named = " or ".join(f"question={each!r}" for each in others)
        raise InvalidInput(f"{rule}, and this question has none. Bins have: {named}.")
    score = ratio.numerator
    raise InvalidInput(
        f"{rule}, and this question has none. Plan with bins: in a study [groups] "
        f'column = "{score}" and bins = 10, in Python '
        f"groups=ScoreBins('{score}', 10)."
    )


def _edges(own: ScoreBins, question: ReleasedQuestion) -> tuple[Floats, Floats]:
    """Give the edges of the bin of every group."""
    edges = np.array(own.edges)
    places = {key: at for at, key in enumerate(own.values)}
    at = [places[key] for key in question_labels(question)[own.column]]
    return edges[:-1][at], edges[1:][at]


def _mean(
    sampling: Sampling, top: str, ends: Ends, level: float
) -> tuple[Measured, Codes]:
    view, form = seen_as_ratio(sampling, {top: 1.0}, {"w": 1.0})
    reach = Signs(bool(np.all(ends[0] >= 0)), denominator_is_positive=True)
    return _interval(view, form, reach, ends, level)


def _interval(
    view: Moments, form: str | None, reach: Signs, ends: Ends, level: float
) -> tuple[Measured, Codes]:
    """Give a ratio with its pivot interval, as far as bounds allow.

    What is plausible and possible is no less likely to hold the truth than what is
    plausible; the estimate is moved to the nearest value that is possible.
    """
    form = choose_variance(view, form)
    options = Options("pivot", "ratio", level, form)
    found = intervals(view, reach, options)
    estimate = np.where(view["wy"] > 0, view["ws"] / view["wy"], np.nan)
    clipped = (np.clip(each, *ends) for each in (estimate, found.lower, found.upper))
    return Measured(*clipped), found.status


def _with_means(
    sampling: Sampling,
    laid_out: _Layout,
    score: Ends,
    label: Labels,
    level: float,
) -> _Points:
    """Give means, gaps, shares and errors with their intervals."""
    gaps, form = seen_as_ratio(sampling, {"ws": 1.0, "wy": -1.0}, {"w": 1.0})
    bins = Bins(gaps, form, laid_out.codes, laid_out.curves)
    found = {
        "score": _mean(sampling, "ws", score, level),
        "label": _mean(sampling, "wy", label, level),
        "gap": _interval(gaps, form, _ANY_SIGN, gap_ends(score, label), level),
    }
    noise = np.sqrt(gaps.noise_covariance("wy", "wy"))
    lost = ~(gaps["wy"] > _LOST * noise)
    weak = np.zeros_like(lost)
    for _, codes in found.values():
        lost |= codes > _WEAK
        weak |= codes == _WEAK
    return _Points(
        share=share_of(bins, sampling, level),
        score=found["score"][0],
        label=found["label"][0],
        gap=found["gap"][0],
        expected=absolute_error(bins, level),
        squared=squared_error(bins, level),
        left_out=bins.add((~bins.is_known).astype(np.float64)),
        lost=lost,
        weak=weak,
        floored=found["gap"][1] == _FLOORED,
    )


def _without_means(laid_out: _Layout, floored: Flags) -> _Points:
    """Say of every bin that nothing is known of its means."""
    of_bin, of_curve = (
        Measured(*(np.full(count, each) for each in (np.nan, -np.inf, np.inf)))
        for count in (len(floored), laid_out.curves)
    )
    none, nobody = np.zeros_like(floored), np.zeros(laid_out.curves)
    errors = (of_curve, of_curve, nobody)
    return _Points(of_bin, of_bin, of_bin, of_bin, *errors, none, none, floored)


def _status(points: _Points, ratio: Codes) -> Codes:
    """Sum up in one word what is known of a bin."""
    status = np.zeros(len(ratio), dtype=np.int8)
    status[points.floored] = _CODES["variance_floored"]
    status[points.weak | (ratio == _WEAK)] = _CODES["weak"]
    status[ratio > _WEAK] = _CODES["ratio_unbounded"]
    status[points.lost] = _CODES["lost"]
    return status
