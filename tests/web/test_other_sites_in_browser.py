"""Another page in the same browser asks for parts of ours, and leads to it."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from browser import Visit

Visiting = Callable[..., Visit]


@pytest.fixture
def stranger(address: str) -> Iterator[str]:
    """A page on another port that links to ours, and draws its icon."""

    class Stranger(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<a href="{address}/">lead</a><img src="{address}/icon.svg">'
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Keep requests off the screen."""

    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


def test_no_other_page_loads_or_leads_to_ours(
    visit: Visiting, address: str, stranger: str
) -> None:
    page = visit().page
    answers: dict[str, int] = {}
    page.on("response", lambda got: answers.update({got.url: got.status}))
    page.goto(stranger)
    assert page.locator("img").evaluate("picture => picture.naturalWidth") == 0
    page.get_by_role("link", name="lead").click()
    page.wait_for_url(f"{address}/")
    assert "another page asks, or leads here" in page.inner_text("body")
    assert answers[f"{address}/"] == 403
    page.goto(f"{address}/")
    assert page.inner_text("h1") == "Plan a study"
    page.reload()
    assert page.inner_text("h1") == "Plan a study"
