"""From the planner's form to a forecast, by the way `dpratio forecast` takes."""

import contextlib
import functools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.strategy.people import EXPECTED_PEOPLE
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.forecast_row import (
    Forecast,
    ForecastRange,
    ForecastRow,
)
from dpratio.simulation.forecast.simulated_widths import MOST_PEOPLE
from dpratio.terms.study import Study
from dpratio.terms.study_file import parse_study
from dpratio.web.form import FieldMissing, Form
from dpratio.web.study.study_text import write_study

__all__ = ["Around", "Outlook", "Planned", "look_around", "plan_form", "which_question"]

# A range where nobody described the people.
Outlook = ForecastRow | ForecastRange

_LEVELS = (Fraction("0.01"), Fraction("0.9999"))
_TESTED = (Fraction(-(10**6)), Fraction(10**6))
_WIDTHS = (Fraction("1e-9"), Fraction(10**9))
_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Planned:
    """A study, its plan and what the plan will give.

    ``text`` is the study as it is copied. Where it lacks keys, ``forecast_text`` is
    the same with invented ones, else the very text. ``width`` is the one that is
    wanted, where any is.
    """

    text: str
    forecast_text: str
    study: Study
    plan: Plan
    forecast: Forecast
    width: float | None = None

    @property
    def outlooks(self) -> tuple[Outlook, ...]:
        """What is forecast, one for each question."""
        return self.forecast.rows or self.forecast.ranges

    @property
    def row(self) -> Outlook:
        """The row or range of the first question that is forecast."""
        return self.outlooks[0]

    @property
    def lacks_keys(self) -> bool:
        """Whether keys have to be written before a plan can be made."""
        return self.text != self.forecast_text

    @property
    def command(self) -> str:
        """The command that prints the same forecast."""
        which = which_question(self.plan, self.study)
        options = "" if which is None else f" --question {which}"
        if self.forecast.level != 0.95:  # noqa: PLR2004 (the command's default)
            options += f" --level {self.forecast.level!r}"
        if self.forecast.against != 1:
            options += f" --against {self.forecast.against!r}"
        return f"dpratio forecast study.toml{options}"


@dataclass(frozen=True, slots=True)
class Around:
    """Outlooks around a study: by budget and by number of people, in their order."""

    by_epsilon: tuple[Outlook, ...]
    by_people: tuple[Outlook, ...]


def plan_form(form: Form) -> Planned:
    """Write the study of a form, parse it, plan it and forecast the plan.

    Where nobody says what to test against, it is the ratio that the plan is made
    around.

    Raises:
        InvalidInput: When a field breaks a rule; `FieldMissing` where one is empty.
        DocumentRefused: When the study that the fields stand for breaks one.
    """
    level = float(form.exact("level", within=_LEVELS))
    against = None
    if not form.is_empty("against"):
        against = float(form.exact("against", within=_TESTED))
    texts = write_study(form), write_study(form, invent_keys=True)
    if against is None:
        study, plan = _plan_text(texts[1])
        centre = plan.questions[(which_question(plan, study) or 1) - 1].ratio.guess
        against = 1.0 if centre is None else centre
    planned = _plan_texts(texts, level, against)
    if form.is_empty("width"):
        return planned
    return replace(planned, width=float(form.exact("width", within=_WIDTHS)))


def look_around(planned: Planned) -> Around:
    """Forecast the same study at other budgets, and for other numbers of people."""
    found = planned.forecast
    texts = planned.text, planned.forecast_text
    return _look_around(texts, found.level, found.against)


def _round_numbers(own: float, *, steps: tuple[int, ...], reach: float) -> list[float]:
    """Give the round numbers around one, and not that one itself.

    Example:
        >>> _round_numbers(0.9, steps=(1, 3), reach=10.0)
        [0.1, 0.3, 1.0, 3.0]
    """
    lowest, highest = (math.floor(math.log10(own * by)) for by in (1 / reach, reach))
    # Written and read: 3 * 10**-1 is not 0.3, and budgets are the decimals written.
    tried = [
        float(f"{step}e{power}")
        for power in range(lowest, highest + 1)
        for step in steps
    ]
    ends = own / reach * 0.99, own * reach * 1.01
    return [each for each in tried if ends[0] <= each <= ends[1] and each != own]


def which_question(plan: Plan, study: Study) -> int | None:
    """Give the number of the question that a description of people is about.

    None stands for all of them.
    """
    ratios = {str(each.ratio) for each in plan.questions}
    guessed = [plan.is_guessed(each) for each in plan.questions]
    if study.guess is None or (len(ratios) == 1 and all(guessed)):
        return None
    return guessed.index(True) + 1 if any(guessed) else 1


@functools.lru_cache(maxsize=_REMEMBERED)
def _plan_text(text: str) -> tuple[Study, Plan]:
    """Plan a study as the command does; the same text is not planned twice."""
    study = parse_study(text)
    plan = make_plan(study)
    if study.guess is None and plan.strategy != "focused":
        message = f"Say what the people are like: {plan.strategy} sums hang on it."
        raise FieldMissing(message, "numerator_mean")
    return study, plan


@functools.lru_cache(maxsize=_REMEMBERED)
def _plan_texts(texts: tuple[str, str], level: float, against: float) -> Planned:
    study, plan = _plan_text(texts[1])
    found = forecast(
        plan,
        n=[study.n or EXPECTED_PEOPLE],
        guess=study.guess,
        question=which_question(plan, study),
        level=level,
        against=against,
    )
    return Planned(*texts, study, plan, found)


@functools.lru_cache(maxsize=_REMEMBERED)
def _look_around(texts: tuple[str, str], level: float, against: float) -> Around:
    planned = _plan_texts(texts, level, against)
    own = planned.row

    def look(**wanted: Any) -> list[Outlook]:  # noqa: ANN401 (options of forecast)
        found = forecast(
            planned.plan,
            guess=planned.study.guess,
            question=own.question,
            level=level,
            against=against,
            **wanted,
        )
        return [*found.rows, *found.ranges]

    budgets = _round_numbers(own.epsilon, steps=(1, 2, 5), reach=10.0)
    try:
        by_epsilon = look(n=own.n, epsilon=budgets)
    except InvalidInput:  # A budget is beyond what can be planned: leave it out.
        by_epsilon = []
        for each in budgets:
            with contextlib.suppress(InvalidInput):
                by_epsilon += look(n=own.n, epsilon=each)
    near = _round_numbers(own.n, steps=(1, 3), reach=100.0)
    sizes = [round(each) for each in near if 1 <= each <= MOST_PEOPLE]
    return Around(
        tuple(sorted([own, *by_epsilon], key=lambda each: each.epsilon)),
        tuple(sorted([own, *look(n=sizes)], key=lambda each: each.n)),
    )
