"""The terms of a study settled: how each question is counted, and what it may spend.

Strategy ``even`` is the paper's: its sums, each with the same share of epsilon and
delta, added up by basic composition. ``joint`` measures the same sums as one vector at
its joint price. ``focused`` measures z and h of `Contrast`, most precisely where the
ratio needs it. A settled study is what a plan holds and what is approved.

Questions share epsilon under Laplace noise and μ² under Gaussian noise, since those
add up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.sensitivity.joint import RAW, Grid, grid_of, mixed_grid
from dpratio.plan.sensitivity.sums import (
    CUT,
    Contrast,
    box_of,
    contrast_of,
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

# At most so many releases say that bounds cut people where they cut nobody.
FALSE_ALARMS = 0.05

# What the count of cut units gets: docs/methods/bounds.md.
CUT_SHARE = Fraction(1, 50)

STRATEGIES = ("focused", "joint", "even")
ANSWERS = ("ratio", "means", "spread", "calibration")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a question is counted, as the terms of its study have it.

    The rules, the planner, the door and the engines take it from `layout_of`, which
    needs nothing but the terms. Proof: docs/proofs/neighbours.md.

    Args:
        question: The question, with the guess of its ratio where it is settled.
        strategy: Which sums are measured.
        unit: Who is protected, with the totals of this question.
        row: The bounds of one row's s, y and w.
        box: The bounds of what one unit puts into the sums.
        is_described: Whether a description of the people is about these totals.
        can_cut: Whether a bound is not natural, and may cut a unit.
        counts_cuts: Whether units that a bound cuts are counted.
        in_stages: Whether the sums are mixed of raw ones.
        basis: What a focused plan measures beside z, as `Contrast` has it.
    """

    question: Question
    strategy: str
    unit: PrivacyUnit
    row: dict[str, Bounds]
    box: dict[str, Bounds]
    is_described: bool
    can_cut: bool
    counts_cuts: bool
    in_stages: bool
    basis: str = "sum"

    @property
    def contrast(self) -> Contrast | None:
        """The columns z and h, where the strategy is focused."""
        focused = self.strategy == "focused"
        return contrast_of(self.question.ratio, self.basis) if focused else None

    @property
    def grid(self) -> Grid:
        """The sums on their lattices; the number of cut units comes last."""
        contrast = self.contrast
        grid = self._grid_around(contrast)
        if contrast is None or not self.in_stages:
            return grid
        return mixed_grid(grid, self.raw_grid, contrast)

    @property
    def raw_grid(self) -> Grid:
        """The sums that engines count for a question with two stages."""
        return self._grid_around(RAW)

    def _grid_around(self, contrast: Contrast | None) -> Grid:
        answers, weighted = self.question.answers, "w" in self.box
        if contrast is None:
            summands = summands_for(
                weighted=weighted,
                binary=self.box["y"].is_binary,
                spread="spread" in answers,
            )
        else:
            summands = focused_summands(weighted=weighted, means="means" in answers)
        last = (CUT,) if self.counts_cuts else ()
        return grid_of((*summands, *last), tuple(self.box.items()), contrast)


def layout_of(study: Study, question: Question, *, in_stages: bool = False) -> Layout:
    """Derive from the terms of a study how one of its questions is counted.

    Raises:
        InvalidInput: When the totals of one unit have too narrow a range.
    """
    ratio, totals = question.ratio, question.totals
    unit = study.unit.with_totals(totals)
    row, box = row_box(ratio, study.bounds), box_of(ratio, study.bounds, unit)
    may_cut = any(pair.can_cut for pair in (*row.values(), *box.values()))
    may_cut = may_cut or ratio.residual_bound is not None
    return Layout(
        question=question,
        strategy=study.strategy,
        unit=unit,
        row=row,
        box=box,
        is_described=not any(name in study.unit.totals for name in totals),
        can_cut=may_cut,
        counts_cuts=may_cut and study.clipping == MEASURED,
        in_stages=in_stages,
    )


def layouts_of(study: Study, *, in_stages: bool = False) -> list[Layout]:
    """Derive from the terms of a study how each of its questions is counted."""
    return [
        layout_of(study, question, in_stages=in_stages) for question in study.questions
    ]


def settle(study: Study) -> Study:
    """Return a study whose every term is settled, but for the law of its noise."""
    whole = sum((question.budget_share for question in study.questions), Fraction(0))
    layouts = layouts_of(study)
    questions = tuple(
        replace(
            layout.question,
            ratio=settle_guess(layout, study.population),
            budget_share=layout.question.budget_share / whole,
        )
        for layout in layouts
    )
    # What cannot be cut is not counted.
    is_counted = any(layout.counts_cuts for layout in layouts)
    clipping = MEASURED if is_counted else UNMEASURED
    return replace(study, questions=questions, clipping=clipping)


