"""The second stage: a total function of the plan and of the first one's noisy totals.

Nothing else reaches it: no exact sum, no row, no clock. Whatever the totals are, it
returns measurements that are priced, and stops at nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpratio.errors import DpratioError
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import contrast_of
from dpratio.plan.settle import Allowance, allowances
from dpratio.plan.strategy.first_stage import FoundGuess, Stage, realise_contrast
from dpratio.plan.strategy.measure import measure_around
from dpratio.plan.strategy.people import expected_of, units_of
from dpratio.terms.question import Question

Totals = Sequence[Sequence[int]]

_APART = 0.15  # How far groups are taken to be from their total, over its guess.


def realise(plan: Plan, totals: Totals) -> tuple[Measurement, ...]:
    """Decide what the second stage measures.

    Args:
        plan: A plan with a first stage that `price` accepts.
        totals: The noisy totals of each question.

    Returns:
        The questions with the guesses that were found, each with its own sums and
        noise. A guess that cannot be planned for leaves what the plan declares, and so
        do all of them where the price would be refused.

    Guarantee:
        For all whole numbers it returns measurements that are priced within what the
        plan leaves for its second stage, and it depends on its arguments alone.
        Proof: docs/proofs/staged.md.
    """
    if plan.stage is None:
        return plan.measurements
    spent = allowances(plan.study, plan.law, *plan.for_sums)
    realised = tuple(
        _around(plan, plan.stage, declared, guess, allowed)
        for declared, guess, allowed in zip(
            plan.measurements, found_guesses(plan, totals), spent, strict=True
        )
    )
    return realised if _is_priced(plan, realised) else plan.measurements


def found_guesses(plan: Plan, totals: Totals) -> list[FoundGuess]:
    """Return the guess that each question's totals lead to."""
    guesses = []
    firsts = () if plan.stage is None else plan.stage.firsts
    for declared, both, first in zip(plan.measurements, totals, firsts, strict=True):
        box, ratio = plan.box(declared), declared.ratio
        expected = expected_of(units_of(box, contrast_of(ratio)), ratio.guess_is)
        guesses.append(realise_contrast(expected, box, both, first))
    return guesses


def is_realised(plan: Plan, measured: Sequence[Measurement], totals: Totals) -> bool:
    """Whether measurements are what these totals lead to, and are priced.

    Noise is held to its price and not to how it was shared.
    """
    if not len(measured) == len(totals) == len(plan.measurements):
        return False
    fits = all(
        # A guess that was found may have no plan; then the fallback is right.
        second == declared or second.question == _guessing(declared.question, guess)
        for declared, guess, second in zip(
            plan.measurements, found_guesses(plan, totals), measured, strict=True
        )
    )
    return fits and _is_priced(plan, measured)


def _guessing(question: Question, guess: FoundGuess) -> Question:
    """Return a question with the guess that was found."""
    return replace(question, ratio=replace(question.ratio, guess=guess.centre))


def _around(
    plan: Plan,
    stage: Stage,
    declared: Measurement,
    guess: FoundGuess,
    allowed: Allowance,
) -> Measurement:
    """Measure a question around its guess; as declared where that cannot be planned."""
    # Groups differ from their total, and nothing was said of them.
    least = 0.0 if allowed.cells == 1 else _APART * abs(guess.centre)
    distance = max(guess.distance, least)
    layout = replace(
        plan.layout(declared), question=_guessing(declared.question, guess)
    )
    try:
        with np.errstate(all="ignore"):
            return measure_around(layout, allowed, stage.n, stage.population, distance)[
                0
            ]
    except Exception:  # noqa: BLE001 (whatever stops the planner, a release goes on)
        return declared


def _is_priced(plan: Plan, measured: Sequence[Measurement]) -> bool:
    """Price the second stage in exact arithmetic, against what the first has left."""
    try:
        price(plan.measuring(measured))
    except DpratioError:
        return False
    return True
