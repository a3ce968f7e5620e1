"""The sums of a question on their lattices, as the terms of its study demand them.

Strategy ``even`` is the paper's: its sums, each with the same share of epsilon and
delta, added up by basic composition. ``joint`` measures the same sums as one vector at
its joint price. ``focused`` measures z and h of `Contrast`, most precisely where the
ratio needs it.
"""

from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.box import box_of, can_cut
from dpratio.plan.sensitivity.contrast import Contrast, contrast_of
from dpratio.plan.sensitivity.joint import Grid, grid_of
from dpratio.plan.sensitivity.mixtures import RAW, mixed_grid
from dpratio.plan.sensitivity.sums import CUT, focused_summands, summands_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Question
from dpratio.terms.study import MEASURED, Study
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "ANSWERS",
    "STRATEGIES",
    "box_for",
    "counts_cuts",
    "grid_for",
    "is_described",
    "may_cut",
    "raw_grid_for",
    "unit_of",
]

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
    if study.strategy not in STRATEGIES:
        raise InvalidInput(
            f"sums from elsewhere are not planned, got strategy '{study.strategy}'. "
            "Make a plan with make_plan.",
            field="strategy",
        )
    box, answers = box_for(study, question), question.answers
    last = (CUT,) if counts_cuts(study, question) else ()
    if study.strategy == "focused":
        summands = focused_summands(weighted="w" in box, means="means" in answers)
        return grid_of((*summands, *last), box, contrast)
    summands = summands_for(
        weighted="w" in box, binary=box["y"].is_binary, spread="spread" in answers
    )
    return grid_of((*summands, *last), box, None)
