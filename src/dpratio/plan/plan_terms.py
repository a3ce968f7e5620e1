"""What a plan is asked: the terms of its study, settled, before and after planning."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.planned_question import Partition, PlannedQuestion
from dpratio.plan.sensitivity.box import box_of, can_cut, row_box
from dpratio.plan.sensitivity.contrast import (
    Contrast,
    contrast_of,
    guess_from,
    rounded_guess,
)
from dpratio.plan.sensitivity.corners import corners_of
from dpratio.plan.sensitivity.joint import Grid
from dpratio.plan.sensitivity.mixtures import RAW, mixed_grid
from dpratio.plan.strategy.layout import sums_of
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import Guess
from dpratio.terms.question import default_name, told_apart
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, as_title
from dpratio.terms.unit import PrivacyUnit

__all__ = ["PlanTerms", "settle_guess", "settle_partition"]


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """Bounds, unit, budget and questions; ``found`` are keys that were paid before.

    With a ``stage`` the guesses of the questions are the fallback of those that it
    finds. ``clipping`` says whether units that a bound cuts are counted.
    The ``title`` is no term: it names reports, and is no part of the plan's hash.

    The planner works on terms whose questions have no sums yet; a `Plan` has them.
    """

    bounds: Mapping[str, Bounds]
    unit: PrivacyUnit
    partitions: tuple[Partition, ...]
    budget: Budget
    strategy: str
    mechanism: str
    questions: tuple[PlannedQuestion, ...]
    found: tuple[PrivateKeys, ...] = ()
    stage: Stage | None = None
    clipping: str = UNMEASURED
    title: str | None = None

    def __post_init__(self) -> None:
        """Name the questions that have no name yet; hold the title to its rule."""
        as_title(self.title)
        if isinstance(self.questions, tuple) and not all(map(_name, self.questions)):
            names = told_apart([self._called(each) for each in self.questions])
            named = tuple(
                replace(each, name=name)
                for each, name in zip(self.questions, names, strict=True)
            )
            object.__setattr__(self, "questions", named)

    def _called(self, question: PlannedQuestion) -> str:
        at = question.partition
        known = type(at) is int and 0 <= at < len(self.partitions)
        groups = self.partitions[at] if known else None
        # What breaks a rule is refused by `require_terms`, in its own words.
        is_ratio = isinstance(question.ratio, Ratio)
        return question.name or (
            default_name(question.ratio, groups) if is_ratio else "?"
        )

    @property
    def private_keys(self) -> list[PrivateKeys]:
        """Keys that are found privately, or were before groups were rolled up."""
        asked = [each for each in self.partitions if isinstance(each, PrivateKeys)]
        return [*asked, *self.found]

    @property
    def for_sums(self) -> tuple[Fraction, Fraction]:
        """What of epsilon and delta is left for the sums, after other stages."""
        epsilon = sum((each.budget.epsilon for each in self.private_keys), Fraction(0))
        if self.stage is not None:
            epsilon += self.stage.epsilon
        delta = sum((each.budget.delta for each in self.private_keys), Fraction(0))
        spent = (
            Fraction(0) if self.mechanism == "laplace" else self.budget.delta - delta
        )
        return self.budget.epsilon - epsilon, spent

    @property
    def score_bins(self) -> tuple[ScoreBins, ...]:
        """The bins of all declared groups."""
        groups = (each for each in self.partitions if isinstance(each, Groups))
        return tuple(bins for each in groups for bins in each.score_bins)

    def unit_of(self, question: PlannedQuestion) -> PrivacyUnit:
        """The unit as a question counts it: with its own totals where it has any.

        The price and the statement that engines are given both take it from here.
        Proof: docs/proofs/neighbours.md.

        Raises:
            InvalidInput: When the question's own totals break a rule.
        """
        return self.unit.of_question(question.totals)

    def is_guessed(self, question: PlannedQuestion) -> bool:
        """Tell whether a guess of the unit's totals is about those of a question."""
        return not any(name in self.unit.totals for name in question.totals)

    def box(self, question: PlannedQuestion) -> dict[str, Bounds]:
        """The bounds of what one unit puts into a question."""
        return box_of(question.ratio, self.bounds, self.unit_of(question))

    def contrast(self, question: PlannedQuestion) -> Contrast | None:
        """The columns z and h of a question, in a focused plan."""
        focused = self.strategy == "focused"
        return contrast_of(question.ratio, question.basis) if focused else None

    def grid(self, question: PlannedQuestion) -> Grid:
        """The sums of a question on their lattices."""
        contrast = contrast_of(question.ratio, question.basis)
        grid = self._sums(question, contrast)
        if self.stage is None:
            return grid
        return mixed_grid(grid, self.raw_grid(question), contrast)

    def raw_grid(self, question: PlannedQuestion) -> Grid:
        """The sums that engines count for a question with two stages."""
        return self._sums(question, RAW)

    def counts_cuts(self, question: PlannedQuestion) -> bool:
        """Tell whether units that a bound of the question cuts are counted."""
        return self.clipping == MEASURED and self.may_cut(question)

    def may_cut(self, question: PlannedQuestion) -> bool:
        """Tell whether a bound of the question is not natural, and may cut a unit."""
        is_limited = question.ratio.residual_bound is not None
        unit = self.unit_of(question)
        return is_limited or can_cut(question.ratio, self.bounds, unit)

    def _sums(self, question: PlannedQuestion, contrast: Contrast) -> Grid:
        return sums_of(
            self.strategy,
            self.box(question),
            contrast,
            question.answers,
            counts_cuts=self.counts_cuts(question),
        )


