"""From a release to any smooth function of its sums, with intervals.

The delta method, with the law of the noise carried through: a function that is linear
within its uncertainty has the variance g'Cg of the sums that it is made of, and the
noise of each sum enters it with a known weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.function.function_of_sums import FunctionOfSums
from dpratio.analyst.function.function_results import (
    FUNCTION_STATUSES,
    FunctionEstimates,
)
from dpratio.analyst.function.quotient import QuotientSet, quotient_set
from dpratio.analyst.ratio.interval import standard_errors
from dpratio.analyst.ratio.monte_carlo import redrawn_sums
from dpratio.analyst.ratio.noisy_tail import fourth_moment_scale, noisy_quantile
from dpratio.analyst.ratio.tail import is_drowned, normal_quantile
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.sampling import Sampling
from dpratio.analyst.tables.labels import question_labels
from dpratio.analyst.tables.options import require_draws, require_level
from dpratio.analyst.tables.statuses import codes_of
from dpratio.arrays import Flags, Floats
from dpratio.checks import require, require_one_of
from dpratio.plan.measurement import pick_question
from dpratio.plan.strategy.allowance import allowance
from dpratio.release.release import Release, ReleasedQuestion, require_release
from dpratio.terms.groups import Groups, Key, PrivateKeys

_GROWS = 1e-6


def is_selected(
    question: ReleasedQuestion,
    function: FunctionOfSums,
    arms: Sequence[Moments],
) -> Flags:
    """Tell where a function grows with the people of a key that was found."""
    keys = question.planned.groups
    chosen: Flags = np.zeros(len(arms[0].values), dtype=np.bool_)
    if not isinstance(keys, PrivateKeys):
        return chosen
    size = len(function.needs)
    values = [arm[name] for arm in arms for name in function.needs]
    slopes = function.slopes(values)
    for at in range(len(arms)):
        own = slice(at * size, (at + 1) * size)
        # Euler: a function that does not change when all sums grow alike has none.
        parts = [by * each for by, each in zip(slopes[own], values[own], strict=True)]
        grown = np.abs(np.sum(parts, axis=0))
        chosen |= ~(grown <= _GROWS * np.sum(np.abs(parts), axis=0))
    return chosen


@dataclass(frozen=True, slots=True)
class Arms:
    """Places of cells, one array per arm, and the labels of the rows they make."""

    labels: dict[str, Sequence[Any]]
    places: tuple[NDArray[np.int64], ...]


def arms_of(
    release: Release,
    question: ReleasedQuestion,
    count: int,
    arms: tuple[Key, Key] | None,
) -> Arms:
    """Choose cells for a function of so many arms.

    Raises:
        InvalidInput: When arms are missing, unknown, or may share units.
    """
    if count == 1:
        hint = "Leave arms out: this function is about single cells."
        require(arms is None, "this function compares no arms", arms, hint)
        cells = np.arange(len(question.values))
        return Arms(question_labels(question), (cells,))
    hint = "Write arms=('new', 'old'): two keys of one group column."
    two = isinstance(arms, list | tuple) and len(arms) == 2  # noqa: PLR2004
    require(two and arms[0] != arms[1], "arms must be two groups", arms, hint)  # type: ignore[index]
    hint = "Plan with at most one group for each unit."
    rule = "arms that share units cannot be compared"
    most = release.measured.unit.most_groups
    require(most == 1, rule, most, hint)
    groups = question.groups
    at = _dimension(groups, tuple(arms or ()))
    return _pairs(groups, at, tuple(arms or ()))  # type: ignore[arg-type]


def has_arms(question: ReleasedQuestion, arms: object) -> bool:
    """Tell whether a question has groups of these arms; without arms any does."""
    if not isinstance(arms, list | tuple):
        return True
    return bool(_holding(question.groups, tuple(arms)))


def _holding(groups: Groups | None, arms: tuple[Key, ...]) -> list[int]:
    dimensions = () if groups is None else groups.dimensions
    return [
        at
        for at, each in enumerate(dimensions)
        if all(_is_among(key, each.values) for key in arms)
    ]


def _dimension(groups: Groups | None, arms: tuple[Key, ...]) -> int:
    """Find the one group column that has both keys."""
    holding = _holding(groups, arms)
    hint = "Both must be keys of one group column, and of one only."
    require(len(holding) == 1, "these arms cannot be compared", list(arms), hint)
    return holding[0]


def _is_among(key: Key, values: tuple[Key, ...]) -> bool:
    return any(key == each and type(key) is type(each) for each in values)


def _pairs(groups: Groups, at: int, arms: tuple[Key, ...]) -> Arms:
    """Pair the cells that differ in the arm alone, in declared order."""
    keys = [key if isinstance(key, tuple) else (key,) for key in groups.keys]
    rest = [key[:at] + key[at + 1 :] for key in keys]
    first, second = (
        {others: place for place, others in enumerate(rest) if keys[place][at] == arm}
        for arm in arms
    )
    both = [others for others in first if others in second]
    hint = "Declare both arms beside the same other keys."
    require(both, "no cell has both arms", list(arms), hint)
    names = groups.columns[:at] + groups.columns[at + 1 :]
    labels: dict[str, Sequence[Any]] = {
        name: [others[place] for others in both] for place, name in enumerate(names)
    }
    labels |= {
        groups.columns[at]: [arms[0]] * len(both),
        f"{groups.columns[at]}_against": [arms[1]] * len(both),
    }
    places = (
        np.array([chosen[others] for others in both], dtype=np.int64)
        for chosen in (first, second)
    )
    return Arms(labels, tuple(places))


FUNCTION_METHODS = ("pivot", "delta", "monte_carlo")

_CODES = codes_of(FUNCTION_STATUSES)
_OK = _CODES["ok"]
_CELLS_AT_ONCE = 2**15
# Of the standard error. Above it answers that bend less than others of their kind do so
# by luck, and luck moves the estimate as well (docs/methods/functions.md).
_BENT = 0.05


@dataclass(frozen=True, slots=True)
class _Linear:
    """A function on the scale of its interval, and what makes it vary, by cell."""

    value: Floats
    sampling: Floats
    sampling_noise: Floats
    privacy: Floats
    laplace: Floats
    bias: Floats
    bends: Floats


def estimate_function(  # noqa: PLR0913 (keyword-only options)
    release: Release,
    function: FunctionOfSums,
    *,
    arms: tuple[Key, Key] | None = None,
    question: str | int | None = None,
    method: str = "pivot",
    level: float = 0.95,
    draws: int = 1000,
    rng: int | np.random.Generator | None = None,
) -> FunctionEstimates:
    """Estimate a function of sums in every cell, with confidence intervals.

    Args:
        release: Noisy sums; no data and no budget are needed.
        function: A ready one, `mean()` for instance, or a `FunctionOfSums`.
        arms: For a function of two cells: the two keys of one group column that are
            compared, the first against the second, within every cell of the others.
        question: Which question, if several fit: its name, or its number from 1.
        method: ``"pivot"`` keeps the values that a test does not reject, if the
            function says what it divides by, as all ready ones but `total` do; for
            others it is ``"delta"``, which carries the noise through the gradient,
            with the law it has. ``"monte_carlo"`` takes its variance from redraws of
            the noise.
        level: Confidence level, between 0 and 1.
        draws: Redraws of the Monte Carlo method.
        rng: Seed or generator of the redraws.

    Returns:
        One row per cell, or per pair of cells. If noise leaves the function undefined,
        the interval is its whole range, with the status ``"unbounded"``.

    Raises:
        InvalidInput: When the release does not hold what the function needs; the
            message names the plan to make.

    Example:
        >>> import dpratio as dpr
        >>> release, lift = dpr.example_release(), dpr.functions.lift("per")
        >>> found = dpr.estimate_function(release, lift, arms=("west", "north"))
        >>> found.estimate.round(3), found.ci_lower.round(3), found.ci_upper.round(3)
        (array([-0.172]), array([-0.208]), array([-0.135]))
    """
    require_release(release)
    hint = "Write mean(), or make a FunctionOfSums."
    known = isinstance(function, FunctionOfSums)
    require(known, "function must be a FunctionOfSums", function, hint)
    require_one_of(method, FUNCTION_METHODS, "method")
    require_level(level)
    require_draws(draws, rng)
    asked = pick_question(
        release.questions, question, lambda each: has_arms(each, arms)
    )
    chosen = arms_of(release, asked, function.arms, arms)
    moments = moments_of(release, asked)
    arm_moments = [moments.only(places) for places in chosen.places]
    box = release.measured.box(asked.measurement)
    if function.of_labels is not None and box["y"].is_binary:
        function = function.of_labels
    samplings = [Sampling.of(each, box) for each in arm_moments]
    quotient = None
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if function.divisor is not None:
            quotient = quotient_set(
                function, arm_moments, samplings, normal_quantile(level)
            )
        if quotient is not None and method == "pivot":
            answer = _by_pivot(quotient)
        else:
            method = "delta" if method == "pivot" else method
            linear = _linearise(function, arm_moments, samplings)
            if method == "monte_carlo":
                seed = np.random.default_rng(rng)
                extra = _redrawn(function, arm_moments, draws, seed)
                grown = np.sqrt(extra / linear.privacy)
                scale = np.where(linear.privacy > 0, linear.laplace * grown, 0.0)
                linear = replace(linear, privacy=extra, laplace=scale)
            answer = _by_delta(function, linear, level)
        lucky = is_selected(asked, function, arm_moments)
    codes = answer["codes"]
    if quotient is not None:
        codes[(codes == _OK) & quotient.is_weak] = _CODES["weak"]
    codes[(codes == _OK) & lucky] = _CODES["selected"]
    return FunctionEstimates(
        function=function.name,
        labels=chosen.labels,
        method=method,
        level=level,
        is_simulated=release.is_simulated,
        origin=release.origin,
        release_id=release.id,
        **answer,
    )


def _linearise(
    function: FunctionOfSums, arms: list[Moments], samplings: list[Sampling]
) -> _Linear:
    """Linearise a function, and carry sampling and noise through its gradient."""
    needs = function.needs
    values = [arm[name] for arm in arms for name in needs]
    value = np.asarray(function.on_link(values), dtype=np.float64) * np.ones(
        len(values[0])
    )
    slopes = function.slopes(values)
    cells = len(value)
    sampling, unsure = np.zeros(cells), np.zeros(cells)
    privacy, bias, bends = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    scales: list[Floats] = []
    for at, (arm, own) in enumerate(zip(arms, samplings, strict=True)):
        here = slopes[at * len(needs) : (at + 1) * len(needs)]
        variance, weights = own.variance(needs, here)
        sampling += variance
        noise = arm.noise
        unsure += (weights**2 * noise.variance).sum(axis=1)
        loadings = np.stack([arm.loading(name) for name in needs])
        entering = np.stack(here, axis=1) @ loadings
        privacy += (entering**2 * noise.variance).sum(axis=1)
        for move in own.directions(needs):
            bend = _bend(function, values, value, at, move)
            bias, bends = bias + bend, bends + 2 * bend**2
        for place in np.flatnonzero(loadings.any(axis=0)):
            deviation = np.sqrt(noise.variance[:, place]) * np.ones(cells)
            move = loadings[:, place, None] * deviation
            bend = _bend(function, values, value, at, move)
            # The square of a normal variable varies by 2 of its mean's square, that
            # of a Laplace variable by 5.
            heavy = 5 if noise.laplace[:, place].any() else 2
            bias, bends = bias + bend, bends + heavy * bend**2
            scales.append(np.abs(entering[:, place]) * noise.laplace[:, place])
    laplace = fourth_moment_scale([*scales, np.zeros(cells)])
    return _Linear(value, sampling, unsure, privacy, laplace, bias, bends)


def _bend(
    function: FunctionOfSums,
    values: list[Floats],
    value: Floats,
    arm: int,
    move: Floats,
) -> Floats:
    """Give the bias that moves of one deviation cause, by a second difference."""
    size = len(move)
    ends = []
    for sign in (1, -1):
        moved = list(values)
        for at in range(size):
            moved[arm * size + at] = values[arm * size + at] + sign * move[at]
        ends.append(np.asarray(function.on_link(moved), dtype=np.float64))
    bias: Floats = (ends[0] + ends[1]) / 2 - value
    return bias


def _redrawn(
    function: FunctionOfSums,
    arms: list[Moments],
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Give the mean squared move of the function when noise is drawn again."""
    cells, chunk = len(arms[0].values), max(1, _CELLS_AT_ONCE // draws)
    found = []
    for start in range(0, cells, chunk):
        question = slice(start, start + chunk)
        before, after = [], []
        for arm in arms:
            noise = redrawn_sums(arm, question, draws, rng)
            for name in function.needs:
                before.append(arm[name][question])
                after.append(arm[name][question] + noise @ arm.loading(name))
        moved = np.asarray(function.on_link(after), dtype=np.float64)
        still = np.asarray(function.on_link(before), dtype=np.float64)
        found.append(np.mean((moved - still) ** 2, axis=0))
    return np.concatenate(found)


def _by_pivot(found: QuotientSet) -> dict[str, Any]:
    """Give the sets of a quotient, and their statuses."""
    codes = np.zeros(len(found.lower), dtype=np.int8)
    codes[found.is_drowned & ~found.is_weak] = _CODES["variance_floored"]
    codes[found.is_lost] = _CODES["unbounded"]
    return {
        "estimate": found.estimate,
        "ci_lower": found.lower,
        "ci_upper": found.upper,
        "codes": codes,
        **standard_errors(found.sampling, found.privacy, found.is_lost),
    }


def _by_delta(
    function: FunctionOfSums, linear: _Linear, level: float
) -> dict[str, Any]:
    """Make intervals and statuses, and come back to the scale of the function."""
    sampling = np.maximum(linear.sampling, 0.0)
    spread = sampling + linear.privacy
    widened = spread + allowance(
        sampling, linear.privacy, linear.sampling_noise, normal_quantile(level)
    )
    # A function that bends errs by its bias, and varies where its slope is flat.
    bent = np.nan_to_num(linear.bias**2 + linear.bends, nan=np.inf)
    reach = noisy_quantile(level, widened + bent, linear.laplace)
    lower, upper = linear.value - reach, linear.value + reach
    codes = np.zeros(len(lower), dtype=np.int8)
    drowned = is_drowned(linear.sampling, linear.privacy, linear.sampling_noise)
    codes[drowned] = _CODES["variance_floored"]
    codes[~(np.sqrt(bent) <= _BENT * np.sqrt(spread))] = _CODES["curved"]
    lost = ~(np.isfinite(lower) & np.isfinite(upper))
    ends = function.ends(lower, upper)
    codes[lost] = _CODES["unbounded"]
    # The derivative of coming back turns errors into those of the function.
    step = 1e-6 * np.maximum(np.abs(linear.value), 1e-3)
    unit = np.abs(
        (function.back(linear.value + step) - function.back(linear.value - step))
        / (2 * step)
    )
    if function.link == "plain":
        unit = np.ones_like(step)
    return {
        "estimate": function.back(linear.value),
        "ci_lower": np.where(lost, function.lowest, ends[0]),
        "ci_upper": np.where(lost, function.highest, ends[1]),
        "codes": codes,
        **standard_errors(sampling, linear.privacy, lost, unit),
    }
