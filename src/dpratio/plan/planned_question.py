"""One question of a plan: a ratio over a partition, with its share and its sums."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, TypeVar

from dpratio.checks import require
from dpratio.errors import InvalidInput
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.terms.bounds import Bounds
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio

__all__ = [
    "Partition",
    "PlannedQuestion",
    "choose_question",
    "in_order",
    "pick_question",
    "say_which",
]

_MOST_NAMED = 5


class Named(Protocol):
    """A question of a plan or of a release."""

    @property
    def name(self) -> str:
        """What it is called."""


Asked = TypeVar("Asked", bound=Named)


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A ratio, the place of its partition in the plan, and what is measured for it.

    ``weight`` is the question's share of what the plan spends on sums; ``basis`` says
    what a focused plan measures beside z, as `contrast` has it. A question
    without a name is called by its ratio and its groups as soon as it is in a plan.
    ``within`` is, of a histogram of totals, the place of the partition in whose groups
    they are made; None for the whole table. ``totals`` are the question's own, in
    place of the unit's, where it has any: `PlanTerms.unit_of`.
    """

    ratio: Ratio
    partition: int
    weight: Fraction
    sums: tuple[MeasuredSum, ...]
    answers: tuple[str, ...] = ("ratio",)
    name: str = ""
    basis: str = "sum"
    within: int | None = None
    totals: Mapping[str, Bounds] = field(default_factory=dict, hash=False)

    @property
    def scales(self) -> list[float]:
        """The noise scales of the sums, in lattice cells."""
        return [each.scale for each in self.sums]


def in_order(
    bounds: Mapping[str, Bounds], questions: Sequence[PlannedQuestion]
) -> dict[str, Bounds]:
    """Return bounds in the order of the ratios' columns and totals, then by name."""
    ratios = [question.ratio for question in questions]
    names = [name for ratio in ratios for name in (*ratio.columns, *ratio.totals)]
    known = [name for name in dict.fromkeys(names) if name in bounds]
    return {name: bounds[name] for name in [*known, *sorted(set(bounds) - set(known))]}


def pick_question(questions: Sequence[Asked], which: str | int | None) -> Asked:
    """Give the question of a name or of a number from 1; without either the only one.

    Raises:
        InvalidInput: When there is none such, or several; the message lists them.
    """
    if which is None:
        rule = "one of several questions must be named"
        hint = f"Say {say_which(questions, questions)}."
        require(len(questions) == 1, rule, len(questions), hint)
        return questions[0]
    names = [each.name for each in questions]
    if type(which) is int and 1 <= which <= len(names):
        return questions[which - 1]
    listed = [f"{at} '{name}'" for at, name in enumerate(names[:_MOST_NAMED], 1)]
    more = ", …" if len(names) > _MOST_NAMED else ""
    hint = f"Questions are: {', '.join(listed)}{more}."
    require(which in names, "no such question", which, hint)
    return questions[names.index(str(which))]


def choose_question(
    questions: Sequence[Asked], which: str | int | None, fits: Callable[[Asked], bool]
) -> Asked:
    """Give the question of a name or a number from 1; otherwise the one that fits.

    Where none fits, the first is given: the caller says what it lacks.

    Raises:
        InvalidInput: When there is no such question, or several fit.
    """
    if which is not None:
        return pick_question(questions, which)
    fitting = [each for each in questions if fits(each)]
    if len(fitting) > 1:
        raise InvalidInput(
            f"several questions fit; say which: {say_which(questions, fitting)}."
        )
    return fitting[0] if fitting else questions[0]


def say_which(questions: Sequence[Asked], fitting: Sequence[Asked]) -> str:
    """Advise to name one of those that fit."""
    few = [
        f"question={at} ({each.name})"
        for at, each in enumerate(questions, 1)
        if any(each is one for one in fitting[:_MOST_NAMED])
    ]
    last = "…" if len(fitting) > _MOST_NAMED else few.pop()
    return f"{', '.join(few)} or {last}" if few else last
