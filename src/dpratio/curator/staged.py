"""Two stages of one reading: noisy totals first, then the sums that they lead to.

Exact sums come in once and leave twice, each time with fresh noise. Between the two,
`realise` sees only the plan and the noisy totals.
"""

from collections.abc import Sequence

from dpratio.curator.noise.draw_noise import draw_noise
from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.reading.exact import ExactSums
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.plan.realise import realise
from dpratio.plan.sensitivity.joint import mixture_of
from dpratio.plan.sensitivity.sums import contrast_of
from dpratio.plan.strategy.first_stage import TOTALS
from dpratio.release.release import ReleasedQuestion, fresh_question
from dpratio.terms.groups import Groups


def measure_in_stages(
    plan: Plan, exact: Sequence[ExactSums], bits: BitSource
) -> tuple[ReleasedQuestion, ...]:
    """Put noise on the totals of each question, and then on its sums.

    Args:
        plan: A plan with a first stage, priced before the table was opened.
        exact: The raw sums of each question: one reading, for both stages.
        bits: Where noise is drawn from.

    Guarantee:
        The totals and the sums together are (epsilon, delta)-private at what the plan
        spends.
        Proof: docs/proofs/staged.md.
    """
    totals = noisy_totals(plan, exact, bits)
    released = []
    for question, sums, found in zip(realise(plan, totals), exact, totals, strict=True):
        groups = question.groups
        declared = groups if isinstance(groups, Groups) else None
        count = 1 if declared is None else declared.count
        noise = draw_noise(plan.law, question.scales, count, bits)
        contrast = contrast_of(question.ratio, question.basis)
        mixtures = mixture_of(
            plan.grid(question), plan.layout(question).raw_grid, contrast
        )
        values = sums.mixed(mixtures).plus(noise)
        released.append(fresh_question(plan.law, question, declared, values, found))
    return tuple(released)


def noisy_totals(
    plan: Plan, exact: Sequence[ExactSums], bits: BitSource
) -> list[tuple[int, ...]]:
    """Put Laplace noise on the two totals of each question: the first stage."""
    totals: list[tuple[int, ...]] = []
    firsts = () if plan.stage is None else plan.stage.firsts
    for sums, first in zip(exact, firsts, strict=True):
        noise = draw_noise(LAPLACE, [total.scale for total in first], 1, bits)
        noisy = sums.first_totals(TOTALS).plus(noise)
        totals.append(tuple(noisy[0].tolist()))
    return totals
