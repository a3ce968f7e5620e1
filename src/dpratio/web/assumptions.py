"""What a forecast rests on, in the words that stand beside its figure."""

from dpratio.plan.planned_question import pick_question
from dpratio.tabular import show_value
from dpratio.web.planner import Planned

__all__ = ["assumptions", "show_three"]


def assumptions(planned: Planned) -> list[str]:
    """Say what is assumed of people and of the ratio, and who is protected.

    Example:
        >>> from dpratio.web.form import read_form
        >>> from dpratio.web.planner import plan_form
        >>> assumptions(plan_form(read_form({})))[0]
        'Assumed: 5,000 people whom nobody described, with ratios around 1.'
    """
    found, row = planned.forecast, planned.row
    asked = pick_question(planned.plan.questions, row.question)
    centre = asked.ratio.guess
    around = "" if centre is None else show_three(centre)
    if found.rows:
        ratio = show_three(found.rows[0].ratio)
        told = f"as described, with a ratio of {ratio}"
        told += f"; planned around {around}" if around not in {"", ratio} else ""
    else:
        told = f"whom nobody described, with ratios around {around}"
    unit = planned.study.unit
    if unit.column is None:
        protected = "Each row is protected on its own: right where people have one row."
    else:
        protected = f"All rows of one {unit.column} are protected together."
    return [f"Assumed: {row.n:,} people {told}.", protected]


def show_three(value: object) -> str:
    """Show a number with three significant digits at most.

    Example:
        >>> show_three(0.073578), show_three(25.0), show_three(1234567)
        ('0.0736', '25', '1234567')
    """
    if isinstance(value, float) and abs(value) < 1_000_000:  # noqa: PLR2004
        rounded = float(f"{value:.3g}")
        return show_value(rounded)
    return show_value(value)
