"""What each question of a plan may spend.

Questions share epsilon under Laplace noise and μ² under Gaussian noise, since those
add up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a question may spend, on whom, and over how many cells.

    ``ratio`` is the largest move in units of noise that the question may cost: epsilon
    for Laplace noise, μ for Gaussian noise. ``epsilon`` and ``delta`` are its own
    under basic composition.
    """

    law: NoiseLaw
    ratio: Fraction
    epsilon: Fraction
    delta: Fraction
    unit: PrivacyUnit
    cells: int | None


def private_keys(study: Study, found: Sequence[PrivateKeys] = ()) -> list[PrivateKeys]:
    """Return keys that are found privately, or were before groups were rolled up."""
    keys = [part for part in study.partitions if isinstance(part, PrivateKeys)]
    return [*keys, *found]


def left_for_sums(
    study: Study,
    law: NoiseLaw,
    *,
    found: Sequence[PrivateKeys] = (),
    first: Fraction = Fraction(0),
) -> tuple[Fraction, Fraction]:
    """Return the epsilon and delta left for sums, after keys and a first stage."""
    keys = private_keys(study, found)
    epsilon = first + sum((part.budget.epsilon for part in keys), Fraction(0))
    delta = sum((part.budget.delta for part in keys), Fraction(0))
    spent = Fraction(0) if law == LAPLACE else study.budget.delta - delta
    return study.budget.epsilon - epsilon, spent


def allowances(
    study: Study, law: NoiseLaw, left: tuple[Fraction, Fraction]
) -> list[Allowance]:
    """Divide what is left for sums between the questions, by their shares."""
    epsilon, delta = left
    if epsilon <= 0:
        raise InvalidInput(
            "finding keys leaves nothing of epsilon for sums. Raise the budget, or "
            "spend less on finding keys.",
            field="budget",
        )
    if law != LAPLACE and delta <= 0:
        raise InvalidInput(
            "finding keys leaves nothing of delta for Gaussian noise. Raise delta, or "
            "use mechanism 'laplace'.",
            field="budget",
        )
    # The classical formula prices sums one by one, from epsilon and delta.
    whole = epsilon if law == LAPLACE else GAUSSIAN.largest_ratio(epsilon, delta)
    return [
        Allowance(
            law=law,
            ratio=(_root_below(share) if law.power > 1 else share) * whole,
            epsilon=share * epsilon,
            delta=share * delta,
            unit=study.unit,
            cells=cells_of(question.groups),
        )
        for question in study.questions
        for share in (question.budget_share,)
    ]


def first_allowances(study: Study, epsilon: Fraction) -> list[Allowance]:
    """Divide what a first stage spends between the questions, by their shares.

    Its noise is Laplace noise, whatever that of the second stage is.
    """
    return [
        Allowance(
            law=LAPLACE,
            ratio=question.budget_share * epsilon,
            epsilon=question.budget_share * epsilon,
            delta=Fraction(0),
            unit=study.unit,
            cells=cells_of(question.groups),
        )
        for question in study.questions
    ]


def cells_of(groups: Partition) -> int | None:
    """Return the number of cells; None where keys are yet to be found."""
    if groups is None:
        return 1
    return groups.count if isinstance(groups, Groups) else None


def _root_below(share: Fraction) -> Fraction:
    """Bound the square root of a share from below."""
    if share == 1:
        # One question has it all; the price of one is not rounded either.
        return Fraction(1)
    # Rounding loses less than 2^-52 of the root.
    return Fraction(math.sqrt(share)) * (1 - Fraction(1, 2**50))
