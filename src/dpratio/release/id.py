"""Ids of releases.

An id is hexadecimal digits, or any text that stands for them. A scheduler knows what a
run is called before it runs. The same text is the same id, so that a second attempt
goes on with the first one's charge.
"""

import hashlib
import re

from dpratio.checks import show_given
from dpratio.errors import InvalidInput

_ID = re.compile("[0-9a-f]{32}")
# Nobody calls a run so; somebody may have lost a digit, or the case.
_ALMOST = re.compile("[0-9a-fA-F]{16,}")
_LONGEST = 1000


def id_of(text: object) -> str:
    """Return the id that a text stands for; an id stands for itself.

    Raises:
        InvalidInput: When it is no line of text, or nearly an id: a mistyped one would
            be charged as a new release.

    Example:
        >>> id_of("orders 2026-11")
        '850f107f388ee934f906e0abe5f37c96'
        >>> id_of("0123456789abcdef0123456789abcdef")
        '0123456789abcdef0123456789abcdef'
    """
    if not (
        isinstance(text, str)
        and 0 < len(text) <= _LONGEST
        and text.isprintable()
        and text.strip() == text
    ):
        raise InvalidInput(
            "a release id is 32 hexadecimal digits, or one line of text, got "
            f"{show_given(text)}.",
            field="id",
        )
    if _ID.fullmatch(text):
        return text
    if _ALMOST.fullmatch(text):
        raise InvalidInput(
            f"a release id has 32 digits, in lower case, got {show_given(text)}. "
            "Correct it; or add a word, if it is the name of a run.",
            field="id",
        )
    return hashlib.sha256(f"dpratio release id:{text}".encode()).hexdigest()[:32]


def require_id(name: object, field: str = "id") -> None:
    """Raise InvalidInput unless a release can have this name."""
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise InvalidInput(
            f"a release id is 32 hexadecimal digits, got {show_given(name)}.",
            field=field,
        )
