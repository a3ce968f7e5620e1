"""Who may talk to the page: this machine's browser, from the page itself.

A page on loopback can be reached by every page the browser has open, and by names that
are made to point at 127.0.0.1. The ``Host`` header shows the name that was asked for,
the ``Origin`` header the page that asks, and ``Sec-Fetch-Site`` whether that is this
one, also where pictures, scripts and links bring no ``Origin``; a browser lets no page
choose any of them (docs/decisions/README.md).
"""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}

_READING = {"GET", "HEAD"}
# This page, and a reader who types the address or opens a bookmark. "same-site" is
# another port of this machine.
_OWN_SITES = {"same-origin", "none"}
_WEB_PORT = 80


def hosts_of(port: int) -> frozenset[str]:
    """List the names under which the page may be asked for.

    Example:
        >>> sorted(hosts_of(8000))
        ['127.0.0.1:8000', 'localhost:8000']
    """
    names = ("127.0.0.1", "localhost")
    # Browsers leave out the port that http has by default.
    bare = names if port == _WEB_PORT else ()
    return frozenset([*(f"{name}:{port}" for name in names), *bare])


def guard(application: Application, port: int) -> Application:
    """Refuse strangers before the application hears of them; add our headers."""
    hosts = hosts_of(port)

    async def guarded(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # No lifespan is run and no web socket is served.
        refusal = _refusal(scope, hosts)
        if refusal:
            await _refuse(refusal, _with_headers(send))
        else:
            await application(scope, receive, _with_headers(send))

    return guarded


def _refusal(scope: Message, hosts: frozenset[str]) -> str:
    """Say why a request is refused; nothing where it is not."""
    asked = _values(scope["headers"], b"host")
    if len(asked) != 1 or asked[0].lower() not in hosts:
        names = " or ".join(sorted(hosts))
        return f"This page answers only under its own address: {names}."
    origins = _values(scope["headers"], b"origin")
    own = f"http://{asked[0].lower()}"
    if scope["method"] not in _READING and not origins:
        return "This page takes files only from itself: the request has no Origin."
    if any(origin.lower() != own for origin in origins):
        return "This page answers only to itself: the request comes from another page."
    # Browsers have sent it to loopback since 2023. What does not send it is old, or no
    # browser at all; then no page asks in another's name, or Host and Origin tell.
    sites = _values(scope["headers"], b"sec-fetch-site")
    if any(site.lower() not in _OWN_SITES for site in sites):
        return (
            "This page answers only to itself: another page asks, or leads here. Type "
            "its address."
        )
    return ""


def _values(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _with_headers(send: Send) -> Send:
    """Add our headers to every answer that does not bring its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            known = {bytes(key).lower() for key, _ in given}
            given += [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in known
            ]
            message = {**message, "headers": given}
        await send(message)

    return sending


async def _refuse(sentence: str, send: Send) -> None:
    body = f"{sentence}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    start = {"type": "http.response.start", "status": 403, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})
