"""Settle what terms leave open: guesses, edges of bins, shares, the order of bounds.

A settled study is what a plan holds and what is approved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dpratio.errors import InvalidInput
from dpratio.plan.grids import box_for, counts_cuts, is_described
from dpratio.plan.sensitivity.box import row_box
from dpratio.plan.sensitivity.contrast import contrast_of, guess_from, rounded_guess
from dpratio.plan.sensitivity.corners import corners_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups
from dpratio.terms.guess import Guess
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import MEASURED, UNMEASURED, Study

__all__ = ["in_order", "settle", "settle_groups", "settle_guess"]


def settle(study: Study) -> Study:
    """Return a study whose every term is settled, but for the law of its noise.

    What no plan depends on is left out: data, scope, and what people are like.
    """
    whole = sum((question.share for question in study.questions), Fraction(0))
    questions = [
        Question(
            settle_guess(study, question, study.guess),
            groups=settle_groups(question.groups, study.bounds),
            answers=question.answers,
            share=question.share / whole,
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
    study: Study, question: Question, people: Guess | None = None
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


def _likely_guess(study: Study, question: Question, people: Guess | None) -> Ratio:
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
