"""A plan: every measured sum, its sensitivity, its noise and its price.

It is complete without data, so a privacy officer can read and approve it.
"""

import html
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpratio.plan.calibration.calibrate import noise_sd
from dpratio.plan.histogram.histogram_words import (
    describe_histogram,
    describe_histograms,
)
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.plan_words import (
    describe_answers,
    describe_bounds,
    describe_cells,
    describe_clipping,
    describe_contrast,
    describe_delta,
    describe_epsilon,
    describe_not_covered,
    describe_stage,
    describe_uncounted,
    describe_unit,
)
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.strategy.layout import EXTERNAL, HISTOGRAM
from dpratio.plan.strategy.measure import even_shares
from dpratio.tabular import Tabular, printable
from dpratio.terms.budget import decimal_text

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan(PlanTerms, Tabular):
    """What will be measured, how it is protected, and at what price.

    Made by `make_plan`; the curator's door prices it again before it is used.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> plan.strategy, plan.mechanism, len(plan.questions[0].sums)
        ('focused', 'laplace', 6)
    """

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that everything costs together: the whole budget."""
        return self.budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The delta that is spent: on finding keys, and on Gaussian noise.

        Of sums from elsewhere it is what was claimed, whatever their noise.
        """
        if self.mechanism != "laplace" or self.strategy == EXTERNAL:
            return self.budget.delta
        return sum((each.budget.delta for each in self.private_keys), Fraction(0))

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the promise leaves out, in sentences."""
        ratios = [each.ratio for each in self.questions]
        return describe_not_covered(ratios, self.partitions, self.bounds)

    def shares(self, question: PlannedQuestion) -> list[float]:
        """The part of the price that each sum has in the row that costs most."""
        if self.strategy in {"even", HISTOGRAM}:
            names = [each.summand.name for each in question.sums]
            return [float(question.weight * each) for each in even_shares(names)]
        power = 1 if self.mechanism == "laplace" else 2
        rows = [
            [
                (float(move) / each.scale) ** power
                for move, each in zip(row, question.sums, strict=True)
            ]
            for row in self.grid(question).moves
        ]
        dearest = max(rows, key=sum)
        kept = float(question.weight) / sum(dearest)
        return [kept * each for each in dearest]

    def columns(self) -> dict[str, list[Any]]:
        """One row per sum of every question, in the units of the data."""
        table: dict[str, list[Any]] = {}
        if len(self.questions) > 1:
            table["question"] = [
                at + 1
                for at, question in enumerate(self.questions)
                for _ in question.sums
            ]
        measured = [each for question in self.questions for each in question.sums]
        table["sum"] = [each.summand.label for each in measured]
        noise = [noise_sd(self.mechanism, each.scale) * each.step for each in measured]
        if self.strategy == EXTERNAL:
            return table | {"noise_sd": noise}
        return table | {
            "sensitivity": [each.sensitivity * each.step for each in measured],
            "noise_sd": noise,
            "share": [
                share for question in self.questions for share in self.shares(question)
            ],
        }

    def summary(self) -> list[str]:
        """Say in sentences what is asked, who is protected and at what price."""
        if self.title is not None:
            titled = f"Title, which is published with every release: {self.title}"
            return [titled, *replace(self, title=None).summary()]
        if self.strategy == HISTOGRAM:
            return describe_histograms(self)
        cost = f"epsilon {decimal_text(self.epsilon)}, delta {decimal_text(self.delta)}"
        if self.delta != self.budget.delta and not self.private_keys:
            allowed = decimal_text(self.budget.delta)
            cost += f" (delta {allowed} is allowed; this noise needs none)"
        if self.strategy == EXTERNAL:
            return [
                *self.asked(),
                f"Measured elsewhere. Claimed there, and not checked here: {cost}.",
            ]
        around = []
        if self.strategy == "focused":
            around = [
                describe_contrast(
                    question,
                    self.unit,
                    grouped=self.partitions[question.partition] is not None,
                )
                for question in self.questions
            ]
        return [
            *self.asked(),
            self._bounded(),
            *describe_unit(self),
            *describe_clipping(self),
            f"Strategy {self.strategy}, mechanism {self.mechanism}. Cost: {cost}.",
            *describe_epsilon(self.epsilon, self.unit),
            *describe_delta(self.delta, self.unit),
            *([] if self.stage is None else describe_stage(self.stage, self.epsilon)),
            *dict.fromkeys(around),
            *dict.fromkeys(
                describe_answers(self.strategy, question.answers)
                for question in self.questions
            ),
        ]

    def _bounded(self) -> str:
        """Say to what values are clipped, and where nobody will know how many."""
        return f"{describe_bounds(self.bounds)} {describe_uncounted(self)}".rstrip()

    def asked(self) -> list[str]:
        """Say what each question asks; a single one without its number."""
        return [self._asked(at) for at in range(len(self.questions))]

    def _asked(self, at: int) -> str:
        question = self.questions[at]
        if self.strategy == HISTOGRAM:
            return f"Counted: {describe_histogram(self, question)}."
        meaning = ", ".join(
            f"{a} = {name}" for a, name in question.ratio.letters.items()
        )
        cells = describe_cells(self.partitions[question.partition], self.unit)
        single = len(self.questions) == 1
        number = "" if single else f" {at + 1}"
        share = "" if single else f" Share: {float(question.weight):.3g}."
        return f"Asked{number}: {question.ratio}, {cells} ({meaning}).{share}"

    def __str__(self) -> str:
        lines = [*(printable(line) for line in self.summary()), "", self.to_text(), ""]
        lines += [f"Not covered: {sentence}" for sentence in self.not_covered]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        said = "".join(
            f"<p>{html.escape(printable(line))}</p>" for line in self.summary()
        )
        missing = "".join(
            f"<li>Not covered: {html.escape(sentence)}</li>"
            for sentence in self.not_covered
        )
        return f"{said}{self.to_html()}<ul>{missing}</ul>"
