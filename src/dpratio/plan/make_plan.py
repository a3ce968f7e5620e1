"""From a study to a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypedDict, Unpack

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.measurement import Stage
from dpratio.plan.plan import Plan
from dpratio.plan.rules import require_stage, require_study
from dpratio.plan.settle import (
    allowances,
    layouts_of,
    left_for_sums,
    settle,
    terms_of_plan,
)
from dpratio.plan.strategy.measure import (
    EXPECTED_PEOPLE,
    measure_question,
    measure_totals,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.population import Population
from dpratio.terms.question import Asked, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, Study
from dpratio.terms.unit import PrivacyUnit

# What a first stage gets of epsilon, where the planner takes one.
_STAGE = Fraction(1, 20)


class Terms(TypedDict, total=False):
    """The terms of a `Study` that decide its plan, besides what it asks."""

    bounds: Mapping[str, Bounds]
    budget: Budget
    groups: Asked | Sequence[Asked]
    unit: PrivacyUnit | None
    answers: Sequence[str]
    strategy: str
    mechanism: str
    n: int | None
    population: Population | None
    stage: float | Fraction | None
    clipping: str


def make_plan(
    study: Study | Ratio | Question | Sequence[Ratio | Question],
    **terms: Unpack[Terms],
) -> Plan:
    """Decide what will be measured and with how much noise; no data are read.

    Args:
        study: A `Study`, which needs nothing else; or what it asks: a `Ratio`, a
            `Question`, or a list of them.
        **terms: The other terms, by the names that they have in a `Study`: ``bounds``
            and ``budget``, which are needed, and ``groups``, ``unit``, ``answers``,
            ``strategy``, ``mechanism``, ``n``, ``population``, ``stage`` and
            ``clipping``.

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
    if not isinstance(study, Study):
        # Both are refused by name where they are missing.
        all_terms: dict[str, Any] = {"bounds": None, "budget": None, **terms}
        study = Study(study, **all_terms)
    elif terms:
        raise InvalidInput(
            "a study holds all of its terms, and others were given beside it. "
            "Write make_plan(study), or change it: dataclasses.replace(study, …).",
            field="study",
        )
    require_study(study)
    settled = settle(study)
    is_unknown = any(item.ratio.guess_is == "unknown" for item in settled.questions)
    if study.stage is None and study.population is None and is_unknown:
        staged = replace(settled, stage=_STAGE)
        try:
            require_stage(staged, _first(staged))
            return _best(staged)
        except InvalidInput:
            pass  # The terms need none, or its noise would be too large.
    return _best(settled)


def _first(study: Study) -> Fraction:
    """Return the epsilon that a first stage spends; 0 without one."""
    return (study.stage or Fraction(0)) * study.budget.epsilon


def _best(study: Study) -> Plan:
    """Return the plan with the given noise, or with what promises the least width."""
    laws = [LAWS.get(study.mechanism, LAPLACE)]
    if study.mechanism == "auto" and left_for_sums(study, GAUSSIAN)[1] > 0:
        laws.append(GAUSSIAN)
    plans: list[tuple[Plan, float]] = []
    refused: list[InvalidInput] = []
    for law in laws:
        try:
            plans.append(_with_noise(study, law))
        except InvalidInput as error:
            refused.append(error)
    best = min(plans, key=lambda pair: pair[1])[0] if plans else None
    if study.clipping == MEASURED and not (best and _sees_cuts(best, study.n)):
        # So little budget leaves a count without room for its noise, or so it may.
        return _best(replace(study, clipping=UNMEASURED))
    if best is None:
        raise refused[0]
    return best


def _sees_cuts(plan: Plan, n: int | None) -> bool:
    """Whether the count would see half of the people being cut."""
    return 2 * plan.cuts_seen_from <= (n or EXPECTED_PEOPLE)


def _with_noise(study: Study, law: NoiseLaw) -> tuple[Plan, float]:
    """Return the plan, and a number that falls with the width it promises."""
    study, first = replace(study, mechanism=law.name), _first(study)
    layouts = layouts_of(study, in_stages=first > 0)
    left = left_for_sums(study, law, first=first)
    measured = [
        measure_question(layout, allowed, study.n, study.population)
        for layout, allowed in zip(layouts, allowances(study, law, *left), strict=True)
    ]
    stage = None
    if first:
        totals = allowances(study, LAPLACE, first, Fraction(0))
        firsts = tuple(
            measure_totals(layout.raw_grid, allowed)
            for layout, allowed in zip(layouts, totals, strict=True)
        )
        stage = Stage(first, study.n, study.population, firsts)
    measurements = tuple(measurement for measurement, _ in measured)
    plan = Plan(terms_of_plan(study), measurements, stage)
    return plan, sum(width for _, width in measured)
