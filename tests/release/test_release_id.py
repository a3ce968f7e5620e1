"""Ids of releases: digits stand for themselves, other text for its hash."""

import hashlib

import pytest

from dpratio.errors import InvalidInput
from dpratio.release.id import id_of, require_id


def test_an_id_stands_for_itself() -> None:
    assert id_of("0123456789abcdef" * 2) == "0123456789abcdef" * 2


@pytest.mark.parametrize("text", ["orders 2026-11", "20261116", "Übersicht", "f" * 15])
def test_any_other_text_stands_for_its_hash(text: str) -> None:
    given = id_of(text)
    require_id(given)
    hashed = hashlib.sha256(f"dpratio release id:{text}".encode()).hexdigest()
    assert given == hashed[:32]
    assert id_of(text) == given != id_of(f"{text}.")


@pytest.mark.parametrize(
    "text", ["", " ", " a", "a ", "a\nb", "\x1b[2J", "x" * 1001, 7, None, b"a"]
)
def test_what_is_no_line_of_text_is_refused(text: object) -> None:
    with pytest.raises(InvalidInput, match="hexadecimal digits, or one line of text"):
        id_of(text)


@pytest.mark.parametrize("text", ["0" * 31, "0" * 33, "A" * 32, "f" * 16, "1" * 20])
def test_what_is_nearly_an_id_is_refused(text: str) -> None:
    """A mistyped one would be charged as a new release."""
    with pytest.raises(InvalidInput, match="a release id has 32 digits, in lower case"):
        id_of(text)
