"""What the browser gets: templates filled in; every text is escaped."""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpratio.errors import DpratioError
from dpratio.plan.calibration.calibrate import MECHANISMS
from dpratio.plan.strategy.layout import STRATEGIES
from dpratio.show.forest_chart import rehearsal_chart
from dpratio.show.width_charts import around_chart
from dpratio.simulation.forecast.forecast_row import FAMILY, ForecastRow
from dpratio.simulation.forecast.rehearse import rehearse
from dpratio.tabular import show_rounded
from dpratio.terms.dimensions import EVERY
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import GUESSES
from dpratio.terms.unit import NEIGHBOURS
from dpratio.version import __version__
from dpratio.web.assumptions import assumptions, show_three
from dpratio.web.blame import field_of
from dpratio.web.form import FieldMissing, Form
from dpratio.web.matched import Match
from dpratio.web.planner import Outlook, Planned, look_around, plan_form
from dpratio.web.reached import reach_width
from dpratio.web.study.kept import names_of, read_kept
from dpratio.web.study.study_text import study_of

__all__ = [
    "charts_part",
    "forecast_part",
    "match_page",
    "planner_page",
    "viewer_page",
]

Answer = tuple[str, int]

_GOOD, _REFUSED = 200, 422
_FOLDER = Path(__file__).parent / "templates"
_FEW = 0.05
_PICTURE = 440.0
_PLACE = re.compile(r"^\$[^ ]*: ")  # A path in a document that nobody has seen.

# What each column of a forecast says; the words of `Forecast.notes`, one by one.
MEANINGS = {
    "n": "people per answer",
    "epsilon": "privacy budget",
    "mechanism": "law of the noise",
    "width": "median width of the interval",
    "width_low": "median width for the people with the narrowest intervals",
    "width_high": "the same for those with the widest",
    "width_public": "the same without noise",
    "width_public_low": "the narrowest without noise",
    "width_public_high": "the widest without noise",
    "unbounded": "share of intervals without an end",
    "people_lost": "people that privacy costs",
    "power": "chance to tell the ratio from {against}",
    "detectable": "least ratio above {against} found with power {power}",
    "detectable_low": "least ratio above {against} found with power {power}",
    "detectable_high": "the same for the people with the widest intervals",
    "power_between": "power between two groups of this size",
    "detectable_between": "detectable between two groups of this size",
    "detectable_between_low": "detectable between two groups of this size",
    "detectable_between_high": "the same for the people with the widest intervals",
}
# By column of a forecast: the line's name; without a name, no line.
_LINES = {"width": "forecast", "width_public": "without noise", "unbounded": ""}
_LINES_OF_RANGE = {"width_high": "widest", "width_low": "narrowest"}
_MARKED = ("width", "width_high", "width_low")


def planner_page(form: Form, not_opened: str = "") -> Answer:
    """Give the planner as a whole page, and its status.

    Args:
        form: What its fields hold.
        not_opened: Why a study was not opened, where one was sent.
    """
    shown, status = _forecast_terms(form)
    if status == _GOOD:
        shown |= _chart_terms(form)
    choices = {
        "strategies": STRATEGIES,
        "mechanisms": ("auto", *MECHANISMS),
        "nearness": tuple(GUESSES),
        "neighbours": NEIGHBOURS,
        "every": EVERY,
        "not_opened": not_opened,
    }
    page = _fill("planner.html", form=form.given, **choices, **shown)
    return page, _REFUSED if not_opened else status


def forecast_part(form: Form) -> Answer:
    """Give the parts of the planner that hold the forecast and the study."""
    shown, status = _forecast_terms(form)
    return _fill("forecast.html", **shown), status


def charts_part(form: Form) -> Answer:
    """Give the part of the planner that holds the charts."""
    try:
        shown = _chart_terms(form)
    except DpratioError as error:
        return _fill("charts.html", message=str(error)), _REFUSED
    return _fill("charts.html", **shown), _GOOD


def viewer_page(message: str = "", said: str = "") -> str:
    """Give the form that takes files, with a message where one was refused."""
    return _fill("viewer.html", message=message, said=said)


