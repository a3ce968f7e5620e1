"""A plan: every measured sum, its sensitivity, its noise and its price.

It is complete without data, so a privacy officer can read and approve it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.laws import LAPLACE, LAWS, NoiseLaw
from dpratio.plan.measurement import Measurement, Stage
from dpratio.plan.settle import (
    FALSE_ALARMS,
    Layout,
    even_shares,
    layout_of,
    left_for_sums,
    private_keys,
    rows_of,
)
from dpratio.plan.words import (
    NOT_COVERED,
    describe_answers,
    describe_bounds,
    describe_cells,
    describe_clipping,
    describe_contrast,
    describe_delta,
    describe_epsilon,
    describe_stage,
    describe_totals,
    describe_unit,
    title_words,
)
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget, decimal_text
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

_SEEN = 0.95  # The chance with which a cut is seen that is as large as a plan says.


@dataclass(frozen=True, slots=True)
class Plan(Tabular):
    """What will be measured, how it is protected, and at what price.

    Made by `make_plan`; the curator's door prices it again before it is used.

    Args:
        study: The terms, settled; its questions are those that are measured.
        measurements: The sums of each question.
        stage: A first stage, or None. With one the guesses of the questions are the
            fallback of those that it finds.
        bought: Private keys that were paid for before groups were rolled up.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> plan.study.strategy, plan.law.name, len(plan.measurements[0].sums)
        ('focused', 'laplace', 6)
    """

    study: Study
    measurements: tuple[Measurement, ...]
    stage: Stage | None = None
    bought: tuple[PrivateKeys, ...] = ()

    def __post_init__(self) -> None:
        """Raise InvalidInput unless every question of the study is measured."""
        if self.study.mechanism not in LAWS:
            raise InvalidInput(
                f"a plan states the law of its noise: {', '.join(LAWS)}, got "
                f"{show_given(self.study.mechanism)}.",
                field="study",
            )
        questions = tuple(measured.question for measured in self.measurements)
        if questions != self.study.questions:
            raise InvalidInput(
                "every question of the study has one measurement, and nothing else "
                f"has, got {len(questions)}.",
                field="measurements",
            )

    def measuring(self, measurements: Sequence[Measurement]) -> "Plan":
        """Return a plan of the same terms with other questions and their sums."""
        questions = tuple(measured.question for measured in measurements)
        study = replace(self.study, questions=questions)
        return replace(self, study=study, measurements=tuple(measurements))

    def titled(self, title: str | None) -> "Plan":
        """Return the same plan under another title, or none."""
        return replace(self, study=replace(self.study, title=title))

    def over(self, groups: Partition) -> "Plan":
        """Return the plan of a single question over other groups."""
        (measured,) = self.measurements
        question = replace(measured.question, groups=groups)
        return self.measuring([replace(measured, question=question)])

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The public ranges of columns."""
        return self.study.bounds

    @property
    def unit(self) -> PrivacyUnit:
        """Who is protected."""
        return self.study.unit

    @property
    def budget(self) -> Budget:
        """The budget that may be spent."""
        return self.study.budget

    @property
    def title(self) -> str | None:
        """The title of reports; no part of the plan's hash."""
        return self.study.title

    @property
    def law(self) -> NoiseLaw:
        """The law of the noise."""
        return LAWS[self.study.mechanism]

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that everything costs together: the whole budget."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that is spent: on finding keys, and on Gaussian noise."""
        if self.law != LAPLACE:
            return self.budget.delta
        return sum((keys.budget.delta for keys in self.private_keys), Fraction(0))

    @property
    def private_keys(self) -> list[PrivateKeys]:
        """Keys that are found privately, or were before groups were rolled up."""
        return private_keys(self.study, self.bought)

    @property
    def for_sums(self) -> tuple[Fraction, Fraction]:
        """The epsilon and delta that are left for the sums, after other stages."""
        first = Fraction(0) if self.stage is None else self.stage.epsilon
        return left_for_sums(self.study, self.law, bought=self.bought, first=first)

    @property
    def cuts_seen_from(self) -> int:
        """From how many people on a plan that counts cuts sees them, 19 times in 20."""
        counting = [item for item in self.measurements if self.layout(item).counts_cuts]
        # The count is the last sum of a question.
        noise = max(item.sums[-1].scale * item.sums[-1].step for item in counting)
        alarm = FALSE_ALARMS / (rows_of([item.question for item in counting]) + 1)
        return math.ceil((self.law.tail(alarm) + self.law.tail(1 - _SEEN)) * noise)

    def layout(self, measured: Measurement) -> Layout:
        """Derive from the terms of the plan how a question is counted."""
        in_stages = self.stage is not None
        layout = layout_of(self.study, measured.question, in_stages=in_stages)
        return replace(layout, basis=measured.basis)

    def box(self, measured: Measurement) -> dict[str, Bounds]:
        """Return the bounds of what one unit puts into a question."""
        return self.layout(measured).box

    def shares(self, measured: Measurement) -> list[float]:
        """Return the part of the price that each sum has in the row that costs most."""
        whole = measured.question.budget_share
        if self.study.strategy == "even":
            names = [part.summand.name for part in measured.sums]
            return [float(whole * share) for share in even_shares(names)]
        rows = [
            [
                (float(move) / scale) ** self.law.power
                for move, scale in zip(row, measured.scales, strict=True)
            ]
            for row in self.layout(measured).grid.moves
        ]
        dearest = max(rows, key=sum)
        unit = float(whole) / sum(dearest)
        return [unit * cost for cost in dearest]

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum of every question, in the units of the data."""
        rows = [
            (number, part, share)
            for number, measured in enumerate(self.measurements, 1)
            for part, share in zip(measured.sums, self.shares(measured), strict=True)
        ]
        numbers = {"question": [number for number, _, _ in rows]}
        return (numbers if len(self.measurements) > 1 else {}) | {
            "sum": [part.summand.label for _, part, _ in rows],
            "sensitivity": [part.sensitivity * part.step for _, part, _ in rows],
            "noise_sd": [self.law.sd(part.scale) * part.step for _, part, _ in rows],
            "share": [share for _, _, share in rows],
        }

    def summary(self) -> list[str]:
        """Describe in sentences what is planned, who is protected and at what price."""
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        if self.delta != self.budget.delta and not self.private_keys:
            allowed = decimal_text(self.budget.delta)
            cost += f" (delta {allowed} is allowed; this noise needs none)"
        layouts = [self.layout(item) for item in self.measurements]
        counting = [layout.question for layout in layouts if layout.counts_cuts]
        uncounted = [one for one in layouts if one.can_cut and not one.counts_cuts]
        strategy = self.study.strategy
        lines = [
            *title_words(self.title),
            *self.planned(),
            describe_bounds(self.bounds, is_uncounted=bool(uncounted)),
            *self.protected(),
        ]
        if counting:
            seen = self.cuts_seen_from
            lines.append(describe_clipping(counting, seen, self.unit.people))
        lines.append(f"Strategy {strategy}, mechanism {self.law.name}. Cost: {cost}.")
        lines += describe_epsilon(self.epsilon, self.unit)
        lines += describe_delta(self.delta, self.unit)
        if self.stage is not None:
            lines += describe_stage(self.stage, self.epsilon)
        about = [describe_answers(strategy, one.question.answers) for one in layouts]
        if strategy == "focused":
            around = [describe_contrast(item, self.unit) for item in self.measurements]
            about = [*around, *about]
        return [*lines, *dict.fromkeys(about)]

    def protected(self) -> list[str]:
        """Return sentences about the unit and the bounds of its totals."""
        return [describe_unit(self.unit), *describe_totals(self.study)]

    def planned(self) -> list[str]:
        """Return a sentence about each question; a single one has no number."""
        lines = []
        for number, item in enumerate(self.measurements, 1):
            letters = item.ratio.letters.items()
            meaning = ", ".join(f"{letter} = {name}" for letter, name in letters)
            cells = describe_cells(item.groups, self.unit)
            part = float(item.question.budget_share)
            which, share = f" {number}", f" Share: {part:.3g}."
            if len(self.measurements) == 1:
                which = share = ""
            lines.append(f"Asked{which}: {item.ratio}, {cells} ({meaning}).{share}")
        return lines

    def said(self) -> list[str]:
        """The sentences that stand above the table of sums."""
        return [*self.summary(), *(f"Not covered: {line}" for line in NOT_COVERED)]


def require_ratios(plan: object) -> None:
    """Raise InvalidInput unless a plan measures sums of ratios."""
    if not isinstance(plan, Plan):
        raise InvalidInput(
            f"a plan of ratios is needed, got {show_given(plan)}. Make it with "
            "make_plan: a plan of histograms holds no sums of a ratio.",
            field="plan",
        )
