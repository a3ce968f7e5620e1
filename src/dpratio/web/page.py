"""The page: a study with its plan, forecast and rehearsal, and a release as its report.

::

    GET  /      the page, with a study to begin with
    POST /      the page, with the study that was sent and what it will give
    POST /view  a release, answered with its report

None of the routes leads to the curator.
"""

import functools
import re
from collections.abc import AsyncIterable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from dpratio.errors import DpratioError, FileRefused
from dpratio.plan.make_plan import EXPECTED_PEOPLE, make_plan
from dpratio.plan.words import NOT_COVERED
from dpratio.release.files import release_from_bytes
from dpratio.show.chart.picture import Chart, chart_style
from dpratio.show.forest_chart import rehearsal_chart
from dpratio.show.sections.page import render_report
from dpratio.show.width_charts import forecast_chart
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.rehearse import Rehearsal, rehearse
from dpratio.tabular import Tabular, printable
from dpratio.terms.study_file import parse_study
from dpratio.version import __version__
from dpratio.web.guard import Application, guard

_FOLDER = Path(__file__).parent
_FILES = {
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    "/favicon.ico": ("icon.svg", "image/svg+xml"),
}
_TOO_LARGE, _REFUSED = 413, 422
_LARGEST_STUDY, _LARGEST_RELEASE = 2**18, 2**26
_PICTURE = 640.0
_TRIED = (0.25, 0.5, 1, 2, 4)  # times the study's epsilon
_BOUNDARY = re.compile(r"boundary=([^\s;,]{1,70})")

# A report says itself which script may run. Its origin reaches nothing here.
_REPORT = {
    "content-security-policy": "sandbox allow-scripts allow-downloads; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
# Under "no-referrer" browsers hide the origin of a form that is sent; the guard asks.
_SENDS_FORMS = {"referrer-policy": "same-origin"}


def make_application(port: int) -> Application:
    """Return the page as it is served on a port of this machine."""
    routes = [
        Route("/", _first, methods=["GET"]),
        Route("/", _plan, methods=["POST"]),
        Route("/view", _view, methods=["POST"]),
        Route("/chart.css", _chart_style, methods=["GET"]),
        *(
            Route(path, _static(*file), methods=["GET"])
            for path, file in _FILES.items()
        ),
    ]
    handlers = {404: _sentence("No such page."), 500: _sentence("The page failed.")}
    return guard(Starlette(routes=routes, exception_handlers=handlers), port)


def _first(_: Request) -> Response:
    example = (_FOLDER / "templates" / "example.toml").read_text(encoding="utf-8")
    return _answer(example)


async def _plan(request: Request) -> Response:
    body = await _receive(request.stream(), _LARGEST_STUDY)
    if body is None:
        message = "A study on this page has up to 256 kB."
        return _page("", _TOO_LARGE, message=message)
    fields = parse_qs(body.decode("utf-8", "replace"))
    text = "".join(fields.get("study", [])).replace("\r\n", "\n")
    return await run_in_threadpool(_answer, text)


def _answer(text: str) -> Response:
    """Return the page with a study and what it will give, or why it is refused."""
    try:
        return _page(text, 200, **_foresee(text))
    except DpratioError as error:
        return _page(text, _REFUSED, message=str(error))


def _foresee(text: str) -> dict[str, Any]:
    """Return what a study will give: its plan, forecast and rehearsal."""
    study = parse_study(text)
    plan = make_plan(study)
    people, population = study.n or EXPECTED_PEOPLE, study.population
    here = forecast(plan, n=[people], population=population)
    budgets = [float(study.budget.epsilon) * times for times in _TRIED]
    around = forecast(plan, n=[people], epsilon=budgets, population=population)
    drawn = (
        None if population is None else rehearse(plan, n=people, population=population)
    )
    return {
        "plan": _table(plan, [*plan.summary(), *NOT_COVERED]),
        "forecast": _table(here, here.said()),
        "picture": _svg(forecast_chart(around)),
        "rehearsal": drawn and _drawn(drawn),
    }


def _table(answer: Tabular, lines: list[str]) -> dict[str, Any]:
    return {"lines": [printable(line) for line in lines], "table": answer.to_html()}


def _drawn(rehearsal: Rehearsal) -> dict[str, Any]:
    return {"lines": rehearsal.said(), "picture": _svg(rehearsal_chart(rehearsal))}


def _svg(chart: Chart) -> str:
    return chart.svg(width=_PICTURE, is_styled=False)


async def _view(request: Request) -> Response:
    body = await _receive(request.stream(), _LARGEST_RELEASE)
    if body is None:
        message = "The page takes releases of up to 64 MB. Use `dpratio report`."
        return _page("", _TOO_LARGE, message=message)
    kind = request.headers.get("content-type", "")
    try:
        report = await run_in_threadpool(_report, body, kind)
    except DpratioError as error:
        return _page("", _REFUSED, message=str(error))
    return HTMLResponse(report, headers=_REPORT)


def _report(body: bytes, content_type: str) -> str:
    return render_report(release_from_bytes(_file_of(body, content_type)))


def _file_of(body: bytes, content_type: str) -> bytes:
    """Return the one file of a form that was sent (RFC 7578, section 4).

    Libraries keep large files of a form in temporary ones. A release that is looked at
    should leave no copy behind.
    """
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise FileRefused("the request holds no file. Choose one in the form.")
    _, _, part = body.partition(b"\r\n\r\n")
    content, end, _ = part.rpartition(b"\r\n--" + boundary[1].encode("latin-1"))
    if not end or not content:
        raise FileRefused("no file was chosen. Choose one, and send it again.")
    return content


async def _receive(chunks: AsyncIterable[bytes], largest: int) -> bytes | None:
    """Return a body, or None if it is larger than allowed; no more of it is read."""
    body = bytearray()
    async for chunk in chunks:
        if len(body) + len(chunk) > largest:
            return None
        body += chunk
    return bytes(body)


def _page(text: str, status: int, **terms: Any) -> Response:  # noqa: ANN401 (Jinja's)
    template = _templates().get_template("page.html")
    page = template.render(study=text, version=__version__, **terms)
    # What is left of a body that was too large must not be taken for a request.
    close = {"connection": "close"} if status == _TOO_LARGE else {}
    return HTMLResponse(page, status, {**_SENDS_FORMS, **close})


@functools.cache
def _templates() -> Any:  # noqa: ANN401 (Jinja is loaded here)
    from jinja2 import Environment, FileSystemLoader

    return Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _chart_style(_: Request) -> Response:
    return Response(chart_style(), media_type="text/css")


def _static(file: str, kind: str) -> Callable[[Request], Response]:
    def answer(_: Request) -> Response:
        return FileResponse(_FOLDER / "static" / file, media_type=kind)

    return answer


def _sentence(text: str) -> Callable[[Request, Exception], Response]:
    def answer(_: Request, error: Exception) -> Response:
        return PlainTextResponse(f"{text}\n", getattr(error, "status_code", 500))

    return answer