def match_page(match: Match) -> str:
    """Say whether a sheet and a report or release are of one plan."""
    return _fill("match.html", match=match)


def _forecast_terms(form: Form) -> tuple[dict[str, Any], int]:
    try:
        planned = plan_form(form)
    except DpratioError as error:
        return {
            "message": _PLACE.sub("", str(error)),
            "wrong": field_of(error, form),
            "is_missing": isinstance(error, FieldMissing),
            "query": form.query(),
        }, _REFUSED
    return {
        "planned": planned,
        "query": form.query(),
        "rows": _rows(planned),
        "answers": _answers(planned),
        "assumed": assumptions(planned),
        "kept": names_of(read_kept(form.text("kept")), study_of(form)),
        "family": "" if planned.forecast.rows else FAMILY,
        "too_wide": _is_too_wide(planned.row),
        "level": f"{100 * planned.forecast.level:.10g}\u00a0%",
    }, _GOOD


def _is_too_wide(row: Outlook) -> bool:
    """Tell where many intervals have no end, of some people at least."""
    if isinstance(row, ForecastRow):
        return row.unbounded > _FEW
    return math.isinf(row.width_high)


def _rows(planned: Planned) -> list[tuple[str, list[str], str]]:
    """List the columns of the forecast: name, values as the command shows, words."""
    found = planned.forecast
    words = {"against": f"{found.against:g}", "power": f"{found.power:g}"}
    return [
        (name, cells, MEANINGS[name].format(**words))
        for name, cells in found.shown().items()
        if name != "question"
    ]


def _answers(planned: Planned) -> int:
    """Count the answers of a plan of one question: one, or one per group."""
    groups = planned.plan.partitions[0]
    one = len(planned.plan.questions) == 1
    return groups.count if one and isinstance(groups, Groups) else 1


def _chart_terms(form: Form) -> dict[str, Any]:
    planned = plan_form(form)
    around = look_around(planned)
    epsilons, sizes = around.by_epsilon, around.by_people
    lines = _LINES if planned.forecast.rows else _LINES_OF_RANGE
    widths = [getattr(each, name) for each in (*epsilons, *sizes) for name in lines]
    charts = [("epsilon", "epsilon", epsilons), ("people", "n", sizes)]
    return {
        "reached": reach_width(form, planned),
        "rehearsal": _rehearsal(planned),
        "some_left_out": not all(math.isfinite(width) for width in widths),
        "columns": list(lines),
        "charts": [
            {
                "title": f"Width against {words}",
                "along": along,
                "picture": _picture((words, along), rows, planned.row, lines),
                "rows": _points(rows, (along, *lines)),
            }
            for words, along, rows in charts
        ],
    }


def _picture(
    words: tuple[str, str],
    rows: Sequence[Outlook],
    own: Outlook,
    lines: Mapping[str, str],
) -> str:
    def place(row: Outlook, column: str) -> tuple[float, float]:
        return getattr(row, words[1]), getattr(row, column)

    drawn = {
        name: [place(each, column) for each in rows]
        for column, name in lines.items()
        if name
    }
    marked = [column for column in lines if column in _MARKED]
    chart = around_chart(
        drawn,
        along=words[0],
        title=f"Width against {words[0]}",
        here=[place(own, column) for column in marked],
    )
    return chart.svg(width=_PICTURE, is_styled=False)


def _rehearsal(planned: Planned) -> dict[str, Any] | None:
    """Draw answers that the study may give, where its people are described."""
    found, guess = planned.forecast, planned.study.guess
    if not found.rows or guess is None:
        return None
    drawn = rehearse(
        planned.plan,
        n=planned.row.n,
        guess=guess,
        question=planned.row.question,
        level=found.level,
    )
    picture = rehearsal_chart(drawn).svg(width=2 * _PICTURE, is_styled=False)
    return {"picture": picture, "lines": drawn.said()}


def _points(rows: Sequence[Outlook], names: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(show_three(getattr(each, name)) for name in names) for each in rows]


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
    templates.filters["three"] = show_three
    templates.filters["rough"] = lambda width: show_rounded(width, width / 2)
    return templates
