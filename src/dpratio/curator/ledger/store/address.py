"""Where a ledger lies: a file, or a server whose address may hold a password.

An address is recognised in every usual way of writing, or refused, before any part of
it can become the name of a file, a message, a pickle or a line of a traceback.
"""

import re
import unicodedata
from os import PathLike, fspath
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from dpratio.errors import InvalidInput

_SCHEME = re.compile(r"postgres(?:ql)?(?:\+\w+)?://(?=[^/?#])", re.IGNORECASE)
_SCHEME_OF_SOCKET = re.compile(r"postgres(?:ql)?(?:\+\w+)?:///(?=.)", re.IGNORECASE)
_WORD = r"(?:'(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)+)"
_KEYS = (
    "host|hostaddr|port|dbname|user|password|passfile|require_auth|service|options|"
    "application_name|fallback_application_name|channel_binding|connect_timeout|"
    "client_encoding|keepalives\\w*|tcp_user_timeout|gss\\w+|krbsrvname|ssl\\w*|"
    "target_session_attrs|load_balance_hosts|min_protocol_version|max_protocol_version"
)
_PAIRS = re.compile(rf"(?:(?:{_KEYS})\s*=\s*{_WORD}\s*)+")
# What only addresses have: a scheme, a user with a password, a password by its name.
_ODD = re.compile(
    r"postgres(ql)?(\+\w+)?\s*:|:\s*//|[^/\s]:[^/]*@|\b(password|passwd|pwd|pass)\s*[=:]"
    rf"|(^|\s)({_KEYS})\s*=",
    re.IGNORECASE,
)
_RULE = {
    "ledger": (
        "a ledger lies in a file or on a server; what was given is neither a plain "
        "path nor an address. Name a file, or write postgresql://user@host/database; "
        "it is not shown here, since it may hold a password."
    ),
    "anchor": (
        "an anchor is a file; what was given is not a plain path. Name a file; it is "
        "not shown here, since it may hold a password."
    ),
}


class Address:
    """The address of a server; it is shown to nobody but the driver."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        self.__text = text

    def reveal(self) -> str:
        """Give the address to the driver."""
        return self.__text

    def __repr__(self) -> str:
        return "a PostgreSQL server"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and other.reveal() == self.__text

    def __hash__(self) -> int:
        return hash(self.__text)

    def __copy__(self) -> "Address":
        return self

    def __deepcopy__(self, _seen: object) -> "Address":
        return self

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        message = (
            "the address of a ledger may hold a password and is not pickled. Make the "
            "Ledger where it is used."
        )
        raise TypeError(message)


def place_of_ledger(location: object) -> Path | Address | InvalidInput:
    """Read where a ledger lies.

    Returns:
        A refusal is given and not raised: who raises it must have let go of what was
        given, or a traceback could show it.
    """
    if isinstance(location, str):
        text = location.strip()
        if "\0" not in text:
            for scheme in (_SCHEME, _SCHEME_OF_SOCKET):
                begun = scheme.match(text)
                if begun:
                    slashes = "///" if scheme is _SCHEME_OF_SOCKET else "//"
                    return Address(f"postgresql:{slashes}{text[begun.end() :]}")
            if _PAIRS.fullmatch(text):
                return Address(text)
    return _file(location, "ledger")


def place_of_anchor(anchor: object) -> Path | InvalidInput:
    """Read where an anchor lies; a refusal is given and not raised."""
    return _file(anchor, "anchor")


def _file(given: object, what: str) -> Path | InvalidInput:
    if not isinstance(given, str | PathLike):
        return InvalidInput(_RULE[what])
    text = fspath(given)
    is_plain = isinstance(text, str) and text != "" and not _looks_like_address(text)
    return Path(text) if is_plain else InvalidInput(_RULE[what])


def _looks_like_address(text: str) -> bool:
    """Look through percent signs, look-alikes and letters that nobody sees."""
    for _ in range(4):
        if "\0" in text or _ODD.search(_plain(text)):
            return True
        text = unquote(text)
    return False


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text)
    return "".join(each for each in folded if unicodedata.category(each) != "Cf")
