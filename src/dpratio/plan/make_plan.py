"""From terms to a plan.

Floor: plan. Imports: terms, checks, and the rest of this room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpratio.checks import require, require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.calibrate import MECHANISMS, noise_sd
from dpratio.plan.contrast import Contrast, contrast_of
from dpratio.plan.expected import Expected, expected_of
from dpratio.plan.joint import Grid
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.plan import Plan
from dpratio.plan.require_terms import require_terms, settle_guess
from dpratio.plan.strategy import (
    STRATEGIES,
    measure_evenly,
    measure_focused,
    measure_jointly,
    sums_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.guess import Guess
from dpratio.terms.question import NEARNESS, Groups, Ratio

__all__ = ["EXPECTED_PEOPLE", "make_plan"]

EXPECTED_PEOPLE = 5_000
MOST_PEOPLE = 10**300  # Beyond it doubles end.


def make_plan(  # noqa: PLR0913 (keyword-only terms)
    ratio: Ratio,
    *,
    bounds: Mapping[str, Bounds],
    budget: Budget,
    groups: Groups | None = None,
    answers: Sequence[str] = ("ratio",),
    strategy: str = "focused",
    mechanism: str = "auto",
    n: int = EXPECTED_PEOPLE,
    guess: Guess | None = None,
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        ratio: What is asked.
        bounds: The public range of each column of the ratio.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer.
        answers: ``("ratio",)``, or ``("ratio", "means")`` for means as well.
        strategy: ``"focused"`` measures what the ratio needs most precisely;
            ``"joint"`` and ``"even"`` measure the sums of Miao & Li (2022), as one
            vector or each at an equal share.
        mechanism: ``"laplace"``, ``"analytic_gaussian"``, ``"classical_gaussian"``
            (only with ``"even"``), or ``"auto"``: the one that promises less width.
        n: About how many people an answer is about; a public guess, as is
        guess: what they are like. Both only decide how the budget is shared.

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
    wanted = tuple(answers)
    require_terms(ratio, bounds, budget, groups, wanted, strategy, mechanism)
    counted = isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MOST_PEOPLE
    require(counted, "n must be a whole number of at least 1", n)
    known = guess is None or isinstance(guess, Guess)
    require(known, "guess must be a Guess or None", guess)
    settled = settle_guess(ratio, bounds) if strategy == "focused" else ratio
    ordered = {column: bounds[column] for column in ratio.columns}
    box = dict(zip("syw", ordered.values(), strict=False))
    contrast = contrast_of(settled)
    task = _Task(
        grid=sums_of(strategy, box, contrast, wanted),
        budget=budget,
        strategy=strategy,
        contrast=contrast,
        expected=expected_of(box, contrast, n, guess),
        nearness=NEARNESS[ratio.guess_is],
    )
    chosen, sums = task.best(mechanism)
    return Plan(
        ratio=settled,
        bounds=ordered,
        groups=groups,
        budget=budget,
        strategy=strategy,
        mechanism=chosen,
        answers=wanted,
        sums=sums,
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """Everything but the noise law, which `best` may choose."""

    grid: Grid
    budget: Budget
    strategy: str
    contrast: Contrast
    expected: Expected
    nearness: float

    def best(self, mechanism: str) -> tuple[str, tuple[MeasuredSum, ...]]:
        """Measure with the given noise, or with what promises the smaller width."""
        laws = [mechanism]
        if mechanism == "auto":
            laws = (
                ["laplace", "analytic_gaussian"] if self.budget.delta else ["laplace"]
            )
        tried: list[tuple[float, str, tuple[MeasuredSum, ...]]] = []
        refused: list[InvalidInput] = []
        for law in laws:
            try:
                sums, width = self._measure(law)
                tried.append((width, law, sums))
            except InvalidInput as error:
                refused.append(error)
        if not tried:
            raise refused[0]
        _, law, sums = min(tried, key=lambda each: each[0])
        return law, sums

    def _measure(self, law: str) -> tuple[tuple[MeasuredSum, ...], float]:
        """Give the sums, and a number that falls with the width they promise."""
        if self.strategy == "focused":
            return measure_focused(
                self.grid,
                self.budget,
                law,
                self.contrast,
                self.expected,
                self.nearness,
            )
        measure = measure_evenly if self.strategy == "even" else measure_jointly
        sums = measure(self.grid, self.budget, law)
        # All noise grows alike between laws, so one sum tells which is smaller.
        return sums, noise_sd(law, sums[0].scale)
