"""From a release of histograms to bounds to choose from; no data, no budget."""

import math
from collections.abc import Sequence
from statistics import NormalDist

from dpratio.analyst.bounds.find_bounds import find_bounds, noisy_of
from dpratio.analyst.bounds.noisy import Noisy, candidates_of
from dpratio.analyst.bounds.proposals import BoundChoices, Proposal, Proposals
from dpratio.analyst.tables.options import is_finite_number, require_level
from dpratio.checks import require, show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import HistogramPlan
from dpratio.plan.measurement import pick_question
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.terms.budget import Budget

# Bounds to choose from are at most so much worse than the best one.
_TIMES = 1.5


def propose_bounds(
    release: Release, *, budget: Budget, level: float = 0.95
) -> Proposals:
    """Propose bounds for every column, or total, that a release counted.

    Args:
        release: A release of histograms, of a plan of `plan_bounds`.
        budget: What the release of sums may cost for which bounds are wanted: the
            less it is, the narrower they are best.
        level: The confidence level of how many lie beyond.

    Returns:
        A table with one row per histogram. Where too little is known it says so, and
        proposes nothing. Its ``bounds`` are for a study, which declares them.

    Raises:
        InvalidInput: When the release holds no histograms.

    Example:
        >>> import dpratio as dpr, numpy as np
        >>> study = dpr.Study(
        ...     dpr.Ratio("spent", per="orders"),
        ...     bounds={"orders": dpr.Bounds(0, 4)},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> people = {"spent": np.arange(20_000) % 90, "orders": np.ones(20_000)}
        >>> plan = dpr.bounds.plan_bounds(study, budget=dpr.Budget("0.1"))
        >>> release = dpr.release_sums(people, plan, ledger=None)
        >>> found = dpr.bounds.propose_bounds(release, budget=dpr.Budget("0.9"))
        >>> found.bounds["spent"].upper in (96, 112)
        True
    """
    plan = _require_histograms(release)
    require_level(level)
    counts = [_counts(each) for each in release.questions]
    asked = _bounding(release)
    found = find_bounds(plan, counts, epsilon=_epsilon_of(budget))
    rows = []
    for question, each in zip(asked, found, strict=True):
        beyond, status = None, "too_little_known"
        if each.bounds is not None:
            ends = (each.bounds.lower, each.bounds.upper)
            beyond = count_beyond(release, question.name, *ends, level=level)
            status = "ok"
        elif each.is_beyond:
            status = "beyond_limits"
        noisy = _noisy(question)
        rows.append(Proposal(question.name, noisy, each, beyond, status))
    return Proposals(tuple(rows), level, release.is_simulated)


def choose_bounds(
    release: Release, name: str | int | None = None, *, budget: Budget
) -> BoundChoices:
    """List bounds of one histogram with the bias and the width to expect of a sum.

    Args:
        release: A release of histograms.
        name: Which one; may be left out if there is only one.
        budget: What the release of sums may cost.

    Returns:
        Bounds on each side of zero, with how many lie beyond, what clipping takes off
        the sum, how wide its interval would be, and how wide one that bears the bias on
        both sides: half as wide again as the narrowest, and no wider.
    """
    _require_histograms(release)
    question = pick_question(_bounding(release), name)
    noisy, epsilon = _noisy(question), _epsilon_of(budget)
    moved = release.plan.unit.cells_moved
    listed = []
    for sign in (-1.0, 1.0):
        below = sign < 0
        found = candidates_of(noisy, is_negative=below, epsilon=epsilon, moved=moved)
        most = _TIMES * min((each.together for each in found), default=0.0)
        listed += [(sign, each) for each in found if each.together <= most]
    return BoundChoices(question.name, tuple(listed), release.is_simulated)


def count_beyond(
    release: Release,
    name: str | int | None,
    lower: float,
    upper: float,
    *,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Estimate how many lie below one edge or above another.

    A bound that is no edge is taken for the next one towards zero, and 0 for the cell
    around it: none that lies beyond is left out.

    Returns:
        The estimate and the ends of its interval; no end is below 0.
    """
    _require_histograms(release)
    require_level(level)
    rule = "bounds are two numbers, the smaller first"
    real = is_finite_number(lower) and is_finite_number(upper)
    require(real and lower <= 0 <= upper and lower < upper, rule, (lower, upper))
    noisy = _noisy(pick_question(_bounding(release), name))
    ladder, counts = noisy.ladder, noisy.counts
    below = counts[: _passed(ladder.edges, lower)]
    above = counts[ladder.place(upper) if upper else ladder.place(0.0) + 1 : -1]
    return count_within([*below, *above], noisy.scale, level)


def count_within(
    cells: Sequence[int], scale: float, level: float
) -> tuple[float, float, float]:
    """Add up noisy counts, with the ends of an interval; nothing is below 0."""
    total, half = float(sum(cells)), half_width(len(cells), scale, level)
    return max(total, 0.0), max(total - half, 0.0), max(total + half, 0.0)


def _passed(edges: tuple[float, ...], lower: float) -> int:
    """Count the cells below a bound, the one that holds it among them."""
    return sum(edge <= lower for edge in edges) + 1 if lower else len(edges) // 2


def half_width(cells: int, scale: float, level: float) -> float:
    """Bound a sum of so many Laplace draws, by two terms of Cornish and Fisher."""
    normal = NormalDist().inv_cdf(0.5 + level / 2)
    # Laplace noise has an excess kurtosis of 3, a sum of m draws of 3/m.
    wider = max((normal**3 - 3 * normal) / (8 * cells), 0.0)
    return (normal + wider) * scale * math.sqrt(2 * cells)


def _bounding(release: Release) -> list[ReleasedQuestion]:
    """Return the histograms of numbers; those of groups propose no bounds."""
    return [item for item in release.questions if item.histogram.counts_numbers]


def _noisy(question: ReleasedQuestion) -> Noisy:
    return noisy_of(question.histogram, _counts(question))


def _counts(question: ReleasedQuestion) -> list[int]:
    counts: list[int] = question.values[:, 0].tolist()
    return counts


def _require_histograms(release: object) -> HistogramPlan:
    """Return the plan of a release of histograms that was not merged."""
    if not isinstance(release, Release) or not isinstance(release.plan, HistogramPlan):
        raise InvalidInput(
            "bounds are proposed from a release of histograms, got "
            f"{show_given(release)}. Release a plan of plan_bounds.",
            field="release",
        )
    if release.sources:
        raise InvalidInput(
            "bounds are proposed from one release that was not merged. Read each of "
            "them by itself.",
            field="release",
        )
    return release.plan


def _epsilon_of(budget: object) -> float:
    hint = "Write budget=Budget(epsilon=1)."
    require(isinstance(budget, Budget), "budget must be a Budget", budget, hint)
    return float(budget.epsilon)  # type: ignore[attr-defined]  # refused above
