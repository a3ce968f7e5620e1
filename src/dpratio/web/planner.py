"""From the planner's form to a forecast, by the way `dpratio forecast` takes.

Floor: web. Imports: terms, plan, study, form, study_text.
"""

import functools
import math
from dataclasses import dataclass

from dpratio.checks import to_exact
from dpratio.plan.plan import Plan
from dpratio.plan.study_plan import plan_of_study
from dpratio.study.forecast import Forecast, Outlook, forecast
from dpratio.terms.study_file import Study, parse_study
from dpratio.web.form import Form
from dpratio.web.study_text import write_study

__all__ = ["Planned", "along_epsilon", "along_people", "plan_form"]

_MOST_PEOPLE = 10**10
_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Planned:
    """A study, its plan and what the plan will give."""

    text: str
    study: Study
    plan: Plan
    forecast: Forecast

    @property
    def outlook(self) -> Outlook:
        """The one row of the forecast."""
        return self.forecast.outlooks[0]

    @property
    def command(self) -> str:
        """The command that prints the same forecast."""
        options = ""
        if self.forecast.level != 0.95:  # noqa: PLR2004 (the command's default)
            options += f" --level {self.forecast.level!r}"
        if self.forecast.against != 1:
            options += f" --against {self.forecast.against!r}"
        return f"dpratio forecast study.toml{options}"


def plan_form(form: Form) -> Planned:
    """Write the study of a form, parse it, plan it and forecast the plan.

    Raises:
        InvalidInput: When a field breaks a rule.
        DocumentRefused: When the study that the fields stand for breaks one.
    """
    level = float(to_exact(form.text("level"), "level"))
    against = float(to_exact(form.text("against"), "the ratio to test against"))
    return _plan_text(write_study(form), level, against)


def along_epsilon(planned: Planned) -> list[Outlook]:
    """Forecast the same study at other budgets, in their order."""
    others = _round_numbers(planned.outlook.epsilon, steps=(1, 2, 5), reach=10.0)
    found = _look(planned, n=(planned.outlook.n,), epsilon=tuple(others))
    return sorted([*found, planned.outlook], key=lambda each: each.epsilon)


def along_people(planned: Planned) -> list[Outlook]:
    """Forecast the same plan for other numbers of people, in their order."""
    near = _round_numbers(planned.outlook.n, steps=(1, 3), reach=100.0)
    others = [round(each) for each in near if 1 <= each <= _MOST_PEOPLE]
    found = _look(planned, n=tuple(others), epsilon=None)
    return sorted([*found, planned.outlook], key=lambda each: each.n)


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


def _look(
    planned: Planned, *, n: tuple[int, ...], epsilon: tuple[float, ...] | None
) -> tuple[Outlook, ...]:
    return forecast(
        planned.plan,
        n=n,
        epsilon=epsilon,
        guess=planned.study.population,
        level=planned.forecast.level,
        against=planned.forecast.against,
    ).outlooks


@functools.lru_cache(maxsize=_REMEMBERED)
def _plan_text(text: str, level: float, against: float) -> Planned:
    """Plan a study as the command does; the same text is not planned twice."""
    study = parse_study(text)
    plan = plan_of_study(study)
    people = study.people or 1
    found = forecast(
        plan, n=[people], guess=study.population, level=level, against=against
    )
    return Planned(text, study, plan, found)
