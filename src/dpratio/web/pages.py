"""What the browser gets: templates filled in; every text is escaped."""

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpratio.errors import DpratioError
from dpratio.plan.calibration.calibrate import MECHANISMS
from dpratio.plan.strategy.layout import STRATEGIES
from dpratio.show.width_charts import around_chart
from dpratio.simulation.forecast.forecast_row import ForecastRow
from dpratio.tabular import show_value
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import GUESSES
from dpratio.terms.unit import NEIGHBOURS
from dpratio.version import __version__
from dpratio.web.form import FieldMissing, Form
from dpratio.web.planner import Planned, look_around, plan_form

__all__ = ["charts_part", "forecast_part", "planner_page", "viewer_page"]

Answer = tuple[str, int]

_GOOD, _REFUSED = 200, 422
_FOLDER = Path(__file__).parent / "templates"
_FEW = 0.05
_PICTURE = 440.0

# What each column of a forecast says; the words of `Forecast.notes`, one by one.
MEANINGS = {
    "n": "people per answer",
    "epsilon": "privacy budget",
    "mechanism": "law of the noise",
    "width": "mean width of the interval",
    "width_public": "the same without noise",
    "unbounded": "share of intervals without an end",
    "people_lost": "people that privacy costs",
    "power": "chance to tell the ratio from {against}",
    "detectable": "least ratio above {against} found with power {power}",
    "power_between": "power between two groups of this size",
    "detectable_between": "detectable between two groups of this size",
}


def planner_page(form: Form) -> Answer:
    """Give the planner as a whole page, and its status."""
    shown, status = _forecast_terms(form)
    if status == _GOOD:
        shown |= _chart_terms(plan_form(form))
    choices = {
        "strategies": STRATEGIES,
        "mechanisms": ("auto", *MECHANISMS),
        "nearness": tuple(GUESSES),
        "neighbours": NEIGHBOURS,
    }
    return _fill("planner.html", form=form.given, **choices, **shown), status


def forecast_part(form: Form) -> Answer:
    """Give the parts of the planner that hold the forecast and the study."""
    shown, status = _forecast_terms(form)
    return _fill("forecast.html", **shown), status


def charts_part(form: Form) -> Answer:
    """Give the part of the planner that holds the charts."""
    try:
        shown = _chart_terms(plan_form(form))
    except DpratioError as error:
        return _fill("charts.html", message=str(error)), _REFUSED
    return _fill("charts.html", **shown), _GOOD


def viewer_page(message: str = "") -> str:
    """Give the form that takes a release, with a message where one was refused."""
    return _fill("viewer.html", message=message)


def _forecast_terms(form: Form) -> tuple[dict[str, Any], int]:
    try:
        planned = plan_form(form)
    except DpratioError as error:
        missing = error.field if isinstance(error, FieldMissing) else ""
        refused = {"message": str(error), "missing": missing, "query": form.query()}
        return refused, _REFUSED
    return {
        "planned": planned,
        "query": form.query(),
        "rows": _rows(planned),
        "answers": _answers(planned),
        "too_wide": planned.row.unbounded > _FEW,
        "level": f"{100 * planned.forecast.level:.10g}\u00a0%",
    }, _GOOD


def _rows(planned: Planned) -> list[tuple[str, str, str]]:
    """List the columns of the forecast: name, value as the command shows it, words."""
    found = planned.forecast
    words = {"against": f"{found.against:g}", "power": f"{found.power:g}"}
    return [
        (name, cells[0], MEANINGS[name].format(**words))
        for name, cells in found.shown().items()
    ]


def _answers(planned: Planned) -> int:
    """Count the answers of the plan: one, or one per group."""
    groups = planned.plan.partitions[0]
    return groups.count if isinstance(groups, Groups) else 1


def _chart_terms(planned: Planned) -> dict[str, Any]:
    around = look_around(planned)
    epsilons, sizes = around.by_epsilon, around.by_people
    own = planned.row
    width = own.width if own.unbounded <= _FEW else math.inf
    return {
        "some_left_out": any(each.unbounded > _FEW for each in (*epsilons, *sizes)),
        "charts": [
            {
                "title": "Width against epsilon",
                "along": "epsilon",
                "picture": _picture(
                    "epsilon", epsilons, (own.epsilon, width), "epsilon"
                ),
                "rows": _points(epsilons, "epsilon"),
            },
            {
                "title": "Width against people",
                "along": "n",
                "picture": _picture("people", sizes, (own.n, width), "n"),
                "rows": _points(sizes, "n"),
            },
        ],
    }


def _picture(
    words: str, rows: Sequence[ForecastRow], here: tuple[float, float], along: str
) -> str:
    # A mean over the few intervals that have two ends would look too good.
    noisy = [
        (getattr(each, along), each.width) for each in rows if each.unbounded <= _FEW
    ]
    public = [(getattr(each, along), each.width_public) for each in rows]
    lines = {"forecast": noisy, "without noise": public}
    title = f"Width against {words}"
    chart = around_chart(lines, along=words, title=title, here=here)
    return chart.svg(width=_PICTURE, is_styled=False)


def _points(rows: Sequence[ForecastRow], along: str) -> list[tuple[str, ...]]:
    names = (along, "width", "width_public", "unbounded")
    return [tuple(show_value(getattr(each, name)) for name in names) for each in rows]


def _fill(template: str, **terms: Any) -> str:  # noqa: ANN401 (a template takes anything)
    return str(_templates().get_template(template).render(**terms))


@functools.cache
def _templates() -> Any:  # noqa: ANN401 (Jinja is loaded here)
    from jinja2 import Environment, FileSystemLoader

    templates = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["version"] = __version__
    templates.filters["value"] = show_value
    return templates
