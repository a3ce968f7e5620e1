"""`dpratio page`: where it listens, what it opens, and what it needs."""

import re
import socket
import sys
import threading
import webbrowser

import pytest
import uvicorn

from cli.commands_for_tests import shown
from dpratio.errors import InvalidInput, MissingExtra


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> list[socket.socket]:
    """Servers that do not serve: what they would have listened on."""
    given: list[socket.socket] = []

    def listen(_: object, sockets: list[socket.socket]) -> None:
        given.extend(each.dup() for each in sockets)
        raise KeyboardInterrupt

    monkeypatch.setattr(uvicorn.Server, "run", listen)
    return given


def test_the_page_says_where_it_is_and_ends_quietly(
    sockets: list[socket.socket],
) -> None:
    said = shown("page", "--no-browser")
    (listening,) = sockets
    with listening:
        host, port = listening.getsockname()
    assert host == "127.0.0.1"
    assert f"http://127.0.0.1:{port}/" in said
    assert "spends nothing" in said


def test_the_page_is_opened_in_the_readers_browser(
    sockets: list[socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    done = threading.Event()

    def note(address: str) -> None:
        opened.append(address)
        done.set()

    monkeypatch.setattr(webbrowser, "open", note)
    said = shown("page")
    assert done.wait(10)
    assert opened == re.findall(r"http://127\.0\.0\.1:\d+/", said)
    sockets[0].close()


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(InvalidInput, match=f"cannot be used, got {port}"):
            shown("page", "--no-browser", "--port", port)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a number from 0 to 65535, got 70000"):
        shown("page", "--no-browser", "--port", 70_000)


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_package_names_the_extra(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=r"\.\[page\]"):
        shown("page", "--no-browser")