def _name(question: PlannedQuestion) -> str:
    return question.name


def settle_guess(
    question: PlannedQuestion, plan: PlanTerms, people: Guess | None = None
) -> Ratio:
    """Settle the guess of a ratio where its asker gave none.

    Raises:
        InvalidInput: When the residual bound binds nowhere.
    """
    if plan.strategy != "focused":
        return question.ratio
    box, settled = plan.box(question), question.ratio
    if settled.guess is None:
        settled = _likely_guess(question, plan, people)
    if settled.residual_bound is not None:
        free = contrast_of(replace(settled, residual_bound=None))
        most = max(abs(point["z"]) for point in corners_of(box, free))
        rule = f"the residual bound must be below {float(most):g}, which the box gives"
        hint = "Leave it out, or promise less."
        require(settled.residual_bound < most, rule, settled.residual_bound, hint)
    return settled


def _likely_guess(
    question: PlannedQuestion, plan: PlanTerms, people: Guess | None
) -> Ratio:
    """Guess a ratio: from people, or what it is likely to be of such columns."""
    ratio, box = question.ratio, plan.box(question)
    is_free = ratio.residual_bound is None and "calibration" not in question.answers
    if people is not None and plan.is_guessed(question) and is_free:
        return replace(ratio, guess=rounded_guess(people.ratio))
    if ratio.minus is not None:
        return replace(ratio, guess=0.0)
    if _is_score_per_label(question, plan):
        return replace(ratio, guess=1.0)
    # From the middle, either end is half as far away.
    guess = 0.5 if _share_bounds(box) else guess_from(box)
    return replace(ratio, guess=guess, guess_is="unknown")


def _is_score_per_label(question: PlannedQuestion, plan: PlanTerms) -> bool:
    """Tell whether a ratio is of predicted per observed events, which are near 1."""
    if "calibration" in question.answers:
        return _share_bounds(plan.box(question))
    row = row_box(question.ratio, plan.bounds)
    s, y = row["s"], row["y"]
    is_score = s.lower >= 0 and s.upper <= 1 and not s.is_binary
    return is_score and y.is_binary and not y.is_one


def _share_bounds(box: Mapping[str, Bounds]) -> bool:
    s, y = box["s"], box["y"]
    return (s.lower, s.upper) == (y.lower, y.upper)


def settle_partition(partition: Partition, bounds: Mapping[str, Bounds]) -> Partition:
    """Settle equal bins into edges."""
    return partition.within(bounds) if isinstance(partition, Groups) else partition
