"""A file out of a form: whatever its bytes, and however the form is broken."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import FileRefused
from dpratio.web.upload import Upload, file_of, receive_all

KIND = "multipart/form-data; boundary=----b0"


def form_of(content: bytes, name: str = "a.json", field: str = "release") -> bytes:
    head = f'Content-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
    kind = "Content-Type: application/octet-stream\r\n\r\n"
    return f"------b0\r\n{head}{kind}".encode() + content + b"\r\n------b0--\r\n"


@given(content=st.binary())
def test_every_byte_of_a_file_arrives(content: bytes) -> None:
    assert file_of(form_of(content), KIND, "release") == Upload("a.json", content)


@pytest.mark.parametrize("content", [b"\r\n", b"\r\n\r\n", b"\n--", b"------b", b""])
def test_line_breaks_and_dashes_belong_to_the_file(content: bytes) -> None:
    assert file_of(form_of(content), KIND, "release").content == content


def test_other_fields_are_passed_over() -> None:
    first = b'------b0\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'
    other = form_of(b"no", field="other").removesuffix(b"------b0--\r\n")
    body = first + other + form_of(b"yes", name="é.parquet")
    assert file_of(body, KIND, "release") == Upload("é.parquet", b"yes")


def test_the_boundary_may_be_quoted() -> None:
    kind = 'multipart/form-data; boundary="----b0"'
    assert file_of(form_of(b"1"), kind, "release").content == b"1"


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"{}", "application/json", "holds no file"),
        (b"{}", "", "holds no file"),
        (form_of(b"1"), "multipart/form-data", "holds no file"),
        (form_of(b"1"), "text/plain; boundary=----b0", "holds no file"),
        (form_of(b"1", name=""), KIND, "no file was chosen"),
        (form_of(b"1", field="other"), KIND, "no file was chosen"),
        (form_of(b"1")[:-10], KIND, "no file was chosen"),
        (b"", KIND, "no file was chosen"),
        (b"------b0\r\nno header\r\n\r\n1\r\n------b0--", KIND, "no file was chosen"),
    ],
)
def test_a_form_without_the_file_is_refused(
    body: bytes, kind: str, message: str
) -> None:
    with pytest.raises(FileRefused, match=message):
        file_of(body, kind, "release")


@given(body=st.binary(), kind=st.text())
def test_nothing_that_is_sent_breaks_the_reader(body: bytes, kind: str) -> None:
    for given_kind in (kind, KIND):
        with pytest.raises(FileRefused):
            file_of(body, given_kind, "release")


@pytest.mark.parametrize("length", ["9" * 5000, "0" * 5000 + "99", "11"])
def test_a_length_that_no_number_can_hold_is_too_large(length: str) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b""
        pytest.fail("was read")

    receiving = receive_all(chunks(), length, largest=10)
    with pytest.raises(StopIteration) as done:
        receiving.send(None)
    assert done.value.value is None


@pytest.mark.parametrize(("chunk", "kept"), [(b"12345", b"1234512345"), (b"123", None)])
def test_no_more_is_read_than_allowed_where_no_length_is_stated(
    chunk: bytes, kept: bytes | None
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(10 // len(chunk) + (kept is None)):
            yield chunk

    receiving = receive_all(chunks(), None, largest=10)
    with pytest.raises(StopIteration) as done:
        receiving.send(None)
    assert done.value.value == kept


def test_a_boundary_in_other_letters_is_no_boundary() -> None:
    with pytest.raises(FileRefused, match="no file was chosen"):
        file_of(form_of(b"1"), "multipart/form-data; boundary=数", "release")
