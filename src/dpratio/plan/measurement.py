"""What is measured for one question: its sums with their noise; and a first stage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.terms.population import Population
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio

TOTALS = 2  # Σ w·s and Σ w·y come first among the raw sums.
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

    @property
    def ratio(self) -> Ratio:
        """The ratio in question."""
        return self.question.ratio

    @property
    def groups(self) -> Partition:
        """The groups in question; None for the whole table."""
        return self.question.groups

    @property
    def name(self) -> str:
        """The name of the question."""
        return self.question.name

    @property
    def scales(self) -> list[float]:
        """The noise scales of the sums, in lattice cells."""
        return [measured.scale for measured in self.sums]


@dataclass(frozen=True, slots=True)
class Stage:
    """Two totals of each question, Σ w·s and Σ w·y over all its groups, with noise.

    They find the guess of the ratio around which the second stage measures. The sums
    that the questions of the plan hold are the fallback: they are measured where the
    totals find none.

    Args:
        epsilon: What the first stage spends, of the plan's budget.
        n: About how many people an answer is about, and
        population: what they are like; both only share the second stage's budget.
        firsts: The two totals of each question, in the order of the questions.
    """

    epsilon: Fraction
    n: int | None = None
    population: Population | None = None
    firsts: tuple[tuple[MeasuredSum, ...], ...] = ()


class Named(Protocol):
    """A question of a plan or of a release."""

    @property
    def name(self) -> str:
        """The name of the question."""


Item = TypeVar("Item", bound=Named)


def pick_question(
    questions: Sequence[Item],
    which: str | int | None,
    fits: Callable[[Item], bool] = lambda _: True,
) -> Item:
    """Return the question of a name or a number from 1; otherwise the one that fits.

    Where none fits, it is the first: the caller says what that one lacks.

    Raises:
        InvalidInput: When there is none such, or several fit; the message lists them.
    """
    if which is None:
        fitting = [question for question in questions if fits(question)]
        if len(fitting) > 1:
            raise InvalidInput(
                "several questions fit, and one must be named. Say "
                f"{questions_in_words(questions, fitting)}.",
                field="question",
            )
        return fitting[0] if fitting else questions[0]
    names = [question.name for question in questions]
    if type(which) is int and 1 <= which <= len(names):
        return questions[which - 1]
    if which not in names:
        raise InvalidInput(
            f"no such question, got {show_given(which)}. Say "
            f"{questions_in_words(questions, questions)}.",
            field="question",
        )
    return questions[names.index(str(which))]


def questions_in_words(questions: Sequence[Item], fitting: Sequence[Item]) -> str:
    """Return the numbers and names of the questions that fit, as alternatives."""
    few = [
        f"question={number} ({question.name})"
        for number, question in enumerate(questions, 1)
        if any(question is other for other in fitting[:_MOST_NAMED])
    ]
    last = "…" if len(fitting) > _MOST_NAMED else few.pop()
    return f"{', '.join(few)} or {last}" if few else last
