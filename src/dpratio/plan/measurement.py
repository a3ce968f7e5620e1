"""What is measured for one question: its basis, and its sums with their noise."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Measurement:
    """A question whose terms are settled, and the sums that answer it.

    The question's ``budget_share`` is its part of what the plan spends on sums;
    ``basis`` is what a focused plan measures beside z, as `Contrast` has it.
    """

    question: Question
    sums: tuple[MeasuredSum, ...]
    basis: str = "sum"

    def around(
        self, guess: float, sums: tuple[MeasuredSum, ...], basis: str = "sum"
    ) -> "Measurement":
        """Return other sums of the question, around another guess of its ratio."""
        ratio = replace(self.ratio, guess=guess)
        return Measurement(replace(self.question, ratio=ratio), sums, basis)

    def over(self, groups: Partition) -> "Measurement":
        """Return the same sums of the question over other groups."""
        return replace(self, question=replace(self.question, groups=groups))

    @property
    def ratio(self) -> Ratio:
        """The ratio in question."""
        return self.question.ratio

    @property
    def groups(self) -> Partition:
        """The groups in question; None for the whole table."""
        return self.question.groups

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers that the question wants."""
        return self.question.answers

    @property
    def name(self) -> str:
        """The name of the question."""
        return self.question.name

    @property
    def totals(self) -> Mapping[str, Bounds]:
        """The question's own bounds of totals, in place of the unit's."""
        return self.question.totals

    @property
    def budget_share(self) -> Fraction:
        """The question's part of what the plan spends on sums."""
        return self.question.budget_share

    @property
    def scales(self) -> list[float]:
        """The noise scales of the sums, in lattice cells."""
        return [measured.scale for measured in self.sums]


class Named(Protocol):
    """A question of a plan or of a release."""

    @property
    def name(self) -> str:
        """The name of the question."""


Item = TypeVar("Item", bound=Named)


def pick_question(questions: Sequence[Item], which: str | int | None) -> Item:
    """Return the question of a name or of a number from 1; without either the only one.

    Raises:
        InvalidInput: When there is none such, or several; the message lists them.
    """
    if which is None:
        if len(questions) == 1:
            return questions[0]
        raise InvalidInput(
            f"one of {len(questions)} questions must be named. Say "
            f"{questions_in_words(questions, questions)}.",
            field="question",
        )
    names = [question.name for question in questions]
    if type(which) is int and 1 <= which <= len(names):
        return questions[which - 1]
    if which not in names:
        listed = [
            f"{number} '{name}'" for number, name in enumerate(names[:_MOST_NAMED], 1)
        ]
        more = ", …" if len(names) > _MOST_NAMED else ""
        raise InvalidInput(
            f"no such question, got {show_given(which)}. Questions are: "
            f"{', '.join(listed)}{more}.",
            field="question",
        )
    return questions[names.index(str(which))]


def choose_question(
    questions: Sequence[Item], which: str | int | None, fits: Callable[[Item], bool]
) -> Item:
    """Return the question of a name or a number from 1; otherwise the one that fits.

    Where none fits, it is the first: the caller says what that one lacks.

    Raises:
        InvalidInput: When there is no such question, or several fit.
    """
    if which is not None:
        return pick_question(questions, which)
    fitting = [question for question in questions if fits(question)]
    if len(fitting) > 1:
        raise InvalidInput(
            "several questions fit; say which: "
            f"{questions_in_words(questions, fitting)}.",
            field="question",
        )
    return fitting[0] if fitting else questions[0]


def questions_in_words(questions: Sequence[Item], fitting: Sequence[Item]) -> str:
    """Return the numbers and names of the questions that fit, as alternatives."""
    few = [
        f"question={number} ({question.name})"
        for number, question in enumerate(questions, 1)
        if any(question is one for one in fitting[:_MOST_NAMED])
    ]
    last = "…" if len(fitting) > _MOST_NAMED else few.pop()
    return f"{', '.join(few)} or {last}" if few else last
