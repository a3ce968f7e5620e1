"""From a study to a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from dpratio.checks import require, require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.calibration.calibrate import MECHANISMS, noise_sd
from dpratio.plan.measure_question import measure_around
from dpratio.plan.plan import Plan
from dpratio.plan.plan_terms import PlanTerms, settle_guess, settle_partition
from dpratio.plan.plan_words import cuts_seen_from
from dpratio.plan.planned_question import PlannedQuestion, in_order
from dpratio.plan.require_terms import (
    require_bins,
    require_people,
    require_terms,
)
from dpratio.plan.split_budget import allowances, first_allowances
from dpratio.plan.strategy.first_totals import measure_totals
from dpratio.plan.strategy.layout import STRATEGIES
from dpratio.plan.strategy.measure import (
    Allowance,
    measure_evenly,
    measure_jointly,
)
from dpratio.plan.strategy.people import EXPECTED_PEOPLE
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.guess import Guess
from dpratio.terms.question import Asked, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import CLIPPINGS, MEASURED, UNMEASURED, Study
from dpratio.terms.unit import PrivacyUnit

__all__ = ["make_plan"]

# What a first stage gets of epsilon, where the planner takes one.
_STAGE = Fraction(1, 20)


def make_plan(  # noqa: PLR0913 (keyword-only terms)
    study: Study | Ratio | Question | Sequence[Ratio | Question],
    *,
    bounds: Mapping[str, Bounds] | None = None,
    budget: Budget | None = None,
    groups: Asked | Sequence[Asked] = None,
    unit: PrivacyUnit | None = None,
    answers: Sequence[str] = ("ratio",),
    strategy: str = "focused",
    mechanism: str = "auto",
    n: int | None = None,
    guess: Guess | None = None,
    stage: float | Fraction | None = None,
    clipping: str = MEASURED,
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        study: A `Study`, which needs nothing else; or what it asks: a `Ratio`, a
            `Question`, or a list of them, with the terms of the study beside it.
        bounds: The public range of each column of the ratios, and of binned columns.
        budget: What the release may cost.
        groups: Public keys, each answered on its own; None for one answer. A list asks
            for several partitions at once, from one budget. A dimension stands for
            groups of it alone. Questions with shares divide it unequally.
        unit: Who is protected; by default one row, added or removed.
        answers: ``("ratio",)``, or ``("ratio", "means")`` for means as well;
            ``"spread"`` among them, with ``"joint"`` or ``"even"``, for variances,
            correlation and slope; ``("ratio", "calibration")`` for a plan made for
            the test of calibration over bins.
        strategy: ``"focused"`` measures what the ratio needs most precisely;
            ``"joint"`` and ``"even"`` measure the sums of Miao & Li (2022), as one
            vector or each at an equal share.
        mechanism: ``"laplace"``, ``"analytic_gaussian"``, ``"classical_gaussian"``
            (only with ``"even"``), or ``"auto"``: the one that promises less width.
        n: About how many people an answer is about; a public guess, as is
        guess: what they are like, or their totals. Both only decide how the budget is
            shared, and around which ratio where that has no guess of its own.
        stage: A share of epsilon that a first stage spends on finding the guess of
            every ratio; 0 for one stage. By default 0.05 where nobody guessed, unless
            all ratios are of a score per label.
        clipping: ``"measured"`` counts the units that bounds cut, of each group, where
            any bound may cut; those that are declared natural cannot, and cost nothing.
            The count widens answers by 2 % at most. ``"unmeasured"`` does not count,
            and neither does a plan in which the count would see next to nothing.

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
        >>> [each.summand.name for each in plan.questions[0].sums]
        ['z', 'h', 'zz', 'zh', 'hh', 'c']
    """
    if isinstance(study, Study):
        beside = (bounds, budget, groups, unit, n, guess, stage)
        free = not any(each is not None for each in beside)
        hint = "Write make_plan(study), or change it: dataclasses.replace(study, …)."
        require(free, "a study holds all of its terms", "others beside it", hint)
        return _plan_of(study)
    return _plan_of(
        Study(
            study,
            bounds=bounds,  # type: ignore[arg-type]  # required below, by name
            budget=budget,  # type: ignore[arg-type]
            groups=groups,
            unit=unit,
            answers=answers,
            strategy=strategy,
            mechanism=mechanism,
            n=n,
            guess=guess,
            stage=stage,
            clipping=clipping,
        )
    )