def terms_of_plan(study: Study) -> Study:
    """Return a study without what no plan depends on: its data, scope and people."""
    return Study(
        study.questions,
        bounds=dict(study.bounds),  # The caller may change theirs.
        budget=study.budget,
        unit=study.unit,
        strategy=study.strategy,
        mechanism=study.mechanism,
        clipping=study.clipping,
        title=study.title,
    )


def settle_guess(layout: Layout, people: Population | None = None) -> Ratio:
    """Return the ratio with a guess, where a focused plan needs one.

    It is the guess of the study, or from people, or what is likely of such columns.
    """
    ratio, answers = layout.question.ratio, layout.question.answers
    if layout.strategy != "focused" or ratio.guess is not None:
        return ratio
    is_free = ratio.residual_bound is None and "calibration" not in answers
    if people is not None and layout.is_described and is_free:
        return replace(ratio, guess=rounded_guess(people.ratio))
    if ratio.minus is not None:
        return replace(ratio, guess=0.0)
    s, y = layout.box["s"], layout.box["y"]
    share_bounds = (s.lower, s.upper) == (y.lower, y.upper)
    # Predicted per observed events are near 1.
    score, label = layout.row["s"], layout.row["y"]
    is_score = score.lower >= 0 and score.upper <= 1 and not score.is_binary
    is_near = is_score and label.is_binary and not label.is_one
    if share_bounds if "calibration" in answers else is_near:
        return replace(ratio, guess=1.0)
    # From the middle, either end is half as far away.
    guess = 0.5 if share_bounds else guess_from(layout.box)
    return replace(ratio, guess=guess, guess_is="unknown")


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


def private_keys(study: Study, bought: Sequence[PrivateKeys] = ()) -> list[PrivateKeys]:
    """Return keys that are found privately, or were before groups were rolled up."""
    parts = [question.groups for question in study.questions]
    keys = [part for part in parts if isinstance(part, PrivateKeys)]
    return [*dict.fromkeys(keys), *bought]


def left_for_sums(
    study: Study,
    law: NoiseLaw,
    *,
    bought: Sequence[PrivateKeys] = (),
    first: Fraction = Fraction(0),
) -> tuple[Fraction, Fraction]:
    """Return the epsilon and delta left for sums, after keys and a first stage."""
    keys = private_keys(study, bought)
    epsilon = first + sum((part.budget.epsilon for part in keys), Fraction(0))
    delta = sum((part.budget.delta for part in keys), Fraction(0))
    spent = Fraction(0) if law == LAPLACE else study.budget.delta - delta
    return study.budget.epsilon - epsilon, spent


def allowances(
    study: Study, law: NoiseLaw, epsilon: Fraction, delta: Fraction
) -> list[Allowance]:
    """Divide what is left for sums, or for totals, between the questions.

    Args:
        study: The settled terms; the shares of its questions add up to 1.
        law: The law of the noise.
        epsilon: What they may spend together.
        delta: The same; Laplace noise spends none.
    """
    # The classical formula prices sums one by one, from epsilon and delta.
    together = LAPLACE if law == LAPLACE else GAUSSIAN
    whole = together.largest_ratio(epsilon, delta)
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


def even_shares(names: Sequence[str]) -> list[Fraction]:
    """Return the shares of sums measured evenly; the count of cuts has its own.

    Example:
        >>> even_shares(["w", "wy"]), even_shares(["w", "wy", "c"])[-1]
        ([Fraction(1, 2), Fraction(1, 2)], Fraction(1, 50))
    """
    counted = CUT.name in names
    spent = CUT_SHARE if counted else Fraction(0)
    share = (1 - spent) / (len(names) - counted)
    return [spent if name == CUT.name else share for name in names]


def cells_of(groups: Partition) -> int | None:
    """Return the number of cells; None where keys are yet to be found."""
    if groups is None:
        return 1
    return groups.count if isinstance(groups, Groups) else None


def rows_of(questions: Sequence[Question]) -> int:
    """Return the number of answers; keys that are yet to be found count as one."""
    return sum(cells_of(question.groups) or 1 for question in questions)


def _root_below(share: Fraction) -> Fraction:
    """Bound the square root of a share from below."""
    if share == 1:
        # One question has it all; the price of one is not rounded either.
        return Fraction(1)
    # Rounding loses less than 2^-52 of the root.
    return Fraction(math.sqrt(share)) * (1 - Fraction(1, 2**50))
