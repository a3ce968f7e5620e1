"""From a study to a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.rules import (
    require_bins,
    require_people,
    require_terms,
)
from dpratio.plan.settle import (
    Allowance,
    allowances,
    first_allowances,
    grid_for,
    left_for_sums,
    private_keys,
    raw_grid_for,
    settle,
)
from dpratio.plan.strategy.first_stage import Stage, measure_totals
from dpratio.plan.strategy.measure import (
    measure_around,
    measure_evenly,
    measure_jointly,
)
from dpratio.plan.strategy.people import EXPECTED_PEOPLE
from dpratio.plan.words import cuts_seen_from
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import Population
from dpratio.terms.question import Asked, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, Study
from dpratio.terms.unit import PrivacyUnit

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
    population: Population | None = None,
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
        population: what they are like, or their totals. Both only decide how the
            budget is shared, and around which ratio where that has no guess of its own.
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
        >>> [measured.summand.name for measured in plan.measurements[0].sums]
        ['z', 'h', 'zz', 'zh', 'hh', 'c']
    """
    if isinstance(study, Study):
        others = (bounds, budget, groups, unit, n, population, stage)
        if any(term is not None for term in others):
            raise InvalidInput(
                "a study holds all of its terms, and others were given beside it. "
                "Write make_plan(study), or change it: dataclasses.replace(study, …).",
                field="study",
            )
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
            population=population,
            stage=stage,
            clipping=clipping,
        )
    )


def _plan_of(study: Study) -> Plan:
    share = study.stage or Fraction(0)
    budget = study.budget
    # What is no budget is refused by `require_terms`.
    first = share * budget.epsilon if isinstance(budget, Budget) else Fraction(0)
    require_terms(study, first=first)
    require_bins(study)
    require_people(study.n, study.population)
    settled = settle(study)
    if study.stage is None and study.population is None and _needs_stage(settled):
        try:
            return _best(settled, _STAGE * study.budget.epsilon, study.n, None)
        except InvalidInput:
            pass  # Its noise would be too large.
    return _best(settled, first, study.n, study.population)


def _needs_stage(study: Study) -> bool:
    """Whether a ratio has no guess that is worth much, and a stage may find one.

    The rules of a stage are those of `require_terms`.
    """
    questions = study.questions
    unknown = any(question.ratio.guess_is == "unknown" for question in questions)
    is_free = not private_keys(study) and not any(
        question.ratio.residual_bound is not None or "calibration" in question.answers
        for question in questions
    )
    return study.strategy == "focused" and unknown and is_free


def _best(
    study: Study, first: Fraction, n: int | None, people: Population | None
) -> Plan:
    """Return the plan with the given noise, or with what promises the least width."""
    laws = [LAWS.get(study.mechanism, LAPLACE)]
    if study.mechanism == "auto" and _has_delta(study):
        laws.append(GAUSSIAN)
    plans: list[tuple[Plan, float]] = []
    refused: list[InvalidInput] = []
    for law in laws:
        try:
            plans.append(_with_noise(study, law, first, n, people))
        except InvalidInput as error:
            refused.append(error)
    best = min(plans, key=lambda pair: pair[1])[0] if plans else None
    if study.clipping == MEASURED and not (best and _sees_cuts(best, n)):
        # So little budget leaves a count without room for its noise, or so it may.
        return _best(replace(study, clipping=UNMEASURED), first, n, people)
    if best is None:
        raise refused[0]
    return best


def _sees_cuts(plan: Plan, n: int | None) -> bool:
    """Whether the count would see half of the people being cut."""
    return 2 * cuts_seen_from(plan.study, plan.measurements) <= (n or EXPECTED_PEOPLE)


def _has_delta(study: Study) -> bool:
    """Whether finding keys leaves a delta for the sums."""
    return study.budget.delta > sum(keys.budget.delta for keys in private_keys(study))


def _with_noise(
    study: Study,
    law: NoiseLaw,
    first: Fraction,
    n: int | None,
    people: Population | None,
) -> tuple[Plan, float]:
    """Return the plan, and a number that falls with the width it promises."""
    study = replace(study, mechanism=law.name)
    left = left_for_sums(study, law, first=first)
    measured = [
        _measure(study, question, allowed, n, people, in_stages=bool(first))
        for question, allowed in zip(
            study.questions, allowances(study, law, left), strict=True
        )
    ]
    stage = None
    if first:
        firsts = tuple(
            measure_totals(raw_grid_for(study, question), allowed)
            for question, allowed in zip(
                study.questions, first_allowances(study, first), strict=True
            )
        )
        stage = Stage(first, n, people, firsts)
    plan = Plan(study, tuple(measurement for measurement, _ in measured), stage)
    return plan, sum(width for _, width in measured)


def _measure(
    study: Study,
    question: Question,
    allowed: Allowance,
    n: int | None,
    people: Population | None,
    *,
    in_stages: bool,
) -> tuple[Measurement, float]:
    """Return the sums of a question, and a number that falls with its width."""
    if study.strategy == "focused":
        return measure_around(study, question, allowed, n, people, in_stages=in_stages)
    measure = measure_evenly if study.strategy == "even" else measure_jointly
    sums = measure(grid_for(study, question), allowed)
    # All noise grows alike between laws, so one sum tells which is smaller.
    return Measurement(question, sums), allowed.law.sd(sums[0].scale)
