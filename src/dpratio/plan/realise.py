"""The second stage: a total function of the plan and of the first one's noisy totals.

Nothing else reaches it: no exact sum, no row, no clock. Whatever the totals are, it
gives questions that are priced, and stops at nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpratio.errors import DpratioError
from dpratio.plan.measure_question import measure_around
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import contrast_of
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.split_budget import allowances
from dpratio.plan.strategy.measure import Allowance
from dpratio.plan.strategy.people import expected_of, units_of
from dpratio.plan.strategy.planned_stage import Stage
from dpratio.plan.strategy.realise_contrast import FoundGuess, realise_contrast

__all__ = ["found_guesses", "is_realised", "realise"]

Totals = Sequence[Sequence[int]]

_APART = 0.15  # How far groups are taken to be from their total, over its guess.


def realise(plan: Plan, totals: Totals) -> tuple[PlannedQuestion, ...]:
    """Decide what the second stage measures.

    Args:
        plan: A plan with a first stage that `price` accepts.
        totals: The noisy totals of each question.

    Returns:
        The questions with the guesses that were found, each with its own sums and
        noise. A guess that cannot be planned for leaves what the plan declares, and so
        do all of them where the price would be refused.

    Guarantee:
        For all whole numbers it gives questions that are priced within what the plan
        leaves for its second stage, and it depends on its arguments alone.
        Proof: docs/proofs/staged.md.
    """
    stage = plan.stage
    if stage is None:
        return plan.questions
    realised = tuple(
        _around(plan, stage, question, found, allowed)
        for question, found, allowed in zip(
            plan.questions, found_guesses(plan, totals), allowances(plan), strict=True
        )
    )
    return realised if _is_priced(plan, realised) else plan.questions


def found_guesses(plan: Plan, totals: Totals) -> list[FoundGuess]:
    """Give the guess that each question's totals find."""
    stage = plan.stage
    firsts = () if stage is None else stage.firsts
    return [
        _found(plan, question, both, first)
        for question, both, first in zip(plan.questions, totals, firsts, strict=True)
    ]


def _found(
    plan: Plan,
    question: PlannedQuestion,
    totals: Sequence[int],
    firsts: Sequence[MeasuredSum],
) -> FoundGuess:
    box, ratio = plan.box(question), question.ratio
    expected = expected_of(units_of(box, contrast_of(ratio)), ratio.guess_is)
    return realise_contrast(expected, box, totals, firsts)


def is_realised(plan: Plan, asked: Sequence[PlannedQuestion], totals: Totals) -> bool:
    """Tell whether questions are what these totals lead to, and are priced.

    Noise is held to its price and not to how it was shared.
    """
    if not len(asked) == len(totals) == len(plan.questions):
        return False
    found = found_guesses(plan, totals)
    fits = all(
        # A guess that was found may have no plan; then the fallback is right.
        one == planned
        or replace(one, sums=(), basis=planned.basis) == _guessing(planned, guess)
        for planned, guess, one in zip(plan.questions, found, asked, strict=True)
    )
    return fits and _is_priced(plan, tuple(asked))


def _guessing(question: PlannedQuestion, found: FoundGuess) -> PlannedQuestion:
    """Give a question its guess; it has no sums yet."""
    ratio = replace(question.ratio, guess=found.centre)
    return replace(question, ratio=ratio, sums=())


def _around(
    plan: Plan,
    stage: Stage,
    question: PlannedQuestion,
    found: FoundGuess,
    allowed: Allowance,
) -> PlannedQuestion:
    """Measure a question around its guess; as declared where that cannot be planned."""
    # Groups differ from their total, and nothing was said of them.
    least = 0.0 if allowed.cells == 1 else _APART * abs(found.centre)
    distance = max(found.distance, least)
    moved = _guessing(question, found)
    try:
        with np.errstate(all="ignore"):
            return measure_around(
                plan, moved, allowed, stage.people, stage.guess, distance
            )[0]
    except Exception:  # noqa: BLE001 (whatever stops the planner, a release goes on)
        return question


def _is_priced(plan: Plan, questions: tuple[PlannedQuestion, ...]) -> bool:
    """Price the second stage in exact arithmetic, against what the first has left."""
    try:
        price(replace(plan, questions=questions))
    except DpratioError:
        return False
    return True