def _plan_of(study: Study) -> Plan:
    require_one_of(study.strategy, STRATEGIES, "strategy")
    require_one_of(study.mechanism, (*MECHANISMS, "auto"), "mechanism")
    require_one_of(study.clipping, CLIPPINGS, "clipping")
    terms = PlanTerms(
        bounds=study.bounds,
        unit=study.unit,
        partitions=study.partitions,
        budget=study.budget,
        strategy=study.strategy,
        mechanism=study.mechanism,
        questions=_shared(study),
        stage=_staged(study),
        clipping=study.clipping,
        title=study.title,
    )
    require_terms(terms)
    require_bins(terms)
    require_people(study.n, study.guess)
    settled = _settled(terms, study.guess)
    decides = study.stage is None and study.guess is None
    if decides and _needs_stage(settled):
        stage = Stage(_STAGE * settled.budget.epsilon, study.n)
        try:
            return _Task(replace(settled, stage=stage), study.n, None).best()
        except InvalidInput:
            pass  # Its noise would be too large.
    return _Task(settled, study.n, study.guess).best()


def _settled(terms: PlanTerms, people: Guess | None) -> PlanTerms:
    """Settle what terms leave open."""
    return replace(
        terms,
        bounds=in_order(terms.bounds, terms.questions),
        # What cannot be cut is not counted, and planned as it always was.
        clipping=MEASURED
        if any(map(terms.counts_cuts, terms.questions))
        else UNMEASURED,
        partitions=tuple(
            settle_partition(each, terms.bounds) for each in terms.partitions
        ),
        questions=tuple(
            replace(question, ratio=settle_guess(question, terms, people))
            for question in terms.questions
        ),
    )


def _needs_stage(terms: PlanTerms) -> bool:
    """Tell whether a ratio has no guess that is worth much, and a stage may find one.

    The rules of a stage are those of `require_terms`.
    """
    asked = terms.questions
    unknown = any(each.ratio.guess_is == "unknown" for each in asked)
    is_free = not terms.private_keys and not any(
        each.ratio.residual_bound is not None or "calibration" in each.answers
        for each in asked
    )
    return terms.strategy == "focused" and unknown and is_free


def _staged(study: Study) -> Stage | None:
    """Give the first stage its share of epsilon; it has no totals yet."""
    if not study.stage or not isinstance(study.budget, Budget):
        return None  # What is no budget is refused by `require_terms`.
    return Stage(study.stage * study.budget.epsilon, study.n, study.guess)


def _shared(study: Study) -> tuple[PlannedQuestion, ...]:
    """Give every question its share; none has sums yet."""
    whole = sum((Fraction(each.share) for each in study.questions), Fraction(0))
    partitions = study.partitions
    return tuple(
        PlannedQuestion(
            ratio=each.ratio,
            partition=partitions.index(each.groups),
            weight=Fraction(each.share) / whole,
            sums=(),
            answers=each.answers,
            name=each.name,
            totals=each.totals,
        )
        for each in study.questions
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """Terms without noise, and what is expected of the people."""

    terms: PlanTerms
    n: int | None
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
        best = min(tried, key=lambda each: each[1])[0] if tried else None
        if self.terms.clipping == MEASURED and not (best and self._sees_cuts(best)):
            # So little budget leaves a count without room for its noise, or so it may.
            return replace(self, terms=replace(self.terms, clipping=UNMEASURED)).best()
        if best is None:
            raise refused[0]
        return best

    def _sees_cuts(self, plan: Plan) -> bool:
        """Tell whether the count would see half of the people being cut."""
        return 2 * cuts_seen_from(plan) <= (self.n or EXPECTED_PEOPLE)

    def _has_delta(self) -> bool:
        """Tell whether finding keys leaves a delta for the sums."""
        spent = sum(each.budget.delta for each in self.terms.private_keys)
        return self.terms.budget.delta > spent

    def _with(self, plan: PlanTerms) -> tuple[Plan, float]:
        """Give the plan, and a number that falls with the width it promises."""
        measured = [
            self._measure(plan, question, allowed)
            for question, allowed in zip(plan.questions, allowances(plan), strict=True)
        ]
        questions = tuple(question for question, _ in measured)
        stage = plan.stage
        if stage is not None:
            firsts = tuple(
                measure_totals(plan.raw_grid(question), allowed)
                for question, allowed in zip(
                    plan.questions, first_allowances(plan, stage), strict=True
                )
            )
            stage = replace(stage, firsts=firsts)
        held = {each.name: getattr(plan, each.name) for each in fields(plan)}
        made = Plan(**held | {"questions": questions, "stage": stage})
        return made, sum(width for _, width in measured)

    def _measure(
        self, plan: PlanTerms, question: PlannedQuestion, allowed: Allowance
    ) -> tuple[PlannedQuestion, float]:
        """Give the question with its sums, and a number that falls with its width."""
        if plan.strategy == "focused":
            return measure_around(plan, question, allowed, self.n, self.guess)
        grid = plan.grid(question)
        measure = measure_evenly if plan.strategy == "even" else measure_jointly
        sums = measure(grid, allowed)
        # All noise grows alike between laws, so one sum tells which is smaller.
        measured = replace(question, sums=sums)
        return measured, noise_sd(plan.mechanism, sums[0].scale)
