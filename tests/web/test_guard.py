"""Who the page answers to, over plain HTTP, and what every answer carries."""

import socket
from collections.abc import Iterator

import httpx2
import pytest

from dpratio.web.guard import HEADERS, hosts_of

LONGEST = 120.0  # seconds: the first answer of a page on a busy machine


@pytest.fixture(scope="module")
def visitor(address: str) -> Iterator[httpx2.Client]:
    # A connection for each request: one that idles may be closed at any moment.
    limits = httpx2.Limits(max_keepalive_connections=0)
    with httpx2.Client(base_url=address, timeout=LONGEST, limits=limits) as made:
        yield made


def test_the_page_listens_on_loopback_alone(address: str) -> None:
    port = int(address.rpartition(":")[2])
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port)}
    for other in own - {"127.0.0.1", "127.0.1.1", "::1"}:
        with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
            socket.create_connection((str(other), port), timeout=2)


def test_every_answer_carries_the_headers(visitor: httpx2.Client) -> None:
    for path in ("/", "/page.js", "/page.css", "/nowhere", "/?n=x"):
        found = visitor.get(path)
        assert found.headers["x-content-type-options"] == "nosniff"
        sends_forms = path.startswith("/?") or path == "/"
        referrer = "same-origin" if sends_forms else "no-referrer"
        assert found.headers["referrer-policy"] == referrer
        assert found.headers["cross-origin-opener-policy"] == "same-origin"
        policy = found.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src")
        assert "unsafe" not in policy
        assert "server" not in found.headers


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_own_names_are_answered(
    address: str, visitor: httpx2.Client, name: str
) -> None:
    port = address.rpartition(":")[2]
    found = visitor.get("/page.css", headers={"Host": f"{name}:{port}"})
    assert found.status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "[::1]:{port}", "", "x"],
)
def test_other_names_are_refused(
    address: str, visitor: httpx2.Client, host: str
) -> None:
    port = address.rpartition(":")[2]
    for path in ("/", "/page.js", "/nowhere"):
        given = {"Host": host.format(port=port)}
        found = visitor.get(path, headers=given)
        assert found.status_code == 403
        assert found.text.startswith("This page answers only under its own address")
        assert set(HEADERS) <= set(found.headers)


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "http://localhost:1", "https://{own}", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_pages_are_refused(
    address: str, visitor: httpx2.Client, origin: str, method: str
) -> None:
    own = address.removeprefix("http://")
    given = {"Origin": origin.format(own=own)}
    found = visitor.request(method, "/view", headers=given)
    assert found.status_code == 403
    assert "another page" in found.text


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "other"])
@pytest.mark.parametrize("path", ["/", "/page.js", "/view", "/nowhere"])
def test_what_another_site_asks_for_is_refused(
    visitor: httpx2.Client, path: str, site: str
) -> None:
    """Pictures, scripts and links bring no Origin with them."""
    given = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
    found = visitor.get(path, headers=given)
    assert found.status_code == 403
    assert "another page asks" in found.text
    assert set(HEADERS) <= set(found.headers)


def test_a_file_that_another_site_sends_is_refused(
    address: str, visitor: httpx2.Client
) -> None:
    given = {"Origin": address, "Sec-Fetch-Site": "cross-site"}
    found = visitor.post("/view", headers=given, content=b"{}")
    assert found.status_code == 403


@pytest.mark.parametrize("site", ["same-origin", "none", None])
def test_the_page_itself_a_typed_address_and_programs_are_answered(
    visitor: httpx2.Client, site: str | None
) -> None:
    """Programs send no such header, and no page speaks through them."""
    given = {} if site is None else {"Sec-Fetch-Site": site}
    assert visitor.get("/", headers=given).is_success


def test_two_sites_in_one_request_are_refused(visitor: httpx2.Client) -> None:
    given = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
    assert visitor.get("/", headers=given).status_code == 403


def test_a_file_without_an_origin_is_refused(visitor: httpx2.Client) -> None:
    found = visitor.post("/view", content=b"{}")
    assert found.status_code == 403
    assert "no Origin" in found.text


def test_a_body_that_states_no_length_is_not_read_beyond_its_limit(
    address: str, visitor: httpx2.Client
) -> None:
    pieces = iter([b"x" * 100_000] * 3)  # A study may have 256 kB.
    found = visitor.post("/", headers={"Origin": address}, content=pieces)
    assert found.status_code == 413


def test_the_origin_must_be_the_name_that_was_asked_for(
    address: str, visitor: httpx2.Client
) -> None:
    other = address.replace("127.0.0.1", "localhost")
    found = visitor.get("/", headers={"Origin": other})
    assert found.status_code == 403
    assert visitor.get("/", headers={"Origin": address}).is_success


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_routes_take_their_methods_alone(
    address: str, visitor: httpx2.Client, method: str
) -> None:
    for path in ("/", "/view", "/page.js"):
        found = visitor.request(method, path, headers={"Origin": address})
        assert found.status_code == 405


def test_two_hosts_in_one_request_are_refused(address: str) -> None:
    name, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((name, int(port)), timeout=LONGEST) as talk:
        words = f"GET / HTTP/1.1\r\nHost: {name}:{port}\r\nHost: evil.example\r\n\r\n"
        talk.sendall(words.encode())
        assert talk.recv(64).split()[1] in {b"400", b"403"}


def test_the_default_port_of_the_web_may_be_left_out() -> None:
    assert "localhost" in hosts_of(80)
    assert "localhost" not in hosts_of(8080)


def test_web_sockets_are_not_served(visitor: httpx2.Client) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert visitor.get("/", headers=upgrade).status_code != 101
