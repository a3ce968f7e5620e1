"""The routes of the page. None of them leads to the curator.

::

    GET  /              the planner, with or without a query
    GET  /forecast      its forecast and study, for the page's own script
    GET  /charts        its charts, likewise
    GET  /study.toml    the study, to save
    POST /open          a study, answered with the planner that holds it
    GET  /view          the viewer
    POST /view          a release, answered with its report; or a sheet and a report or
                        release, answered with whether they match
"""

from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from dpratio.errors import DpratioError, FileRefused
from dpratio.show.chart.picture import chart_style
from dpratio.web.dropped import RELEASE, SHEET, read_dropped
from dpratio.web.form import read_form
from dpratio.web.guard import Application, guard
from dpratio.web.matched import match_of
from dpratio.web.pages import (
    Answer,
    charts_part,
    forecast_part,
    match_page,
    planner_page,
    viewer_page,
)
from dpratio.web.planner import plan_form
from dpratio.web.report_policy import policy_of
from dpratio.web.study.open_study import open_study
from dpratio.web.upload import (
    LARGEST_STUDY,
    LARGEST_UPLOAD,
    Upload,
    file_of,
    files_of,
    receive_all,
)

__all__ = ["make_application"]

_STATIC = Path(__file__).parent / "static"
_SHEETS = ("page.css", "form.css", "answer.css", "layout.css")
_SEE_OTHER, _TOO_LARGE, _REFUSED = 303, 413, 422

# Under "no-referrer" browsers hide the origin of a form that is sent; we ask for it.
_TAKES_FILES = {"referrer-policy": "same-origin"}


def make_application(port: int) -> Application:
    """Make the page as it is served on a port of this machine."""
    routes = [
        *(
            Route(path, _planner(part), methods=["GET"])
            for path, part in (
                ("/", planner_page),
                ("/forecast", forecast_part),
                ("/charts", charts_part),
            )
        ),
        Route("/study.toml", _study, methods=["GET"]),
        Route("/open", _open, methods=["POST"]),
        Route("/chart.css", _chart_style, methods=["GET"]),
        Route("/view", _viewer, methods=["GET"]),
        Route("/view", _report, methods=["POST"]),
        *(
            Route(path, _static(file, kind), methods=["GET"])
            for path, file, kind in (
                *((f"/{sheet}", sheet, "text/css") for sheet in _SHEETS),
                ("/page.js", "page.js", "text/javascript"),
                ("/icon.svg", "icon.svg", "image/svg+xml"),
                ("/favicon.ico", "icon.svg", "image/svg+xml"),
            )
        ),
    ]
    handlers = {404: _say("There is no such page."), 500: _say("The page failed.")}
    return guard(Starlette(routes=routes, exception_handlers=handlers), port)


def _planner(part: Callable[..., Answer]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        body, status = part(read_form(request.query_params))
        headers = _TAKES_FILES if part is planner_page else None
        return HTMLResponse(body, status, headers)

    return answer


def _study(request: Request) -> Response:
    try:
        text = plan_form(read_form(request.query_params)).text
    except DpratioError as error:
        return PlainTextResponse(f"{error}\n", _REFUSED)
    headers = {"content-disposition": 'attachment; filename="study.toml"'}
    return Response(f"{text}\n", headers=headers, media_type="application/toml")


def _viewer(_: Request) -> Response:
    return HTMLResponse(viewer_page(), headers=_TAKES_FILES)


async def _open(request: Request) -> Response:
    body = await _body_of(request, LARGEST_STUDY)
    if body is None:
        return _not_opened("the page opens studies of up to 1 MB.", _TOO_LARGE)
    try:
        sent = file_of(body, request.headers.get("content-type", ""), "study")
        form = await run_in_threadpool(open_study, _text_of(sent))
    except DpratioError as error:
        return _not_opened(str(error), _REFUSED)
    return RedirectResponse(f"/?{form.query()}", _SEE_OTHER)


def _not_opened(message: str, status: int) -> Response:
    body, _ = planner_page(read_form({}), message)
    headers = {**_TAKES_FILES, "connection": "close"}
    return HTMLResponse(body, status, headers)


def _text_of(sent: Upload) -> str:
    try:
        return sent.content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise FileRefused("the file cannot be read: it is not UTF-8.") from None


async def _body_of(request: Request, largest: int) -> bytes | None:
    length = request.headers.get("content-length")
    return await receive_all(request.stream(), length, largest=largest)


async def _report(request: Request) -> Response:
    body = await _body_of(request, LARGEST_UPLOAD)
    if body is None:
        most = f"the page takes files of up to {LARGEST_UPLOAD // 2**20} MB."
        message = f"{most} Use `dpratio report` for larger ones."
        headers = {**_TAKES_FILES, "connection": "close"}
        return HTMLResponse(viewer_page(message), _TOO_LARGE, headers)
    try:
        sent = files_of(body, request.headers.get("content-type", ""), "release")
        answer = await run_in_threadpool(_look, sent)
    except DpratioError as error:
        return HTMLResponse(viewer_page(str(error)), _REFUSED, _TAKES_FILES)
    return answer


def _look(sent: list[Upload]) -> Response:
    """Answer a release with its report, and a sheet and a report with their match.

    A sheet or a report alone is what it is already: what is missing is said.
    """
    files = [read_dropped(each) for each in sent]
    if len(files) > 1:
        return HTMLResponse(match_page(match_of(files)), headers=_TAKES_FILES)
    (file,) = files
    if file.kind != RELEASE or file.release is None:
        other = "its report or release" if file.kind == SHEET else "its approval sheet"
        message = f"Its plan is {file.hash}. Choose it again together with {other}."
        said = f"This is the {file.kind} alone."
        return HTMLResponse(viewer_page(message, said), _REFUSED, _TAKES_FILES)
    from dpratio.show.sections.page import render_report

    report = render_report(file.release)
    policy = {"content-security-policy": policy_of(report)}
    return HTMLResponse(report, headers=policy)


def _chart_style(_: Request) -> Response:
    return Response(chart_style(), media_type="text/css")


def _static(file: str, kind: str) -> Callable[[Request], Response]:
    def answer(_: Request) -> Response:
        return FileResponse(_STATIC / file, media_type=kind)

    return answer


def _say(sentence: str) -> Callable[[Request, Exception], Response]:
    def answer(_: Request, error: Exception) -> Response:
        return PlainTextResponse(f"{sentence}\n", getattr(error, "status_code", 500))

    return answer
