"""Forms that are sent to the page: their parts, headers and boundaries mutated."""

from collections.abc import AsyncIterator

from hypothesis import strategies as st

from dpratio.errors import FileRefused
from dpratio.web.upload import Upload, file_of, receive_all
from fuzz.mutations import Mutation, mutate_bytes, mutations

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (FileRefused,)
KIND = b"multipart/form-data; boundary=----b0"
LENGTHS = [b"7", b"-1", b"", b"9" * 5000, b"1e9", "٣".encode(), b"999999999999", b" 5 "]
ALLOWED = 2**20


def _form(content: bytes, name: str = "a.json", field: str = "release") -> bytes:
    head = f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
    kind = "Content-Type: application/octet-stream\r\n\r\n"
    return f"------b0\r\n{head}{kind}".encode() + content + b"\r\n------b0--\r\n"


SEEDS = [
    _form(b"{}"),
    _form(b"\r\n------b0\r\n" * 50, name="é.parquet"),
    _form(b"x", field="other") + _form(b"PAR1", name="../../x"),
    _form(b"0" * 3000, name='a"; name="release'),
    b"------b0\r\n" * 5000,
    b"------b0\r\n" + b"X: y\r\n" * 5000 + b"\r\n\r\n------b0--",
    b'------b0\r\nContent-Disposition: form-data; name="' + b" " * 50_000,
]
Drawn = tuple[int, int, list[Mutation], list[Mutation]]
Sent = tuple[bytes, str, str]

INPUTS = st.tuples(
    st.integers(0, len(SEEDS) - 1),
    st.integers(0, len(LENGTHS) - 1),
    mutations(),
    st.lists(st.nothing()) | mutations(2),
)
VALID: Drawn = (0, 0, [], [])


def make(drawn: Drawn) -> Sent:
    at, length, flips, kinds = drawn
    body = mutate_bytes(SEEDS[at], flips, SEEDS)
    # Servers hand headers on as Latin-1; a caller may hand on anything.
    kind = mutate_bytes(KIND, kinds)
    read_as = "utf-8" if length % 2 else "latin-1"
    return body, kind.decode(read_as, "replace"), LENGTHS[length].decode()


def read(sent: Sent) -> Upload | None:
    body, kind, length = sent

    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(body), 1000):
            yield body[at : at + 1000]

    # Run by hand: an event loop would open sockets of its own.
    received = None
    try:
        receive_all(chunks(), length, largest=ALLOWED).send(None)
    except StopIteration as done:
        received = done.value
    return None if received is None else file_of(received, kind, "release")


def check(found: Upload | None) -> None:
    assert found is None or found.name
