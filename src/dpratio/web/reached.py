"""What a wanted width needs: people, or epsilon, and the plan that has it."""

import math
from dataclasses import dataclass

from dpratio.simulation.forecast.needed import Need
from dpratio.web.form import Form, read_form
from dpratio.web.planner import Planned

__all__ = ["Reached", "reach_width"]

_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Reached:
    """What a width needs, in sentences; an epsilon that is enough, and its query.

    Both are empty where no epsilon is enough.
    """

    width: str
    lines: tuple[str, ...]
    epsilon: str
    query: str


def reach_width(form: Form, planned: Planned) -> Reached | None:
    """Say what the wanted width needs of the first question; None where none is."""
    if planned.width is None:
        return None
    row = planned.row
    need = Need.of(
        planned.plan,
        width=planned.width,
        guess=planned.study.guess,
        question=row.question,
        level=planned.forecast.level,
    )
    enough = need.epsilon(row.n, widest=True)
    epsilon = "" if enough is None else round_up(enough)
    query = read_form({**form.given, "epsilon": epsilon}).query()
    lines = tuple(need.said([row.n]))
    return Reached(f"{planned.width:g}", lines, epsilon, query)


def round_up(number: float) -> str:
    """Write three digits that are not less: fewer would miss the width.

    Example:
        >>> round_up(0.054801), round_up(0.25), round_up(12.301)
        ('0.0549', '0.25', '12.4')
    """
    place = _DIGITS - 1 - math.floor(math.log10(number))
    return f"{math.ceil(round(number * 10**place, 6)) / 10**place:.{_DIGITS}g}"
