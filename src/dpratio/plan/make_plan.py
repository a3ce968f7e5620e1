"""From terms to a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.checks import require, require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.calibration.calibrate import MECHANISMS, noise_sd
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.part import Part, Partition
from dpratio.plan.plan import Plan
from dpratio.plan.require_terms import require_terms, settle_guess, settle_partition
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.split_budget import allowances
from dpratio.plan.strategy.expected import expected_of
from dpratio.plan.strategy.strategy import (
    STRATEGIES,
    Allowance,
    measure_evenly,
    measure_focused,
    measure_jointly,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Dimension, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.guess import Guess
from dpratio.terms.question import NEARNESS, Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = ["EXPECTED_PEOPLE", "make_plan"]

EXPECTED_PEOPLE = 5_000
_LARGEST_WEIGHT = 10**6
_MOST_PEOPLE = 10**300  # Beyond it doubles end.


def make_plan(  # noqa: PLR0913 (keyword-only terms)
    ratio: Ratio | Sequence[Ratio],
    *,
    bounds: Mapping[str, Bounds],
    budget: Budget,
    groups: Partition | Dimension | Sequence[Partition | Dimension] = None,
    unit: PrivacyUnit | None = None,
    weights: Sequence[float | Fraction] | None = None,
    answers: Sequence[str] = ("ratio",),
    strategy: str = "focused",
    mechanism: str = "auto",
    n: int = EXPECTED_PEOPLE,
    guess: Guess | None = None,
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        ratio: What is asked; a list asks several ratios of the same rows.
        bounds: The public range of each column of the ratios, and of binned columns.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer. A list asks
            for several partitions at once, from one budget. A dimension stands for
            groups of it alone.
        unit: Who is protected; by default one row, added or removed.
        weights: How much of the budget each partition gets; by default equal parts.
        answers: ``("ratio",)``, or ``("ratio", "means")`` for means as well;
            ``"spread"`` among them, with ``"joint"`` or ``"even"``, for variances,
            correlation and slope.
        strategy: ``"focused"`` measures what the ratio needs most precisely;
            ``"joint"`` and ``"even"`` measure the sums of Miao & Li (2022), as one
            vector or each at an equal share.
        mechanism: ``"laplace"``, ``"analytic_gaussian"``, ``"classical_gaussian"``
            (only with ``"even"``), or ``"auto"``: the one that promises less width.
        n: About how many people an answer is about; a public guess, as is
        guess: what they are like, or their totals. Both only decide how the budget is
            shared.

    Returns:
        A plan that prints itself as a table.

    Raises:
        InvalidInput: When a term breaks a rule, or the mechanism needs more delta.

    Example:
        >>> plan = make_plan(
        ...     Ratio("score", per="label"),
        ...     bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        ...     budget=Budget(epsilon=1),
        ... )
        >>> [each.summand.name for each in plan.sums]
        ['z', 'h', 'zz', 'zh', 'hh']
    """
    require_one_of(strategy, STRATEGIES, "strategy")
    require_one_of(mechanism, (*MECHANISMS, "auto"), "mechanism")
    listed = isinstance(answers, list | tuple)
    require(listed, "answers must be a list such as ['ratio', 'means']", answers)
    ratios = tuple(ratio) if isinstance(ratio, list | tuple) else (ratio,)
    asked = groups if isinstance(groups, list | tuple) else (groups,)
    partitions = tuple(
        Groups.cross(each) if isinstance(each, Keys | ScoreBins | Periods) else each
        for each in asked
    )
    terms = Plan(
        bounds=bounds,
        unit=PrivacyUnit() if unit is None else unit,
        partitions=partitions,
        budget=budget,
        strategy=strategy,
        mechanism=mechanism,
        answers=tuple(answers),
        parts=_parts(ratios, len(partitions), weights),
    )
    require_terms(terms)
    counted = isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= _MOST_PEOPLE
    require(counted, "n must be a whole number of at least 1", n)
    known = guess is None or isinstance(guess, Guess)
    require(known, "guess must be a Guess or None", guess)
    terms = replace(
        terms,
        bounds=_in_order(bounds, ratios),
        partitions=tuple(settle_partition(each, bounds) for each in partitions),
        parts=tuple(
            replace(part, ratio=settle_guess(part.ratio, terms)) for part in terms.parts
        ),
    )
    return _Task(terms, n, guess).best()


def _in_order(
    bounds: Mapping[str, Bounds], ratios: Sequence[Ratio]
) -> dict[str, Bounds]:
    """Order bounds by the columns of the ratios, whatever the caller's order."""
    names = dict.fromkeys(name for ratio in ratios for name in ratio.columns)
    return {name: bounds[name] for name in (*names, *sorted(set(bounds) - set(names)))}


def _parts(
    ratios: Sequence[Ratio], partitions: int, weights: Sequence[float | Fraction] | None
) -> tuple[Part, ...]:
    """List every ratio over every partition, with its share."""
    given = [1] * partitions if weights is None else list(weights)
    rule = "each partition has one positive weight"
    positive = len(given) == partitions and all(
        isinstance(each, int | float | Fraction)
        and not isinstance(each, bool)
        and 0 < each < _LARGEST_WEIGHT
        for each in given
    )
    require(positive, rule, given)
    exact = [Fraction(str(each)) for each in given]
    return tuple(
        Part(ratio, at, exact[at] / sum(exact) / len(ratios), ())
        for at in range(partitions)
        for ratio in ratios
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """Terms without noise, and what is expected of the people."""

    terms: Plan
    people: int
    guess: Guess | None

    def best(self) -> Plan:
        """Measure with the given noise, or with what promises the smaller width."""
        laws = [self.terms.mechanism]
        if self.terms.mechanism == "auto":
            laws = (
                ["laplace", "analytic_gaussian"] if self._has_delta() else ["laplace"]
            )
        tried: list[tuple[Plan, float]] = []
        refused: list[InvalidInput] = []
        for law in laws:
            try:
                tried.append(self._with(replace(self.terms, mechanism=law)))
            except InvalidInput as error:
                refused.append(error)
        if not tried:
            raise refused[0]
        return min(tried, key=lambda each: each[1])[0]

    def _has_delta(self) -> bool:
        """Tell whether finding keys leaves a delta for the sums."""
        spent = sum(each.budget.delta for each in self.terms.private_keys)
        return self.terms.budget.delta > spent

    def _with(self, plan: Plan) -> tuple[Plan, float]:
        """Give the plan, and a number that falls with the width it promises."""
        measured = [
            self._measure(plan, part, allowed)
            for part, allowed in zip(plan.parts, allowances(plan), strict=True)
        ]
        parts = tuple(
            replace(part, sums=sums)
            for part, (sums, _) in zip(plan.parts, measured, strict=True)
        )
        return replace(plan, parts=parts), sum(width for _, width in measured)

    def _measure(
        self, plan: Plan, part: Part, allowed: Allowance
    ) -> tuple[tuple[MeasuredSum, ...], float]:
        grid = plan.grid(part)
        if plan.strategy == "focused":
            box, contrast = plan.box(part), contrast_of(part.ratio)
            return measure_focused(
                grid,
                allowed,
                contrast,
                expected_of(box, contrast, self.people, self.guess),
                NEARNESS[part.ratio.guess_is],
            )
        measure = measure_evenly if plan.strategy == "even" else measure_jointly
        sums = measure(grid, allowed)
        # All noise grows alike between laws, so one sum tells which is smaller.
        return sums, noise_sd(plan.mechanism, sums[0].scale)
