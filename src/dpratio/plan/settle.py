"""The terms of a study settled: the sums of each question, and what they may spend.

Strategy ``even`` is the paper's: its sums, each with the same share of epsilon and
delta, added up by basic composition. ``joint`` measures the same sums as one vector at
its joint price. ``focused`` measures z and h of `Contrast`, most precisely where the
ratio needs it. A settled study is what a plan holds and what is approved.

Questions share epsilon under Laplace noise and μ² under Gaussian noise, since those
add up.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import RAW, Grid, grid_of, mixed_grid
from dpratio.plan.sensitivity.sums import (
    CUT,
    Contrast,
    box_of,
    can_cut,
    contrast_of,
    corners_of,
    focused_summands,
    guess_from,
    rounded_guess,
    row_box,
    summands_for,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.population import Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, Study
from dpratio.terms.unit import PrivacyUnit

STRATEGIES = ("focused", "joint", "even")
ANSWERS = ("ratio", "means", "spread", "calibration")


def unit_of(study: Study, question: Question) -> PrivacyUnit:
    """Return the unit as a question counts it: with its own totals where it has any.

    The price and the statement that engines get both take it from here.
    Proof: docs/proofs/neighbours.md.

    Raises:
        InvalidInput: When the question's own totals break a rule.
    """
    return study.unit.of_question(question.totals)


def is_described(study: Study, question: Question) -> bool:
    """Whether a description of the unit's totals is about those of a question."""
    return not any(name in study.unit.totals for name in question.totals)


def box_for(study: Study, question: Question) -> dict[str, Bounds]:
    """Return the bounds of what one unit puts into a question."""
    return box_of(question.ratio, study.bounds, unit_of(study, question))


def may_cut(study: Study, question: Question) -> bool:
    """Whether a bound of the question is not natural, and may cut a unit."""
    is_limited = question.ratio.residual_bound is not None
    return is_limited or can_cut(question.ratio, study.bounds, unit_of(study, question))


def counts_cuts(study: Study, question: Question) -> bool:
    """Whether units that a bound of the question cuts are counted."""
    return study.clipping == MEASURED and may_cut(study, question)


def raw_grid_for(study: Study, question: Question) -> Grid:
    """Return the sums that engines count for a question with two stages."""
    return _sums_around(study, question, RAW)


def grid_for(
    study: Study, question: Question, basis: str = "sum", *, in_stages: bool = False
) -> Grid:
    """Return the sums of a question; in two stages they are mixed of raw ones."""
    contrast = contrast_of(question.ratio, basis)
    grid = _sums_around(study, question, contrast)
    if not in_stages:
        return grid
    return mixed_grid(grid, raw_grid_for(study, question), contrast)


def _sums_around(study: Study, question: Question, contrast: Contrast) -> Grid:
    """Lay out the sums; the number of units that bounds cut comes last."""
    box, answers = box_for(study, question), question.answers
    last = (CUT,) if counts_cuts(study, question) else ()
    if study.strategy == "focused":
        summands = focused_summands(weighted="w" in box, means="means" in answers)
        return grid_of((*summands, *last), box, contrast)
    summands = summands_for(
        weighted="w" in box, binary=box["y"].is_binary, spread="spread" in answers
    )
    return grid_of((*summands, *last), box, None)


def settle(study: Study) -> Study:
    """Return a study whose every term is settled, but for the law of its noise.

    What no plan depends on is left out: data, scope, and what people are like.
    """
    whole = sum((question.budget_share for question in study.questions), Fraction(0))
    questions = [
        Question(
            settle_guess(study, question, study.population),
            groups=settle_groups(question.groups, study.bounds),
            answers=question.answers,
            budget_share=question.budget_share / whole,
            name=question.name,
            totals=question.totals,
        )
        for question in study.questions
    ]
    is_counted = any(counts_cuts(study, question) for question in study.questions)
    return Study(
        questions,
        bounds=in_order(study.bounds, [question.ratio for question in questions]),
        budget=study.budget,
        unit=study.unit,
        strategy=study.strategy,
        mechanism=study.mechanism,
        # What cannot be cut is not counted.
        clipping=MEASURED if is_counted else UNMEASURED,
        title=study.title,
    )


def in_order(
    bounds: Mapping[str, Bounds], ratios: Sequence[Ratio]
) -> dict[str, Bounds]:
    """Return bounds in the order of the ratios' columns and totals, then by name."""
    names = [name for ratio in ratios for name in (*ratio.columns, *ratio.totals)]
    known = [name for name in dict.fromkeys(names) if name in bounds]
    return {name: bounds[name] for name in [*known, *sorted(set(bounds) - set(known))]}


def settle_groups(groups: Partition, bounds: Mapping[str, Bounds]) -> Partition:
    """Return groups with the edges of their bins."""
    return groups.within(bounds) if isinstance(groups, Groups) else groups


def settle_guess(
    study: Study, question: Question, people: Population | None = None
) -> Ratio:
    """Return the ratio of a question with a guess, where a focused plan needs one.

    Raises:
        InvalidInput: When the residual bound binds nowhere.
    """
    settled = question.ratio
    if study.strategy != "focused":
        return settled
    if settled.guess is None:
        settled = _likely_guess(study, question, people)
    if settled.residual_bound is not None:
        free = contrast_of(replace(settled, residual_bound=None))
        points = corners_of(box_for(study, question), free)
        most = max(abs(point["z"]) for point in points)
        if settled.residual_bound >= most:
            raise InvalidInput(
                f"the residual bound must be below {float(most):g}, which the box "
                f"gives, got {settled.residual_bound:g}. Leave it out, or promise "
                "less.",
                field="residual_bound",
            )
    return settled


def _likely_guess(study: Study, question: Question, people: Population | None) -> Ratio:
    """Guess a ratio: from people, or what it is likely to be of such columns."""
    ratio, box = question.ratio, box_for(study, question)
    is_free = ratio.residual_bound is None and "calibration" not in question.answers
    if people is not None and is_described(study, question) and is_free:
        return replace(ratio, guess=rounded_guess(people.ratio))
    if ratio.minus is not None:
        return replace(ratio, guess=0.0)
    if _is_score_per_label(study, question):
        return replace(ratio, guess=1.0)
    # From the middle, either end is half as far away.
    guess = 0.5 if _share_bounds(box) else guess_from(box)
    return replace(ratio, guess=guess, guess_is="unknown")


def _is_score_per_label(study: Study, question: Question) -> bool:
    """Whether a ratio is of predicted per observed events, which are near 1."""
    if "calibration" in question.answers:
        return _share_bounds(box_for(study, question))
    row = row_box(question.ratio, study.bounds)
    s, y = row["s"], row["y"]
    is_score = s.lower >= 0 and s.upper <= 1 and not s.is_binary
    return is_score and y.is_binary and not y.is_one


def _share_bounds(box: Mapping[str, Bounds]) -> bool:
    s, y = box["s"], box["y"]
    return (s.lower, s.upper) == (y.lower, y.upper)


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
